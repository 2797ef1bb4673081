import Platform

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
