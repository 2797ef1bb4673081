import COpenSSL
import Platform

/// What a server or a signer proves itself with: its certificate, the key to it, and the issuers in between.
public struct Identity: Sendable {
    /// The certificate of the server itself.
    public let certificate: Certificate
    /// The private key that belongs to the certificate.
    public let key: PrivateKey
    /// The issuers, nearest first; the root need not be there.
    public let chain: [Certificate]

    /// Puts together what is known to belong together; nothing is checked.
    ///
    /// - Parameters:
    ///   - certificate: the server's certificate.
    ///   - key: its key.
    ///   - chain: the issuers, nearest first.
    public init(certificate: Certificate, key: PrivateKey, chain: [Certificate]) {
        self.certificate = certificate
        self.key = key
        self.chain = chain
    }

    /// Reads an identity from PEM files.
    ///
    /// - Parameters:
    ///   - certificate: the server's certificate, which its issuers may follow in the same file.
    ///   - key: the private key; nobody but its owner may be able to read it.
    ///   - chain: a file with further issuers, nearest first.
    /// - Returns: the identity.
    /// - Throws: `KeyError`, `CertificateError` for unreadable files, `IdentityError` when the parts do not fit.
    public static func load(certificate: String, key: String, chain: String? = nil) throws -> Identity {
        let certificates = try Certificate.load(path: certificate)
        let privateKey = try PrivateKey.load(path: key)
        let more = try chain.map { path throws(CertificateError) in try Certificate.load(path: path) } ?? []
        return try Identity(
            certificates: certificates, certificateSource: certificate, key: privateKey, keySource: key, more: more,
            moreSource: chain ?? certificate)
    }

    /// Puts together parts from files, and checks that they fit.
    init(
        certificates: [Certificate], certificateSource: String, key: PrivateKey, keySource: String,
        more: [Certificate], moreSource: String
    ) throws(IdentityError) {
        guard let place = certificates.firstIndex(where: { key.belongs(to: $0) }) else {
            throw .keyMismatch(certificate: certificateSource, key: keySource)
        }
        guard place == 0 else { throw .wrongOrder(certificate: certificateSource, position: place + 1) }
        let leaf = certificates[0]
        // What `openssl req -x509` makes unasked says CA:TRUE and names hosts: it is a server's all the same.
        guard !leaf.isAuthority || (leaf.isSelfSigned && !(leaf.dnsNames + leaf.addresses).isEmpty) else {
            throw .leafIsAuthority(certificate: certificateSource, subject: leaf.subject)
        }
        let chain = Array(certificates.dropFirst()) + more
        var issued = leaf
        for (index, issuer) in chain.enumerated() {
            guard issuer.issued(issued) else {
                let isOwn = index < certificates.count - 1
                throw .brokenChain(
                    source: isOwn ? certificateSource : moreSource,
                    position: isOwn ? index + 2 : index + 2 - certificates.count, subject: issuer.subject)
            }
            issued = issuer
        }
        self.init(certificate: leaf, key: key, chain: chain)
    }

    /// The certificate and its chain in one PEM text, the certificate first.
    public var certificatesPEM: [UInt8] {
        certificate.pem + chain.flatMap(\.pem)
    }
}

extension PrivateKey {
    /// Whether this is the key whose public half is in the certificate.
    ///
    /// - Parameter certificate: any certificate.
    /// - Returns: whether they belong together.
    public func belongs(to certificate: Certificate) -> Bool {
        OpenSSLErrors.clear()
        defer { OpenSSLErrors.clear() }
        return unsafe X509_check_private_key(certificate.pointer, pointer) == 1
    }
}

/// Why a certificate, a key and a chain are no identity for a server.
public enum IdentityError: ExplainedError, Equatable {
    /// The key is not the one in the certificate.
    case keyMismatch(certificate: String, key: String)
    /// The key fits a certificate further down in the file: the order is wrong.
    case wrongOrder(certificate: String, position: Int)
    /// The certificate is an authority's (CA:TRUE), which no client accepts from a server.
    case leafIsAuthority(certificate: String, subject: String)
    /// A certificate of the chain did not issue the one before it.
    case brokenChain(source: String, position: Int, subject: String)

    public var problem: String {
        switch self {
        case .keyMismatch(let certificate, let key):
            "the key \(key.quoted) does not belong to the certificate \(certificate.quoted)"
        case .wrongOrder(let certificate, let position):
            "the key belongs to certificate \(position) in \(certificate.quoted), not to the first"
        case .leafIsAuthority(let certificate, let subject):
            "the certificate \(certificate.quoted) (\(subject)) is an authority's (CA:TRUE), not a server's"
        case .brokenChain(let source, let position, let subject):
            "certificate \(position) of the chain in \(source.quoted) (\(subject)) did not issue the one before it"
        }
    }

    public var remedy: String {
        switch self {
        case .keyMismatch: "Name the key that the certificate was requested with"
        case .wrongOrder: "Put the server's own certificate first, then each issuer after what it issued"
        case .leafIsAuthority:
            "Take a server certificate; for a self-signed one: openssl req -x509 … -addext basicConstraints=critical,CA:FALSE"
        case .brokenChain: "Put each issuer right after the certificate that it issued, and leave out all others"
        }
    }

    public var exitCode: ExitCode { .badInput }
}
