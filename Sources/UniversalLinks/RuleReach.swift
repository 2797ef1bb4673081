import HTTPSClient
import SourceJSON

/// Finds the rules that never decide the outcome for a URL, and the apps that no URL opens.
struct RuleReach {
    typealias LinkIssue = UniversalLinks.LinkIssue

    struct Detail {
        let rules: Range<Int>
        let apps: [Int]
        let location: SourceLocation
        /// The issue that leaves the detail without rules, if any.
        let obstacle: LinkIssue?
    }

    /// The issues, in the order of the details.
    private(set) var issues: [LinkIssue] = []
    private(set) var openApps: Set<Int> = []
    /// For each app, the first issue that keeps a rule from opening it.
    private(set) var obstacles: [Int: LinkIssue] = [:]

    private let compiler: RuleCompiler
    private let links: CompiledLinks
    private var inclusion = RuleInclusion()
    private var matcher: PatternMatcher
    /// For each app, the location of the first rule that matches every URL, and whether it matches because of `*`.
    private var catchAlls: [Int: (location: SourceLocation, isByAbsence: Bool)] = [:]
    /// The rules of earlier details with the same apps.
    private var earlier: [[Int]: [Range<Int>]] = [:]
    /// The sample of the previous rule. Many rules may share a long default.
    private var last: Sample?

    init(_ compiler: RuleCompiler) {
        self.compiler = compiler
        links = compiler.links
        // Both limits take about the same time.
        matcher = PatternMatcher(variables: links.variables, workLimit: 10 * RuleInclusion.workLimit)
    }

    mutating func check(_ detail: Detail) {
        let (rules, apps) = (detail.rules, detail.apps)
        let before = apps.compactMap { catchAlls[$0] }
        if let first = before.first, before.count == apps.count, !rules.isEmpty, !first.isByAbsence {
            issues.report(.detailAfterCatchAll(first.location), detail.location)
        }
        let catchAll = rules.first { compiler.isCatchAll(links.rules[$0]) }
        let ranges = (earlier[apps] ?? []) + [rules]
        var exclusions: [Int] = []
        var isOpen = false
        var obstacle = detail.obstacle
        for rule in rules.prefix(while: { $0 <= catchAll ?? rules.upperBound }) {
            var own = compiler.obstacle(of: links.rules[rule])
            if own == nil, let other = covering(rule, in: ranges) { own = reportCovered(rule, by: other) }
            guard !links.rules[rule].excludes else {
                if own == nil { exclusions.append(rule) }
                continue
            }
            isOpen = isOpen || own == nil
            obstacle = obstacle ?? own
        }
        if before.count < apps.count { reportLate(exclusions, of: apps) }
        for rule in rules {
            guard let star = compiler.stars[rule], case .matchesAbsentItem(let item, _, let isEverything, _) = star.kind
            else { continue }
            let isFirst = rule == rules.lowerBound && rules.count > 1
            if links.rules[rule].excludes || (isFirst && (item != nil || isEverything)) { issues.append(star) }
        }
        if let catchAll, catchAll + 1 < rules.upperBound {
            let issue = reportRest(of: rules, after: catchAll)
            if links.rules[catchAll].excludes { obstacle = obstacle ?? issue }
        }
        for app in apps {
            if let first = catchAlls[app], !rules.isEmpty, obstacles[app] == nil {
                let kind = LinkIssue.Kind.detailAfterCatchAll(first.location, app: links.apps[app].identifier)
                obstacles[app] = LinkIssue(kind: kind, location: detail.location)
            }
            if isOpen, catchAlls[app] == nil { openApps.insert(app) }
            if let obstacle, obstacles[app] == nil { obstacles[app] = obstacle }
            if let catchAll, catchAlls[app] == nil {
                catchAlls[app] = (links.rules[catchAll].origin.location, compiler.stars[catchAll] != nil)
            }
        }
        earlier[apps, default: []].append(rules)
    }

    // MARK: Rules

    /// Returns the first earlier rule that matches every URL of a rule.
    private mutating func covering(_ rule: Int, in ranges: [Range<Int>]) -> Int? {
        guard inclusion.workLeft >= 0, ranges.contains(where: { $0.lowerBound < rule }) else { return nil }
        let own = links.rules[rule]
        let sample = sample(of: own.path)
        for range in ranges {
            var next = range.lowerBound
            let end = min(range.upperBound, rule)
            while inclusion.workLeft >= 0, !matcher.isExhausted,
                let other = links.firstRule(in: next..<end, for: sample.pairs)
            {
                inclusion.spend((other - next) / 8 + 1)
                next = other + 1
                let outer = links.rules[other]
                if outer.path != own.path, let texts = sample.texts,
                    let path = outer.path.map({ links.conditions[$0] }),
                    matcher.mismatch(of: path.items[0].pattern, in: texts[path.form.index]) != nil
                {
                    continue
                }
                if inclusion.contains(own, in: outer, links) { return other }
            }
            inclusion.spend(max(0, end - next) / 8)
        }
        return nil
    }

    /// A path that a condition matches, in each form. It quickly rejects most other rules.
    ///
    /// A path that is not normalized has no texts, so it rejects no rule.
    private typealias Sample = (path: Int?, texts: [MatchText]?, pairs: [PairSet])

    private mutating func sample(of path: Int?) -> Sample {
        if let last, last.path == path { return last }
        let text = path.flatMap { self.text(of: links.conditions[$0].items[0].pattern) } ?? [0x2F, 0x7E]
        inclusion.spend(text.count + 100)
        var sample: Sample = (path, nil, ComparisonForm.all.map { _ in .all })
        if normalizedPath(text) == text {
            let exact = MatchText(text, shown: "")
            let texts = ComparisonForm.all.map { form in
                form.caseSensitive || !links.pathForms.contains(form)
                    ? exact : MatchText(text.map(form.folded), shown: "")
            }
            sample = (path, texts, texts.map(\.pairs))
        }
        last = sample
        return sample
    }

    /// Returns a text that a path pattern matches, or nil if a variable has no values.
    private func text(of pattern: Pattern) -> [UInt32]? {
        var text: [UInt32] = []
        for step in pattern.steps {
            guard case .variable(let index) = step else {
                text.append(step.sample)
                continue
            }
            let variable = links.variables[index]
            guard !variable.hasEmptyValue else { continue }
            guard let end = variable.nodes.firstIndex(where: \.isComplete) else { return nil }
            // The nodes up to the end of the first value are its characters.
            text += variable.nodes[...end].map(\.step.sample)
        }
        return text.isEmpty || pattern.hasTail ? text + [0x2F, 0x7E] : text
    }

    // MARK: Issues

    private mutating func reportCovered(_ rule: Int, by other: Int) -> LinkIssue {
        let (own, outer) = (links.rules[rule], links.rules[other])
        if let star = compiler.stars[other], !inclusion.containsPresent(own, in: outer, links) {
            return report(star.kind, star.location)
        }
        let likeness: LinkIssue.Likeness =
            if !inclusion.contains(outer, in: own, links) {
                .subset(hasSameResult: own.excludes == outer.excludes)
            } else if case .matchesAbsentItem(_, let part, _, _) = compiler.stars[rule]?.kind {
                .absent(part)
            } else {
                .same(hasSameResult: own.excludes == outer.excludes)
            }
        return report(
            .repeated(earlier: outer.origin.location, likeness, isLegacy: own.origin.isLegacy), own.origin.location)
    }

    /// Reports exclusions that come too late for some of their apps: an earlier detail opens these URLs, and others.
    private mutating func reportLate(_ exclusions: [Int], of apps: [Int]) {
        let groups = Dictionary(grouping: exclusions.isEmpty ? [] : apps) { links.apps[$0].details }
        for (details, apps) in groups.sorted(by: { $0.value[0] < $1.value[0] }) {
            for rule in exclusions {
                let ranges = details.map { links.details[$0] }.filter { $0.upperBound <= rule }
                guard let other = covering(rule, in: ranges).map({ links.rules[$0] }), !other.excludes,
                    !inclusion.contains(other, in: links.rules[rule], links)
                else { continue }
                let (app, earlier) = (links.apps[apps[0]].identifier, other.origin.location)
                issues.report(
                    .exclusionTooLate(earlier: earlier, app, more: apps.count - 1), links.rules[rule].origin.location)
                // The work limit also bounds the number of issues.
                inclusion.spend(100)
            }
        }
    }

    private mutating func reportRest(of rules: Range<Int>, after catchAll: Int) -> LinkIssue {
        if let star = compiler.stars[catchAll] { return report(star.kind, star.location) }
        let (rule, rest) = (links.rules[catchAll], links.rules[(catchAll + 1)..<rules.upperBound])
        return report(
            .afterCatchAll(
                rule.origin.location, count: rest.count,
                hasSameResult: rest.allSatisfy { $0.excludes == rule.excludes }, isLegacy: rule.origin.isLegacy),
            rest[catchAll + 1].origin.location)
    }

    private mutating func report(_ kind: LinkIssue.Kind, _ location: SourceLocation) -> LinkIssue {
        issues.report(kind, location)
        return LinkIssue(kind: kind, location: location)
    }
}

extension PatternStep {
    fileprivate var sample: UInt32 {
        switch self {
        case .row(let row) where row > MatchText.anyRow:
            switch CharacterClass.allCases[row - MatchText.anyRow - 1] {
            case .digit: 0x37
            case .upper: 0x45
            case .alpha, .lower, .alnum, .xdigit: 0x65
            }
        case .row(let row): row == MatchText.anyRow ? 0x7E : UInt32(row)
        case .scalar(let value): value
        case .star, .variable: 0x7E
        }
    }
}
