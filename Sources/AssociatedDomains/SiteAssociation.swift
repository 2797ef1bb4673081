// Users of the library import one module for both the models and their issues.
@_exported public import AssociationDiagnostics
public import SourceJSON

/// A well-formed association file, with the locations of its apps.
///
/// The file is at most 131,072 bytes of strict JSON: one object without duplicate keys. Every application identifier
/// in `apps`, `appIDs`, `appID` and the legacy dictionary of `details` is well-formed.
///
/// The initializer accepts content that a device merely ignores, and leaves it to the checker. Examples are unknown
/// keys, a service or detail without apps, and an app listed twice. The content of `components` and `paths` is not
/// validated either.
public struct SiteAssociation: Sendable {
    /// The maximum size of a plain or signed file, in bytes.
    ///
    /// Apple documents 128 KB uncompressed (App Search Programming Guide). Devices accept at most 131,072 bytes.
    public static let maximumSize = 131_072

    /// An app that the file lists.
    public struct App: Hashable, Sendable {
        /// The app.
        public let identifier: AppIdentifier
        /// The location of the identifier in the file.
        public let location: SourceLocation
    }

    /// The unchanged bytes of the file, for serving and signing.
    public var bytes: [UInt8] { document.bytes }
    /// The JSON of the file.
    public let document: JSONDocument
    /// The apps that share credentials, or nil if the file does not contain the service.
    public var webcredentials: [App]? { apps[.webcredentials] }
    /// The apps of each service except applinks.
    private let apps: [Service: [App]]
    /// The universal links, or nil if the file does not contain the service.
    public let applinks: AppLinks?
    /// The members in the file that are not known services, such as misspelled services. Devices ignore them.
    public let unknownMembers: [JSONObject.Member]

    /// Validates a file.
    ///
    /// - Parameter candidate: The file.
    /// - Throws: The first error in this order: size, signature, JSON, duplicate keys, and then the services in file
    ///   order.
    public init(_ candidate: Candidate) throws(Failure) {
        let size = candidate.bytes.count
        guard size <= SiteAssociation.maximumSize else { throw .tooLarge(size: size) }
        if let envelope = candidate.envelope { throw .enveloped(envelope) }
        do {
            document = try JSONDocument(candidate.bytes)
        } catch {
            throw .json(error)
        }
        if let duplicate = document.duplicateKeys.min(by: { $0.second < $1.second }) { throw .duplicateKey(duplicate) }

        let contents = try SiteAssociationReader(document.root)
        apps = contents.apps
        applinks = contents.appLinks
        unknownMembers = contents.unknownMembers
    }

    /// Creates a file that shares credentials with apps, formatted as in Apple's reference.
    ///
    /// - Parameter apps: The apps in file order. The file lists a repeated app only once.
    /// - Throws: `Failure.tooLarge` if the resulting file is too large.
    public init(webcredentials apps: [AppIdentifier]) throws(Failure) {
        var named: Set<AppIdentifier> = []
        // An application identifier contains no characters that require escaping in JSON.
        let lines = apps.filter { named.insert($0).inserted }.map { "      \"\($0)\"" }
        let list = lines.isEmpty ? "[]" : "[\n\(lines.joined(separator: ",\n"))\n    ]"
        let text = "{\n  \"webcredentials\": {\n    \"apps\": \(list)\n  }\n}\n"
        try self.init(Candidate(Array(text.utf8)))
    }

    /// Returns the apps of a service in file order, or nil if the file does not contain the service.
    public func apps(for service: Service) -> [App]? {
        service == .applinks ? applinks?.details.flatMap(\.apps) : apps[service]
    }
}
