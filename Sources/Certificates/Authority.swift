import COpenSSL
import Platform
import Synchronization

/// The development authority: a root that people trust by hand, an intermediate under it, and the hosts' certificates.
///
/// The root and its key stay as they are for ten years. Everything below is made and renewed as it is needed.
public final class Authority: Sendable {
    /// How long the root is valid: 10 years, as long as a machine is likely to live.
    public static let rootDays = 3653
    /// How long an intermediate is valid: 2 years.
    public static let intermediateDays = 730
    /// How long a host's certificate is valid: 90 days, as public authorities issue them.
    public static let leafDays = 90

    /// The root's certificate, which people trust.
    public let root: Certificate
    /// The names that it may sign for.
    public let constraints: NameConstraints
    /// The file with the root's certificate.
    public var certificatePath: String { folder.rootCertificate }

    let folder: AuthorityFolder
    let clock: Clock
    private let rootKey: PrivateKey
    private let intermediate: Mutex<Identity>

    private init(
        folder: AuthorityFolder, clock: Clock, root: Identity, intermediate: Identity, _ constraints: NameConstraints
    ) {
        self.folder = folder
        self.clock = clock
        self.root = root.certificate
        self.rootKey = root.key
        self.constraints = constraints
        self.intermediate = Mutex(intermediate)
    }

    /// Opens the authority of a folder, or makes it.
    ///
    /// - Parameters:
    ///   - folder: where its files are; made with mode 0700 when it is missing.
    ///   - permitted: the domains and addresses that it has to be able to sign for, besides those that every one can.
    ///   - clock: tells the time.
    /// - Returns: the authority.
    /// - Throws: `AuthorityError.notPermitted` when the authority that is there may not sign for one of them: a root
    ///   that people trusted is never replaced unasked. `FileError`, `KeyError`, `CertificateError` for unusable files.
    public static func open(folder: String, permitted: [String] = [], clock: Clock = .system) throws -> Authority {
        let files = AuthorityFolder(path: folder)
        let wanted = try NameConstraints(permitting: permitted)
        try File.makeFolder(folder, mode: 0o700)
        return try files.locked {
            guard files.exists(files.rootCertificate) else {
                return try make(files, wanted, name: defaultName, clock)
            }
            let root = try loadRoot(files, clock)
            guard let constraints = NameConstraints(of: root.certificate) else {
                throw AuthorityError.unconstrained(path: files.rootCertificate)
            }
            for text in permitted {
                let name = try SubjectName(text)
                guard constraints.permits(name) else {
                    throw AuthorityError.notPermitted(name: name.text, folder: folder)
                }
            }
            let intermediate = try intermediate(files, root, constraints, clock)
            return Authority(folder: files, clock: clock, root: root, intermediate: intermediate, constraints)
        }
    }

    /// Makes a new authority, in place of the one that is there.
    ///
    /// - Parameters:
    ///   - folder: where its files are or will be.
    ///   - permitted: the domains and addresses that it may sign for, besides those that every one can.
    ///   - name: the root's Common Name, by which people find it in their trust store.
    ///   - clock: tells the time.
    /// - Returns: the authority; certificates of the one before are renewed as they are asked for.
    /// - Throws: `AuthorityError.permissionTooWide`, `SubjectNameError`, `FileError`.
    public static func create(
        folder: String, permitted: [String], name: String = defaultName, clock: Clock = .system
    ) throws -> Authority {
        let files = AuthorityFolder(path: folder)
        let wanted = try NameConstraints(permitting: permitted)
        try File.makeFolder(folder, mode: 0o700)
        return try files.locked { try make(files, wanted, name: name, clock) }
    }

    /// The Common Name of a root; iOS does not list roots without one.
    public static let defaultName = "Ultra Motivator Development Authority"

    /// The intermediate of this moment, renewed when it has to be.
    func issuer() throws -> Identity {
        let current = intermediate.withLock { $0 }
        guard current.certificate.isWorn(at: clock.now()) else { return current }
        let renewed = try folder.locked {
            try Authority.intermediate(folder, Identity(certificate: root, key: rootKey, chain: []), constraints, clock)
        }
        intermediate.withLock { $0 = renewed }
        return renewed
    }

    private static func make(
        _ files: AuthorityFolder, _ constraints: NameConstraints, name: String, _ clock: Clock
    ) throws -> Authority {
        let key = try PrivateKey.generate(.p256)
        let now = clock.now()
        let draft = CertificateDraft(
            organization: "Ultra Motivator", commonName: name, notBefore: now - 3600,
            notAfter: now + UnixTime(rootDays) * 86_400,
            extensions: extensions(pathLength: 1, constraints))
        let certificate = try draft.signed(for: key, issuer: nil, issuerKey: key)
        let root = Identity(certificate: certificate, key: key, chain: [])
        try files.save(certificate.pem, files.rootCertificate, key: key, files.rootKey)
        let intermediate = try makeIntermediate(files, root, constraints, clock)
        return Authority(folder: files, clock: clock, root: root, intermediate: intermediate, constraints)
    }

    private static func loadRoot(_ files: AuthorityFolder, _ clock: Clock) throws -> Identity {
        let certificates = try Certificate.load(path: files.rootCertificate)
        guard files.exists(files.rootKey) else { throw AuthorityError.keyMissing(path: files.rootKey) }
        let key = try PrivateKey.load(path: files.rootKey)
        guard let certificate = certificates.first, key.belongs(to: certificate) else {
            throw AuthorityError.keyMismatch(certificate: files.rootCertificate, key: files.rootKey)
        }
        guard certificate.notAfter > clock.now() else { throw AuthorityError.expired(path: files.rootCertificate) }
        return Identity(certificate: certificate, key: key, chain: [])
    }

    /// The intermediate on the disk, when it is whole, of this root and fresh; else a new one.
    private static func intermediate(
        _ files: AuthorityFolder, _ root: Identity, _ constraints: NameConstraints, _ clock: Clock
    ) throws -> Identity {
        if files.exists(files.intermediateCertificate), files.exists(files.intermediateKey) {
            let certificate = try Certificate.load(path: files.intermediateCertificate)[0]
            let key = try PrivateKey.load(path: files.intermediateKey)
            if key.belongs(to: certificate), root.certificate.issued(certificate), !certificate.isWorn(at: clock.now())
            {
                return Identity(certificate: certificate, key: key, chain: [root.certificate])
            }
        }
        return try makeIntermediate(files, root, constraints, clock)
    }

    private static func makeIntermediate(
        _ files: AuthorityFolder, _ root: Identity, _ constraints: NameConstraints, _ clock: Clock
    ) throws -> Identity {
        let now = clock.now()
        let key = try PrivateKey.generate(.p256)
        let draft = CertificateDraft(
            organization: "Ultra Motivator", commonName: "Ultra Motivator Development Intermediate",
            notBefore: now - 3600,
            notAfter: min(now + UnixTime(intermediateDays) * 86_400, root.certificate.notAfter),
            extensions: extensions(pathLength: 0, constraints) + [
                .init("extendedKeyUsage", "serverAuth"), .init("authorityKeyIdentifier", "keyid:always"),
            ])
        let certificate = try draft.signed(for: key, issuer: root.certificate, issuerKey: root.key)
        try files.save(certificate.pem, files.intermediateCertificate, key: key, files.intermediateKey)
        return Identity(certificate: certificate, key: key, chain: [root.certificate])
    }

    private static func extensions(pathLength: Int, _ constraints: NameConstraints) -> [CertificateDraft.Extension] {
        [
            .init("basicConstraints", "CA:TRUE,pathlen:\(pathLength)", isCritical: true),
            .init("keyUsage", "keyCertSign,cRLSign", isCritical: true),
            .init("subjectKeyIdentifier", "hash"),
            .init("nameConstraints", constraints.extensionValue, isCritical: true),
        ]
    }
}

extension Certificate {
    /// Whether only a third of its life is left, or it has not begun: time for a new one.
    func isWorn(at now: UnixTime) -> Bool {
        now < notBefore || now >= notAfter - (notAfter - notBefore) / 3
    }
}
