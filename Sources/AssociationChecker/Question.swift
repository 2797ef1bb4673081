import AssociatedDomains
import SourceJSON

/// What is asked of a site or a file.
public struct Question: Sendable {
    /// An entry of an entitlement, with where it is from.
    public struct Entry: Sendable {
        /// The entry as it is written.
        public let text: String
        /// What messages call its source, such as the file's name.
        public let source: String
        /// Where in that file, when it is known.
        public let place: SourceLocation?

        /// - Parameters:
        ///   - text: the entry as it is written.
        ///   - source: what messages call its source.
        ///   - place: where in that source.
        public init(_ text: String, source: String = "--entitlement", place: SourceLocation? = nil) {
            self.text = text
            self.source = source
            self.place = place
        }
    }

    /// The apps that want to be associated; empty asks of the file as such.
    public var apps: [AppIdentifier] = []
    /// The service; nil asks for those of the entries, and without entries for any: it is enough that the apps are named
    /// for one.
    public var service: Service?
    /// The app's entitlement; empty when it is not looked at.
    public var entries: [Entry] = []
    /// Mistakes of the list that the entries are from, found when it was read.
    public var listFindings: [Finding] = []
    /// The domain of a file that does not tell it, for the signer's certificate.
    public var domain: String?

    /// A question about the file as such.
    public init() {}
}
