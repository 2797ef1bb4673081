public import MotivatorPlatform

/// Why a key, a certificate, a name or the development CA cannot be used.
public enum CertificateError: ExplainedError, Equatable {
    // Keys and certificates.

    /// The key is encrypted with a password.
    case encrypted(source: String)
    /// The text has no PEM block with a private key.
    case keyMissing(source: String)
    case malformedKey(source: String, reason: String)
    case cannotGenerate(kind: String, reason: String)
    /// The text has no PEM block with a certificate.
    case missing(source: String)
    /// The certificate at this position, starting from 1, is malformed.
    case malformed(source: String, position: Int, reason: String)
    case trailingBytes(source: String, count: Int)
    case cannotMake(subject: String, reason: String)
    /// The name is not valid in a certificate.
    case malformedName(String)
    /// A wildcard directly below one label, such as `*.localhost`.
    case wildcardTooWide(String)

    // Identities.

    /// The key does not match the certificate.
    case keyMismatch(certificate: String, key: String)
    /// The key belongs to a later certificate in the file.
    case wrongOrder(certificate: String, position: Int)
    /// The certificate is a CA certificate (CA:TRUE), which clients do not accept from servers.
    case leafIsAuthority(certificate: String, subject: String)
    /// A certificate in the chain did not issue the previous certificate.
    case brokenChain(source: String, position: Int, subject: String)

    // The development CA.

    /// The name constraints of the CA in this folder do not permit the name.
    case notPermitted(name: String, folder: String)
    /// The permitted domain is so general that a stolen key would be dangerous.
    case permissionTooWide(String)
    /// The folder has no CA.
    case noAuthority(folder: String)
    /// The CA's certificate has no name constraints.
    case unconstrained(path: String)
    /// The root key does not belong to the root's certificate.
    case rootKeyMismatch(certificate: String, key: String)
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
        case .missing(let source): "\(source.quoted) has no certificate in PEM form"
        case .malformed(let source, let position, let reason):
            "certificate \(position) in \(source.quoted) cannot be read: \(reason)"
        case .trailingBytes(let source, let count): "\(source.quoted) has \(count) extra bytes after the certificate"
        case .cannotMake(let subject, let reason): "cannot create a certificate for \(subject.quoted): \(reason)"
        case .encrypted(let source): "the private key \(source.quoted) is protected by a password"
        case .keyMissing(let source): "\(source.quoted) has no private key in PEM form"
        case .malformedKey(let source, let reason): "the private key \(source.quoted) cannot be read: \(reason)"
        case .cannotGenerate(let kind, let reason): "cannot generate a \(kind) key: \(reason)"
        case .malformedName(let text): "\(text.quoted) is neither a host name nor an IP address"
        case .wildcardTooWide(let text):
            "\(text.quoted) is a wildcard directly below a top-level name; Apple platforms reject certificates with it"
        case .keyMismatch(let certificate, let key):
            "the key \(key.quoted) does not belong to the certificate \(certificate.quoted)"
        case .wrongOrder(let certificate, let position):
            "the key belongs to certificate \(position) in \(certificate.quoted), not to certificate 1"
        case .leafIsAuthority(let certificate, let subject):
            "the certificate \(certificate.quoted) (\(subject)) is a CA certificate (CA:TRUE), not a server certificate"
        case .brokenChain(let source, let position, let subject):
            "certificate \(position) of the chain in \(source.quoted) (\(subject)) did not issue its predecessor"
        case .notPermitted(let name, let folder):
            "the development CA in \(folder.quoted) is not permitted to sign for \(name.quoted)"
        case .permissionTooWide(let name): "a CA that may sign for every name below \(name.quoted) is too dangerous"
        case .noAuthority(let folder): "the folder \(folder.quoted) has no CA"
        case .unconstrained(let path): "the CA \(path.quoted) has no name constraints and could sign for any site"
        case .rootKeyMismatch(let certificate, let key):
            "the key \(key.quoted) does not belong to the CA \(certificate.quoted)"
        case .expired(let path): "the development CA \(path.quoted) has expired"
        case .reservedName(let name): "the name \(name.quoted) is reserved for the CA's own files"
        case .noNames: "a certificate requires a name"
        case .badDays(let days, _): "cannot issue a certificate for \(days) days"
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
        case .missing: "Specify a file with a block that starts with -----BEGIN CERTIFICATE-----"
        case .malformed: "Check that the file is complete, and print it with: openssl x509 -noout -text -in FILE"
        case .trailingBytes: "Use one certificate in DER form, or several in PEM form"
        case .cannotMake: "Check the names and the extensions"
        case .encrypted(let source):
            "Write an unencrypted copy that only you can read: "
                + "(umask 077; openssl pkey -in \(source.shellQuoted) -out open.key)"
        case .keyMissing: "Specify a file with a block that starts with -----BEGIN PRIVATE KEY-----"
        case .malformedKey: "Check that the file is complete, and print it with: openssl pkey -noout -text -in FILE"
        case .cannotGenerate: "Use P-256, or RSA with 2048 bits"
        case .malformedName:
            "Use an ASCII name such as ultra-motivator.test (Punycode for other letters), or an address such as ::1"
        case .wildcardTooWide:
            "List each host, or use a wildcard with at least two labels after the asterisk, such as *.demo.test"
        case .keyMismatch: "Specify the private key that was used to request the certificate"
        case .wrongOrder: "Put the server's own certificate first, and each issuer after the certificate that it issued"
        case .leafIsAuthority:
            "Use a server certificate; for a self-signed one: openssl req -x509 … -addext basicConstraints=critical,CA:FALSE"
        case .brokenChain: "Put each issuer directly after the certificate that it issued, and omit all others"
        case .notPermitted(let name, let folder): Self.replacing(folder, "--renew --permit \(name.shellQuoted)")
        case .permissionTooWide: "Permit the domain itself, such as motivator.example.com"
        case .noAuthority:
            "Specify the folder of your CA with --certificates (with sudo, the default is root's folder), or start the "
                + "server, which creates a CA"
        case .unconstrained(let path), .rootKeyMismatch(let path, _), .expired(let path):
            Self.replacing(String(path.dropLast(AuthorityFolder.rootCertificate.count + 1)), "--renew")
        case .reservedName: "Use another host name"
        case .noNames: "Specify at least one host"
        case .badDays(_, let most): "Use 1 to \(max(most, 1)) days"
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

    private static func replacing(_ folder: String, _ option: String) -> String {
        "Create a new CA with: \(folder.authorityCommand) \(option) (then trust it instead of the old one)"
    }

    public var exitCode: ExitCode {
        switch self {
        case .encrypted, .keyMissing, .malformedKey, .missing, .malformed, .trailingBytes, .cannotMake, .keyMismatch,
            .wrongOrder, .leafIsAuthority, .brokenChain:
            .badInput
        case .cannotGenerate: .unavailable
        case .notPermitted, .permissionTooWide, .unconstrained, .rootKeyMismatch, .expired, .rootKeyNeeded:
            .configuration
        case .malformedName, .wildcardTooWide, .reservedName, .noNames, .badDays, .offlineRootInFolder: .usage
        case .offlineKeyMissing, .noAuthority: .noInput
        case .offlineKeyTaken: .cannotCreate
        case .writableByOthers, .foreignOwner: .notPermitted
        case .cannotLock: .inputOutput
        }
    }
}
