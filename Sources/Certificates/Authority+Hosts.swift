import MotivatorPlatform

extension Authority {
    /// Issues a certificate with a new key, and writes no files.
    /// - Parameters:
    ///   - hosts: the exact names and addresses; a wildcard requires at least two labels after the star.
    ///   - days: the validity in days from now: at least 1, and not past the intermediate's expiry.
    /// - Returns: the certificate with its key and the intermediate.
    /// - Throws: `CertificateError`, such as `.notPermitted`, `.badDays` or `.noNames`.
    public func issue(hosts: [String], days: Int = leafDays, kind: PrivateKey.Kind = .p256) throws -> Identity {
        let names = try hosts.map { text throws(CertificateError) in try SubjectName(text) }
        return try issue(names, days: days, kind: kind, by: issuer())
    }

    /// Signs any draft with the intermediate, even an intentionally invalid one.
    /// - Returns: the certificate with its key and the intermediate.
    public func issue(_ draft: CertificateDraft, key: PrivateKey) throws -> Identity {
        try sign(draft, key: key, by: issuer())
    }

    /// Returns the saved certificate for a host, or saves and returns a new certificate.
    ///
    /// Renews the certificate when a third of its lifetime remains. Also renews it when the intermediate, the names or
    /// the kind of key has changed.
    /// - Parameters:
    ///   - host: a host name or an address, possibly from a client. Only a checked name becomes part of a file name.
    ///   - others: additional names in the certificate.
    /// - Throws: the errors that `issue` throws, and `FileError` if the files cannot be read or written.
    public func identity(
        for host: String, also others: [String] = [], kind: PrivateKey.Kind = .p256
    ) throws -> Identity {
        let name = try SubjectName(host)
        let names = try [name] + others.map { text throws(CertificateError) in try SubjectName(text) }
        try check(names)
        let files = try AuthorityFolder.files(of: name)
        // This call precedes the lock, because renewing the intermediate takes the same lock.
        let issuer = try issuer()
        return try OpenFolder(folder).locked { opened in
            // Replace a missing, damaged, exposed or mismatched file, because issuing a new leaf is cheap.
            if let saved = try? Authority.saved(files, in: opened), isCurrent(saved, names, kind, issuer) {
                return saved
            }
            let left = Int((issuer.certificate.notAfter - clock.now()) / 86_400)
            let fresh = try issue(names, days: max(1, min(Authority.leafDays, left)), kind: kind, by: issuer)
            try opened.save(fresh.certificatesPEM, files.certificate, key: fresh.key, files.key)
            return fresh
        }
    }

    /// Writes an identity to the CA's folder: the certificate followed by the intermediate, and the key.
    /// - Parameter host: the host that names the files. For a wildcard, the file names start with `_wildcard.`.
    /// - Throws: `CertificateError`, such as `.reservedName`; `FileError`.
    public func save(_ identity: Identity, as host: String) throws -> (certificate: String, key: String) {
        let name = try SubjectName(host)
        let files = try AuthorityFolder.files(of: name)
        return try OpenFolder(folder).locked { opened in
            try opened.save(identity.certificatesPEM, files.certificate, key: identity.key, files.key)
            return (opened.path(of: files.certificate), opened.path(of: files.key))
        }
    }

    /// Reads a leaf with its key and its chain, or returns nil if one of the files is missing.
    private static func saved(
        _ files: (certificate: String, key: String), in opened: OpenFolder
    ) throws -> Identity? {
        guard let certificates = try opened.certificates(files.certificate), let key = try opened.key(files.key) else {
            return nil
        }
        let path = opened.path(of: files.certificate)
        return try Identity(
            certificates: certificates, certificateSource: path, key: key, keySource: opened.path(of: files.key),
            more: [], moreSource: path)
    }

    private func sign(_ draft: CertificateDraft, key: PrivateKey, by issuer: Identity) throws -> Identity {
        let certificate = try draft.signed(for: key, issuer: issuer.certificate, issuerKey: issuer.key)
        return Identity(certificate: certificate, key: key, chain: [issuer.certificate])
    }

    private func issue(
        _ names: [SubjectName], days: Int, kind: PrivateKey.Kind, by issuer: Identity
    ) throws -> Identity {
        try check(names)
        let now = clock.now()
        let most = Int((issuer.certificate.notAfter - now) / 86_400)
        guard days >= 1, days <= max(most, 1) else { throw CertificateError.badDays(days, most: most) }
        let draft = CertificateDraft.server(
            names, kind: kind, notBefore: now - 3600,
            notAfter: min(now + UnixTime(days) * 86_400, issuer.certificate.notAfter))
        return try sign(draft, key: PrivateKey.generate(kind), by: issuer)
    }

    private func check(_ names: [SubjectName]) throws(CertificateError) {
        guard !names.isEmpty else { throw .noNames }
        for name in names where !constraints.permits(name) {
            throw .notPermitted(name: name.text, folder: folder)
        }
    }

    private func isCurrent(
        _ saved: Identity, _ names: [SubjectName], _ kind: PrivateKey.Kind, _ issuer: Identity
    ) -> Bool {
        !saved.certificate.isWorn(at: clock.now()) && saved.key.kind == kind
            && saved.chain.first == issuer.certificate
            && Set(saved.certificate.dnsNames + saved.certificate.addresses) == Set(names.map(\.text))
    }
}
