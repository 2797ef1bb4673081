public import SourceJSON

/// The associated domains of an app: an `.entitlements` property list, XML or binary.
///
/// Only the keys for associated domains and for the application identifier are read.
public struct Entitlements: Sendable {
    /// The maximum size of a list, in bytes.
    ///
    /// Apple documents no limit for entitlements. 30 domains with the longest names take 10 KB, so the limit allows
    /// every real list and bounds the memory for a malicious one.
    public static let maximumSize = 262_144

    /// The maximum number of domains without an issue. Apple recommends about 20 to 30.
    public static let advisedCount = 30

    /// The key of the associated domains.
    public static let key = "com.apple.developer.associated-domains"

    /// The keys of the application identifier: on iOS, tvOS, watchOS and visionOS, and on macOS.
    static let identifierKeys = ["application-identifier", "com.apple.application-identifier"]

    /// A string in the array of associated domains.
    public struct Entry: Sendable {
        /// The string.
        public let text: String
        /// The location of the `<string>` content in an XML list, or nil if the list is binary or the search fails.
        public let location: SourceLocation?
        /// The entry as parsed by a device, or the reason why a device drops it.
        public let domain: Result<AssociatedDomain, AssociatedDomain.Malformed>
    }

    /// The application identifier as written, or nil if the list has none, for example before signing.
    public let applicationIdentifier: String?
    /// The strings of the array in order, including those that a device drops, or empty if the array is missing.
    public let entries: [Entry]
    /// The issues of the list, except those of single entries.
    public let issues: [EntryIssue]
    /// Whether the list is that of a provisioning profile that permits every domain. It then has no entries.
    package let permitsAnyDomain: Bool

    /// Parses a property list.
    ///
    /// - Parameter bytes: The whole list, XML or binary, at most `maximumSize` bytes.
    /// - Throws: `Failure`.
    public init(_ bytes: [UInt8]) throws(Failure) {
        guard bytes.count <= Entitlements.maximumSize else { throw .tooLarge(size: bytes.count) }
        self.init(try EntitlementsReader(PropertyList(bytes)))
    }

    init(_ reader: EntitlementsReader) {
        applicationIdentifier = reader.applicationIdentifier
        entries = reader.entries
        issues = reader.issues
        permitsAnyDomain = reader.permitsAnyDomain
    }

    private init(_ list: Entitlements, adding issues: [EntryIssue]) {
        applicationIdentifier = list.applicationIdentifier
        entries = list.entries.map { Entry(text: $0.text, location: nil, domain: $0.domain) }
        self.issues = list.issues.map(\.withoutLocation) + issues
        permitsAnyDomain = list.permitsAnyDomain
    }

    /// Returns the list without locations, for a list inside a binary file, and with more issues.
    func embedded(adding issues: [EntryIssue]) -> Entitlements { Entitlements(self, adding: issues) }
}
