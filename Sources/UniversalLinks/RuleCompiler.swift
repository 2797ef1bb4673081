import HTTPSClient
import SourceJSON

/// Compiles the values in a file into rules.
struct RuleCompiler {
    /// The values of a component. `defaults` supplies missing values.
    struct Values {
        /// The component, or nil for a legacy path.
        let own: JSONObject?
        let defaults: [String: JSONValue]

        subscript(key: String) -> JSONValue? { own?[key] ?? defaults[key] }
    }

    var links = CompiledLinks()
    private(set) var issues: [UniversalLinks.LinkIssue]

    private let custom: SubstitutionVariables
    private var usedNames: Set<String> = []
    private var variables: [VariableKey: Int] = [:]
    /// The index of each condition. The keys encode part, form, names and patterns as numbers, which are fast to hash.
    private var conditions: [[UInt32]: Int] = [:]
    /// The conditions compiled from defaults. Each default is compiled only once for all components.
    private var inherited: [Inherited: Int?] = [:]
    /// The first rule in the current detail for each set of conditions, with its path as written.
    private var seen: [Needed: (rule: Int, path: String?)] = [:]

    private struct VariableKey: Hashable {
        let name: String
        let caseSensitive: Bool
    }

    private struct Inherited: Hashable {
        /// The offset of the default, which also identifies its key.
        let offset: Int
        let form: ComparisonForm
    }

    /// The conditions of a rule, except conditions that every URL meets.
    private struct Needed: Hashable {
        let path: Int?
        let query: Int?
        let fragment: Int?
    }

    init(_ custom: SubstitutionVariables) {
        self.custom = custom
        issues = custom.issues
        links.variableNames = Set(custom.values.keys)
    }

    /// - Parameter count: The number of rules in the detail.
    mutating func beginDetail(of count: Int) {
        conditions.reserveCapacity(conditions.count + count)
        seen.reserveCapacity(count)
        links.details.append(links.rules.count..<links.rules.count)
        seen.removeAll(keepingCapacity: true)
    }

    /// Ends the current detail and returns the range of its rules.
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
        add(
            path: path, query: query, fragment: fragment, form, excludes: flag("exclude", values) ?? false,
            text: values["/"]?.string, origin)
    }

    /// Adds an element of `paths`. Its only condition is its path.
    mutating func addPath(_ text: String, _ defaults: Values, _ origin: CompiledLinks.Origin) {
        let isExcluded = text.utf8.starts(with: "NOT ".utf8)
        let pattern = isExcluded ? String(text.unicodeScalars.dropFirst(4)) : text
        var form = form(defaults)
        if isExcluded { form = ComparisonForm(caseSensitive: true, percentEncoded: form.percentEncoded) }
        let first = pattern.unicodeScalars.first
        if isExcluded, first.map(\.properties.isWhitespace) ?? true { report(.malformedNot(text), origin.location) }
        // The issue reported above covers the white space.
        let checked = isExcluded ? String(pattern.drop { $0.isWhitespace }) : pattern
        check(checked, .path, form, origin.location, isLegacy: true)
        add(
            path: condition(.path, form, [(nil, pattern)]), query: nil, fragment: nil, form,
            excludes: isExcluded || flag("exclude", defaults) ?? false, text: pattern, origin)
    }

    func isCatchAll(_ rule: CompiledLinks.Rule) -> Bool {
        needed(path: rule.path, query: rule.query, fragment: rule.fragment)
            == Needed(path: nil, query: nil, fragment: nil)
    }

    /// Reports variables that no pattern uses. Call this after all rules are added.
    mutating func checkVariables() {
        for (name, location) in custom.locations where !usedNames.contains(name) {
            report(.unusedVariable(name), location)
        }
    }

    // MARK: Rules

    private mutating func add(
        path: Int?, query: Int?, fragment: Int?, _ form: ComparisonForm, excludes: Bool, text: String?,
        _ origin: CompiledLinks.Origin
    ) {
        let number = links.rules.count
        let earlier = seenFirst(needed(path: path, query: query, fragment: fragment), number, text)
        let repetition = earlier.map { earlier in
            let other = links.rules[earlier.rule]
            let likeness: UniversalLinks.LinkIssue.Likeness =
                if query != other.query {
                    .absent(.query)
                } else if fragment != other.fragment {
                    .absent(.fragment)
                } else if path == other.path {
                    Self.likeness(text, earlier.path)
                } else {
                    .same
                }
            return CompiledLinks.Repetition(rule: earlier.rule, likeness: likeness)
        }
        links.add(
            CompiledLinks.Rule(
                origin: origin, excludes: excludes, path: path, query: query, fragment: fragment,
                repetition: repetition), form: form)
    }

    /// Returns the detail's first rule with the same conditions, or nil if the given rule is the first.
    private mutating func seenFirst(_ needed: Needed, _ rule: Int, _ path: String?) -> (rule: Int, path: String?)? {
        // Access the dictionary once instead of twice, because a large file has thousands of rules.
        let first = { (known: inout (rule: Int, path: String?)) in known }(&seen[needed, default: (rule, path)])
        return first.rule == rule ? nil : first
    }

    private static func likeness(_ one: String?, _ other: String?) -> UniversalLinks.LinkIssue.Likeness {
        guard let one, let other, !one.utf8.elementsEqual(other.utf8) else { return .same }
        let bare = { (path: String) in
            path.utf8.count > 1 && path.utf8.last == UInt8(ascii: "/") ? path.utf8.dropLast() : path.utf8[...]
        }
        return bare(one).elementsEqual(bare(other)) ? .trailingSlash : .slashes
    }

    private func needed(path: Int?, query: Int?, fragment: Int?) -> Needed {
        let isNeeded = { (condition: Int) in !links.conditions[condition].isAlwaysMet }
        return Needed(
            path: path.flatMap { isNeeded($0) ? $0 : nil }, query: query.flatMap { isNeeded($0) ? $0 : nil },
            fragment: fragment.flatMap { isNeeded($0) ? $0 : nil })
    }

    // MARK: Values

    private mutating func form(_ values: Values) -> ComparisonForm {
        ComparisonForm(
            caseSensitive: flag("caseSensitive", values) ?? true,
            percentEncoded: flag("percentEncoded", values) ?? true)
    }

    private mutating func flag(_ key: String, _ values: Values) -> Bool? {
        guard let value = values[key] else { return nil }
        if value.boolean == nil { report(.flagNotBoolean(key: key, found: value.kind), value.location) }
        return value.boolean
    }

    /// Compiles the value of `/`, `?` or `#`, or its default. Returns nil if neither is valid.
    private mutating func condition(
        _ key: String, _ part: URLPart, _ values: Values, _ form: ComparisonForm
    ) -> Int? {
        if let own = values.own?[key] { return condition(own, part, form) }
        guard let value = values.defaults[key] else { return nil }
        let source = Inherited(offset: value.location.offset, form: form)
        if let known = inherited[source] { return known }
        let condition = condition(value, part, form)
        inherited[source] = .some(condition)
        return condition
    }

    private mutating func condition(_ value: JSONValue, _ part: URLPart, _ form: ComparisonForm) -> Int? {
        switch value.content {
        case .string(let text):
            check(text, part, form, value.location)
            return condition(part, form, [(nil, text)])
        case .object(let items) where part == .query: return dictionary(items, form)
        case .object, .array, .number, .boolean, .null:
            report(.patternNotString(key: part.key, found: value.kind), value.location)
            return nil
        }
    }

    private mutating func dictionary(_ object: JSONObject, _ form: ComparisonForm) -> Int? {
        let wrong = object.members.filter { $0.value.string == nil }
        for member in wrong { report(.queryVoided(item: member.key, found: member.value.kind), member.value.location) }
        guard wrong.isEmpty else { return nil }
        var items: [(CompiledLinks.Name?, String)] = []
        var names: Set<[UInt32]> = []
        for member in object.members {
            let name = member.key.unicodeScalars.map(\.value)
            guard let text = member.value.string, names.insert(name).inserted else { continue }
            check(text, .query, form, member.value.location)
            items.append((CompiledLinks.Name(text: member.key, scalars: name), text))
        }
        return condition(.query, form, items)
    }

    // MARK: Patterns

    /// Returns the index of a condition, and compiles the condition if it is new.
    private mutating func condition(
        _ part: URLPart, _ form: ComparisonForm, _ items: [(name: CompiledLinks.Name?, text: String)]
    ) -> Int {
        let atoms = items.map { PatternAtom.atoms(of: $0.text, part: part, names: links.variableNames) }
        var key: [UInt32] = []
        key.reserveCapacity(2 + zip(items, atoms).reduce(0) { $0 + ($1.0.name?.scalars.count ?? 0) + $1.1.count + 2 })
        key += [UInt32(part.rawValue), UInt32(form.index)]
        for (item, atoms) in zip(items, atoms) {
            key.append(contentsOf: item.name?.scalars ?? [])
            key.append(Self.separator)
            for atom in atoms { atom.appendKey(to: &key) }
            key.append(Self.separator)
        }
        if let index = conditions[key] { return index }
        let compiled = zip(items, atoms).map { item, atoms in
            CompiledLinks.Item(
                name: item.name, pattern: Pattern(item.text, steps: steps(atoms, form), isPath: part == .path))
        }
        links.conditions.append(CompiledLinks.Condition(part: part, form: form, items: compiled))
        conditions[key] = links.conditions.count - 1
        return links.conditions.count - 1
    }

    /// The value that ends a name or a pattern in a key. It is not a code point.
    private static let separator = UInt32.max

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
        let key = VariableKey(name: name, caseSensitive: form.caseSensitive)
        if let index = variables[key] { return .variable(index) }
        let compiled: Variable
        switch BuiltInVariable(name) {
        case .one(let characters):
            return .row(MatchText.row(of: form.caseSensitive ? characters : characters.folded))
        case .codes(let codes): compiled = codes.variable(caseSensitive: form.caseSensitive)
        case nil:
            usedNames.insert(name)
            compiled = customVariable(name, form)
        }
        links.variables.append(compiled)
        variables[key] = links.variables.count - 1
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

    private mutating func check(
        _ text: String, _ part: URLPart, _ form: ComparisonForm, _ location: SourceLocation, isLegacy: Bool = false
    ) {
        guard !PatternLint.isPlain(text) else { return }
        let lint = PatternLint(
            text, atoms: PatternAtom.atoms(of: text, part: part, names: links.variableNames), part: part,
            percentEncoded: form.percentEncoded, isLegacy: isLegacy)
        for kind in lint.kinds { report(kind, location) }
    }

    private mutating func report(_ kind: UniversalLinks.LinkIssue.Kind, _ location: SourceLocation) {
        issues.append(UniversalLinks.LinkIssue(kind: kind, location: location))
    }
}

extension PatternAtom {
    /// Appends numbers that identify the atom. Numbers that are not code points represent wildcards or enclose a name.
    fileprivate func appendKey(to key: inout [UInt32]) {
        switch self {
        case .scalar(let value): key.append(value)
        case .any: key.append(0x11_0000)
        case .star: key.append(0x11_0001)
        case .variable(let name):
            key.append(0x11_0002)
            key.append(contentsOf: name.unicodeScalars.map(\.value))
            key.append(0x11_0002)
        }
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
