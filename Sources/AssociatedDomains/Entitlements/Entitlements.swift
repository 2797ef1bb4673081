import SourceJSON

/// The associated domains of an app: an `.entitlements` property list, XML or binary.
///
/// Only what associated domains need is looked at: the two keys at the top and the strings of the array. An XML list is
/// proven well-formed as a whole; of a binary list, what other keys hold is never followed.
public struct Entitlements: Sendable {
    /// The most bytes of a list.
    ///
    /// Apple names no limit for entitlements. 30 domains of the longest names take 10 KB, other entitlements less, so
    /// that this leaves room for any real list and keeps the memory of a hostile one small.
    public static let maximumSize = 262_144

    /// The number of domains from which on a remark is made: Apple advises about 20 to 30 at most.
    public static let advisedCount = 30

    /// The key of the associated domains.
    public static let key = "com.apple.developer.associated-domains"

    /// The keys of the application identifier: on iOS, tvOS, watchOS and visionOS, and on macOS.
    static let identifierKeys = ["application-identifier", "com.apple.application-identifier"]

    /// A string in the array of associated domains.
    public struct Entry: Sendable {
        /// The string.
        public let text: String
        /// Where the content of its `<string>` begins in an XML list; nil in a binary one.
        public let place: SourceLocation?
        /// What a device takes it for, or why it drops it.
        public let domain: Result<AssociatedDomain, AssociatedDomain.Malformed>
    }

    /// The application identifier as it is written there, or nil when the list has none, as before signing.
    public let applicationIdentifier: String?
    /// The strings of the array in its order, those that a device drops as well; empty when there is no array.
    public let entries: [Entry]
    /// What is wrong with the list around its entries, in the order in which it was found.
    public let remarks: [Remark]

    /// Reads a property list.
    ///
    /// - Parameter bytes: the whole list: XML in UTF-8, or binary; at most `maximumSize` bytes.
    /// - Throws: `Fault`, the first one.
    public init(_ bytes: [UInt8]) throws(Fault) {
        guard bytes.count <= Entitlements.maximumSize else { throw .tooLarge(size: bytes.count) }
        let root: PropertyListValue
        switch try EntitlementsForm(bytes) {
        case .binary: root = try BinaryPropertyList.root(of: bytes)
        case .xml: root = try XMLPropertyList.root(of: bytes)
        }
        let reader = try EntitlementsReader(root)
        applicationIdentifier = reader.applicationIdentifier
        entries = reader.entries
        remarks = reader.remarks
    }
}
