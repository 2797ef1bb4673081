import MotivatorPlatform
import SourceJSON
import UniversalLinks

/// The effective rules of universal links, for the comparison of two files. Defaults supply missing values. Values
/// without an effect are omitted.
struct LinkRules {
    /// The distinct apps, in file order.
    private(set) var apps: [String] = []
    /// The rules of each app in evaluation order, as indices into the table.
    private(set) var rules: [String: [Int]] = [:]
    /// The values of the custom variables that a rule uses, on one line.
    private(set) var variables: [String: String] = [:]

    private let values: [String: [String]]
    /// The numbers of the members whose variables are already recorded.
    private var noted: Set<Int> = []

    /// - Parameters:
    ///   - association: The content of the file.
    ///   - table: The rules of both files.
    init(_ association: LenientAssociation?, _ table: inout RuleTable) {
        let links = association?.root.object?["applinks"]?.object
        values = SubstitutionVariables(links?["substitutionVariables"]).values
        guard let links, let details = links["details"] else { return }
        let defaults = RuleValues(links["defaults"]?.object, &table)
        switch details.content {
        case .array(let entries):
            for case .object(let detail) in entries.map(\.content) {
                add(detail, LinkRules.apps(detail), defaults, &table)
            }
        case .object(let entries):
            for entry in entries.members { entry.value.object.map { add($0, [entry.key], defaults, &table) } }
        case .string, .number, .boolean, .null: break
        }
    }

    private mutating func add(
        _ detail: JSONObject, _ named: [String], _ general: RuleValues, _ table: inout RuleTable
    ) {
        let defaults = detail["defaults"]?.object.map { RuleValues($0, &table).over(general) } ?? general
        var added: [Int] = []
        if let components = detail["components"]?.array {
            for case .object(let component) in components.map(\.content) {
                let values = RuleValues(component, &table, isInherited: false).over(defaults)
                // Process each member only once, because all components share the defaults, which may be long.
                for member in values.members where noted.insert(member.text).inserted { note(member.patterns) }
                added.append(table.number(of: values))
            }
        } else {
            for case .string(let path) in (detail["paths"]?.array ?? []).map(\.content) {
                note([path])
                added.append(table.number(ofPath: path, defaults))
            }
        }
        for app in named {
            if rules[app] == nil { apps.append(app) }
            rules[app, default: []] += added
        }
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

    /// Returns the distinct apps of a detail.
    private static func apps(_ detail: JSONObject) -> [String] {
        guard let several = detail["appIDs"]?.array else { return detail["appID"]?.string.map { [$0] } ?? [] }
        var seen: Set<String> = []
        return several.compactMap(\.string).filter { seen.insert($0).inserted }
    }
}

/// The members of a component or a `defaults` object, each with its number in the table.
struct RuleValues {
    fileprivate struct Member {
        package let key: String
        package let value: JSONValue
        /// The number of the key and its value in the table.
        package let text: Int
        let isInherited: Bool

        /// The texts that may contain a variable.
        package var patterns: [String] {
            switch key {
            case "/", "#": [value.string].compactMap(\.self)
            case "?": [value.string].compactMap(\.self) + (value.object?.members ?? []).compactMap(\.value.string)
            case _: []
            }
        }
    }

    fileprivate var members: [Member] = []

    fileprivate init(_ object: JSONObject?, _ table: inout RuleTable, isInherited: Bool = true) {
        var seen: Set<String> = []
        for member in object?.members ?? [] where member.key != "comment" {
            // In defaults, a device ignores unknown keys. It uses the first of two duplicate keys.
            guard !isInherited || KnownKeys.defaults.contains(member.key), seen.insert(member.key).inserted else {
                continue
            }
            members.append(
                Member(
                    key: member.key, value: member.value, text: table.text(member.key, member.value),
                    isInherited: isInherited))
        }
        members.sort { $0.key < $1.key }
    }

    /// Returns these values, with missing values taken from `defaults`.
    fileprivate func over(_ defaults: RuleValues) -> RuleValues {
        var all = self
        all.members += defaults.members.filter { self[$0.key] == nil }
        all.members.sort { $0.key < $1.key }
        return all
    }

    fileprivate subscript(key: String) -> Member? { members.first { $0.key == key } }

    /// The members that have an effect. A flag with its default value or a non-Boolean value has no effect.
    fileprivate var effective: [Member] {
        members.filter { member in
            switch member.key {
            case "exclude": member.value.boolean == true
            case "caseSensitive", "percentEncoded": member.value.boolean == false
            case _: true
            }
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
        number(ofText: "\(JSONText.quote(key)):\(value.compact)")
    }

    fileprivate mutating func number(of values: RuleValues) -> Int {
        let members = values.effective
        return number(of: members.map(\.text)) { "{\(members.list(of: $0))}" }
    }

    /// Returns the number of a legacy path, which inherits only flags. `NOT ` implies `exclude` and case sensitivity.
    fileprivate mutating func number(ofPath path: String, _ defaults: RuleValues) -> Int {
        let isExcluded = path.utf8.starts(with: "NOT ".utf8)
        let flags = defaults.effective.filter { member in
            switch member.key {
            case "exclude", "caseSensitive": !isExcluded
            case "percentEncoded": true
            case _: false
            }
        }
        let quoted = JSONText.quote(path)
        return number(of: [number(ofText: quoted)] + flags.map(\.text)) {
            flags.isEmpty ? quoted : "\(quoted) {\(flags.list(of: $0))}"
        }
    }

    private mutating func number(ofText text: String) -> Int {
        if let known = texts[text] { return known }
        texts[text] = pairs.count
        pairs.append(text)
        return pairs.count - 1
    }

    private mutating func number(of members: [Int], _ line: (_ pairs: [String]) -> String) -> Int {
        if let known = rules[members] { return known }
        let text = line(pairs)
        rules[members] = shown.count
        shown.append(text)
        return shown.count - 1
    }
}

extension [RuleValues.Member] {
    /// Returns the members as text. Long inherited members are truncated.
    fileprivate func list(of pairs: [String]) -> String {
        map { $0.isInherited ? pairs[$0.text].cut : pairs[$0.text] }.joined(separator: ",")
    }
}

extension JSONValue {
    /// The value on one line, with sorted keys and without comments.
    fileprivate var compact: String {
        switch content {
        case .object(let object):
            let members = object.members.filter { $0.key != "comment" }.sorted { $0.key < $1.key }
            return "{" + members.map { "\(JSONText.quote($0.key)):\($0.value.compact)" }.joined(separator: ",") + "}"
        case .array(let elements): return "[" + elements.map(\.compact).joined(separator: ",") + "]"
        case .string(let text): return JSONText.quote(text)
        case .number(let text): return text
        case .boolean(let truth): return truth ? "true" : "false"
        case .null: return "null"
        }
    }
}

extension String {
    /// The text, truncated after 200 characters.
    fileprivate var cut: String { unicodeScalars.count > 200 ? String(unicodeScalars.prefix(200)) + "…" : self }
}
