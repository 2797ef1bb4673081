import COpenSSL
import Platform

/// The development certificate authority (CA): a root that people trust, an intermediate, and the certificates of
/// hosts.
///
/// The key of the root signs one intermediate, and is not needed again until that intermediate expires. Name
/// constraints limit both: they can sign only TLS server certificates for permitted names.
public final class Authority: Sendable {
    /// The days that the root is valid: 10 years, the likely life of a machine.
    public static let rootDays = 3653
    /// The days that an intermediate is valid: 2 years.
    public static let intermediateDays = 730
    /// The days that a host's certificate is valid: 90, as public CAs issue them.
    public static let leafDays = 90
    /// The Common Name of a root; iOS does not list roots without one.
    public static let defaultName = "Ultra Motivator Development Authority"

    /// The certificate of the root, which people trust.
    public let root: Certificate
    /// The names that it can sign for.
    public let constraints: NameConstraints
    /// The path of the certificate of the root.
    public var certificatePath: String { folder.path + "/" + AuthorityFolder.rootCertificate }

    let folder: AuthorityFolder
    let clock: Clock
    private let intermediate: Guarded<Identity>

    private init(
        folder: AuthorityFolder, clock: Clock, root: Certificate, intermediate: Identity, _ constraints: NameConstraints
    ) {
        self.folder = folder
        self.clock = clock
        self.root = root
        self.constraints = constraints
        self.intermediate = Guarded(intermediate)
    }

    /// Opens the CA in a folder, or creates one.
    ///
    /// The root's key is read only to sign an intermediate.
    ///
    /// - Parameters:
    ///   - folder: the folder with its files; made with mode 0700 when it is missing.
    ///   - permitted: the domains and addresses that it has to be able to sign for, besides those that every CA can.
    ///   - clock: tells the time.
    /// - Returns: the CA.
    /// - Throws: `AuthorityError.notPermitted` when the CA in the folder may not sign for one of them: a root that
    ///   people trust is never replaced without a request. `AuthorityError.rootKeyNeeded` when no usable intermediate
    ///   is left and the root's key is elsewhere. `AuthorityError.writableByOthers` and `.foreignOwner` for a folder
    ///   or key that is not safe. `FileError`, `KeyError`, `CertificateError` for unusable files.
    public static func open(folder: String, permitted: [String] = [], clock: Clock = .system) throws -> Authority {
        let wanted = try NameConstraints(permitting: permitted)
        let files = AuthorityFolder(path: folder)
        return try files.locked { opened in
            guard let (root, constraints) = try loadRoot(opened, clock) else {
                return try make(opened, offline: nil, wanted, name: defaultName, clock)
            }
            for text in permitted {
                let name = try SubjectName(text)
                guard constraints.permits(name) else {
                    throw AuthorityError.notPermitted(name: name.text, folder: folder)
                }
            }
            let intermediate = try intermediate(opened, root, constraints, clock)
            return Authority(folder: files, clock: clock, root: root, intermediate: intermediate, constraints)
        }
    }

    /// Creates a CA, in place of the one in the folder.
    ///
    /// - Parameters:
    ///   - folder: the folder for its files; made with mode 0700 when it is missing.
    ///   - permitted: the domains and addresses that it may sign for, besides those that every CA can.
    ///   - name: the root's Common Name, by which people find it in their trust store; `defaultName` when nil.
    ///   - renewing: whether the CA in the folder passes on its name, unless `name` is given, and its permitted names.
    ///   - offlineRoot: the folder for the root's key; nil to keep the key with the other files.
    ///   - clock: tells the time.
    /// - Returns: the CA; certificates of the one before are replaced when they are next requested.
    /// - Throws: `AuthorityError`, `SubjectNameError`, `FileError`.
    public static func create(
        folder: String, permitted: [String], name: String? = nil, renewing: Bool = false, offlineRoot: String? = nil,
        clock: Clock = .system
    ) throws -> Authority {
        let wanted = try NameConstraints(permitting: permitted)
        return try AuthorityFolder(path: folder).locked { opened in
            let offline = try offlineRoot.map { try openOffline($0, beside: opened) }
            let old = try? opened.certificates(AuthorityFolder.rootCertificate)?.first
            if let key = try offline?.key(AuthorityFolder.offlineRootKey), old.map(key.belongs(to:)) != true {
                throw AuthorityError.offlineKeyTaken(path: offline?.path ?? "")
            }
            let before = renewing ? old : nil
            let constraints =
                try before.flatMap(NameConstraints.init(of:)).map {
                    try NameConstraints(permitting: permitted + $0.extras)
                } ?? wanted
            return try make(
                opened, offline: offline, constraints, name: name ?? before?.commonName ?? defaultName, clock)
        }
    }

    /// Opens a CA whose root key is offline, with the folder of that key at hand.
    ///
    /// A key that is still in the CA's folder is moved to the offline folder. A key that is already offline signs a new
    /// intermediate. A folder without a CA gets one.
    ///
    /// - Parameters:
    ///   - folder: the CA's folder.
    ///   - offlineRoot: the folder with `root.key`, or for it.
    ///   - clock: tells the time.
    /// - Returns: the CA.
    /// - Throws: what `open` throws, and `AuthorityError.offlineKeyMissing` when neither folder has the key,
    ///   `.offlineKeyTaken` when the offline folder has the key of another CA.
    public static func open(folder: String, offlineRoot: String, clock: Clock = .system) throws -> Authority {
        let files = AuthorityFolder(path: folder)
        return try files.locked { opened in
            let offline = try openOffline(offlineRoot, beside: opened)
            let apart = try offline.key(AuthorityFolder.offlineRootKey)
            guard let (root, constraints) = try loadRoot(opened, clock) else {
                guard apart == nil else { throw AuthorityError.offlineKeyTaken(path: offlineRoot) }
                return try make(opened, offline: offline, NameConstraints(permitting: []), name: defaultName, clock)
            }
            let fresh: Identity
            if let key = try rootKey(opened, root) {
                guard apart.map({ $0.belongs(to: root) }) != false else {
                    throw AuthorityError.offlineKeyTaken(path: offlineRoot)
                }
                fresh = try intermediate(opened, root, constraints, clock)
                try offline.write(key.pem, AuthorityFolder.offlineRootKey, mode: 0o600)
                try opened.remove(AuthorityFolder.rootKey)
            } else {
                let path = offline.path(of: AuthorityFolder.offlineRootKey)
                guard let apart else { throw AuthorityError.offlineKeyMissing(path: path) }
                guard apart.belongs(to: root) else {
                    throw AuthorityError.keyMismatch(
                        certificate: opened.path(of: AuthorityFolder.rootCertificate), key: path)
                }
                fresh = try makeIntermediate(opened, root, apart, constraints, clock)
            }
            return Authority(folder: files, clock: clock, root: root, intermediate: fresh, constraints)
        }
    }

    /// The states that need an action of the owner. None of them stops the CA.
    public var warnings: [AuthorityWarning] {
        let certificate = intermediate.withLock { $0.certificate }
        var warnings: [AuthorityWarning] = []
        if !root.hasCurrentProfile { warnings.append(.olderProfile(folder: folder.path)) }
        if certificate.isWorn(at: clock.now()) {
            warnings.append(.intermediateEnds(folder: folder.path, at: certificate.notAfter))
        }
        return warnings
    }

    /// The last second in which the current intermediate is valid.
    public var intermediateEnd: UnixTime { intermediate.withLock { $0.certificate.notAfter } }

    /// Returns the current intermediate. It is renewed after two thirds of its life if the key of the root is
    /// available.
    func issuer() throws -> Identity {
        let current = intermediate.withLock { $0 }
        guard current.certificate.isWorn(at: clock.now()) else { return current }
        let renewed = try folder.locked { try Authority.intermediate($0, root, constraints, clock) }
        intermediate.withLock { $0 = renewed }
        return renewed
    }

    private static func openOffline(_ path: String, beside folder: OpenFolder) throws -> OpenFolder {
        let offline = try OpenFolder(path)
        guard try !offline.isSame(as: folder) else { throw AuthorityError.offlineRootInFolder(path: path) }
        return offline
    }

    private static func loadRoot(_ opened: OpenFolder, _ clock: Clock) throws -> (Certificate, NameConstraints)? {
        guard let root = try opened.certificates(AuthorityFolder.rootCertificate)?.first else { return nil }
        let path = opened.path(of: AuthorityFolder.rootCertificate)
        guard root.notAfter > clock.now() else { throw AuthorityError.expired(path: path) }
        guard let constraints = NameConstraints(of: root) else { throw AuthorityError.unconstrained(path: path) }
        // An exposed key is an error even when it is not needed now.
        _ = try opened.hasKey(AuthorityFolder.rootKey)
        return (root, constraints)
    }
}

extension Authority {
    private static func make(
        _ opened: OpenFolder, offline: OpenFolder?, _ constraints: NameConstraints, name: String, _ clock: Clock
    ) throws -> Authority {
        let key = try PrivateKey.generate(.p256)
        let now = clock.now()
        let draft = authorityDraft(
            name, from: now, to: now + UnixTime(rootDays) * 86_400, pathLength: 1, constraints)
        let root = try draft.signed(for: key, issuer: nil, issuerKey: key)
        if let offline {
            try offline.write(key.pem, AuthorityFolder.offlineRootKey, mode: 0o600)
            try opened.remove(AuthorityFolder.rootKey)
            try opened.write(root.pem, AuthorityFolder.rootCertificate, mode: 0o644)
        } else {
            try opened.save(root.pem, AuthorityFolder.rootCertificate, key: key, AuthorityFolder.rootKey)
        }
        let intermediate = try makeIntermediate(opened, root, key, constraints, clock)
        return Authority(
            folder: AuthorityFolder(path: opened.path), clock: clock, root: root, intermediate: intermediate,
            constraints)
    }

    /// Returns the intermediate in the folder if it is usable and not worn, otherwise a new one.
    ///
    /// Without the key of the root, a worn intermediate is used until it expires.
    private static func intermediate(
        _ opened: OpenFolder, _ root: Certificate, _ constraints: NameConstraints, _ clock: Clock
    ) throws -> Identity {
        let now = clock.now()
        let saved = try savedIntermediate(opened, root)
        if let saved, saved.certificate.hasCurrentProfile, !saved.certificate.isWorn(at: now) { return saved }
        if let key = try rootKey(opened, root) {
            return try makeIntermediate(opened, root, key, constraints, clock)
        }
        guard let saved else { throw AuthorityError.rootKeyNeeded(folder: opened.path, ended: nil) }
        guard saved.certificate.notAfter > now else {
            throw AuthorityError.rootKeyNeeded(folder: opened.path, ended: saved.certificate.notAfter)
        }
        return saved
    }

    /// The intermediate in the folder; nil when it is incomplete, damaged, or of another root.
    ///
    /// - Throws: when another user can read its key or change its files.
    private static func savedIntermediate(_ opened: OpenFolder, _ root: Certificate) throws -> Identity? {
        do {
            guard let certificate = try opened.certificates(AuthorityFolder.intermediateCertificate)?.first,
                let key = try opened.key(AuthorityFolder.intermediateKey),
                key.belongs(to: certificate), root.issued(certificate)
            else { return nil }
            return Identity(certificate: certificate, key: key, chain: [])
        } catch CertificateError.missing, CertificateError.malformed, KeyError.missing, KeyError.malformed {
            return nil
        }
    }

    private static func rootKey(_ opened: OpenFolder, _ root: Certificate) throws -> PrivateKey? {
        guard let key = try opened.key(AuthorityFolder.rootKey) else { return nil }
        guard key.belongs(to: root) else {
            throw AuthorityError.keyMismatch(
                certificate: opened.path(of: AuthorityFolder.rootCertificate),
                key: opened.path(of: AuthorityFolder.rootKey))
        }
        return key
    }

    private static func makeIntermediate(
        _ opened: OpenFolder, _ root: Certificate, _ rootKey: PrivateKey, _ constraints: NameConstraints,
        _ clock: Clock
    ) throws -> Identity {
        let now = clock.now()
        let key = try PrivateKey.generate(.p256)
        var draft = authorityDraft(
            "Ultra Motivator Development Intermediate", from: now,
            to: min(now + UnixTime(intermediateDays) * 86_400, root.notAfter), pathLength: 0, constraints)
        draft.extensions.append(.init("authorityKeyIdentifier", "keyid:always"))
        let certificate = try draft.signed(for: key, issuer: root, issuerKey: rootKey)
        try opened.save(
            certificate.pem, AuthorityFolder.intermediateCertificate, key: key, AuthorityFolder.intermediateKey)
        return Identity(certificate: certificate, key: key, chain: [])
    }

    /// Makes the draft of the root or of the intermediate.
    private static func authorityDraft(
        _ name: String, from start: UnixTime, to end: UnixTime, pathLength: Int, _ constraints: NameConstraints
    ) -> CertificateDraft {
        var draft = CertificateDraft(
            organization: CertificateDraft.organization, commonName: name, notBefore: start - 3600, notAfter: end,
            extensions: [
                .init("basicConstraints", "CA:TRUE,pathlen:\(pathLength)", isCritical: true),
                .init("keyUsage", "keyCertSign,cRLSign", isCritical: true),
                .init("extendedKeyUsage", "serverAuth"),
                .init("subjectKeyIdentifier", "hash"),
                constraints.draftExtension,
            ])
        draft.sections = NameConstraints.sections
        return draft
    }
}

extension Certificate {
    /// Whether at most a third of its life is left, or it is not valid yet.
    func isWorn(at now: UnixTime) -> Bool {
        now < notBefore || now >= notAfter - (notAfter - notBefore) / 3
    }

    /// Whether this CA certificate can sign TLS server certificates and nothing else.
    fileprivate var hasCurrentProfile: Bool {
        isForServersOnly && NameConstraints(of: self)?.coverEveryKind == true
    }
}
