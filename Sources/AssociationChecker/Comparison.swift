import AssociatedDomains
import HTTPSClient
import UniversalLinks

/// The differences between two sites or files, such as origin and CDN, or before and after a change.
public struct Comparison: Sendable {
    /// One difference.
    public struct Change: Sendable, Hashable {
        /// What kind of thing differs.
        public enum Kind: String, Sendable { case verdict, service, app, variable, rule, order, url }

        /// What kind of thing differs.
        public let kind: Kind
        /// The reading, service, app, substitution variable or URL.
        public let subject: String
        /// How it is in the first; nil where it is not there.
        public let before: String?
        /// How it is in the second; nil where it is not there.
        public let after: String?
    }

    /// The differences, the verdicts first.
    public private(set) var changes: [Change] = []

    /// Compares two reports.
    ///
    /// - Parameters:
    ///   - before: the first.
    ///   - after: the second.
    ///   - urls: URLs of which is asked, for each app that either names.
    public init(_ before: Report, _ after: Report, urls: [WebURL] = []) {
        for profile in Profile.allCases {
            note(.verdict, profile.rawValue, before.verdict(profile).rawValue, after.verdict(profile).rawValue)
        }
        for service in Service.allCases {
            compare(service, before.association?.apps[service], after.association?.apps[service])
        }
        var table = RuleTable()
        let (old, new) = (LinkRules(before.association, &table), LinkRules(after.association, &table))
        for name in Set(old.variables.keys).union(new.variables.keys).sorted() {
            note(.variable, name, old.variables[name], new.variables[name])
        }
        let apps = old.apps + new.apps.filter { old.rules[$0] == nil }
        for app in apps { compare(app, old.rules[app] ?? [], new.rules[app] ?? [], table) }
        for url in urls {
            for app in apps {
                note(
                    .url, "\(url) \(app)", Comparison.outcome(before, url, app), Comparison.outcome(after, url, app))
            }
        }
    }

    private static func outcome(_ report: Report, _ url: WebURL, _ app: String) -> String? {
        report.association?.links?.match(url, app: app).outcome.rawValue
    }

    private mutating func note(_ kind: Change.Kind, _ subject: String, _ before: String?, _ after: String?) {
        if before != after { changes.append(Change(kind: kind, subject: subject, before: before, after: after)) }
    }

    private mutating func compare(
        _ service: Service, _ before: [LenientAssociation.App]?, _ after: [LenientAssociation.App]?
    ) {
        note(.service, service.rawValue, before.map { _ in "there" }, after.map { _ in "there" })
        let (old, new) = (Set((before ?? []).map(\.text)), Set((after ?? []).map(\.text)))
        for app in old.subtracting(new).sorted() { note(.app, service.rawValue, app, nil) }
        for app in new.subtracting(old).sorted() { note(.app, service.rawValue, nil, app) }
    }

    /// The most rules of which it is told which one moved: the time grows with the square of their number.
    private static let orderLimit = 1_000

    /// The first rule that matches decides, so that order counts.
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
        for case .insert(let now, let rule, .some(let once)) in change {
            note(.order, "\(app) \(table.line(rule))", "\(once + 1)", "\(now + 1)")
        }
    }

    /// Tells which rules came and went, and else only the first one that moved.
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
        guard changed.isEmpty, let first = before.first, let now = after.firstIndex(of: first) else { return }
        note(.order, "\(app) \(table.line(first))", "\(before.startIndex + 1)", "\(now + 1)")
    }
}
