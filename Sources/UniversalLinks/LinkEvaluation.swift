import HTTPSClient

/// Evaluates the rules in a file for one URL, and optionally records a trace.
struct LinkEvaluation {
    private let links: CompiledLinks
    private var subject: LinkSubject
    private var matcher: PatternMatcher
    private var decisions: [Decision?]
    private var results: [Bool?]
    private(set) var trace: Trace?

    private enum Decision {
        case rule(Int)
        case nothing
        /// The evaluation reached the work limit at this rule.
        case exhausted(Int)
    }

    /// The rules that were tried, and the results of their conditions.
    struct Trace {
        struct Entry {
            let app: Int
            let rule: Int
            let outcome: UniversalLinks.Outcome
        }

        struct Comparison {
            let item: CompiledLinks.Item
            /// The compared text, or nil for an absent query item.
            let text: MatchText?
            let mismatch: PatternMatcher.Mismatch?
        }

        fileprivate(set) var entries: [Entry] = []
        /// The comparisons by condition index. Only the last comparison of a condition can be a mismatch.
        fileprivate(set) var comparisons: [Int: [Comparison]] = [:]
    }

    /// The pairs in the URL's path, for each form.
    private lazy var pathPairs = ComparisonForm.all.map {
        links.pathForms.contains($0) ? subject.text(of: .path, $0).pairs : PairSet()
    }

    init(_ links: CompiledLinks, _ url: WebURL, workLimit: Int, isTraced: Bool = false, ignoresCase: Bool = false) {
        self.links = links
        subject = LinkSubject(url, ignoresCase: ignoresCase)
        matcher = PatternMatcher(variables: links.variables, workLimit: workLimit)
        decisions = Array(repeating: nil, count: links.details.count)
        results = Array(repeating: nil, count: links.conditions.count)
        trace = isTraced ? Trace() : nil
    }

    mutating func match(_ apps: Range<Int>) -> UniversalLinks.Match {
        var blocked: UniversalLinks.Match?
        for app in apps {
            switch decide(app) {
            case .rule(let rule) where links.rules[rule].excludes: blocked = blocked ?? match(.blocked, app, rule)
            case .rule(let rule): return match(.matched, app, rule)
            case .exhausted(let rule): return match(.undecided, app, rule)
            case .nothing: continue
            }
        }
        guard let blocked else {
            return UniversalLinks.Match(outcome: .unmatched, app: nil, detail: nil, component: nil, location: nil)
        }
        // Move the deciding rule to the end, after the rules of other apps.
        if let index = trace?.entries.firstIndex(where: { $0.outcome == .blocked }),
            let entry = trace?.entries.remove(at: index)
        {
            trace?.entries.append(entry)
        }
        return blocked
    }

    private func match(_ outcome: UniversalLinks.Outcome, _ app: Int, _ rule: Int) -> UniversalLinks.Match {
        let origin = links.rules[rule].origin
        return UniversalLinks.Match(
            outcome: outcome, app: links.apps[app].identifier, detail: origin.detail, component: origin.index,
            location: origin.location)
    }

    private mutating func decide(_ app: Int) -> Decision {
        for detail in links.apps[app].details {
            let decision = decisions[detail] ?? decide(links.details[detail], app)
            decisions[detail] = decision
            if case .nothing = decision { continue }
            return decision
        }
        return .nothing
    }

    private mutating func decide(_ rules: Range<Int>, _ app: Int) -> Decision {
        var next = rules.lowerBound
        // A trace needs every comparison, including comparisons that the gate would skip.
        while let rule = trace == nil ? links.firstRule(in: next..<rules.upperBound, for: pathPairs) : next,
            rule < rules.upperBound
        {
            next = rule + 1
            let matches = matches(links.rules[rule])
            if matcher.isExhausted {
                record(.undecided, app, rule)
                return .exhausted(rule)
            }
            record(!matches ? .unmatched : links.rules[rule].excludes ? .blocked : .matched, app, rule)
            if matches { return .rule(rule) }
        }
        return .nothing
    }

    private mutating func record(_ outcome: UniversalLinks.Outcome, _ app: Int, _ rule: Int) {
        trace?.entries.append(Trace.Entry(app: app, rule: rule, outcome: outcome))
    }

    /// Returns whether the URL matches the rule with this index, without a trace.
    mutating func matches(_ index: Int) -> Bool {
        links.firstRule(in: index..<index + 1, for: pathPairs) != nil && matches(links.rules[index])
    }

    private mutating func matches(_ rule: CompiledLinks.Rule) -> Bool {
        isMet(rule.path) && isMet(rule.query) && isMet(rule.fragment)
    }

    private mutating func isMet(_ index: Int?) -> Bool {
        guard let index else { return true }
        if let known = results[index] { return known }
        let condition = links.conditions[index]
        let result = condition.items.allSatisfy { isMet($0, condition, index) }
        results[index] = result
        return result
    }

    private mutating func isMet(
        _ item: CompiledLinks.Item, _ condition: CompiledLinks.Condition, _ index: Int
    ) -> Bool {
        guard let name = item.name else {
            return matches(item, subject.text(of: condition.part, condition.form), index)
        }
        let values = subject.values(of: name.scalars, condition.form)
        return values.isEmpty ? matches(item, nil, index) : values.allSatisfy { matches(item, $0, index) }
    }

    /// Compares a text with the pattern of an item. An absent query item counts as the empty string.
    private mutating func matches(_ item: CompiledLinks.Item, _ text: MatchText?, _ index: Int) -> Bool {
        let mismatch = matcher.mismatch(of: item.pattern, in: text ?? .empty)
        // The work limit also bounds the memory for recorded comparisons.
        if trace != nil { matcher.spend(100) }
        trace?.comparisons[index, default: []].append(Trace.Comparison(item: item, text: text, mismatch: mismatch))
        return mismatch == nil && !matcher.isExhausted
    }
}
