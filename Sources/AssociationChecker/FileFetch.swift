public import AssociatedDomains
public import Certificates
public import HTTPSClient

/// The requests for the file at one path of a site, including redirects.
public struct FileFetch: Sendable {
    /// A request and its response.
    public struct Step: Sendable {
        /// The requested URL.
        public let url: WebURL
        package let fetched: Fetched
        /// The verdict on the certificate chain, or nil if the host sent no certificate.
        public let chain: ChainVerdict?
        /// Whether the caller overrode the address. If so, the address may not belong to the site.
        public let addressIsOverridden: Bool
        /// The result of one more request about a response without the file, if any.
        package var probe: HintProbe?

        package init(url: WebURL, fetched: Fetched, chain: ChainVerdict?, addressIsOverridden: Bool = false) {
            (self.url, self.fetched, self.chain) = (url, fetched, chain)
            self.addressIsOverridden = addressIsOverridden
        }

        /// The failure, unless the status already shows that the response is not the file.
        var failure: FetchFailure? { (fetched.response?.status ?? 200) == 200 ? fetched.failure : nil }

        /// The target of the redirect, or nil if the response is not a redirect.
        public var redirect: String? {
            fetched.response.flatMap { [301, 302, 303, 307, 308].contains($0.status) ? $0.first("location") : nil }
        }
    }

    /// The path of the file.
    public let path: FilePath
    /// The requests in order: at least one, and another for each redirect that the checker follows.
    public internal(set) var steps: [Step]
    /// The entries that lead to this fetch. Empty if the URL comes only from the target.
    public let entries: [AssociatedDomain]

    /// Creates a fetch with at least one step.
    public init(path: FilePath, steps: [Step], entries: [AssociatedDomain] = []) {
        (self.path, self.steps, self.entries) = (path, steps, entries)
    }

    /// Whether a response has content that a device reads as a file, valid or not.
    var hasFile: Bool { steps.contains { $0.fetched.response?.status == 200 && $0.content != nil } }
}

/// The path of a file to fetch.
public enum FilePath: String, Sendable, Hashable {
    /// `/.well-known/apple-app-site-association`, which iOS 9.3 and later request.
    case wellKnown
    /// `/apple-app-site-association`, which all earlier versions request.
    case root
    /// A URL that the user entered, with any path.
    case given
    /// `/.well-known/assetlinks.json`, which only Android requests, or a URL that the user entered for such a file.
    case assetLinks
    /// `/.well-known/webauthn`, which browsers request for a page of another host.
    case relatedOrigins
    /// `/.well-known/passkey-endpoints`, which password managers request.
    case passkeyEndpoints

    static let networks = ["app-site-association.cdn-apple.com", "app-site-association.networking.apple"]

    /// Creates the standard path for a URL, or returns nil if no device requests the URL.
    /// - Parameter url: The URL. A URL on Apple's CDN represents the `.well-known` path of a host.
    init?(readAt url: WebURL) {
        let isOnCDN = FilePath.networks.contains(url.host) && url.path.hasPrefix("/a/v1/")
        let path: FilePath? = isOnCDN ? .wellKnown : [FilePath.wellKnown, .root].first { $0.text == url.path }
        guard url.query == nil, let path else { return nil }
        self = path
    }

    func isRequested(by profile: Profile) -> Bool {
        switch self {
        case .wellKnown: profile != .ios8
        case .root: profile != .device
        case .given: true
        case .assetLinks, .relatedOrigins, .passkeyEndpoints: false
        }
    }

    /// The standard path, or an empty string for any other URL.
    public var text: String {
        switch self {
        case .wellKnown: "/.well-known/apple-app-site-association"
        case .root: "/apple-app-site-association"
        case .given: ""
        case .assetLinks: AssetLinks.path
        case .relatedOrigins: "/.well-known/webauthn"
        case .passkeyEndpoints: "/.well-known/passkey-endpoints"
        }
    }
}

extension [AssociatedDomain] {
    /// Returns the entries that determine where a device requests a host's file, at most one for each service.
    ///
    /// The order of the entries does not matter. An exact host takes precedence over a wildcard, and a narrow wildcard
    /// over a wide wildcard. The requested port takes precedence over other ports. An entry without a mode takes
    /// precedence over an entry with a mode. Using one entry for each service limits the number of requests.
    /// - Parameter host: The host in lower case.
    func deciding(for host: String, port: UInt16?, service: Service?) -> [AssociatedDomain] {
        let covering = filter { $0.covers(host, in: .device) }
        return Service.allCases.filter { service == nil || $0 == service }.compactMap { service in
            covering.filter { $0.service == service }.min { $0.isNearer(than: $1, to: port ?? 443) }
        }
    }

    /// The services in Apple's order.
    var services: [Service] { Service.allCases.filter { service in contains { $0.service == service } } }

    /// Whether a device requests the file directly from the host, because each entry has a mode.
    var bypassCDN: Bool { !isEmpty && allSatisfy { !$0.modes.isEmpty } }

    /// Whether each entry is for devices in developer mode, which trust user-installed roots.
    var areForDevelopers: Bool { !isEmpty && allSatisfy { $0.modes.contains(.developer) } }
}

extension AssociatedDomain {
    /// Returns whether this entry takes precedence over another entry that covers the same host.
    fileprivate func isNearer(than other: AssociatedDomain, to wanted: UInt16) -> Bool {
        if host.utf8.count != other.host.utf8.count { return host.utf8.count > other.host.utf8.count }
        if isWildcard != other.isWildcard { return !isWildcard }
        let (mine, theirs) = (port ?? 443, other.port ?? 443)
        if mine != theirs { return mine == wanted || (theirs != wanted && mine < theirs) }
        return modes.rawValue < other.modes.rawValue
    }
}
