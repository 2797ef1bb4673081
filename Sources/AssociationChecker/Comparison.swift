import AssociatedDomains
public import HTTPSClient
import UniversalLinks

/// The differences between two sites or files, such as the origin and the CDN, or two versions of a file.
public struct Comparison: Sendable {
    /// A difference.
    public struct Change: Sendable, Hashable {
        /// A kind of difference.
        public enum Kind: String, Sendable { case verdict, service, app, variable, rule, order, url }

        /// The kind of difference.
        public let kind: Kind
        /// The profile, service, app, substitution variable or URL.
        public let subject: String
        /// The value in the first report, or nil if it is absent.
        public let before: String?
        /// The value in the second report, or nil if it is absent.
        public let after: String?
    }

    /// The differences, starting with the verdicts.
    public private(set) var changes: [Change] = []
    /// The URLs with the same result in both reports, and the apps whose rules differ but match the same URLs.
    public private(set) var unchanged: [Change] = []

    /// Compares two reports.
    /// - Parameter urls: The URLs to match for each app that either report lists.
    public init(_ before: Report, _ after: Report, urls: [WebURL] = []) {
        for profile in Profile.allCases {
            note(.verdict, profile.rawValue, before.verdict(profile).rawValue, after.verdict(profile).rawValue)
        }
        for service in Service.allCases {
            compare(service.rawValue, before.file?.apps[service]?.map(\.text), after.file?.apps[service]?.map(\.text))
        }
        compare(before.assetLinks ?? AssetLinks(), after.assetLinks ?? AssetLinks(), urls)
        var table = RuleTable()
        let (old, new) = (LinkRules(before.file, &table), LinkRules(after.file, &table))
        for name in Set(old.variables.keys).union(new.variables.keys).sorted() {
            note(.variable, name, old.variables[name], new.variables[name])
        }
        let apps = old.apps + new.apps.filter { old.rules[$0] == nil }
        for app in apps { compare(app, old.rules[app] ?? [], new.rules[app] ?? [], table) }
        if let one = before.file?.links, let other = after.file?.links {
            let rewritten = apps.filter { old.rules[$0] != new.rules[$0] }
            unchanged += one.apps(rewritten, withSameResultsIn: other).map {
                Change(kind: .rule, subject: $0, before: nil, after: nil)
            }
        }
        for url in urls {
            for app in apps {
                note(.url, "\(url) \(app)", Comparison.outcome(before, url, app), Comparison.outcome(after, url, app))
            }
        }
    }

    private static func outcome(_ report: Report, _ url: WebURL, _ app: String) -> String? {
        report.file?.links?.match(url, app: app).outcome.rawValue
    }

    /// Returns the outcome for a package, given the packages that may open links to a site.
    private static func outcome(_ package: String, _ openers: Set<String>) -> String {
        (openers.contains(package) ? UniversalLinks.Outcome.matched : .unmatched).rawValue
    }

    private mutating func note(_ kind: Change.Kind, _ subject: String, _ before: String?, _ after: String?) {
        let change = Change(kind: kind, subject: subject, before: before, after: after)
        if before != after { changes.append(change) } else if kind == .url { unchanged.append(change) }
    }

    private mutating func compare(_ name: String, _ before: [String]?, _ after: [String]?) {
        note(.service, name, before.map { _ in "present" }, after.map { _ in "present" })
        let (old, new) = (Set(before ?? []), Set(after ?? []))
        for app in old.subtracting(new).sorted() { note(.app, name, app, nil) }
        for app in new.subtracting(old).sorted() { note(.app, name, nil, app) }
    }

    private mutating func compare(_ before: AssetLinks, _ after: AssetLinks, _ urls: [WebURL]) {
        for relation in AssetLinks.Relation.allCases {
            let (old, new) = (before.targets(of: relation), after.targets(of: relation))
            compare(relation.rawValue, old.isEmpty ? nil : old, new.isEmpty ? nil : new)
        }
        let (old, new) = (Set(before.openers), Set(after.openers))
        for package in old.union(new).sorted() {
            for url in urls {
                note(.url, "\(url) \(package)", Comparison.outcome(package, old), Comparison.outcome(package, new))
            }
        }
    }

    /// Above this many rules, moved rules are not reported: the diff is quadratic.
    private static let orderLimit = 1_000

    /// Compares the rules of an app. Their order matters because the first matching rule determines the result.
    private mutating func compare(_ app: String, _ before: [Int], _ after: [Int], _ table: RuleTable) {
        guard before != after else { return }
        let start = zip(before, after).prefix { $0 == $1 }.count
        let end = zip(before.dropFirst(start).reversed(), after.dropFirst(start).reversed()).prefix { $0 == $1 }.count
        let (old, new) = (Array(before.dropLast(end)), Array(after.dropLast(end)))
        guard max(old.count, new.count) - start <= Comparison.orderLimit else {
            return compareRoughly(app, old.dropFirst(start), new.dropFirst(start), table)
        }
        let change = new.difference(from: old).inferringMoves()
        for case .remove(_, let rule, nil) in change { note(.rule, app, table.line(rule), nil) }
        for case .insert(_, let rule, nil) in change { note(.rule, app, nil, table.line(rule)) }
        for case .insert(let newIndex, let rule, .some(let oldIndex)) in change {
            note(.order, "\(app) \(table.line(rule))", "\(oldIndex + 1)", "\(newIndex + 1)")
        }
    }

    /// Reports added and removed rules. If no rule was added or removed, reports only the first moved rule.
    private mutating func compareRoughly(
        _ app: String, _ before: ArraySlice<Int>, _ after: ArraySlice<Int>, _ table: RuleTable
    ) {
        var counts: [Int: Int] = [:]
        for rule in after { counts[rule, default: 0] += 1 }
        for rule in before { counts[rule, default: 0] -= 1 }
        let changed = counts.filter { $0.value != 0 }.sorted { $0.key < $1.key }
        for (rule, count) in changed {
            let line = table.line(rule)
            for _ in 0..<abs(count) { note(.rule, app, count < 0 ? line : nil, count < 0 ? nil : line) }
        }
        guard changed.isEmpty, let first = before.first, let newIndex = after.firstIndex(of: first) else { return }
        note(.order, "\(app) \(table.line(first))", "\(before.startIndex + 1)", "\(newIndex + 1)")
    }
}
