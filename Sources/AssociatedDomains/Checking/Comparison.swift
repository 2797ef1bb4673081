import Platform

/// What differs between two sites or files, such as origin and CDN, or before and after a change.
public struct Comparison: Sendable {
    /// One difference.
    public struct Change: Sendable, Hashable {
        /// What kind of thing differs.
        public enum Kind: String, Sendable { case verdict, service, app, rule, order, url }

        /// What kind of thing differs.
        public let kind: Kind
        /// The reading, service, app or URL.
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
        for reading in Reading.allCases {
            note(.verdict, reading.rawValue, before.verdict(reading).rawValue, after.verdict(reading).rawValue)
        }
        for service in Service.allCases {
            compare(service, before.outline?.apps[service], after.outline?.apps[service])
        }
        let rules = (LinkRules(before.outline), LinkRules(after.outline))
        let apps = rules.0.apps + rules.1.apps.filter { !rules.0.apps.contains($0) }
        for app in apps { compare(app, rules.0.rules[app] ?? [], rules.1.rules[app] ?? []) }
        for url in urls {
            for app in apps {
                note(
                    .url, "\(url) \(app)", Comparison.outcome(before, url, app), Comparison.outcome(after, url, app))
            }
        }
    }

    private static func outcome(_ report: Report, _ url: WebURL, _ app: String) -> String? {
        report.outline?.links?.match(url, app: app).outcome.rawValue
    }

    private mutating func note(_ kind: Change.Kind, _ subject: String, _ before: String?, _ after: String?) {
        if before != after { changes.append(Change(kind: kind, subject: subject, before: before, after: after)) }
    }

    private mutating func compare(
        _ service: Service, _ before: [AssociationOutline.App]?, _ after: [AssociationOutline.App]?
    ) {
        note(.service, service.rawValue, before.map { _ in "there" }, after.map { _ in "there" })
        let (old, new) = (Set((before ?? []).map(\.text)), Set((after ?? []).map(\.text)))
        for app in old.subtracting(new).sorted() { note(.app, service.rawValue, app, nil) }
        for app in new.subtracting(old).sorted() { note(.app, service.rawValue, nil, app) }
    }

    /// The first rule that matches decides, so that order counts.
    private mutating func compare(_ app: String, _ before: [String], _ after: [String]) {
        guard before != after else { return }
        let change = after.difference(from: before)
        for case .remove(_, let rule, nil) in change.inferringMoves() { note(.rule, app, rule, nil) }
        for case .insert(_, let rule, nil) in change.inferringMoves() { note(.rule, app, nil, rule) }
        for case .insert(let now, let rule, .some(let once)) in change.inferringMoves() {
            note(.order, "\(app) \(rule)", "\(once + 1)", "\(now + 1)")
        }
    }
}

/// The rules of universal links as texts, by app, in the order in which they are tried.
private struct LinkRules {
    private(set) var rules: [String: [String]] = [:]
    private(set) var apps: [String] = []

    init(_ outline: AssociationOutline?) {
        guard let links = outline?.root.object?["applinks"]?.object, let details = links["details"] else { return }
        switch details.content {
        case .array(let entries):
            for case .object(let detail) in entries.map(\.content) { add(detail, LinkRules.apps(detail)) }
        case .object(let entries):
            for entry in entries.members { entry.value.object.map { add($0, [entry.key]) } }
        case .string, .number, .boolean, .null: break
        }
    }

    private mutating func add(_ detail: JSONObject, _ named: [String]) {
        let patterns = (detail["components"] ?? detail["paths"])?.array ?? []
        for app in named {
            if rules[app] == nil { apps.append(app) }
            rules[app, default: []] += patterns.map(\.compact)
        }
    }

    private static func apps(_ detail: JSONObject) -> [String] {
        if let several = detail["appIDs"]?.array { return several.compactMap(\.string) }
        return detail["appID"]?.string.map { [$0] } ?? []
    }
}

extension JSONValue {
    /// The value on one line, with sorted keys and without comments.
    fileprivate var compact: String {
        switch content {
        case .object(let object):
            let members = object.members.filter { $0.key != "comment" }.sorted { $0.key < $1.key }
            return "{" + members.map { "\($0.key.jsonQuoted):\($0.value.compact)" }.joined(separator: ",") + "}"
        case .array(let elements): return "[" + elements.map(\.compact).joined(separator: ",") + "]"
        case .string(let text): return text.jsonQuoted
        case .number(let text): return text
        case .boolean(let truth): return truth ? "true" : "false"
        case .null: return "null"
        }
    }
}

extension String {
    fileprivate var jsonQuoted: String { JSONText.quote(self) }
}
