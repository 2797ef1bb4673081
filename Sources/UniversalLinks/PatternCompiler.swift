import HTTPSClient

/// Compiles patterns into a store, each distinct one once.
struct PatternCompiler {
    private(set) var store = PatternStore()
    /// The own variables of the file by name, without those that cannot be used.
    private let values: [String: [String]]
    /// The names of own variables that a pattern has used.
    private(set) var usedNames: Set<String> = []

    private var patternIndices: [PatternKey: Int] = [:]
    private var nameNumbers: [[UInt8]: UInt32] = [:]
    private var variableIndices: [VariableKey: Int] = [:]
    private var queryIndices: [[QueryKey]: Int] = [:]

    private struct PatternKey: Hashable {
        package let part: URLPart
        let variant: ComparisonVariant
        /// The atoms as numbers, which are hashed in one piece.
        package let atoms: [UInt32]

        package func hash(into hasher: inout Hasher) {
            hasher.combine(part.rawValue)
            hasher.combine(variant.index)
            unsafe atoms.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
        }
    }

    private struct VariableKey: Hashable {
        package let name: [UInt8]
        package let caseSensitive: Bool
    }

    private struct QueryKey: Hashable {
        package let name: [UInt32]
        package let pattern: Int
    }

    /// - Parameter values: the values of the own variables; names of built-in variables do not count.
    init(values: [String: [String]]) {
        self.values = values
        store.variableNames = Set(values.keys)
    }

    /// Makes room for as many patterns more.
    package mutating func expect(_ more: Int) {
        patternIndices.reserveCapacity(patternIndices.count + more)
    }

    /// - Parameter atoms: the pieces of the text.
    /// - Returns: the index of the compiled pattern.
    package mutating func pattern(
        _ text: String, atoms: [PatternAtom], part: URLPart, variant: ComparisonVariant
    ) -> Int {
        let key = PatternKey(part: part, variant: variant, atoms: atoms.map { number(of: $0) })
        if let index = patternIndices[key] { return index }

        let hasTail = part == .path && atoms.last == .star && atoms.dropLast().last == .scalar(0x2F)
        let firstSegment = store.segments.count
        var start = 0
        let end = hasTail ? atoms.count - 2 : atoms.count
        while true {
            let star = atoms[start..<end].firstIndex(of: .star) ?? end
            addSegment(atoms[start..<star], caseSensitive: variant.caseSensitive)
            guard star < end else { break }
            start = star + 1
        }
        let segments = firstSegment..<store.segments.count
        let index = store.patterns.count
        store.patterns.append(
            PatternStore.Pattern(
                text: text, part: part, variant: variant, segments: segments, hasTail: hasTail,
                isCatchAll: (hasTail || segments.count > 1)
                    && segments.allSatisfy { store.segments[$0].tokens.isEmpty },
                prefix: prefix(of: store.segments[firstSegment]), neededPairs: neededPairs(of: segments)))
        patternIndices[key] = index
        return index
    }

    /// - Returns: the index of a dictionary of query items.
    package mutating func query(_ items: [PatternStore.QueryItem]) -> Int {
        let key = items.map { QueryKey(name: $0.name, pattern: $0.pattern) }
        if let index = queryIndices[key] { return index }
        let index = store.queries.count
        store.queries.append(items)
        queryIndices[key] = index
        return index
    }

    /// A number for each distinct atom; those that are no characters have numbers that no character has.
    private mutating func number(of atom: PatternAtom) -> UInt32 {
        switch atom {
        case .scalar(let value): return value
        case .any: return 0x11_0000
        case .star: return 0x11_0001
        case .variable(let name):
            // Bytes, because two names that Swift calls equal may be different ones.
            let name = Array(name.utf8)
            let number = nameNumbers[name] ?? 0x11_0002 + UInt32(clamping: nameNumbers.count)
            nameNumbers[name] = number
            return number
        }
    }

    private func prefix(of segment: PatternStore.Segment) -> Range<Int> {
        guard let first = segment.tokens.first, case .literal(let start, let count) = store.tokens[first].token else {
            return 0..<0
        }
        return start..<(start + count)
    }

    /// The pairs in the literals of segments; those in the values of variables may each be absent.
    private func neededPairs(of segments: Range<Int>) -> PairSet {
        var pairs = PairSet()
        for token in store.segments[segments].lazy.flatMap(\.tokens) {
            guard case .literal(let start, let count) = store.tokens[token].token else { continue }
            pairs.formUnion(PairSet(store.literals[start..<(start + count)]))
        }
        return pairs
    }

    private mutating func addSegment(_ atoms: ArraySlice<PatternAtom>, caseSensitive: Bool) {
        // First, because compiling a variable adds tokens of its own.
        var variables: [String: Int] = [:]
        for case .variable(let name) in atoms where variables[name] == nil {
            if values[name] != nil { usedNames.insert(name) }
            variables[name] = variable(name, caseSensitive: caseSensitive)
        }
        let firstToken = store.tokens.count
        var length: Int? = atoms.count
        for index in atoms.indices {
            switch atoms[index] {
            case .scalar(let value): addLiteral(value, atom: index, since: firstToken, caseSensitive: caseSensitive)
            case .any: store.tokens.append(PatternStore.PlacedToken(token: .any, atom: index))
            case .star: store.tokens.append(PatternStore.PlacedToken(token: .star, atom: index))
            case .variable(let name):
                if case .one(let characters)? = BuiltInVariable(name) {
                    let token = PatternStore.Token.one(caseSensitive ? characters : characters.folded)
                    store.tokens.append(PatternStore.PlacedToken(token: token, atom: index))
                } else if let variable = variables[name] {
                    store.tokens.append(PatternStore.PlacedToken(token: .variable(variable), atom: index))
                    length = nil
                }
            }
        }
        store.segments.append(PatternStore.Segment(tokens: firstToken..<store.tokens.count, length: length))
    }

    /// Adds a character, to the literal in front where there is one.
    private mutating func addLiteral(_ value: UInt32, atom: Int, since first: Int, caseSensitive: Bool) {
        let folded = caseSensitive ? value : (Unicode.Scalar(value)?.folded.value ?? value)
        store.literals.append(folded)
        let last = store.tokens.count - 1
        if last >= first, case .literal(let start, let count) = store.tokens[last].token {
            store.tokens[last].token = .literal(start: start, count: count + 1)
        } else {
            let token = PatternStore.Token.literal(start: store.literals.count - 1, count: 1)
            store.tokens.append(PatternStore.PlacedToken(token: token, atom: atom))
        }
    }

    /// - Returns: the index of a variable with values, or nil for one that stands for a single character.
    private mutating func variable(_ name: String, caseSensitive: Bool) -> Int? {
        let key = VariableKey(name: Array(name.utf8), caseSensitive: caseSensitive)
        if let index = variableIndices[key] { return index }
        let texts: [String]
        switch BuiltInVariable(name) {
        case .one: return nil
        case .codes(let codes): texts = codes
        case nil: texts = values[name] ?? []
        }
        var variable = PatternStore.Variable()
        var words: Set<[UInt32]> = []
        for text in texts {
            let atoms = PatternAtom.atoms(of: text) { _ in false }
            if atoms.contains(.any) || atoms.contains(.star) {
                let first = store.tokens.count
                for (index, atom) in atoms.enumerated() {
                    switch atom {
                    case .scalar(let value): addLiteral(value, atom: index, since: first, caseSensitive: caseSensitive)
                    case .any: store.tokens.append(PatternStore.PlacedToken(token: .any, atom: index))
                    case .star: store.tokens.append(PatternStore.PlacedToken(token: .star, atom: index))
                    case .variable: continue
                    }
                }
                variable.wildcards.append(first..<store.tokens.count)
            } else {
                words.insert(
                    text.unicodeScalars.map { caseSensitive ? $0.value : $0.folded.value })
            }
        }
        for word in words.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
            variable.words.append(store.literals.count..<(store.literals.count + word.count))
            store.literals += word
        }
        let index = store.variables.count
        store.variables.append(variable)
        variableIndices[key] = index
        return index
    }
}
