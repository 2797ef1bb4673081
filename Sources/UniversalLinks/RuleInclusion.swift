import HTTPSClient

/// Decides whether every URL of one rule also matches another rule.
///
/// The decision uses the patterns, not samples. The parts of a URL are independent, so each part is decided separately.
struct RuleInclusion {
    /// The default work limit for one file, in units of about 10 nanoseconds. Ordinary files use less than 1% of it.
    static let workLimit = 1_000_000

    private(set) var workLeft: Int
    /// The links of the inner rules, or nil if all rules are in the same file.
    private let other: CompiledLinks?
    /// The results by the indices of the outer and the inner condition.
    private var known: [Int: [Int?: Bool]] = [:]

    init(workLimit: Int = RuleInclusion.workLimit, innerLinks: CompiledLinks? = nil) {
        (workLeft, other) = (workLimit, innerLinks)
    }

    mutating func spend(_ work: Int) { workLeft -= work }

    /// Returns whether the outer rule matches every URL of the inner rule, or false if this is undecided.
    ///
    /// - Parameter inner: A rule that matches at least one URL.
    mutating func contains(_ inner: CompiledLinks.Rule, in outer: CompiledLinks.Rule, _ links: CompiledLinks) -> Bool {
        contains(inner.path, in: outer.path, links) && contains(inner.query, in: outer.query, links)
            && contains(inner.fragment, in: outer.fragment, links) && workLeft >= 0
    }

    /// Returns whether the outer rule also matches every URL of the inner rule if `*` does not match absent values.
    mutating func containsPresent(
        _ inner: CompiledLinks.Rule, in outer: CompiledLinks.Rule, _ links: CompiledLinks
    ) -> Bool {
        [(inner.query, outer.query), (inner.fragment, outer.fragment)].allSatisfy { inner, outer in
            guard let outer = outer.map({ links.conditions[$0].requiringValues }) else { return true }
            return contains(inner.map { links.conditions[$0] }, links.variables, in: outer, links.variables)
        }
    }

    private mutating func contains(_ inner: Int?, in outer: Int?, _ links: CompiledLinks) -> Bool {
        spend(2)
        guard let outer, outer != inner || other != nil, !links.conditions[outer].isAlwaysMet else { return true }
        if let known = known[outer]?[inner] { return known }
        let own = other ?? links
        let result = contains(
            inner.map { own.conditions[$0] }, own.variables, in: links.conditions[outer], links.variables)
        known[outer, default: [:]][inner] = result
        return result
    }

    private mutating func contains(
        _ inner: CompiledLinks.Condition?, _ own: [Variable], in outer: CompiledLinks.Condition, _ variables: [Variable]
    ) -> Bool {
        let form = inner?.form ?? outer.form
        // The two forms of a text are not compared, nor a whole query with the items of a dictionary.
        guard form.percentEncoded == outer.form.percentEncoded else { return false }
        if let one = inner?.items.first, let other = outer.items.first, (one.name == nil) != (other.name == nil) {
            return false
        }
        return outer.items.allSatisfy { item in
            let pattern = inner?.items.first { $0.name?.scalars == item.name?.scalars }?.pattern
            let search = InclusionSearch(
                inner: PatternAutomaton(pattern: pattern ?? .everything, form: form, variables: own),
                outer: PatternAutomaton(pattern: item.pattern, form: outer.form, variables: variables),
                part: outer.part, isItem: item.name != nil)
            return search.isContained(&workLeft)
        }
    }
}

/// A search for a text that matches the inner pattern, but not the outer pattern.
private struct InclusionSearch {
    let inner: PatternAutomaton
    let outer: PatternAutomaton
    let part: URLPart
    let isItem: Bool

    /// One state of the inner pattern, all states of the outer pattern, and the end of the text so far.
    private struct Node: Hashable {
        let inner: Int
        let outer: [Int]
        let end: End
    }

    /// The end of a text. A path is normalized.
    private enum End {
        case start, root, slash, star, other

        func appending(_ character: UInt32) -> End? {
            switch character {
            case 0x2F: self == .start ? .root : self == .root || self == .slash ? nil : .slash
            case 0x2A: self == .start || self == .star ? nil : .star
            case _: self == .start ? nil : .other
            }
        }
    }

    func isContained(_ workLeft: inout Int) -> Bool {
        workLeft -= 10
        guard !differsInLiterals else { return false }
        // Preparing a search takes as long as many of its steps.
        workLeft -= 200
        let alphabet = alphabet(&workLeft)
        let start = outer.start
        var open = inner.start.map { Node(inner: $0, outer: start, end: part == .path ? .start : .other) }
        var seen = Set(open)
        while let node = open.popLast() {
            guard !outer.acceptsEverything(node.outer) else { continue }
            if inner.accepts(node.inner), node.end != .start, node.end != .slash,
                !node.outer.contains(where: outer.accepts)
            {
                return false
            }
            for character in alphabet {
                guard let end = part == .path ? node.end.appending(character) : node.end else { continue }
                let targets = inner.next([node.inner], character, &workLeft)
                guard !targets.isEmpty else { continue }
                let others = outer.next(node.outer, character, &workLeft)
                guard workLeft >= 0 else { return false }
                for target in targets {
                    let next = Node(inner: target, outer: others, end: end)
                    if seen.insert(next).inserted { open.append(next) }
                }
            }
        }
        return true
    }

    /// Whether the patterns have different characters after equal characters.
    private var differsInLiterals: Bool {
        guard inner.form == outer.form,
            let (one, other) = zip(inner.steps, outer.steps).first(where: { $0 != $1 || $0.literal == nil })
        else { return false }
        return one.literal != nil && other.literal != nil
    }

    /// Returns characters that represent all characters of the part. Both patterns treat the others like one of these.
    private func alphabet(_ workLeft: inout Int) -> [UInt32] {
        var characters = inner.literals(&workLeft).union(outer.literals(&workLeft))
        for scalar in characters.compactMap(Unicode.Scalar.init) {
            // Letters of the other case differ if only one of the patterns is case-sensitive.
            let variants = scalar.properties.uppercaseMapping + scalar.properties.lowercaseMapping
            characters.formUnion(variants.unicodeScalars.map(\.value))
        }
        // One more character of each class, and of all others.
        for group in [
            "0123456789", "ABCDEF", "abcdef", "GHIJKLMNOPQRSTUVWXYZ", "ghijklmnopqrstuvwxyz", "-.:;_~$!(),+@=",
        ] {
            characters.formUnion(group.unicodeScalars.map(\.value).filter { !characters.contains($0) }.prefix(1))
        }
        if !inner.form.percentEncoded, let other = (0xE000...0xF8FF).first(where: { !characters.contains($0) }) {
            characters.insert(other)
        }
        // The slash and the star matter in paths. The Kelvin sign and the long s are variants of k and s.
        characters.formUnion([0x2F, 0x2A, 0x212A, 0x17F])
        // The order determines the work up to a difference, so it must not depend on the hash values of a set.
        let sorted = characters.sorted()
        guard inner.form.percentEncoded else { return sorted }
        return sorted.filter { character in
            !(isItem && character == 0x26) && !(Unicode.Scalar(character).map(part.encodes) ?? true)
        }
    }
}

/// A pattern as an automaton. A state is the index of a step, and the number of a node in the tree of a variable or 0.
private struct PatternAutomaton {
    let pattern: Pattern
    let form: ComparisonForm
    let variables: [Variable]
    var steps: [PatternStep] { pattern.steps }

    private static let classes = CharacterClass.allCases

    var start: [Int] { closed([0]) }

    func accepts(_ state: Int) -> Bool { state >> 32 >= steps.count }

    /// Returns whether a text can continue with any characters from a set of states.
    func acceptsEverything(_ states: [Int]) -> Bool {
        states.contains { $0 >> 32 > steps.count || ($0 >> 32 == steps.count - 1 && steps.last == .star) }
    }

    func next(_ states: [Int], _ character: UInt32, _ workLeft: inout Int) -> [Int] {
        var targets: [Int] = []
        let folded = form.folded(character)
        for state in states {
            workLeft -= 1
            let (step, node) = (state >> 32, state & 0xFFFF_FFFF)
            guard step < steps.count else {
                // After the steps, a tail accepts a slash and then any characters.
                if step > steps.count || (pattern.hasTail && character == 0x2F) {
                    targets.append((steps.count + 1) << 32)
                }
                continue
            }
            guard case .variable(let index) = steps[step] else {
                if steps[step] == .star { targets.append(state) }
                if reads(steps[step], folded) { targets.append((step + 1) << 32) }
                continue
            }
            if node > 0, variables[index].nodes[node - 1].step == .star { targets.append(state) }
            for child in children(of: node, in: variables[index]) {
                workLeft -= 1
                if reads(variables[index].nodes[child].step, folded) { targets.append(step << 32 | (child + 1)) }
            }
        }
        return closed(targets)
    }

    func literals(_ workLeft: inout Int) -> Set<UInt32> {
        var steps = steps
        for case .variable(let index) in pattern.steps { steps += variables[index].nodes.map(\.step) }
        workLeft -= steps.count
        return Set(steps.compactMap(\.literal) + (pattern.hasTail ? [0x2F] : []))
    }

    private func reads(_ step: PatternStep, _ folded: UInt32) -> Bool {
        guard case .row(let row) = step, row >= MatchText.anyRow else { return step.literal == folded }
        return row == MatchText.anyRow || Self.classes[row - MatchText.anyRow - 1].contains(folded)
    }

    /// Returns the nodes directly below a node, or the roots for 0.
    private func children(of node: Int, in variable: Variable) -> [Int] {
        let end = node == 0 ? variable.nodes.count : variable.nodes[node - 1].end
        return sequence(first: node) { variable.nodes[$0].end }.prefix { $0 < end }.map(\.self)
    }

    /// Returns the states and all states that are reachable without a character, in order.
    private func closed(_ states: [Int]) -> [Int] {
        var open = states
        var found = Set<Int>()
        while let state = open.popLast() {
            let (step, node) = (state >> 32, state & 0xFFFF_FFFF)
            guard found.insert(state).inserted, step < steps.count else { continue }
            let next = (step + 1) << 32
            guard case .variable(let index) = steps[step] else {
                if steps[step] == .star { open.append(next) }
                continue
            }
            let variable = variables[index]
            if node == 0 ? variable.hasEmptyValue : variable.nodes[node - 1].isComplete { open.append(next) }
            for child in children(of: node, in: variable) where variable.nodes[child].step == .star {
                open.append(step << 32 | (child + 1))
            }
        }
        return found.sorted()
    }
}

extension Pattern {
    /// The pattern of a missing key.
    fileprivate static let everything = Pattern("*", steps: [.star], isPath: false)
}
