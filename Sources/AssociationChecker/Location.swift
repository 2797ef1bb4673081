import HTTPSClient

/// Where a file was found.
public enum Location: String, Sendable, Hashable {
    /// `/.well-known/apple-app-site-association`, where devices look since iOS 9.3.
    case wellKnown
    /// `/apple-app-site-association`, where all looked before.
    case root
    /// A URL that was given, whatever its path.
    case given
    /// A file of this machine.
    case file

    /// What a device asks for under a URL; nil where none asks.
    ///
    /// - Parameter url: the URL. What Apple's CDN has of a host is what that host has at `.well-known`.
    init?(readAt url: WebURL) {
        guard url.query == nil else { return nil }
        let networks = ["app-site-association.cdn-apple.com", "app-site-association.networking.apple"]
        if url.path == Location.wellKnown.path || (networks.contains(url.host) && url.path.hasPrefix("/a/v1/")) {
            self = .wellKnown
        } else if url.path == Location.root.path {
            self = .root
        } else {
            return nil
        }
    }

    /// The path of the standard places.
    public var path: String? {
        switch self {
        case .wellKnown: "/.well-known/apple-app-site-association"
        case .root: "/apple-app-site-association"
        case .given, .file: nil
        }
    }
}
