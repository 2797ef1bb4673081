// Users of the library import one module for the models and the issues that they cause.
@_exported public import AssociationDiagnostics
public import SourceJSON

/// An association file that is known to be well-formed, with the locations of its apps.
///
/// The file has at most 131,072 bytes and is strict JSON: one object without duplicate keys. Every application
/// identifier in `apps`, `appIDs`, `appID` and the legacy dictionary of `details` is well-formed. Content that a device
/// merely ignores is accepted and left to the checker: unknown keys, a service or detail without apps, an app listed
/// twice, and the content of `components` and `paths`.
public struct SiteAssociation: Sendable {
    /// The maximum size of a file in bytes, signed or not.
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

    /// The unchanged bytes of the file, which are served and signed.
    public var bytes: [UInt8] { document.bytes }
    /// The JSON of the file.
    public let document: JSONDocument
    /// The apps that share credentials, or nil if the file does not have the service.
    public let webcredentials: [App]?
    /// The App Clips, or nil if the file does not have the service.
    public let appclips: [App]?
    /// The apps that support Handoff, or nil if the file does not have the service.
    public let activitycontinuation: [App]?
    /// The universal links, or nil if the file does not have the service.
    public let applinks: AppLinks?
    /// The members of the file that are not known services, such as misspelled services. Devices ignore them.
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
        webcredentials = contents.apps[.webcredentials]
        appclips = contents.apps[.appclips]
        activitycontinuation = contents.apps[.activitycontinuation]
        applinks = contents.appLinks
        unknownMembers = contents.unknownMembers
    }

    /// Creates the file of a domain that shares credentials with apps, in the form of Apple's reference.
    ///
    /// - Parameter apps: The apps in file order. The file lists a repeated app only once.
    /// - Throws: `Failure.tooLarge` if the apps do not fit into a file.
    public init(webcredentials apps: [AppIdentifier]) throws(Failure) {
        var named: Set<AppIdentifier> = []
        // An application identifier has no character that JSON must escape.
        let lines = apps.filter { named.insert($0).inserted }.map { "      \"\($0)\"" }
        let list = lines.isEmpty ? "[]" : "[\n\(lines.joined(separator: ",\n"))\n    ]"
        let text = "{\n  \"webcredentials\": {\n    \"apps\": \(list)\n  }\n}\n"
        try self.init(Candidate(Array(text.utf8)))
    }

    /// Returns the apps of a service in file order, or nil if the file does not have the service.
    public func apps(for service: Service) -> [App]? {
        switch service {
        case .webcredentials: webcredentials
        case .applinks: applinks?.details.flatMap(\.apps)
        case .appclips: appclips
        case .activitycontinuation: activitycontinuation
        }
    }
}
