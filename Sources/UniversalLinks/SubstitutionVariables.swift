import MotivatorPlatform
package import SourceJSON

/// The custom substitution variables of a file.
package struct SubstitutionVariables {
    /// The values by name. A variable that a device cannot use has no values.
    package private(set) var values: [String: [String]] = [:]
    private(set) var issues: [UniversalLinks.LinkIssue] = []
    private(set) var obstacles: [String: UniversalLinks.LinkIssue] = [:]
    /// The location of each variable that a pattern should use.
    private(set) var locations: [(name: String, location: SourceLocation)] = []

    package init(_ value: JSONValue?) {
        guard let value else { return }
        guard let object = value.object else {
            issues.report(
                .wrongKind(key: "substitutionVariables", found: value.kind, expected: .object), value.location)
            return
        }
        for member in object.members where values[member.key] == nil { read(member) }
    }

    private mutating func read(_ member: JSONObject.Member) {
        let name = member.key
        guard BuiltInVariable(name) == nil else { return issues.report(.builtInName(name), member.keyLocation) }
        locations.append((name, member.keyLocation))
        var texts: [String] = []
        if let elements = member.value.array {
            for element in elements {
                if let text = element.string {
                    texts.append(text)
                    if hasVariable(text) { issues.report(.variableInVariable(name, value: text), element.location) }
                } else {
                    issues.report(.variableNotStrings(name, found: element.kind), element.location)
                }
            }
            if texts.isEmpty { issues.report(.emptyVariable(name), member.value.location) }
        } else {
            issues.report(.variableNotStrings(name, found: member.value.kind), member.value.location)
        }
        values[name] = texts
        if texts.isEmpty { obstacles[name] = issues.last }
    }

    private func hasVariable(_ text: String) -> Bool {
        PatternAtom.atoms(of: text) { _ in true }.contains { if case .variable = $0 { true } else { false } }
    }
}

/// A built-in substitution variable (Apple, "applinks"). Names are case-sensitive.
enum BuiltInVariable {
    case one(CharacterClass)
    /// One of hundreds of codes, compiled only once for each kind of comparison.
    case codes(exact: Variable, folded: Variable)

    /// The language codes of ISO 639-1 (two letters) and ISO 639-2 (three letters), without the range for local use,
    /// `qaa` to `qtz`. If a language has two ISO 639-2 codes, bibliographic and terminological, both are included.
    private static let languages = list(PackageResources.languages_txt)
    /// The officially assigned codes of ISO 3166-1 alpha-2: GB, not UK.
    private static let regions = list(PackageResources.regions_txt)

    private static func list(_ text: [UInt8]) -> BuiltInVariable {
        let codes = text.split { $0 == .lineFeed || $0 == UInt8(ascii: " ") }
        func compiled(caseSensitive: Bool) -> Variable {
            let form = ComparisonForm(caseSensitive: caseSensitive, percentEncoded: true)
            return Variable(codes.map { code in code.map { form.step(UInt32($0)) } })
        }
        return .codes(exact: compiled(caseSensitive: true), folded: compiled(caseSensitive: false))
    }

    init?(_ name: String) {
        switch name {
        case "lang": self = .languages
        case "region": self = .regions
        case _:
            guard let characters = CharacterClass(rawValue: name) else { return nil }
            self = .one(characters)
        }
    }
}

/// The built-in substitution variables that match one ASCII character each (Apple, "applinks").
package enum CharacterClass: String, CaseIterable, Sendable {
    case alpha, upper, lower, alnum, digit, xdigit

    /// The phrase that describes such a character in messages.
    var phrase: String {
        switch self {
        case .alpha: "a letter"
        case .upper: "an uppercase letter"
        case .lower: "a lowercase letter"
        case .alnum: "a letter or digit"
        case .digit: "a digit"
        case .xdigit: "a hexadecimal digit"
        }
    }

    var folded: CharacterClass {
        switch self {
        case .alpha, .upper, .lower: .alpha
        case .alnum, .digit, .xdigit: self
        }
    }

    package func contains(_ scalar: UInt32) -> Bool {
        let isUpper = 0x41...0x5A ~= scalar
        let isLower = 0x61...0x7A ~= scalar
        let isDigit = 0x30...0x39 ~= scalar
        return switch self {
        case .alpha: isUpper || isLower
        case .upper: isUpper
        case .lower: isLower
        case .alnum: isUpper || isLower || isDigit
        case .digit: isDigit
        case .xdigit: isDigit || 0x41...0x46 ~= scalar || 0x61...0x66 ~= scalar
        }
    }
}

/// The values of a custom variable or of `$(lang)` and `$(region)`, compiled into a tree.
struct Variable: Sendable {
    /// A step that all values below this node share. In the array, a node precedes its subtree.
    struct Node: Sendable {
        let step: PatternStep
        let depth: Int
        /// Whether a value ends with this step.
        fileprivate(set) var isComplete = false
        /// The index after the subtree.
        fileprivate(set) var end = 0
    }

    private(set) var nodes: [Node] = []
    private(set) var hasEmptyValue = false

    init(_ values: [[PatternStep]]) {
        var path: [Int] = []
        for value in values.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
            let shared = zip(path, value).prefix { nodes[$0].step == $1 }.count
            for node in path[shared...] { nodes[node].end = nodes.count }
            path.removeLast(path.count - shared)
            for depth in shared..<value.count {
                path.append(nodes.count)
                nodes.append(Node(step: value[depth], depth: depth))
            }
            if let last = path.last { nodes[last].isComplete = true } else { hasEmptyValue = true }
        }
        for node in path { nodes[node].end = nodes.count }
    }
}
