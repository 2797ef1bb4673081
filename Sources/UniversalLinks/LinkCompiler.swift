import HTTPSClient
import SourceJSON

/// Makes components out of the values of a file.
struct LinkCompiler {
    private(set) var remarks: [UniversalLinks.Remark]
    package var store: PatternStore { patterns.store }

    private var patterns: PatternCompiler
    private let variables: SubstitutionVariables
    /// What was compiled of the defaults: each is compiled once for all components without their own.
    private var inherited: [Source: LinkFile.Query] = [:]
    /// The components of the detail that is being read, and their locations among them by their conditions.
    private var written: [Written] = []
    private var seen: [Conditions: Int] = [:]
    private var detail = -1

    private struct Source: Hashable {
        /// Where the value stands, which is only one key's.
        package let offset: Int
        let variant: ComparisonVariant
    }

    private struct Conditions: Hashable {
        package let path: Int?
        package let query: LinkFile.Query
        package let fragment: Int?
    }

    /// A component as it stands on the page.
    private struct Written {
        package let number: Int
        /// The conditions, those included that are always fulfilled.
        let conditions: Conditions
        package let path: String?
    }

    init(_ variables: SubstitutionVariables) {
        self.variables = variables
        patterns = PatternCompiler(values: variables.values)
        remarks = variables.remarks
    }

    /// Makes room for the components of a detail, so that the tables of a large file do not grow step by step.
    package mutating func expect(_ components: Int) {
        patterns.expect(components)
        seen.reserveCapacity(components)
    }

    /// The literals that the path of a component begins with.
    package func prefix(of component: LinkFile.Component) -> Range<Int> {
        component.path.map { patterns.store.patterns[$0].prefix } ?? 0..<0
    }

    /// The pairs that the path of a component has to have.
    func neededPairs(of component: LinkFile.Component) -> PairSet {
        component.path.map { patterns.store.patterns[$0].neededPairs } ?? PairSet()
    }

    /// Compiles a component.
    ///
    /// - Parameters:
    ///   - keys: its own values.
    ///   - defaults: the values of what it does not have itself.
    ///   - origin: where it stands.
    package mutating func component(
        _ keys: ComponentKeys, _ defaults: ComponentKeys, _ origin: LinkFile.Origin
    ) -> LinkFile.Component {
        let variant = variant(keys, defaults)
        let path = query(keys.path, defaults.path, .path, variant)
        let fragment = query(keys.fragment, defaults.fragment, .fragment, variant)
        return make(
            path: path.pattern, text: (keys.path ?? defaults.path)?.string,
            query: query(keys.query, defaults.query, .query, variant),
            fragment: fragment.pattern, variant,
            excludes: flag("exclude", keys.exclude ?? defaults.exclude) ?? false, origin)
    }

    /// Compiles an element of `paths`: it looks at the path alone.
    mutating func legacyPath(
        _ text: String, _ defaults: ComponentKeys, _ origin: LinkFile.Origin
    ) -> LinkFile.Component {
        let isExcluded = text.utf8.starts(with: "NOT ".utf8)
        let pattern = isExcluded ? String(text.unicodeScalars.dropFirst(4)) : text
        var variant = variant(ComponentKeys(), defaults)
        if isExcluded { variant = ComparisonVariant(caseSensitive: true, percentEncoded: variant.percentEncoded) }
        // Of `NOT ` alone, or with another space, nothing good becomes.
        let lead = pattern.unicodeScalars.first
        if isExcluded, lead.map(\.properties.isWhitespace) ?? true { remark(.malformedNot(text), origin.location) }
        // What is wrong with the space was told.
        let checked = isExcluded ? String(pattern.drop { $0.isWhitespace }) : pattern
        let path = self.pattern(pattern, .path, variant, origin.location, legacy: checked)
        return make(
            path: path, text: pattern, query: .anything, fragment: nil, variant,
            excludes: isExcluded || flag("exclude", defaults.exclude) ?? false, origin)
    }

    /// Whether a component matches every URL.
    func isCatchAll(_ component: LinkFile.Component) -> Bool {
        let conditions = conditions(component.path, component.query, component.fragment)
        return conditions.path == nil && conditions.query == .anything && conditions.fragment == nil
    }

    /// Remarks on what no pattern used; to be called last.
    mutating func checkVariables() {
        for (name, location) in variables.locations where !patterns.usedNames.contains(name) {
            remark(.unusedVariable(name), location)
        }
    }

    private mutating func make(
        path: Int?, text: String?, query: LinkFile.Query, fragment: Int?, _ variant: ComparisonVariant,
        excludes: Bool, _ origin: LinkFile.Origin
    ) -> LinkFile.Component {
        if origin.detail != detail {
            seen.removeAll(keepingCapacity: true)
            written.removeAll(keepingCapacity: true)
            detail = origin.detail
        }
        let conditions = conditions(path, query, fragment)
        let own = Written(
            number: origin.number, conditions: Conditions(path: path, query: query, fragment: fragment), path: text)
        let first = earlier(conditions, own)
        let repeats = first.map {
            LinkFile.Repetition(earlier: $0.number, likeness: LinkCompiler.likeness(own, $0))
        }
        return LinkFile.Component(
            origin: origin, excludes: excludes, variant: variant, path: path, query: query, fragment: fragment,
            repeats: repeats)
    }

    /// The component of the detail with the same conditions, unless this one is the first.
    private mutating func earlier(_ conditions: Conditions, _ own: Written) -> Written? {
        let location = written.count
        // One look instead of two: there are thousands in a large file.
        let first = { (known: inout Int) in known }(&seen[conditions, default: location])
        guard first == location else { return written[first] }
        written.append(own)
        return nil
    }

    /// What makes two components the same whose needed conditions are.
    private static func likeness(_ one: Written, _ other: Written) -> UniversalLinks.Remark.Likeness {
        if one.conditions.query != other.conditions.query { return .absent(.query) }
        if one.conditions.fragment != other.conditions.fragment { return .absent(.fragment) }
        guard let path = one.path, let earlier = other.path, one.conditions.path == other.conditions.path else {
            return .same
        }
        if path.utf8.elementsEqual(earlier.utf8) { return .same }
        let bare = { (path: String) in
            path.utf8.count > 1 && path.utf8.last == UInt8(ascii: "/") ? path.utf8.dropLast() : path.utf8[...]
        }
        return bare(path).elementsEqual(bare(earlier)) ? .trailingSlash : .slashes
    }

    /// The conditions without those that are always fulfilled.
    private func conditions(_ path: Int?, _ query: LinkFile.Query, _ fragment: Int?) -> Conditions {
        let isOpen = { (pattern: Int) in patterns.store.patterns[pattern].isCatchAll }
        let needed: LinkFile.Query =
            switch query {
            case .anything: .anything
            case .text(let pattern): isOpen(pattern) ? .anything : query
            case .items(let items):
                patterns.store.queries[items].allSatisfy { isOpen($0.pattern) } ? .anything : query
            }
        return Conditions(
            path: path.flatMap { isOpen($0) ? nil : $0 }, query: needed,
            fragment: fragment.flatMap { isOpen($0) ? nil : $0 })
    }

    private mutating func variant(_ keys: ComponentKeys, _ defaults: ComponentKeys) -> ComparisonVariant {
        ComparisonVariant(
            caseSensitive: flag("caseSensitive", keys.caseSensitive ?? defaults.caseSensitive) ?? true,
            percentEncoded: flag("percentEncoded", keys.percentEncoded ?? defaults.percentEncoded) ?? true)
    }

    private mutating func flag(_ key: String, _ value: JSONValue?) -> Bool? {
        guard let value else { return nil }
        if value.boolean == nil { remark(.flagNotBoolean(key: key, found: value.kind), value.location) }
        return value.boolean
    }

    /// Compiles the value of `/`, `?` or `#`, or else the default of it.
    private mutating func query(
        _ own: JSONValue?, _ standard: JSONValue?, _ part: URLPart, _ variant: ComparisonVariant
    ) -> LinkFile.Query {
        if let own { return query(own, part, variant) }
        guard let standard else { return .anything }
        let source = Source(offset: standard.location.offset, variant: variant)
        if let known = inherited[source] { return known }
        let query = query(standard, part, variant)
        inherited[source] = query
        return query
    }

    private mutating func query(
        _ value: JSONValue, _ part: URLPart, _ variant: ComparisonVariant
    ) -> LinkFile.Query {
        switch value.content {
        case .string(let text): return .text(pattern(text, part, variant, value.location))
        case .object(let items) where part == .query: return dictionary(items, variant)
        case .object, .array, .number, .boolean, .null:
            remark(.patternNotString(key: part.key, found: value.kind), value.location)
            return .anything
        }
    }

    private mutating func dictionary(_ items: JSONObject, _ variant: ComparisonVariant) -> LinkFile.Query {
        let wrong = items.members.filter { $0.value.string == nil }
        for member in wrong { remark(.queryVoided(item: member.key, found: member.value.kind), member.value.location) }
        guard wrong.isEmpty else { return .anything }
        var compiled: [PatternStore.QueryItem] = []
        var names: Set<[UInt32]> = []
        for member in items.members {
            let name = member.key.unicodeScalars.map(\.value)
            guard let text = member.value.string, names.insert(name).inserted else { continue }
            let pattern = pattern(text, .query, variant, member.value.location)
            compiled.append(PatternStore.QueryItem(name: name, nameText: member.key, pattern: pattern))
        }
        return .items(patterns.query(compiled))
    }

    private mutating func pattern(
        _ text: String, _ part: URLPart, _ variant: ComparisonVariant, _ location: SourceLocation, legacy: String? = nil
    ) -> Int {
        let atoms = patterns.store.atoms(of: text, part: part)
        if !PatternLint.isPlain(text, atoms: atoms) {
            let checked = legacy ?? text
            let lint = PatternLint(
                checked, atoms: patterns.store.atoms(of: checked, part: part), part: part,
                percentEncoded: variant.percentEncoded, isLegacy: legacy != nil)
            for kind in lint.kinds { remark(kind, location) }
        }
        return patterns.pattern(text, atoms: atoms, part: part, variant: variant)
    }

    private mutating func remark(_ kind: UniversalLinks.Remark.Kind, _ location: SourceLocation) {
        remarks.append(UniversalLinks.Remark(kind: kind, location: location))
    }
}

extension LinkFile.Query {
    /// The pattern, when it is one.
    fileprivate var pattern: Int? {
        guard case .text(let pattern) = self else { return nil }
        return pattern
    }
}

extension URLPart {
    /// The key of a component.
    package var key: String {
        switch self {
        case .path: "/"
        case .query: "?"
        case .fragment: "#"
        }
    }
}
