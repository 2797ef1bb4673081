import AssociatedDomains
import HTTPSClient
import SourceJSON

/// The compiled rules of the `applinks` service.
struct CompiledLinks: Sendable {
    struct App: Sendable {
        let identifier: String
        let location: SourceLocation
        /// The distinct indices of its details, in file order.
        var details: [Int]
    }

    /// A component, or an element of the legacy `paths`.
    struct Rule: Sendable {
        let origin: Origin
        let excludes: Bool
        /// Indices into `conditions`, or nil if the rule has no condition for this part.
        let path: Int?
        let query: Int?
        let fragment: Int?
    }

    struct Origin: Sendable {
        let index: Int
        /// The index of its detail in the file.
        let detail: Int
        let location: SourceLocation
        /// Whether the rule is an element of `paths`.
        var isLegacy = false
    }

    /// The patterns that a part of the URL must match. Rules share equal conditions, so each is evaluated only once.
    struct Condition: Sendable {
        let part: URLPart
        let form: ComparisonForm
        /// One item without a name, or the items of a `?` dictionary.
        let items: [Item]

        var isAlwaysMet: Bool { items.allSatisfy(\.pattern.matchesEverything) }

        /// The condition with `?*` instead of each `*`.
        var requiringValues: Condition {
            let present = Pattern("?*", steps: [.row(MatchText.anyRow), .star], isPath: false)
            let items = items.map { $0.pattern.matchesEverything ? Item(name: $0.name, pattern: present) : $0 }
            return Condition(part: part, form: form, items: items)
        }
    }

    struct Item: Sendable {
        /// The name of the query item, or nil for the whole part.
        let name: Name?
        let pattern: Pattern
    }

    struct Name: Sendable {
        let text: String
        let scalars: [UInt32]
    }

    private(set) var apps: [App] = []
    /// For each detail, a range of `rules`.
    var details: [Range<Int>] = []
    private(set) var rules: [Rule] = []
    /// For each rule, the index of its form in `ComparisonForm.all`, and the pairs of characters that the path must
    /// contain. This data rejects most rules without a comparison, and fits in the CPU cache.
    private var gates: [(form: Int, pairs: PairSet)] = []
    var conditions: [Condition] = []
    var variables: [Variable] = []
    var variableNames: Set<String> = []
    private(set) var pathForms: Set<ComparisonForm> = []
    /// The index of each app, by its identifier in the form that a device compares.
    private var appIndices: [[UInt8]: Int] = [:]

    /// Returns the index of one app as a range, or the indices of all apps if `identifier` is nil.
    func appIndices(for identifier: String?) -> Range<Int> {
        guard let identifier else { return apps.indices }
        guard let index = appIndices[Self.compared(identifier)] else { return 0..<0 }
        return index..<(index + 1)
    }

    /// Returns the rules for one app in evaluation order, or for all apps if `identifier` is nil.
    func rules(of identifier: String?) -> [Rule] {
        appIndices(for: identifier).flatMap { apps[$0].details }.flatMap { rules[details[$0]] }
    }

    mutating func addApp(_ identifier: String, at location: SourceLocation) -> Int {
        let detail = details.count - 1
        let key = Self.compared(identifier)
        guard let index = appIndices[key] else {
            appIndices[key] = apps.count
            apps.append(App(identifier: identifier, location: location, details: [detail]))
            return apps.count - 1
        }
        if apps[index].details.last != detail { apps[index].details.append(detail) }
        return index
    }

    mutating func add(_ rule: Rule, form: ComparisonForm) {
        let pairs = rule.path.map { conditions[$0].items[0].pattern.requiredPairs } ?? PairSet()
        gates.append((form.index, pairs))
        rules.append(rule)
        pathForms.insert(form)
    }

    /// Returns the first rule that its gate does not reject.
    func firstRule(in rules: Range<Int>, for pairs: [PairSet]) -> Int? {
        gates[rules].firstIndex { $0.pairs.isSubset(of: pairs[$0.form]) }
    }

    /// Returns the identifier with its prefix, if any, in upper case.
    private static func compared(_ identifier: String) -> [UInt8] {
        var bytes = Array(identifier.utf8)
        guard bytes.firstIndex(of: UInt8(ascii: ".")) == AppIdentifier.prefixLength else { return bytes }
        for index in 0..<AppIdentifier.prefixLength where (0x61...0x7A).contains(bytes[index]) { bytes[index] -= 0x20 }
        return bytes
    }
}

/// The pairs of adjacent characters in a string. Each pair sets one of 64 bits.
///
/// A string that matches a pattern contains all pairs of the pattern's literals, so one bit operation rejects most
/// patterns. The reverse does not hold, because different pairs can set the same bit.
struct PairSet: Sendable {
    static let all = PairSet(bits: .max)

    private var bits: UInt64 = 0

    init() {}

    private init(bits: UInt64) { self.bits = bits }

    /// - Parameters:
    ///   - scalars: One text, or texts of the same length, one after another. Two texts can share a pair.
    ///   - length: The length of each text; nil for one text.
    init(_ scalars: some Collection<UInt32>, length: Int? = nil) {
        let (scalars, length) = (Array(scalars), length ?? scalars.count)
        for first in scalars.indices where first % length < length - 1 {
            for second in stride(from: first % length + 1, to: scalars.count, by: length) {
                insert(scalars[first], scalars[second])
            }
        }
    }

    mutating func insert(_ first: UInt32, _ second: UInt32) {
        // The upper bits of a product depend on all lower bits.
        bits |= 1 << UInt64(((first &* 31 &+ second) &* 0x9E37_79B1) >> 26)
    }

    func isSubset(of other: PairSet) -> Bool { bits & ~other.bits == 0 }
}
