import Platform

/// One thing that is wrong with the certificates that a server shows.
///
/// A certificate is named by its subject (RFC 2253), or by its first name when the subject is empty. "Apple 103769" is
/// "Requirements for trusted certificates in iOS 13 and macOS 10.15" of 2019, "Apple 102028" is "About upcoming limits
/// on trusted certificates" of 2020.
public enum ChainFault: Hashable, Sendable {
    /// The server shows none (RFC 8446 §4.4.2).
    case noCertificate
    /// The moment is later than notAfter (RFC 5280 §4.1.2.5).
    case expired(subject: String, at: UnixTime)
    /// The moment is earlier than notBefore (RFC 5280 §4.1.2.5).
    case notYetValid(subject: String, from: UnixTime)
    /// None of the names is the host (RFC 9525 §6); a wildcard stands for exactly one label.
    case wrongHost(host: String, names: [String])
    /// subjectAltName holds neither DNS name nor address; the Common Name no longer counts (Apple 103769; RFC 9525 §2).
    case noAlternativeName(commonName: String?)
    /// The server's certificate signed itself and is not trusted.
    case selfSigned(subject: String)
    /// The chain ends at a root that is not trusted, shown by the server or only named as issuer.
    case untrustedRoot(subject: String)
    /// The chain ends before a root: the server forgot an intermediate (RFC 8446 §4.4.2).
    case incomplete(subject: String, missing: String)
    /// It is valid for too long: 825 days when issued since 2019-07-01 (Apple 103769), 398 days when issued since
    /// 2020-09-01 below a root of the system (Apple 102028). A begun day counts as one.
    case tooLong(days: Int, limit: Int)
    /// It is not for TLS servers: its uses do not allow it (RFC 5280 §4.2.1.3, §4.2.1.12), or it was issued since
    /// 2019-07-01 and does not say serverAuth (Apple 103769). An issuer's uses bind those below it.
    case notForServers(subject: String)
    /// RSA below 2048 bits (Apple 103769), elliptic curves below 256.
    case weakKey(subject: String, kind: String, bits: Int)
    /// A signature by SHA-1 or older (Apple 103769); a root's signature of itself does not count.
    case weakDigest(subject: String, name: String)
    /// It issued a certificate without being an authority: basicConstraints without CA:TRUE (RFC 5280 §4.2.1.9), or
    /// keyUsage without keyCertSign (§4.2.1.3).
    case notAnAuthority(subject: String)
    /// Its names are not those that an issuer may sign for (RFC 5280 §4.2.1.10).
    case nameConstraint(subject: String, reason: String)
    /// The issuer's signature does not belong to the certificate (RFC 5280 §6.1.3).
    case badSignature(subject: String)
    /// More authorities follow below this one than its pathLenConstraint allows (RFC 5280 §4.2.1.9).
    case pathTooLong(subject: String)
    /// More authorities stand between the certificate and its root than are looked at; the limit is our own.
    case chainTooLong(limit: Int)
    /// A wildcard right below a top-level name, for which Apple's platforms refuse the whole certificate.
    case wildcardTooWide(name: String)
    /// Something else that OpenSSL refuses, in its words.
    case refused(subject: String, reason: String)
    /// This certificate stands where another should: each has to certify the one before (RFC 5246 §7.4.2). A note,
    /// because clients put them in order (RFC 8446 §4.4.2).
    case wrongOrder(subject: String)
    /// Certificates that the chain does not need, or a root, which clients have already. A note.
    case unneeded(subjects: [String])

    /// Whether devices accept the chain all the same.
    public var isNote: Bool {
        switch self {
        case .wrongOrder, .unneeded: true
        case .noCertificate, .expired, .notYetValid, .wrongHost, .noAlternativeName, .selfSigned, .untrustedRoot,
            .incomplete, .tooLong, .notForServers, .weakKey, .weakDigest, .notAnAuthority, .nameConstraint,
            .badSignature, .pathTooLong, .chainTooLong, .wildcardTooWide, .refused:
            false
        }
    }
}
