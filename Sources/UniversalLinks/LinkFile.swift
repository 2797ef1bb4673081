import AssociatedDomains
import SourceJSON

/// The details of a file, compiled.
package struct LinkFile: Sendable {
    package struct App: Sendable {
        package let identifier: String
        package let location: SourceLocation
        /// The indices of its details into `details`, in order, each once.
        package var details: [Int]
    }

    /// What a query has to be.
    package enum Query: Sendable, Hashable {
        case anything
        /// An index into the store's patterns.
        case text(Int)
        /// An index into the store's queries.
        case items(Int)
    }

    /// Where a component stands.
    struct Origin: Sendable {
        /// The index in `components`.
        package let number: Int
        /// The index in its detail.
        package let index: Int
        /// The index of its detail in the file.
        package let detail: Int
        package let location: SourceLocation
        /// Whether it is an element of `paths`.
        var isLegacy = false
    }

    /// What one component has in common with an earlier one.
    package struct Repetition: Sendable {
        /// The index of the earlier one in `components`.
        package let earlier: Int
        let likeness: UniversalLinks.Remark.Likeness
    }

    /// A component that is an object, or a legacy path.
    package struct Component: Sendable {
        let origin: Origin
        let excludes: Bool
        let variant: ComparisonVariant
        /// Indices into the store's patterns.
        package let path: Int?
        package let query: Query
        package let fragment: Int?
        /// The earlier one of its detail with the same conditions, which this one repeats.
        package let repeats: Repetition?
    }

    /// What most components fail at, apart from them so that many fit into the processor's cache.
    struct Gate: Sendable {
        /// A range of the store's literals: the beginning of the path.
        package let start: Int32
        package let count: Int32
        let variant: Int8
        /// The pairs of characters without which the path cannot match.
        let needed: PairSet
        /// Whether the component repeats an earlier one, which has failed.
        package let isClosed: Bool
    }

    package var store = PatternStore()
    package var apps: [App] = []
    /// For each detail a range of `components`.
    package var details: [Range<Int>] = []
    package var components: [Component] = []
    var gates: [Gate] = []
    /// A bit for each variant that a component uses, and one for each that a dictionary of query items uses.
    var variants: UInt8 = 0
    var itemVariants: UInt8 = 0
    /// The apps by the form of their identifier in which a device compares them.
    private var appIndices: [[UInt8]: Int] = [:]

    /// - Parameter identifier: the identifier of an app, or nil for all apps.
    /// - Returns: indices into `apps`.
    func appIndices(for identifier: String?) -> Range<Int> {
        guard let identifier else { return apps.indices }
        guard let index = appIndices[LinkFile.compared(identifier)] else { return 0..<0 }
        return index..<(index + 1)
    }

    /// Adds an app to the last detail.
    ///
    /// - Returns: its index, and whether the detail does not have it already.
    mutating func addApp(_ identifier: String, at location: SourceLocation) -> (index: Int, isNew: Bool) {
        let detail = details.count - 1
        let key = LinkFile.compared(identifier)
        if let index = appIndices[key] {
            guard apps[index].details.last != detail else { return (index, false) }
            apps[index].details.append(detail)
            return (index, true)
        }
        appIndices[key] = apps.count
        apps.append(App(identifier: identifier, location: location, details: [detail]))
        return (apps.count - 1, true)
    }

    /// Adds a component to the detail that is being read.
    ///
    /// - Parameters:
    ///   - component: the component.
    ///   - prefix: the literals that its path begins with.
    ///   - needed: the pairs that its path has to have.
    package mutating func add(_ component: Component, prefix: Range<Int>, needed: PairSet) {
        gates.append(
            Gate(
                start: Int32(clamping: prefix.lowerBound), count: Int32(clamping: prefix.count),
                variant: Int8(component.variant.index), needed: needed, isClosed: component.repeats != nil))
        components.append(component)
        variants |= component.variant.bit
        if case .items = component.query { itemVariants |= component.variant.bit }
    }

    /// The prefix in upper case where a device finds one, the rest as it is.
    private static func compared(_ identifier: String) -> [UInt8] {
        var bytes = Array(identifier.utf8)
        guard bytes.firstIndex(of: UInt8(ascii: ".")) == AppIdentifier.prefixLength else { return bytes }
        for index in 0..<AppIdentifier.prefixLength where (0x61...0x7A).contains(bytes[index]) { bytes[index] -= 0x20 }
        return bytes
    }
}
