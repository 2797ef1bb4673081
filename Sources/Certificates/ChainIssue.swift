public import MotivatorPlatform

/// An issue in a server's certificates.
///
/// Subjects are in RFC 2253 form. The certificate's first name replaces an empty subject. "Apple 103769" is
/// "Requirements for trusted certificates in iOS 13 and macOS 10.15" (2019). "Apple 102028" is "About upcoming limits
/// on trusted certificates" (2020).
public enum ChainIssue: Hashable, Sendable {
    /// The server does not send a certificate (RFC 8446 §4.4.2).
    case noCertificate
    /// The time is after notAfter (RFC 5280 §4.1.2.5).
    case expired(subject: String, at: UnixTime)
    /// The time is before notBefore (RFC 5280 §4.1.2.5).
    case notYetValid(subject: String, from: UnixTime)
    /// No name matches the host (RFC 9525 §6). A wildcard matches exactly one label.
    case wrongHost(host: String, names: [String])
    /// subjectAltName has neither a DNS name nor an address. The Common Name is not used (Apple 103769; RFC 9525 §2).
    case noAlternativeName(commonName: String?)
    /// The server's certificate is self-signed and not trusted.
    case selfSigned(subject: String)
    /// The server's certificate is self-signed, and the caller trusts it. The checker reports this.
    case selfSignedAnchor(subject: String)
    /// The chain ends at a root that only the caller trusts. The checker reports this.
    case givenRoot(subject: String)
    /// The chain ends at an untrusted root. The server sends the root or only names it as an issuer.
    case untrustedRoot(subject: String)
    /// The chain ends before a root, because the server does not send an intermediate (RFC 8446 §4.4.2).
    case incomplete(subject: String, missing: String)
    /// The validity exceeds the limit for the issue date: 825 days since 2019-07-01 (Apple 103769), or 398 days since
    /// 2020-09-01 for one of the system's CAs (Apple 102028). A partial day counts as a whole day.
    case tooLong(days: Int, limit: Int)
    /// The key usage does not allow TLS servers (RFC 5280 §4.2.1.3, §4.2.1.12). An issuer's usage limits the
    /// certificates below it.
    case notForServers(subject: String)
    /// The certificate has no extended key usage, but was issued on or after 2019-07-01 (Apple 103769).
    case noPurpose(subject: String)
    /// The key is an RSA key shorter than 2048 bits (Apple 103769), or an elliptic curve key shorter than 256 bits.
    case weakKey(subject: String, kind: String, bits: Int)
    /// The signature uses SHA-1 or an older digest (Apple 103769). A root's signature on itself does not count.
    case weakDigest(subject: String, name: String)
    /// The issuer of a certificate is not a CA certificate: basicConstraints lacks CA:TRUE (RFC 5280 §4.2.1.9), or
    /// keyUsage lacks keyCertSign (§4.2.1.3).
    case notAnAuthority(subject: String)
    /// The names violate the name constraints of an issuer (RFC 5280 §4.2.1.10).
    case nameConstraint(subject: String, reason: String)
    /// The issuer's signature does not match the certificate (RFC 5280 §6.1.3).
    case badSignature(subject: String)
    /// This CA has more CAs below it than its pathLenConstraint allows (RFC 5280 §4.2.1.9).
    case pathTooLong(subject: String)
    /// The number of CAs between the certificate and its root exceeds `TrustStore.authorityLimit`.
    case chainTooLong(limit: Int)
    /// A wildcard is directly below a top-level domain. Apple platforms reject the whole certificate.
    case wildcardTooWide(name: String)
    /// Another OpenSSL error, with its message.
    case refused(subject: String, reason: String)
    /// This certificate did not issue the previous certificate (RFC 5246 §7.4.2). This is a note, because clients
    /// reorder certificates (RFC 8446 §4.4.2).
    case wrongOrder(subject: String)
    /// The server sends unneeded certificates, such as a root, which clients already have. This is a note.
    case unneeded(subjects: [String])
}
