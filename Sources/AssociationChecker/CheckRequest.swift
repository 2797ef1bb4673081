public import AssociatedDomains
public import SourceJSON

/// The apps and entries to check against a site or file.
public struct CheckRequest: Sendable {
    /// An entry of an entitlement, with its origin.
    public struct Entry: Sendable {
        /// The entry as written.
        public let text: String
        /// The origin of the entry in messages, such as a file name.
        public let source: String
        /// The location in the source file, if known.
        public let location: SourceLocation?

        /// Creates an entry.
        public init(_ text: String, source: String = "--entitlement", location: SourceLocation? = nil) {
            (self.text, self.source, self.location) = (text, source, location)
        }

        /// The entry as parsed by a device, or the reason why a device drops it.
        package var domain: Result<AssociatedDomain, AssociatedDomain.Malformed> {
            Result { () throws(AssociatedDomain.Malformed) in try AssociatedDomain(text) }
        }
    }

    /// The apps to associate. If empty, the check covers only the file.
    public var apps: [AppIdentifier] = []
    /// The requested service. If nil, the services of the entries apply. Without entries, any service applies.
    public var service: Service?
    /// The entries of the app's entitlement. If empty, the check ignores the entitlement.
    public var entries: [Entry] = []
    /// The entries that a device accepts.
    package var domains: [AssociatedDomain] { entries.compactMap { try? $0.domain.get() } }
    /// The issues in the property list that contains the entries.
    public var listIssues: [Issue] = []
    /// The domain of a local file. The signer's certificate must be valid for this domain, and the file does not apply
    /// to URLs of other hosts.
    public var domain: String?
    /// Whether to evaluate a private host or root as if it were public.
    public var assumesPublic = false

    package enum Format: Sendable {
        /// assetlinks.json if the content looks like a statement list, otherwise Apple's file.
        case detected
        case apple, assetLinks
    }

    /// Whether a device ignores entries with the mode `developer`.
    private(set) var isForDistribution = false

    package var linkTests: LinkTests?

    package var format = Format.detected
    /// The Android apps to associate, which only assetlinks.json can list.
    package var androidApps: [AndroidApp] = []

    /// The relation that the Android apps must have. If nil, one relation is enough.
    package var relation: AssetLinks.Relation?

    /// Whether only assetlinks.json can satisfy the request.
    package var isAboutAndroid: Bool { format == .assetLinks || !androidApps.isEmpty || relation != nil }
    /// Whether only Apple's file can satisfy the request.
    package var isAboutApple: Bool { format == .apple || isAboutApp || service != nil }

    var isAboutApp: Bool { !apps.isEmpty || !entries.isEmpty || !listIssues.isEmpty }

    /// Creates a request that covers only the file.
    public init() {}

    /// Adds the entries and issues of an app's property list.
    ///
    /// - Parameters:
    ///   - list: The entitlements of the app.
    ///   - source: The name of the property list in issues.
    public mutating func add(_ list: Entitlements, from source: String) {
        entries += list.entries.map { Entry($0.text, source: source, location: $0.location) }
        isForDistribution = isForDistribution || list.isForDistribution
        listIssues += list.issues.map { Issue($0, in: source, at: $0.location) }
        // The entitlements of a built app contain its identifier.
        if apps.isEmpty, let text = list.applicationIdentifier, let app = try? AppIdentifier(text) { apps = [app] }
    }
}
