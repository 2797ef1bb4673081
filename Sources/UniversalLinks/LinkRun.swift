import HTTPSClient

/// One URL on its way through the details of a file.
struct LinkRun {
    /// What became of a detail.
    enum Decision {
        /// An index into the file's components.
        case component(Int)
        case nothing
        /// The work ended at this component.
        case exhausted(Int)
    }

    package let file: LinkFile
    package let subject: LinkSubject
    var matcher: PatternMatcher

    private var decisions: [Decision?]
    /// For each pattern, and for each dictionary: 0 not compared yet, 1 matches, 2 does not.
    private var patternResults: [UInt8]
    private var queryResults: [UInt8]

    /// - Parameter isExplained: whether the text is needed in its own case too, to be shown.
    init(_ file: LinkFile, _ url: WebURL, workLimit: Int, isExplained: Bool = false) {
        self.file = file
        var (variants, itemVariants) = (file.variants, file.itemVariants)
        if isExplained {
            // The even bits are those of the variants with case.
            variants |= (variants & 0b1010) >> 1
            itemVariants |= (itemVariants & 0b1010) >> 1
        }
        subject = LinkSubject(url, variants: variants, itemVariants: itemVariants)
        matcher = PatternMatcher(store: file.store, workLimit: workLimit)
        decisions = Array(repeating: nil, count: file.details.count)
        patternResults = Array(repeating: 0, count: file.store.patterns.count)
        queryResults = Array(repeating: 0, count: file.store.queries.count)
    }

    /// - Parameter apps: the apps to look at, indices into the file's.
    package mutating func match(_ apps: Range<Int>) -> UniversalLinks.Match {
        var blocked: UniversalLinks.Match?
        for app in apps {
            switch decide(app: app) {
            case .component(let number) where file.components[number].excludes:
                blocked = blocked ?? decision(.blocked, app, number)
            case .component(let number): return decision(.matched, app, number)
            case .exhausted(let number): return decision(.undecided, app, number)
            case .nothing: continue
            }
        }
        return blocked
            ?? UniversalLinks.Match(outcome: .unmatched, app: nil, detail: nil, component: nil, location: nil)
    }

    private func decision(_ outcome: UniversalLinks.Outcome, _ app: Int, _ number: Int) -> UniversalLinks.Match {
        let origin = file.components[number].origin
        return UniversalLinks.Match(
            outcome: outcome, app: file.apps[app].identifier, detail: origin.detail, component: origin.index,
            location: origin.location)
    }

    /// The first detail of an app that decides.
    private mutating func decide(app: Int) -> Decision {
        for detail in file.apps[app].details {
            let decision = decisions[detail] ?? decide(detail: detail)
            decisions[detail] = decision
            if case .nothing = decision { continue }
            return decision
        }
        return .nothing
    }

    private mutating func decide(detail: Int) -> Decision {
        for number in file.details[detail] where passesGate(number) {
            if matches(number) { return .component(number) }
            if matcher.isExhausted { return .exhausted(number) }
        }
        return .nothing
    }

    private func passesGate(_ number: Int) -> Bool {
        let gate = file.gates[number]
        guard !gate.isClosed, gate.needed.isSubset(of: subject.pathPairs[Int(gate.variant)]) else { return false }
        let count = Int(gate.count)
        let path = subject.paths[Int(gate.variant)]
        guard count <= path.count else { return false }
        let start = Int(gate.start)
        var index = 0
        while index < count, file.store.literals[start + index] == path[index] { index += 1 }
        return index == count
    }

    private mutating func matches(_ number: Int) -> Bool {
        let component = file.components[number]
        if let path = component.path, !matches(pattern: path) { return false }
        switch component.query {
        case .anything: break
        case .text(let pattern): guard matches(pattern: pattern) else { return false }
        case .items(let query): guard matches(query: query, component.variant) else { return false }
        }
        if let fragment = component.fragment, !matches(pattern: fragment) { return false }
        return !matcher.isExhausted
    }

    private mutating func matches(pattern: Int) -> Bool {
        if patternResults[pattern] == 0 {
            let compiled = file.store.patterns[pattern]
            let isMatch = matcher.matches(pattern, subject.scalars(compiled.part, compiled.variant))
            patternResults[pattern] = isMatch ? 1 : 2
        }
        return patternResults[pattern] == 1
    }

    private mutating func matches(query: Int, _ variant: ComparisonVariant) -> Bool {
        if queryResults[query] == 0 {
            var isMatch = true
            for item in file.store.queries[query] where isMatch {
                isMatch = firstMismatch(item, variant) == nil && !matcher.isExhausted
            }
            queryResults[query] = isMatch ? 1 : 2
        }
        return queryResults[query] == 1
    }

    /// - Returns: the first value of an item that does not match; an item that is absent has the value "".
    mutating func firstMismatch(_ item: PatternStore.QueryItem, _ variant: ComparisonVariant) -> [UInt32]? {
        var isAbsent = true
        let candidates = subject.items[variant.index]
        matcher.spend(candidates.count)
        for candidate in candidates where candidate.name == item.name {
            isAbsent = false
            if !matcher.matches(item.pattern, candidate.value) { return candidate.value }
        }
        return isAbsent && !matcher.matches(item.pattern, []) ? [] : nil
    }
}
