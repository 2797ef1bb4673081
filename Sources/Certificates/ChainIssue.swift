package import AssociationDiagnostics
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
    case notForServers(subject: String, byKeyUsage: Bool = false)
    /// The certificate has no extended key usage, but was issued on or after 2019-07-01 (Apple 103769).
    case noPurpose(subject: String)
    /// The key is an RSA key shorter than 2048 bits (Apple 103769), an elliptic curve key shorter than 256 bits, or
    /// another key that Apple platforms do not support.
    case weakKey(subject: String, kind: String, bits: Int, isSupported: Bool = true)
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

extension ChainIssue: ExplainedError {
    public var problem: String { entry.problem }
    public var fix: String { entry.fix }
    public var exitCode: ExitCode { .no }

    /// Whether devices accept the chain despite this issue.
    public var isNote: Bool { entry.diagnostic.effects.isNote }
}

extension ChainIssue: CatalogIssue {
    /// The effects of a requirement that Apple introduced in iOS 13. Its effect on earlier systems is unproven.
    private static let sinceIOS13 = SeverityByProfile.all(.denial).unproven(in: .ios9, .ios8)

    package static let examples: [ChainIssue] = [
        .noCertificate, .expired(subject: "CN=a", at: 0), .notYetValid(subject: "CN=a", from: 0),
        .wrongHost(host: "a", names: []), .noAlternativeName(commonName: nil), .wildcardTooWide(name: "*.com"),
        .selfSigned(subject: "CN=a"), .untrustedRoot(subject: "CN=a"), .incomplete(subject: "CN=a", missing: "CN=b"),
        .notAnAuthority(subject: "CN=a"), .tooLong(days: 826, limit: 825), .notForServers(subject: "CN=a"),
        .noPurpose(subject: "CN=a"), .weakKey(subject: "CN=a", kind: "RSA", bits: 1_024),
        .weakDigest(subject: "CN=a", name: "SHA-1"), .givenRoot(subject: "CN=a"), .wrongOrder(subject: "CN=a"),
    ]

    package var entry: CatalogEntry {
        switch self {
        case .noCertificate:
            denied(
                "tls-handshake-failed", "The TLS handshake succeeds.", "The device fetches the file only over TLS.",
                .supporting, "a TLS alert", "a certificate for the host",
                problem: "the server did not send a certificate",
                fix: "Configure the server with a certificate for its host, followed by the intermediates")
        case .expired(let subject, let end):
            denied(
                "tls-expired", "The certificate has not expired.", "Devices reject an expired certificate.",
                .x509("4.1.2.5"), "notAfter: yesterday", "notAfter: in 90 days",
                problem: "the certificate \(subject.quotedName) expired on \(Timestamp.text(end))",
                fix: "Renew the certificate, and check the clock")
        case .notYetValid(let subject, let start):
            denied(
                "tls-not-yet-valid", "The certificate is already valid.",
                "Devices reject a certificate before its start date.", .x509("4.1.2.5"), "notBefore: tomorrow",
                "notBefore: yesterday",
                problem: "the certificate \(subject.quotedName) is not valid before \(Timestamp.text(start))",
                fix: "Wait until the certificate is valid, and check the clock")
        case .wrongHost(let host, let names):
            denied(
                "tls-wrong-host", "The certificate is valid for the host.",
                "A certificate is valid only for the names that it lists.", .hostNames("6"),
                "a certificate for www.example.com at example.com", "a certificate for example.com",
                problem: "the certificate is for \(names.isEmpty ? "no host" : names.listed), not for \(host.quoted)",
                fix: names.contains("DNS:\(host)")
                    ? "Get a certificate with IP:\(host) in subjectAltName; a DNS name never matches an address"
                    : "Get a certificate with the host in subjectAltName; a wildcard matches only one label")
        case .noAlternativeName(let name):
            denied(
                "tls-no-alternative-name", "The certificate lists its hosts in subjectAltName.",
                "Devices ignore the Common Name.", .trustedCertificates, "CN=example.com without subjectAltName",
                "DNS:example.com in subjectAltName", Self.sinceIOS13,
                problem: name.map {
                    "the certificate has \($0.quoted) only as its Common Name, not in subjectAltName"
                } ?? "the certificate has no host in subjectAltName",
                fix: "Get a certificate with every host in subjectAltName")
        case .wildcardTooWide(let name):
            denied(
                "tls-wildcard-too-wide", "No wildcard is directly below a public suffix.",
                "Apple platforms reject the whole certificate.", .observed, "*.com", "*.example.com",
                problem: CertificateError.wildcardTooWide(name).problem,
                fix: CertificateError.wildcardTooWide(name).fix)
        case .selfSigned(let subject):
            selfSigned("the certificate \(subject.quotedName) is self-signed and not trusted", .all(.denial))
        case .selfSignedAnchor(let subject):
            selfSigned(
                "the certificate \(subject.quotedName) is self-signed; devices reject it even if it is trusted",
                SeverityByProfile(device: .denial, documented: .denial))
        case .untrustedRoot(let subject):
            denied(
                "tls-untrusted-root", "The chain ends at a root in the system's trust store.",
                "The device reports SWCErrorDomain 100, or 103 for a root that a user installed.", .observed,
                "a company's private root", "a certificate from a public CA",
                problem: "the chain ends at \(subject.quotedName), which is not trusted",
                fix: "Trust this root (--trust), or use a CA that devices trust; if it is an intermediate, add it to "
                    + "the chain")
        case .incomplete(let subject, let missing):
            denied(
                "tls-incomplete-chain", "The host sends the intermediate certificates.",
                "Some browsers have cached these certificates, but new clients have not.", .x509("6.1"),
                "a leaf certificate alone", "the leaf certificate and its intermediate",
                problem: "the issuer of \(subject.quotedName), \(missing.quotedName), is missing from the chain",
                fix: "Configure the server to send every intermediate after its certificate; if a root is missing, use "
                    + "--trust")
        case .tooLong(let days, let limit):
            denied(
                "tls-valid-too-long",
                "The certificate is valid for at most 825 days, or 398 days if its root is publicly trusted.",
                "Apple platforms have enforced these limits since 2019 and 2020, respectively.", .certificateLimits,
                "10 years", "90 days", Self.sinceIOS13,
                problem: "the certificate is valid for \(days) days, more than the limit of \(limit)",
                fix: "Get a certificate that is valid for at most \(limit) days")
        case .notForServers(let subject, let byKeyUsage):
            denied(
                "tls-not-for-servers",
                "The certificate permits TLS server authentication: extendedKeyUsage has id-kp-serverAuth.",
                "Apple platforms reject other certificates.", .trustedCertificates, "a client certificate",
                "a certificate with the extendedKeyUsage serverAuth",
                problem: "the certificate \(subject.quotedName) is not for TLS servers "
                    + (byKeyUsage ? "(its keyUsage)" : "(serverAuth)"),
                fix: byKeyUsage
                    ? "Get a certificate whose keyUsage includes digitalSignature"
                    : "Get a certificate that allows serverAuth, from issuers that also allow serverAuth")
        case .noPurpose(let subject):
            denied(
                "tls-no-extended-key-usage",
                "The certificate has the extension extendedKeyUsage with id-kp-serverAuth.",
                "Apple platforms reject certificates issued since July 2019 without this extension.",
                .trustedCertificates, "a certificate without extendedKeyUsage",
                "a certificate with the extendedKeyUsage serverAuth", Self.sinceIOS13,
                problem: "the certificate \(subject.quotedName) has no extended key usage, but was issued in July 2019 "
                    + "or later", fix: "Get a certificate with the extended key usage serverAuth")
        case .weakKey(let subject, let kind, let bits, let isSupported):
            denied(
                "tls-weak-key", "A key is RSA with at least 2,048 bits, P-256, P-384 or P-521.",
                "Apple platforms reject smaller keys and do not support other keys.",
                .trustedCertificates, "a 1,024-bit RSA key", "a P-256 key", Self.sinceIOS13,
                problem: "the certificate \(subject.quotedName) has "
                    + (isSupported ? "a weak key" : "a key that Apple platforms do not support")
                    + ": \(bits)-bit \(kind)",
                fix: "Use a new key: P-256, or RSA with at least 2048 bits")
        case .weakDigest(let subject, let name):
            denied(
                "tls-weak-digest", "Signatures use SHA-2.", "Apple platforms reject SHA-1.", .trustedCertificates,
                "SHA-1 with RSA", "SHA-256 with RSA", Self.sinceIOS13,
                problem: "the certificate \(subject.quotedName) is signed with \(name)",
                fix: "Get a new certificate that is signed with SHA-256")
        case .notAnAuthority(let subject):
            badChain(
                "the certificate \(subject.quotedName) issued another certificate, but is not a CA certificate",
                fix: "Issue the certificate from a CA certificate with CA:TRUE and keyCertSign")
        case .nameConstraint(let subject, let reason):
            badChain(
                "the names of \(subject.quotedName) violate its issuers' name constraints: \(reason)",
                fix: "Use names within the issuers' constraints, or another CA")
        case .badSignature(let subject):
            badChain(
                "the signature of the certificate \(subject.quotedName) is invalid",
                fix: "Send the issuer certificate whose key created the signature; the issuer may have a new key")
        case .pathTooLong(let subject):
            badChain(
                "the CA \(subject.quotedName) has more CAs below it than its path length allows",
                fix: "Use a CA whose issuers allow it to issue certificates")
        case .chainTooLong(let limit):
            badChain("the chain has more than \(limit) CAs", fix: "Use a CA closer to its root")
        case .refused(let subject, let reason):
            badChain(
                "the certificate \(subject.quotedName) is refused: \(reason)",
                fix: "Inspect the certificate with: openssl x509 -noout -text -in FILE")
        case .givenRoot(let subject):
            .init(
                "tls-given-root", "The root is in the system's trust store.",
                because: "Apple's CDN accepts only publicly trusted roots (SWCErrorDomain 103). A device trusts a "
                    + "user-installed root only in developer mode, with ?mode=developer in the entitlement entry.",
                SeverityByProfile(device: .denial), .observed, example: "--trust authority.pem",
                fixed: "a certificate from a public CA",
                problem: "the chain ends at the root \(subject.quotedName), which is not publicly trusted",
                fix: "During development, add ?mode=developer to the entitlement entry and install the root on the "
                    + "device. Otherwise, use a certificate from a public authority")
        case .wrongOrder(let subject):
            untidy(
                "the certificate \(subject.quotedName) is out of order: it did not issue the previous certificate",
                fix: "Put the server's own certificate first, and each issuer after the certificate that it issued")
        case .unneeded(let subjects):
            untidy(
                "the server sends certificates that the chain does not need: \(subjects.listed)",
                fix: "Remove these certificates; they make every handshake larger")
        }
    }

    private func denied(
        _ code: String, _ text: String, _ reason: String, _ source: Source, _ example: String, _ fixed: String,
        _ effects: SeverityByProfile = .all(.denial), problem: String, fix: String
    ) -> CatalogEntry {
        .init(code, text, because: reason, effects, source, example: example, fixed: fixed, problem: problem, fix: fix)
    }

    private func selfSigned(_ problem: String, _ effects: SeverityByProfile) -> CatalogEntry {
        denied(
            "tls-self-signed", "A certificate authority issued the certificate.",
            "Devices reject a self-signed certificate in every mode (SWCErrorDomain 100).", .observed,
            "openssl req -x509", "a certificate from a public CA", effects, problem: problem,
            fix: "Get a certificate from a CA that devices trust; for development, create your own CA (motivator "
                + "certificate authority), issue the certificate from it, and trust its root; iOS lists only roots "
                + "with basicConstraints CA:TRUE under Certificate Trust Settings")
    }

    private func badChain(_ problem: String, fix: String) -> CatalogEntry {
        denied(
            "tls-bad-chain", "Every issuer in the chain is a certificate authority, and every signature is valid.",
            "One invalid certificate makes the chain invalid.", .x509("6.1"), "a leaf that signed a leaf",
            "a leaf that a CA signed",
            problem: problem, fix: fix)
    }

    private func untidy(_ problem: String, fix: String) -> CatalogEntry {
        denied(
            "tls-untidy-chain", "The chain is in order and has no unnecessary certificates.",
            "The chain works, but each handshake sends extra certificates.", .x509("6.1"), "a chain with its root",
            "the chain without its root",
            .all(.note), problem: problem, fix: fix)
    }
}

extension [String] {
    /// The first ten elements in quotes, and the number of other elements. A certificate may have thousands of names.
    var listed: String {
        let more = count > 10 ? " and \(count - 10) more" : ""
        return prefix(10).map(\.quotedName).joined(separator: ", ") + more
    }
}

extension String {
    /// The name of a certificate in quotes. Does not double the RFC 4514 escapes that the name already contains.
    package var quotedName: String { quoted.replacing("\\\\", with: "\\") }
}
