import HTTPSClient
import SourceJSON

/// Compiles the values in a file into rules.
struct RuleCompiler {
    /// The maximum number of patterns to check for foreign syntax. It bounds the work for a malicious file.
    private static let maximumSyntaxChecks = 500

    /// The values of a component. `defaults` supplies missing values.
    struct Values {
        /// The component, or nil for a legacy path.
        let own: JSONObject?
        let defaults: [String: JSONValue]

        subscript(key: String) -> JSONValue? { own?[key] ?? defaults[key] }
    }

    var links = CompiledLinks()
    /// The substitution variables that are defined in a detail, where a device ignores them.
    var variablesInDetail: JSONObject?
    private(set) var issues: [UniversalLinks.LinkIssue]
    /// For each rule with `*` for a query item, the query or the fragment, the issue with it.
    private(set) var stars: [Int: UniversalLinks.LinkIssue] = [:]

    private let host: String?
    /// For each condition that no URL meets, the issue that explains it.
    private var obstacles: [Int: UniversalLinks.LinkIssue] = [:]
    private var hasSlashNote = false
    /// The number of patterns that were checked for foreign syntax.
    private var syntaxChecks = 0
    private let custom: SubstitutionVariables
    private var usedNames: Set<String> = []
    /// The index of each variable for case-sensitive and for other comparisons, by its name.
    private var variables: [Bool: [String: Int]] = [:]
    private var conditions: [ConditionKey: Int] = [:]
    /// The conditions compiled from defaults, by the offset of the default. Each is compiled only once.
    private var inherited: [ComparisonForm: [Int: Int?]] = [:]

    private struct ConditionKey: Hashable {
        let part: URLPart
        let form: ComparisonForm
        let names: [[UInt32]?]
        let patterns: [[PatternAtom]]
    }

    init(_ custom: SubstitutionVariables, host: String?) {
        (self.custom, self.host) = (custom, host)
        issues = custom.issues
        links.variableNames = Set(custom.values.keys)
    }

    mutating func beginDetail(of count: Int) {
        conditions.reserveCapacity(conditions.count + count)
        links.details.append(links.rules.count..<links.rules.count)
    }

    mutating func endDetail() -> Range<Int> {
        let first = links.details.last?.lowerBound ?? 0
        links.details[links.details.count - 1] = first..<links.rules.count
        return first..<links.rules.count
    }

    mutating func addComponent(_ values: Values, _ origin: CompiledLinks.Origin) {
        let form = form(values)
        let path = condition("/", .path, values, form)
        let fragment = condition("#", .fragment, values, form)
        let query = condition("?", .query, values, form)
        let excludes = flag("exclude", values) ?? false
        let rule = CompiledLinks.Rule(origin: origin, excludes: excludes, path: path, query: query, fragment: fragment)
        links.add(rule, form: form)
        noteStar(values)
    }

    /// Remembers the first `*` for a query item, the query or the fragment of the last rule.
    private mutating func noteStar(_ values: Values) {
        for (part, key) in [(UniversalLinks.LinkIssue.AbsentPart.query, "?"), (.fragment, "#")] {
            guard let value = values[key] else { continue }
            let isStar = { (value: JSONValue) in
                value.string.map { !$0.isEmpty && $0.allSatisfy { $0 == "*" } } ?? false
            }
            let item = value.object?.members.first { isStar($0.value) }
            guard item != nil || isStar(value) else { continue }
            let rule = links.rules[links.rules.count - 1]
            stars[links.rules.count - 1] = UniversalLinks.LinkIssue(
                kind: .matchesAbsentItem(item?.key, part, isEverything: isCatchAll(rule), excludes: rule.excludes),
                location: (item?.value ?? value).location)
            return
        }
    }

    /// Returns the issue that prevents a rule from matching any URL, or nil if it may match one.
    func obstacle(of rule: CompiledLinks.Rule) -> UniversalLinks.LinkIssue? {
        [rule.path, rule.query, rule.fragment].lazy.compactMap { $0.flatMap { obstacles[$0] } }.first
    }

    /// Adds an element of `paths`. Its only condition is its path.
    mutating func addPath(_ text: String, _ defaults: Values, _ origin: CompiledLinks.Origin) {
        let isExcluded = text.utf8.starts(with: "NOT ".utf8)
        let pattern = isExcluded ? String(text.unicodeScalars.dropFirst(4)) : text
        var form = form(defaults)
        if isExcluded { form = ComparisonForm(caseSensitive: true, percentEncoded: form.percentEncoded) }
        let first = pattern.unicodeScalars.first
        if isExcluded, first.map(\.properties.isWhitespace) ?? true {
            issues.report(.malformedNot(text), origin.location)
        }
        // The issue reported above covers the white space.
        let checked = isExcluded ? String(pattern.drop { $0.isWhitespace }) : pattern
        let path = condition(.path, form, [(nil, pattern)])
        check(checked, .path, form, origin.location, path, legacyPrefix: isExcluded ? "NOT " : "")
        let excludes = isExcluded || flag("exclude", defaults) ?? false
        links.add(
            CompiledLinks.Rule(origin: origin, excludes: excludes, path: path, query: nil, fragment: nil), form: form)
    }

    func isCatchAll(_ rule: CompiledLinks.Rule) -> Bool {
        [rule.path, rule.query, rule.fragment].allSatisfy { $0.map { links.conditions[$0].isAlwaysMet } ?? true }
    }

    /// Reports variables that no pattern uses. Call this after all rules are added.
    mutating func checkVariables() {
        for (name, location) in custom.locations where !usedNames.contains(name) {
            issues.report(.unusedVariable(name), location)
        }
    }

    // MARK: Values

    private mutating func form(_ values: Values) -> ComparisonForm {
        ComparisonForm(
            caseSensitive: flag("caseSensitive", values) ?? true,
            percentEncoded: flag("percentEncoded", values) ?? true)
    }

    private mutating func flag(_ key: String, _ values: Values) -> Bool? {
        guard let value = values[key] else { return nil }
        if value.boolean == nil {
            let pattern = values.own?[key] == nil ? nil : values["/"]?.string
            let path = value.string.flatMap { $0.hasPrefix("/") ? String($0.prefix(80)) : nil }
            issues.report(
                key == "exclude"
                    ? .excludeNotBoolean(found: value.kind, meantTrue: value.isLikeTrue, pattern: pattern, path: path)
                    : .flagNotBoolean(key: key, found: value.kind), value.location)
        }
        return value.boolean
    }

    /// Compiles the value of `/`, `?` or `#`, or its default. Returns nil if neither is valid.
    private mutating func condition(_ key: String, _ part: URLPart, _ values: Values, _ form: ComparisonForm) -> Int? {
        if let own = values.own?[key] { return condition(own, part, form) }
        guard let value = values.defaults[key] else { return nil }
        if let known = inherited[form]?[value.location.offset] { return known }
        let condition = condition(value, part, form)
        inherited[form, default: [:]][value.location.offset] = .some(condition)
        return condition
    }

    private mutating func condition(_ value: JSONValue, _ part: URLPart, _ form: ComparisonForm) -> Int? {
        switch value.content {
        case .string(let text):
            let condition = condition(part, form, [(nil, text)])
            if let meant = PatternLint.withoutDelimiter(text, part) {
                issues.report(.leadingDelimiter(text, key: part.key, meant: meant), value.location)
            }
            check(text, part, form, value.location, condition)
            return condition
        case .object(let items) where part == .query: return dictionary(items, form)
        case .object, .array, .number, .boolean, .null:
            issues.report(.patternNotString(key: part.key, found: value.kind), value.location)
            return nil
        }
    }

    private mutating func dictionary(_ object: JSONObject, _ form: ComparisonForm) -> Int? {
        let wrong = object.members.filter { $0.value.string == nil }
        for member in wrong {
            issues.report(.queryVoided(item: member.key, found: member.value.kind), member.value.location)
        }
        guard wrong.isEmpty else { return nil }
        var items: [(name: CompiledLinks.Name?, text: String)] = []
        var locations: [SourceLocation] = []
        var names: Set<[UInt32]> = []
        for member in object.members {
            let name = member.key.unicodeScalars.map(\.value)
            guard let text = member.value.string, names.insert(name).inserted else { continue }
            items.append((CompiledLinks.Name(text: member.key, scalars: name), text))
            locations.append(member.value.location)
        }
        let condition = condition(.query, form, items)
        for (item, location) in zip(items, locations) { check(item.text, .query, form, location, condition) }
        return condition
    }

    // MARK: Patterns

    /// Returns the index of a condition, and compiles the condition if it is new.
    private mutating func condition(
        _ part: URLPart, _ form: ComparisonForm, _ items: [(name: CompiledLinks.Name?, text: String)]
    ) -> Int {
        let atoms = items.map { PatternAtom.atoms(of: $0.text, part: part, names: links.variableNames) }
        let key = ConditionKey(part: part, form: form, names: items.map { $0.name?.scalars }, patterns: atoms)
        if let index = conditions[key] { return index }
        let compiled = zip(items, atoms).map { item, atoms in
            CompiledLinks.Item(
                name: item.name, pattern: Pattern(item.text, steps: steps(atoms, form), isPath: part == .path))
        }
        for case .variable(let name) in atoms.joined() where custom.obstacles[name] != nil {
            obstacles[links.conditions.count] = custom.obstacles[name]
        }
        links.conditions.append(CompiledLinks.Condition(part: part, form: form, items: compiled))
        conditions[key] = links.conditions.count - 1
        return links.conditions.count - 1
    }

    private mutating func steps(_ atoms: [PatternAtom], _ form: ComparisonForm) -> [PatternStep] {
        var steps: [PatternStep] = []
        steps.reserveCapacity(atoms.count)
        for atom in atoms {
            switch atom {
            case .scalar(let value): steps.append(form.step(value))
            case .any: steps.append(.row(MatchText.anyRow))
            case .star: steps.append(.star)
            case .variable(let name): steps.append(variable(name, form))
            }
        }
        return steps
    }

    private mutating func variable(_ name: String, _ form: ComparisonForm) -> PatternStep {
        if let index = variables[form.caseSensitive]?[name] { return .variable(index) }
        let compiled: Variable
        switch BuiltInVariable(name) {
        case .one(let characters): return .row(MatchText.row(of: form.caseSensitive ? characters : characters.folded))
        case .codes(let exact, let folded): compiled = form.caseSensitive ? exact : folded
        case nil:
            usedNames.insert(name)
            compiled = customVariable(name, form)
        }
        links.variables.append(compiled)
        variables[form.caseSensitive, default: [:]][name] = links.variables.count - 1
        return .variable(links.variables.count - 1)
    }

    /// Compiles a custom variable. Its values can contain wildcards, but not variables.
    ///
    /// Merging adjacent stars limits the depth of the tree.
    private mutating func customVariable(_ name: String, _ form: ComparisonForm) -> Variable {
        let values = (custom.values[name] ?? []).map { text in
            steps(PatternAtom.atoms(of: text) { _ in false }, form).reduce(into: [PatternStep]()) { steps, step in
                if step != .star || steps.last != .star { steps.append(step) }
            }
        }
        return Variable(values)
    }

    // MARK: Issues

    /// Reports the problems of a pattern.
    ///
    /// - Parameter legacyPrefix: `NOT ` or nothing before an element of `paths`, or nil for another pattern.
    private mutating func check(
        _ text: String, _ part: URLPart, _ form: ComparisonForm, _ location: SourceLocation, _ condition: Int,
        legacyPrefix: String? = nil
    ) {
        guard !PatternLint.isPlain(text, part) else { return }
        let lint = PatternLint(
            text, atoms: PatternAtom.atoms(of: text, part: part, names: links.variableNames), part: part,
            percentEncoded: form.percentEncoded, legacyPrefix: legacyPrefix, host: host,
            foreign: foreignSyntax(in: text), variables: variablesInDetail)
        for kind in lint.kinds { issues.report(kind, location) }
        if lint.neverMatches, let kind = lint.kinds.first, obstacles[condition] == nil {
            obstacles[condition] = UniversalLinks.LinkIssue(kind: kind, location: location)
        }
        if lint.kinds.isEmpty, part == .path, !hasSlashNote, let first = text.utf8.first, first != 0x2F, first != 0x2A {
            hasSlashNote = true
            issues.report(.noLeadingSlash(text), location)
        }
    }

    private mutating func foreignSyntax(in text: String) -> ForeignSyntax? {
        guard syntaxChecks < Self.maximumSyntaxChecks, ForeignSyntax.mayOccur(in: text) else { return nil }
        syntaxChecks += 1
        return ForeignSyntax(text)
    }
}

extension URLPart {
    /// The key of this part in a component.
    var key: String {
        switch self {
        case .path: "/"
        case .query: "?"
        case .fragment: "#"
        }
    }
}

extension JSONValue {
    /// Whether the author of a value that is not a boolean probably meant true.
    fileprivate var isLikeTrue: Bool {
        switch content {
        case .string(let text), .number(let text): !["false", "no", "off", "0", ""].contains(text.lowercased())
        case .null: false
        case .object, .array, .boolean: true
        }
    }
}
