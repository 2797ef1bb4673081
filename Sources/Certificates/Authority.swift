import COpenSSL
public import MotivatorPlatform

/// The development certificate authority (CA): a root that users trust, an intermediate, and the hosts' certificates.
///
/// The root key signs one intermediate, and is not needed again until that intermediate expires. Name constraints in
/// both certificates limit the CA: it can sign only TLS server certificates for permitted names.
public final class Authority: Sendable {
    /// The validity of the root in days: 10 years, the likely lifetime of a machine.
    public static let rootDays = 3653
    /// The validity of an intermediate in days: 2 years.
    public static let intermediateDays = 730
    /// The validity of a host's certificate in days: 90, as is usual for public CAs.
    public static let leafDays = 90
    /// The default Common Name of a root. iOS does not list a root without a Common Name.
    public static let defaultName = "Ultra Motivator Development Authority"

    /// The certificate of the root, which users trust.
    public let root: Certificate
    /// The names that the CA can sign certificates for.
    public let constraints: NameConstraints
    /// The path of the root's certificate.
    public var certificatePath: String { folder + "/" + AuthorityFolder.rootCertificate }

    /// The path of the CA's folder.
    let folder: String
    let clock: Clock
    private let intermediate: Guarded<Identity>

    private init(
        folder: String, clock: Clock, root: Certificate, intermediate: Identity, _ constraints: NameConstraints
    ) {
        (self.folder, self.clock, self.root, self.constraints) = (folder, clock, root, constraints)
        self.intermediate = Guarded(intermediate)
    }

    /// Opens the CA in a folder, or creates one.
    ///
    /// Reads the root key only to sign an intermediate.
    /// - Parameters:
    ///   - folder: the folder with the CA's files; created with mode 0700 if it is missing.
    ///   - permitted: the additional domains and addresses that the CA must be able to sign certificates for.
    /// - Throws: `CertificateError.notPermitted` if the constraints of an existing CA exclude a domain or address in
    ///   `permitted`, because this method never replaces a trusted root. `.rootKeyNeeded` if the intermediate is
    ///   unusable and the root key is elsewhere. `.writableByOthers` and `.foreignOwner` for an unsafe folder or key.
    ///   `FileError` and `CertificateError` for unusable files.
    public static func open(folder: String, permitted: [String] = [], clock: Clock = .system) throws -> Authority {
        let wanted = try NameConstraints(permitting: permitted)
        return try OpenFolder(folder).locked { opened in
            guard let (root, constraints) = try loadRoot(opened, clock) else {
                return try make(opened, offline: nil, wanted, name: defaultName, clock)
            }
            for text in permitted {
                let name = try SubjectName(text)
                guard constraints.permits(name) else {
                    throw CertificateError.notPermitted(name: name.text, folder: folder)
                }
            }
            let intermediate = try intermediate(opened, root, constraints, clock)
            return Authority(folder: folder, clock: clock, root: root, intermediate: intermediate, constraints)
        }
    }

    /// Creates a CA, and replaces any existing CA in the folder.
    /// - Parameters:
    ///   - folder: the folder for the CA's files; created with mode 0700 if it is missing.
    ///   - permitted: the additional domains and addresses that the CA may sign certificates for.
    ///   - name: the root's Common Name, which identifies it in trust stores; nil for `defaultName`.
    ///   - renewing: whether to keep the previous CA's permitted names, and its name unless `name` is given.
    ///   - offlineRoot: the folder for the root key; nil to keep the key with the other files.
    /// - Returns: the CA. It replaces the previous CA's certificates when they are next requested.
    /// - Throws: `CertificateError`, `FileError`.
    public static func create(
        folder: String, permitted: [String], name: String? = nil, renewing: Bool = false, offlineRoot: String? = nil,
        clock: Clock = .system
    ) throws -> Authority {
        let wanted = try NameConstraints(permitting: permitted)
        return try OpenFolder(folder).locked { opened in
            let offline = try offlineRoot.map { try openOffline($0, beside: opened) }
            let old = try? opened.certificates(AuthorityFolder.rootCertificate)?.first
            if let key = try offline?.key(AuthorityFolder.offlineRootKey), old.map(key.belongs(to:)) != true {
                throw CertificateError.offlineKeyTaken(path: offline?.path ?? "")
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

    /// Opens a CA with an offline root key. The folder with the key must be available.
    ///
    /// A root key in the CA's folder moves to the offline folder. A root key that is already offline signs a new
    /// intermediate. If the folder does not contain a CA, this method creates a CA.
    /// - Parameters:
    ///   - folder: the CA's folder.
    ///   - offlineRoot: the folder that contains `root.key`, or will contain it.
    /// - Throws: the errors that the other `open` throws. `CertificateError.offlineKeyMissing` if neither folder has
    ///   the key. `.offlineKeyTaken` if the offline folder has the key of another CA.
    public static func open(folder: String, offlineRoot: String, clock: Clock = .system) throws -> Authority {
        return try OpenFolder(folder).locked { opened in
            let offline = try openOffline(offlineRoot, beside: opened)
            let apart = try offline.key(AuthorityFolder.offlineRootKey)
            guard let (root, constraints) = try loadRoot(opened, clock) else {
                guard apart == nil else { throw CertificateError.offlineKeyTaken(path: offlineRoot) }
                return try make(opened, offline: offline, NameConstraints(permitting: []), name: defaultName, clock)
            }
            let fresh: Identity
            if let key = try rootKey(opened, root) {
                guard apart.map({ $0.belongs(to: root) }) != false else {
                    throw CertificateError.offlineKeyTaken(path: offlineRoot)
                }
                fresh = try intermediate(opened, root, constraints, clock)
                try offline.write(key.pem, AuthorityFolder.offlineRootKey, mode: 0o600)
                try opened.remove(AuthorityFolder.rootKey)
            } else {
                let path = offline.path(of: AuthorityFolder.offlineRootKey)
                guard let apart else { throw CertificateError.offlineKeyMissing(path: path) }
                guard apart.belongs(to: root) else {
                    throw CertificateError.rootKeyMismatch(
                        certificate: opened.path(of: AuthorityFolder.rootCertificate), key: path)
                }
                fresh = try makeIntermediate(opened, root, apart, constraints, clock)
            }
            return Authority(folder: folder, clock: clock, root: root, intermediate: fresh, constraints)
        }
    }

    /// The warning that the intermediate expires soon, and that the root key to sign a new intermediate is not in the
    /// folder; nil if no attention is required.
    public var warning: ExplainedFailure? {
        let certificate = intermediate.withLock { $0.certificate }
        return certificate.isWorn(at: clock.now()) ? .intermediateEnds(folder: folder, at: certificate.notAfter) : nil
    }

    /// The last second of the current intermediate's validity.
    public var intermediateEnd: UnixTime { intermediate.withLock { $0.certificate.notAfter } }

    /// Returns the current intermediate. Renews it after two thirds of its lifetime if the root key is available.
    func issuer() throws -> Identity {
        let current = intermediate.withLock { $0 }
        guard current.certificate.isWorn(at: clock.now()) else { return current }
        let renewed = try OpenFolder(folder).locked { try Authority.intermediate($0, root, constraints, clock) }
        intermediate.withLock { $0 = renewed }
        return renewed
    }

    private static func openOffline(_ path: String, beside folder: OpenFolder) throws -> OpenFolder {
        let offline = try OpenFolder(path)
        guard try !offline.isSame(as: folder) else { throw CertificateError.offlineRootInFolder(path: path) }
        return offline
    }

    private static func loadRoot(_ opened: OpenFolder, _ clock: Clock) throws -> (Certificate, NameConstraints)? {
        guard let root = try opened.certificates(AuthorityFolder.rootCertificate)?.first else { return nil }
        let path = opened.path(of: AuthorityFolder.rootCertificate)
        guard root.notAfter > clock.now() else { throw CertificateError.expired(path: path) }
        guard let constraints = NameConstraints(of: root) else { throw CertificateError.unconstrained(path: path) }
        // An exposed key is an error even if it is not needed now.
        _ = try opened.hasKey(AuthorityFolder.rootKey)
        return (root, constraints)
    }

    private static func make(
        _ opened: OpenFolder, offline: OpenFolder?, _ constraints: NameConstraints, name: String, _ clock: Clock
    ) throws -> Authority {
        let key = try PrivateKey.generate(.p256)
        let now = clock.now()
        let draft = authorityDraft(name, from: now, to: now + UnixTime(rootDays) * 86_400, pathLength: 1, constraints)
        let root = try draft.signed(for: key, issuer: nil, issuerKey: key)
        if let offline {
            try offline.write(key.pem, AuthorityFolder.offlineRootKey, mode: 0o600)
            try opened.remove(AuthorityFolder.rootKey)
            try opened.write(root.pem, AuthorityFolder.rootCertificate, mode: 0o644)
        } else {
            try opened.save(root.pem, AuthorityFolder.rootCertificate, key: key, AuthorityFolder.rootKey)
        }
        let intermediate = try makeIntermediate(opened, root, key, constraints, clock)
        return Authority(folder: opened.path, clock: clock, root: root, intermediate: intermediate, constraints)
    }

    /// Returns the intermediate in the folder if it is usable and not due for renewal, otherwise a new intermediate.
    ///
    /// Without the root key, an intermediate is used until it expires.
    private static func intermediate(
        _ opened: OpenFolder, _ root: Certificate, _ constraints: NameConstraints, _ clock: Clock
    ) throws -> Identity {
        let now = clock.now()
        let saved = try savedIntermediate(opened, root)
        if let saved, !saved.certificate.isWorn(at: now) { return saved }
        if let key = try rootKey(opened, root) {
            return try makeIntermediate(opened, root, key, constraints, clock)
        }
        guard let saved else { throw CertificateError.rootKeyNeeded(folder: opened.path, ended: nil) }
        guard saved.certificate.notAfter > now else {
            throw CertificateError.rootKeyNeeded(folder: opened.path, ended: saved.certificate.notAfter)
        }
        return saved
    }

    /// Returns the intermediate in the folder; nil if it is incomplete, damaged, or issued by another root.
    /// - Throws: an error if another user can read its key or change its files.
    private static func savedIntermediate(_ opened: OpenFolder, _ root: Certificate) throws -> Identity? {
        do {
            guard let certificate = try opened.certificates(AuthorityFolder.intermediateCertificate)?.first,
                let key = try opened.key(AuthorityFolder.intermediateKey),
                key.belongs(to: certificate), root.issued(certificate)
            else { return nil }
            return Identity(certificate: certificate, key: key, chain: [])
        } catch let error as CertificateError {
            switch error {
            case .missing, .malformed, .keyMissing, .malformedKey: return nil
            case _: throw error
            }
        }
    }

    private static func rootKey(_ opened: OpenFolder, _ root: Certificate) throws -> PrivateKey? {
        guard let key = try opened.key(AuthorityFolder.rootKey) else { return nil }
        guard key.belongs(to: root) else {
            throw CertificateError.rootKeyMismatch(
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
    /// Returns whether the certificate has at most a third of its lifetime left, or is not yet valid.
    package func isWorn(at now: UnixTime) -> Bool {
        now < notBefore || now >= notAfter - (notAfter - notBefore) / 3
    }
}

extension ExplainedFailure {
    /// The intermediate of the CA in a folder expires soon, and the folder has no root key.
    package static func intermediateEnds(folder: String, at end: UnixTime) -> ExplainedFailure {
        .init(
            "the intermediate certificate in \(folder.quoted) expires on \(Timestamp.text(end))",
            fix: folder.renewalWithOfflineRoot, exitCode: .configuration)
    }
}

extension String {
    /// The command for the CA in this folder, without other options.
    var authorityCommand: String { "motivator certificate authority --certificates \(shellQuoted)" }

    /// The instructions for renewing the intermediate of the CA in this folder.
    var renewalWithOfflineRoot: String {
        "Make the folder with root.key available and run: \(authorityCommand) --offline-root FOLDER"
    }
}
