import Platform

/// Why the development CA cannot be used.
public enum AuthorityError: ExplainedError, Equatable {
    /// The name constraints of the CA in this folder do not permit the name.
    case notPermitted(name: String, folder: String)
    /// A permitted domain so general that a stolen key would be dangerous.
    case permissionTooWide(String)
    /// The certificate of the CA has no name constraints.
    case unconstrained(path: String)
    /// The key of the root does not belong to its certificate.
    case keyMismatch(certificate: String, key: String)
    case expired(path: String)
    /// A host name that is the name of a file of the CA.
    case reservedName(String)
    case noNames
    case badDays(Int, most: Int)
    case cannotLock(path: String, SystemError)
    /// Another user can change the folder or file.
    case writableByOthers(path: String, mode: String)
    /// The folder or file belongs to another user than that of this process.
    case foreignOwner(path: String, owner: UInt32, user: UInt32)
    /// The intermediate ended at this time, or is unusable, and the root's key is not in the folder.
    case rootKeyNeeded(folder: String, ended: UnixTime?)
    /// No key is where the offline root key should be.
    case offlineKeyMissing(path: String)
    /// The folder for the offline root key has the key of another CA.
    case offlineKeyTaken(path: String)
    /// The folder for the offline root key is the CA's own folder.
    case offlineRootInFolder(path: String)

    public var problem: String {
        switch self {
        case .notPermitted(let name, let folder):
            "the development authority in \(folder.quoted) may not sign for \(name.quoted)"
        case .permissionTooWide(let name):
            "an authority that may sign for everything below \(name.quoted) is too dangerous"
        case .unconstrained(let path):
            "the authority \(path.quoted) has no name constraints and could sign for any site"
        case .keyMismatch(let certificate, let key):
            "the key \(key.quoted) does not belong to the authority \(certificate.quoted)"
        case .expired(let path): "the development authority \(path.quoted) has expired"
        case .reservedName(let name): "\(name.quoted) is the name of the authority's own files"
        case .noNames: "a certificate needs a name"
        case .badDays(let days, let most): "a certificate for \(days) days cannot be issued; 1 to \(most) can"
        case .cannotLock(let path, let error): "\(path.quoted) cannot be locked: \(error)"
        case .writableByOthers(let path, let mode): "other users can write to \(path.quoted) (mode \(mode))"
        case .foreignOwner(let path, let owner, let user):
            "\(path.quoted) belongs to user \(owner), but this process runs as user \(user)"
        case .rootKeyNeeded(let folder, let ended):
            "the intermediate of the development CA in \(folder.quoted) "
                + (ended.map { "ended on \(Timestamp.text($0))" } ?? "is missing or damaged")
                + ", and the root key to sign a new one is not there"
        case .offlineKeyMissing(let path): "the root key \(path.quoted) is missing"
        case .offlineKeyTaken(let path): "the folder \(path.quoted) has the root key of another CA"
        case .offlineRootInFolder(let path):
            "the folder for the offline root key is the CA folder \(path.quoted) itself"
        }
    }

    public var fix: String {
        switch self {
        case .notPermitted(let name, _):
            "Make a new authority with: motivator certificate authority --permit \(name.shellQuoted) "
                + "(and trust it in place of the old one)"
        case .permissionTooWide: "Permit the domain itself, such as motivator.example.com"
        case .unconstrained, .keyMismatch, .expired:
            "Make a new authority with: motivator certificate authority --renew (and trust it in place of the old one)"
        case .reservedName: "Take another name for the host"
        case .noNames: "Name at least one host"
        case .badDays: "Take fewer days; the default is 90"
        case .cannotLock: "Check that the folder may be written by this user and that its file system has locks"
        case .writableByOthers(let path, _):
            "Check that the files in it are yours, then run: chmod go-w \(path.shellQuoted)"
        case .foreignOwner: "Run the command as the owner, or use a folder of this user with --certificates"
        case .rootKeyNeeded(let folder, _): folder.renewalWithOfflineRoot
        case .offlineKeyMissing: "Name the folder with root.key"
        case .offlineKeyTaken: "Name another folder, or an empty one"
        case .offlineRootInFolder: "Name a folder on another medium, such as a USB drive"
        }
    }

    public var exitCode: ExitCode {
        switch self {
        case .notPermitted, .permissionTooWide, .unconstrained, .keyMismatch, .expired,
            .rootKeyNeeded:
            .configuration
        case .reservedName, .noNames, .badDays, .offlineRootInFolder: .usage
        case .offlineKeyMissing: .noInput
        case .offlineKeyTaken: .cannotCreate
        case .writableByOthers, .foreignOwner: .notPermitted
        case .cannotLock: .inputOutput
        }
    }
}

/// A state of the CA that needs an action of its owner, but does not stop it.
public enum AuthorityWarning: Equatable, Sendable, CustomStringConvertible {
    /// An earlier version made the root, which can sign more than TLS server certificates.
    case olderProfile(folder: String)
    /// The intermediate ends soon, and the root's key is not in the folder to sign a new one.
    case intermediateEnds(folder: String, at: UnixTime)

    public var problem: String {
        switch self {
        case .olderProfile(let folder):
            "the root of the development CA in \(folder.quoted) can sign more than TLS server certificates"
        case .intermediateEnds(let folder, let end):
            "the intermediate of the development CA in \(folder.quoted) ends on \(Timestamp.text(end))"
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
    /// The option that names this folder in a command, empty for the default folder.
    var certificatesOption: String { self == "certs" ? "" : " --certificates \(shellQuoted)" }

    /// How to renew the intermediate of the CA in this folder.
    var renewalWithOfflineRoot: String {
        "Connect the folder with root.key and run: motivator certificate authority\(certificatesOption) "
            + "--offline-root FOLDER"
    }
}
