import Platform

/// A state of the CA that needs action by its owner, but does not keep it from working.
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

    public var remedy: String {
        switch self {
        case .olderProfile(let folder):
            "Replace it with: motivator certificate authority --renew\(folder.certificatesOption) (then trust the new root)"
        case .intermediateEnds(let folder, _): folder.renewalWithOfflineRoot
        }
    }

    public var description: String { "\(problem). \(remedy)." }
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
