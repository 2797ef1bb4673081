public import SourceJSON

/// The associated domains of an app: an `.entitlements` property list, XML or binary.
///
/// The initializer reads only the keys for the associated domains and the application identifier.
public struct Entitlements: Sendable {
    /// The maximum size of a list, in bytes.
    ///
    /// Apple documents no limit for entitlements. Thirty domains with the longest names take 10 KB. The limit allows
    /// every real list and bounds the memory for a malicious list.
    public static let maximumSize = 262_144

    /// The maximum number of domains before an issue is reported. Apple recommends about 20 to 30.
    public static let advisedCount = 30

    /// The key of the associated domains.
    public static let key = "com.apple.developer.associated-domains"

    /// The keys of the application identifier: first for iOS, tvOS, watchOS and visionOS, then for macOS.
    static let identifierKeys = ["application-identifier", "com.apple.application-identifier"]

    /// A string in the array of associated domains.
    public struct Entry: Sendable {
        /// The string.
        public let text: String
        /// The location of the `<string>` content in an XML list. It is nil if the list is binary or the search fails.
        public let location: SourceLocation?
        /// The entry as parsed by a device, or the reason a device drops it.
        public let domain: Result<AssociatedDomain, AssociatedDomain.Malformed>
    }

    /// The application identifier as written, or nil if the list has no identifier, for example before signing.
    public internal(set) var applicationIdentifier: String?
    /// The strings of the array in order, including strings that a device drops. Without an array, there are none.
    public internal(set) var entries: [Entry] = []
    /// The issues with the list as a whole. Entries contain their own issues.
    public internal(set) var issues: [EntryIssue] = []
    /// Whether the app is signed for distribution, so a device ignores entries with the mode `developer`.
    package internal(set) var isForDistribution = false
    /// Whether the list is from a provisioning profile that permits every domain. Such a list has no entries.
    package internal(set) var permitsAnyDomain = false

    /// Parses a property list.
    /// - Parameter bytes: The whole list, XML or binary, at most `maximumSize` bytes.
    public init(_ bytes: [UInt8]) throws(Failure) {
        guard bytes.count <= Entitlements.maximumSize else { throw .tooLarge(size: bytes.count) }
        self = try EntitlementsReader(PropertyList(bytes)).result
    }

    init() {}

    /// Returns the list as part of a binary file: without locations and with additional issues.
    func embedded(adding more: [EntryIssue]) -> Entitlements {
        var list = self
        list.entries = entries.map { Entry(text: $0.text, location: nil, domain: $0.domain) }
        list.issues = issues.map(\.withoutLocation) + more
        return list
    }
}
