public import MotivatorPlatform

/// Why the development CA cannot be used.
public enum AuthorityError: ExplainedError, Equatable {
    /// The name constraints of the CA in this folder do not permit the name.
    case notPermitted(name: String, folder: String)
    /// The permitted domain is so general that a stolen key would be dangerous.
    case permissionTooWide(String)
    /// The folder has no CA.
    case noAuthority(folder: String)
    /// The CA's certificate has no name constraints.
    case unconstrained(path: String)
    /// The root key does not belong to the root's certificate.
    case keyMismatch(certificate: String, key: String)
    case expired(path: String)
    /// The host name is reserved for one of the CA's files.
    case reservedName(String)
    case noNames
    case badDays(Int, most: Int)
    case cannotLock(path: String, SystemError)
    /// Another user can change the folder or file.
    case writableByOthers(path: String, mode: String)
    /// The folder or file belongs to another user.
    case foreignOwner(path: String, owner: UInt32, user: UInt32)
    /// The intermediate expired at this time, or is unusable, and the root key is not in the folder.
    case rootKeyNeeded(folder: String, ended: UnixTime?)
    /// The folder for the offline root key has no key.
    case offlineKeyMissing(path: String)
    /// The folder for the offline root key has the key of another CA.
    case offlineKeyTaken(path: String)
    /// The folder for the offline root key is the CA's own folder.
    case offlineRootInFolder(path: String)

    public var problem: String {
        switch self {
        case .notPermitted(let name, let folder):
            "the development CA in \(folder.quoted) is not permitted to sign for \(name.quoted)"
        case .permissionTooWide(let name): "a CA that may sign for every name below \(name.quoted) is too dangerous"
        case .noAuthority(let folder): "the folder \(folder.quoted) has no CA"
        case .unconstrained(let path): "the CA \(path.quoted) has no name constraints and could sign for any site"
        case .keyMismatch(let certificate, let key):
            "the key \(key.quoted) does not belong to the CA \(certificate.quoted)"
        case .expired(let path): "the development CA \(path.quoted) has expired"
        case .reservedName(let name): "the name \(name.quoted) is reserved for the CA's own files"
        case .noNames: "a certificate requires a name"
        case .badDays(let days, let most): "cannot issue a certificate for \(days) days; the range is 1 to \(most)"
        case .cannotLock(let path, let error): "\(path.quoted) cannot be locked: \(error)"
        case .writableByOthers(let path, let mode): "other users can write to \(path.quoted) (mode \(mode))"
        case .foreignOwner(let path, let owner, let user):
            "\(path.quoted) belongs to user \(owner), but this process runs as user \(user)"
        case .rootKeyNeeded(let folder, let ended):
            "the intermediate certificate in \(folder.quoted) "
                + (ended.map { "expired on \(Timestamp.text($0))" } ?? "is missing or damaged")
                + ", and the folder has no root key to sign a new one"
        case .offlineKeyMissing(let path): "the root key \(path.quoted) is missing"
        case .offlineKeyTaken(let path): "the folder \(path.quoted) has the root key of another CA"
        case .offlineRootInFolder(let path):
            "the folder for the offline root key is the CA folder \(path.quoted) itself"
        }
    }

    public var fix: String {
        switch self {
        case .notPermitted(let name, _):
            "Create a new CA with: motivator certificate authority --permit \(name.shellQuoted) "
                + "(then trust it instead of the old one)"
        case .permissionTooWide: "Permit the domain itself, such as motivator.example.com"
        case .noAuthority:
            "Specify the folder of your CA with --certificates (with sudo, the default is root's folder), or start the "
                + "server, which creates a CA"
        case .unconstrained, .keyMismatch, .expired:
            "Create a new CA with: motivator certificate authority --renew (then trust it instead of the old one)"
        case .reservedName: "Use another host name"
        case .noNames: "Specify at least one host"
        case .badDays: "Use fewer days; the default is 90"
        case .cannotLock: "Check that this user can write to the folder and that its file system supports locks"
        case .writableByOthers(let path, _):
            "Make sure that you own the files in it, then run: chmod go-w \(path.shellQuoted)"
        case .foreignOwner: "Run the command as the owner, or use a folder of this user with --certificates"
        case .rootKeyNeeded(let folder, _): folder.renewalWithOfflineRoot
        case .offlineKeyMissing: "Specify the folder that contains root.key"
        case .offlineKeyTaken: "Specify a folder that does not contain root.key"
        case .offlineRootInFolder: "Specify a folder on another medium, such as a USB drive"
        }
    }

    public var exitCode: ExitCode {
        switch self {
        case .notPermitted, .permissionTooWide, .unconstrained, .keyMismatch, .expired,
            .rootKeyNeeded:
            .configuration
        case .reservedName, .noNames, .badDays, .offlineRootInFolder: .usage
        case .offlineKeyMissing, .noAuthority: .noInput
        case .offlineKeyTaken: .cannotCreate
        case .writableByOthers, .foreignOwner: .notPermitted
        case .cannotLock: .inputOutput
        }
    }
}

/// A condition that requires the owner's attention but does not stop the CA.
public enum AuthorityWarning: Equatable, Sendable, CustomStringConvertible {
    /// An earlier version created the root, which can sign more than TLS server certificates.
    case olderProfile(folder: String)
    /// The intermediate expires soon, and the root key to sign a new intermediate is not in the folder.
    case intermediateEnds(folder: String, at: UnixTime)

    public var problem: String {
        switch self {
        case .olderProfile(let folder):
            "the root of the development CA in \(folder.quoted) can sign more than TLS server certificates"
        case .intermediateEnds(let folder, let end):
            "the intermediate certificate in \(folder.quoted) expires on \(Timestamp.text(end))"
        }
    }

    public var fix: String {
        switch self {
        case .olderProfile(let folder):
            "Replace it with: motivator certificate authority --renew\(folder.certificatesOption) (then trust the new root)"
        case .intermediateEnds(let folder, _): folder.renewalWithOfflineRoot
        }
    }

    public var description: String { "\(problem). \(fix)." }
}

extension String {
    /// The command-line option for this folder; empty for the default folder.
    var certificatesOption: String { self == "certs" ? "" : " --certificates \(shellQuoted)" }

    /// The instructions for renewing the intermediate of the CA in this folder.
    var renewalWithOfflineRoot: String {
        "Make the folder with root.key available and run: motivator certificate authority\(certificatesOption) "
            + "--offline-root FOLDER"
    }
}
