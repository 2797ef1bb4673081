import COpenSSL

/// The identity of a server or a signer: its certificate, the private key, and the intermediates.
public struct Identity: Sendable {
    /// The certificate of the server or the signer.
    public let certificate: Certificate
    /// The private key of the certificate.
    public let key: PrivateKey
    /// The issuers, closest first, usually without the root.
    public let chain: [Certificate]

    /// Creates an identity without checking its parts.
    public init(certificate: Certificate, key: PrivateKey, chain: [Certificate]) {
        (self.certificate, self.key, self.chain) = (certificate, key, chain)
    }

    /// Reads an identity from PEM files.
    /// - Parameters:
    ///   - certificate: the certificate of the server; its issuers may follow in the same file.
    ///   - key: the private key, which only its owner may read.
    ///   - chain: a file with additional issuers, closest first.
    /// - Throws: `CertificateError` if a file is unreadable, or the parts do not match.
    public static func load(certificate: String, key: String, chain: String? = nil) throws -> Identity {
        let certificates = try Certificate.load(path: certificate)
        let privateKey = try PrivateKey.load(path: key)
        let more = try chain.map { try Certificate.load(path: $0) } ?? []
        return try Identity(
            certificates: certificates, certificateSource: certificate, key: privateKey, keySource: key, more: more,
            moreSource: chain ?? certificate)
    }

    /// Creates an identity from the contents of files, and checks that the parts match.
    init(
        certificates: [Certificate], certificateSource: String, key: PrivateKey, keySource: String,
        more: [Certificate], moreSource: String
    ) throws(CertificateError) {
        guard let index = certificates.firstIndex(where: { key.belongs(to: $0) }) else {
            throw .keyMismatch(certificate: certificateSource, key: keySource)
        }
        guard index == 0 else { throw .wrongOrder(certificate: certificateSource, position: index + 1) }
        let leaf = certificates[0]
        // `openssl req -x509` adds CA:TRUE to certificates with host names, so accept these certificates.
        guard !leaf.isAuthority || (leaf.isSelfSigned && !(leaf.dnsNames + leaf.addresses).isEmpty) else {
            throw .leafIsAuthority(certificate: certificateSource, subject: leaf.subject)
        }
        var chain: [Certificate] = []
        // Some CAs deliver a chain file that repeats the certificate, or certificates of its file.
        for (index, issuer) in (certificates + more).enumerated() where issuer != leaf && !chain.contains(issuer) {
            guard issuer.issued(chain.last ?? leaf) else {
                let isOwn = index < certificates.count
                throw .brokenChain(
                    source: isOwn ? certificateSource : moreSource,
                    position: isOwn ? index + 1 : index + 1 - certificates.count, subject: issuer.subject)
            }
            chain.append(issuer)
        }
        self.init(certificate: leaf, key: key, chain: chain)
    }

    /// The certificate followed by its chain, in PEM form.
    public var certificatesPEM: [UInt8] {
        certificate.pem + chain.flatMap(\.pem)
    }
}

extension PrivateKey {
    /// Returns whether this is the private key of a certificate.
    public func belongs(to certificate: Certificate) -> Bool {
        OpenSSLErrors.clear()
        defer { OpenSSLErrors.clear() }
        return unsafe X509_check_private_key(certificate.pointer, pointer) == 1
    }
}
