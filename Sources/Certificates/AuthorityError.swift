import Platform

/// What can be wrong with the development authority.
public enum AuthorityError: ExplainedError, Equatable {
    /// The authority in this folder was made without leave to sign for the name.
    case notPermitted(name: String, folder: String)
    /// A permitted domain that would let the authority sign for half the world.
    case permissionTooWide(String)
    /// The authority's certificate has no name constraints.
    case unconstrained(path: String)
    /// The certificate is there but its key is not, or is another one's.
    case keyMissing(path: String)
    case keyMismatch(certificate: String, key: String)
    case expired(path: String)
    /// The name of a file that the authority itself needs.
    case reservedName(String)
    case noNames
    case badDays(Int, most: Int)
    case cannotLock(path: String, SystemError)

    public var problem: String {
        switch self {
        case .notPermitted(let name, let folder):
            "the development authority in \(folder.quoted) may not sign for \(name.quoted)"
        case .permissionTooWide(let name):
            "an authority that may sign for everything below \(name.quoted) is too dangerous"
        case .unconstrained(let path):
            "the authority \(path.quoted) has no name constraints and could sign for any site"
        case .keyMissing(let path): "the authority's private key \(path.quoted) is missing"
        case .keyMismatch(let certificate, let key):
            "the key \(key.quoted) does not belong to the authority \(certificate.quoted)"
        case .expired(let path): "the development authority \(path.quoted) has expired"
        case .reservedName(let name): "\(name.quoted) is the name of the authority's own files"
        case .noNames: "a certificate needs a name"
        case .badDays(let days, let most): "a certificate for \(days) days cannot be issued; 1 to \(most) can"
        case .cannotLock(let path, let error): "\(path.quoted) cannot be locked: \(error)"
        }
    }

    public var remedy: String {
        switch self {
        case .notPermitted(let name, _):
            "Make a new authority with: motivator certificate authority --permit \(name.shellQuoted) "
                + "(and trust it in place of the old one)"
        case .permissionTooWide: "Permit the domain itself, such as motivator.example.com"
        case .unconstrained, .keyMismatch, .expired:
            "Make a new authority with: motivator certificate authority (and trust it in place of the old one)"
        case .keyMissing:
            "Put the key back, or make a new authority with: motivator certificate authority "
                + "(and trust it in place of the old one)"
        case .reservedName: "Take another name for the host"
        case .noNames: "Name at least one host"
        case .badDays: "Take fewer days; the default is 90"
        case .cannotLock: "Check that the folder may be written by this user and that its file system has locks"
        }
    }

    public var exitCode: ExitCode {
        switch self {
        case .notPermitted, .permissionTooWide, .unconstrained, .keyMissing, .keyMismatch, .expired: .configuration
        case .reservedName, .noNames, .badDays: .usage
        case .cannotLock: .inputOutput
        }
    }
}
