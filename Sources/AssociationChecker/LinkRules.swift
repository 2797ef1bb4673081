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
    /// The values of the custom variables that a rule uses, on one line.
    private(set) var variables: [String: String] = [:]

    private let values: [String: [String]]
    /// The numbers of the members whose variables are already recorded.
    private var noted: Set<Int> = []
    /// The numbers of the defaults by their location.
    private var inherited: [Int: Int] = [:]

    init(_ file: AssociationFile?, _ table: inout RuleTable) {
        let links = file?.root?.object?[Service.applinks.rawValue].map { WrittenLinks($0) }
        values = links?.variables ?? [:]
        let numbers = (links?.rules ?? []).map { number(of: $0, &table) }
        for app in links?.apps ?? [] {
            apps.append(app.identifier)
            rules[app.identifier] = app.rules.map { numbers[$0] }
        }
    }

    private mutating func number(of rule: WrittenLinks.Rule, _ table: inout RuleTable) -> Int {
        let members = RuleMember.keys.compactMap { key -> RuleMember? in
            guard let value = rule[key] else { return nil }
            guard rule.inherits(key) else {
                return RuleMember(key: key, value: value, text: table.text(key, value), isInherited: false)
            }
            // All rules share the defaults, which may be long.
            let text = inherited[value.location.offset] ?? table.text(key, value)
            inherited[value.location.offset] = text
            return RuleMember(key: key, value: value, text: text, isInherited: true)
        }
        if let path = rule.path {
            note([path])
        } else {
            for member in members where noted.insert(member.text).inserted { note(member.patterns) }
        }
        return table.number(of: rule.path, members)
    }

    private mutating func note(_ patterns: [String]) {
        for pattern in patterns where pattern.utf8.contains(UInt8(ascii: "$")) {
            let atoms = PatternAtom.atoms(of: pattern) { values[$0] != nil && variables[$0] == nil }
            for case .variable(let name) in atoms {
                // The order and repetition of values do not affect matching.
                let values = Set(values[name] ?? []).sorted().map(JSONText.quote)
                variables[name] = "[\(values.joined(separator: ","))]"
            }
        }
    }
}

/// A member of a component or of its defaults, with its number in the table.
struct RuleMember {
    fileprivate static let keys = KnownKeys.component.filter { $0 != "comment" }.sorted()

    fileprivate let key: String
    fileprivate let value: JSONValue
    /// The number of the key and its value in the table.
    fileprivate let text: Int
    fileprivate let isInherited: Bool

    /// The texts that may contain a variable.
    fileprivate var patterns: [String] {
        switch key {
        case "/", "#": [value.string].compactMap(\.self)
        case "?": [value.string].compactMap(\.self) + (value.object?.members ?? []).compactMap(\.value.string)
        case _: []
        }
    }

    /// Whether the member has an effect. A flag with its default value or a non-Boolean value has none.
    fileprivate var isEffective: Bool {
        switch key {
        case "exclude": value.boolean == true
        case "caseSensitive", "percentEncoded": value.boolean == false
        case _: true
        }
    }
}

/// The numbered rules of two files. Equal rules have the same number.
///
/// The table stores large defaults only once, because tens of thousands of rules in a malicious file may share them.
struct RuleTable {
    private var texts: [String: Int] = [:]
    private var pairs: [String] = []
    private var rules: [[Int]: Int] = [:]
    private var shown: [String] = []

    /// Returns the rule on one line, with sorted keys and without comments.
    package func line(_ rule: Int) -> String { shown[rule] }

    fileprivate mutating func text(_ key: String, _ value: JSONValue) -> Int {
        number(ofText: "\(JSONText.quote(key)):\(value.canonical(without: "comment"))")
    }

    /// Returns the number of a component, or of a legacy path, which inherits only flags.
    fileprivate mutating func number(of path: String?, _ members: [RuleMember]) -> Int {
        // `NOT ` implies `exclude` and case sensitivity.
        let isExcluded = path?.utf8.starts(with: "NOT ".utf8) ?? false
        let flags = isExcluded ? ["percentEncoded"] : ["exclude", "caseSensitive", "percentEncoded"]
        let members = members.filter { $0.isEffective && (path == nil || flags.contains($0.key)) }
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
