import AssociatedDomains
import MotivatorPlatform
import SourceJSON
import UniversalLinks

/// The effective rules of universal links, for the comparison of two files. Defaults supply missing values. Values
/// without an effect are omitted.
struct LinkRules {
    private(set) var apps: [String] = []
    /// The rules of each app in evaluation order, as indices into the table.
    private(set) var rules: [String: [Int]] = [:]
    /// The values of the custom variables, on one line. Their order and repetition do not affect matching.
    let variables: [String: String]

    /// The numbers of the defaults by their location.
    private var inherited: [Int: Int] = [:]

    init(_ file: AssociationFile?, _ table: inout RuleTable) {
        let links = file?.root?.object?[Service.applinks.rawValue].map { WrittenLinks($0) }
        variables = (links?.variables ?? [:]).mapValues { values in
            "[\(Set(values).sorted().map(JSONText.quote).joined(separator: ","))]"
        }
        let numbers = (links?.rules ?? []).map { number(of: $0, &table) }
        for app in links?.apps ?? [] {
            apps.append(app.identifier)
            rules[app.identifier] = app.rules.map { numbers[$0] }
        }
    }

    private static let keys = KnownKeys.component.filter { $0 != "comment" }.sorted()

    private mutating func number(of rule: WrittenLinks.Rule, _ table: inout RuleTable) -> Int {
        var keys = Self.keys
        if let path = rule.path {
            // A legacy path inherits only flags. `NOT ` implies `exclude` and case sensitivity.
            keys = path.utf8.starts(with: "NOT ".utf8) ? ["percentEncoded"] : keys.filter { $0.utf8.count > 1 }
        }
        let members = keys.compactMap { key -> RuleTable.Member? in
            guard let value = rule[key], value.isEffective(for: key) else { return nil }
            guard rule.inherits(key) else { return (table.text(key, value), false) }
            // All rules share the defaults, which may be long.
            let text = inherited[value.location.offset] ?? table.text(key, value)
            inherited[value.location.offset] = text
            return (text, true)
        }
        return table.number(of: rule.path, members)
    }
}

extension JSONValue {
    /// Returns whether a member of a component has an effect. A flag with its default value or a non-Boolean value has
    /// none.
    fileprivate func isEffective(for key: String) -> Bool {
        switch key {
        case "exclude": boolean == true
        case "caseSensitive", "percentEncoded": boolean == false
        case _: true
        }
    }
}

/// The numbered rules of two files. Equal rules have the same number.
///
/// The table stores large defaults only once, because tens of thousands of rules in a malicious file may share them.
struct RuleTable {
    /// The number of a text with a key and its value, and whether both come from the defaults.
    typealias Member = (text: Int, isInherited: Bool)

    private var texts: [String: Int] = [:]
    private var pairs: [String] = []
    private var rules: [[Int]: Int] = [:]
    private var shown: [String] = []

    /// Returns the rule on one line, with sorted keys and without comments.
    func line(_ rule: Int) -> String { shown[rule] }

    fileprivate mutating func text(_ key: String, _ value: JSONValue) -> Int {
        number(ofText: "\(JSONText.quote(key)):\(value.canonical(without: "comment"))")
    }

    /// Returns the number of a component, or of a legacy path.
    fileprivate mutating func number(of path: String?, _ members: [Member]) -> Int {
        let quoted = path.map(JSONText.quote)
        let key = (quoted.map { [number(ofText: $0)] } ?? []) + members.map(\.text)
        if let known = rules[key] { return known }
        // Long inherited members are truncated.
        let texts = members.map { $0.isInherited ? pairs[$0.text].cut : pairs[$0.text] }
        let list = "{\(texts.joined(separator: ","))}"
        rules[key] = shown.count
        shown.append(quoted.map { members.isEmpty ? $0 : "\($0) \(list)" } ?? list)
        return shown.count - 1
    }

    private mutating func number(ofText text: String) -> Int {
        if let known = texts[text] { return known }
        texts[text] = pairs.count
        pairs.append(text)
        return pairs.count - 1
    }
}

extension String {
    /// The text, truncated after 200 characters.
    fileprivate var cut: String { unicodeScalars.count > 200 ? String(unicodeScalars.prefix(200)) + "…" : self }
}
