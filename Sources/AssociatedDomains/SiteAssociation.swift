import SourceJSON

/// An association file that was proven well-formed, with the places of what it names.
///
/// Proven are: at most 131,072 bytes, strict JSON, an object, no key twice, and every application identifier in
/// `apps`, `appIDs`, `appID` and the legacy dictionary of `details` well-formed. What a device only ignores is let
/// through for the checker to judge: unknown keys, a service or detail that names no app, an app named twice, the
/// insides of `components` and `paths`.
public struct SiteAssociation: Sendable {
    /// The most bytes of a file, signed or not.
    ///
    /// Apple: 128 KB uncompressed (App Search Programming Guide); devices take exactly 131,072 bytes, and not one more.
    public static let maximumSize = 131_072

    /// An app that the file names.
    public struct App: Hashable, Sendable {
        /// The app.
        public let identifier: AppIdentifier
        /// Where the identifier stands in the file.
        public let place: SourceLocation
    }

    /// The file, byte for byte as it was loaded: this is what is served and signed.
    public var bytes: [UInt8] { document.bytes }
    /// The JSON of the file.
    public let document: JSONDocument
    /// The apps that share credentials, or nil when the file does not have the service.
    public let webcredentials: [App]?
    /// The App Clips, or nil when the file does not have the service.
    public let appclips: [App]?
    /// The apps that hand activities over, or nil when the file does not have the service.
    public let activitycontinuation: [App]?
    /// The universal links, or nil when the file does not have the service.
    public let applinks: AppLinks?
    /// Members of the file that are no service known here, such as a misspelt one. Devices ignore them.
    public let unknownMembers: [JSONObject.Member]

    /// Proves a file.
    ///
    /// - Parameter candidate: the file.
    /// - Throws: `Fault`, the first one in this order: size, signature, JSON, keys that stand twice, and then what is
    ///   wrong with the services, in the order in which the file has them.
    public init(_ candidate: Candidate) throws(Fault) {
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

    /// Makes the file of a domain that shares credentials with apps, in the form of Apple's reference.
    ///
    /// - Parameter apps: the apps, in the order in which the file names them; one given twice is named once.
    /// - Throws: `Fault.tooLarge` when the apps do not fit into a file.
    public init(webcredentials apps: [AppIdentifier]) throws(Fault) {
        var named: Set<AppIdentifier> = []
        // An application identifier has no character that JSON would escape.
        let lines = apps.filter { named.insert($0).inserted }.map { "      \"\($0)\"" }
        let list = lines.isEmpty ? "[]" : "[\n\(lines.joined(separator: ",\n"))\n    ]"
        let text = "{\n  \"webcredentials\": {\n    \"apps\": \(list)\n  }\n}\n"
        try self.init(Candidate(Array(text.utf8)))
    }

    /// The apps that the file names for a service.
    ///
    /// - Parameter service: the service.
    /// - Returns: the apps in the order of the file, or nil when it does not have the service.
    public func apps(for service: Service) -> [App]? {
        switch service {
        case .webcredentials: webcredentials
        case .applinks: applinks?.details.flatMap(\.apps)
        case .appclips: appclips
        case .activitycontinuation: activitycontinuation
        }
    }
}
