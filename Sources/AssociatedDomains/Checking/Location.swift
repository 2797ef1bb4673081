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

    /// The path of the standard places.
    public var path: String? {
        switch self {
        case .wellKnown: "/.well-known/apple-app-site-association"
        case .root: "/apple-app-site-association"
        case .given, .file: nil
        }
    }
}
