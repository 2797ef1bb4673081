import AssociatedDomains
import SourceJSON
import UniversalLinks

/// What a device takes from the JSON of an association file, whatever else is in it.
///
/// Unlike `SiteAssociation` it proves nothing: what is malformed is kept as text, or left out as a device leaves it out.
public struct AssociationOutline: Sendable {
    /// An app as the file names it.
    public struct App: Sendable, Hashable {
        /// The text of the file.
        public let text: String
        /// Where it stands.
        public let place: SourceLocation
    }

    /// The apps of each service that the file has, in the order of the file.
    public internal(set) var apps: [Service: [App]] = [:]
    /// The universal links, when the file has them.
    public internal(set) var links: UniversalLinks?
    /// The whole JSON.
    public internal(set) var root: JSONValue

    /// The services that the file has, in Apple's order.
    public var services: [Service] { Service.allCases.filter { apps[$0] != nil } }
}

extension AppIdentifier {
    /// Whether a text of an association file is this app for a device: the prefix in any case, the rest exactly.
    ///
    /// - Parameter text: the text as the file has it.
    public func isNamed(by text: String) -> Bool {
        let bytes = text.utf8
        guard bytes.count == prefix.utf8.count + 1 + bundleIdentifier.utf8.count else { return false }
        let split = bytes.index(bytes.startIndex, offsetBy: AppIdentifier.prefixLength)
        guard bytes[split] == UInt8(ascii: ".") else { return false }
        return String(text[..<split]).uppercased() == prefix
            && bytes[bytes.index(after: split)...].elementsEqual(bundleIdentifier.utf8)
    }
}
