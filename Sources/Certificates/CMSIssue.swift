package import AssociationDiagnostics
public import MotivatorPlatform

/// Why a signed message cannot be read, verified or created (RFC 5652), or a note about its signatures.
public enum CMSIssue: ExplainedError, Hashable {
    case empty
    /// The message is base64 text, as `-outform PEM` writes it.
    case isPEM
    /// The message is S/MIME text, as `openssl smime -sign` writes it without `-outform DER`.
    case isSMIME
    /// The file is unsigned JSON.
    case isJSON
    /// The bytes are not a CMS message in DER form.
    case malformed(reason: String)
    case trailingBytes(count: Int)
    /// The message is CMS, but its content type is not SignedData. `type` is the OpenSSL name of its content type.
    case notSignedData(type: String)
    /// The message does not contain the signed content.
    case detached
    case noSigner
    /// The message has more signatures than `SignedMessage.signerLimit`.
    case tooManySigners(count: Int, limit: Int)
    /// The message does not contain this signer's certificate. `signer` is its issuer and serial number, or its key
    /// identifier.
    case certificateMissing(signer: String)
    /// The signature does not match the content or the key (RFC 5652 §5.6).
    case badSignature(signer: String, reason: String)
    /// An issue in a signer's certificate or chain, except issues specific to TLS servers.
    case certificate(ChainIssue)
    /// No name in subjectAltName matches the domain. If subjectAltName has no name, the Common Name does not match
    /// (Shared Web Credentials Reference, 2014).
    case wrongDomain(domain: String, names: [String])
    /// The certificate names the domain only in the Common Name. This is a note (Shared Web Credentials Reference, 2014).
    case commonNameOnly(domain: String)
    /// The certificate is not for TLS servers (RFC 5280 §4.2.1.12).
    case wrongPurpose(subject: String)
    /// The digest is weak, such as SHA-1. An attacker who finds a collision can replace the content (RFC 6194 §3).
    case weakDigest(signer: String, name: String)
    /// The trust anchors cannot be read, so no chain can be verified.
    case noTrustAnchors(reason: String)
    /// The message has several signatures. This is a note, because each signature is verified.
    case severalSigners(count: Int)
    case cannotSign(reason: String)

    // Issues that the reader of a file reports.

    /// The file is plain JSON.
    case missing
    /// The file is signed, which only iOS 8 requires.
    case needless
    /// The domain of a local file is unknown, so its signer's names are not verified.
    case domainUnknown

    /// Whether verification succeeds despite this issue.
    public var isNote: Bool { entry.diagnostic.effects.isNote }

    /// Whether a device that trusts another root may accept the signer.
    public var dependsOnTrust: Bool {
        switch self {
        case .noTrustAnchors, .certificate(.untrustedRoot), .certificate(.selfSigned), .certificate(.incomplete): true
        case _: false
        }
    }

    /// Whether verification fails. Weak keys and digests do not prevent it.
    var failsVerification: Bool {
        switch self {
        case .weakDigest, .certificate(.weakKey), .certificate(.weakDigest): false
        case _: !isNote
        }
    }

    public var problem: String { entry.problem }
    public var fix: String { entry.fix }

    public var exitCode: ExitCode {
        switch self {
        case .empty, .isPEM, .isSMIME, .isJSON, .malformed, .trailingBytes, .notSignedData, .cannotSign: .badInput
        case .noTrustAnchors: .unavailable
        case _: .no
        }
    }
}

// MARK: - Catalog

extension CMSIssue: CatalogIssue {
    package static let examples: [CMSIssue] = [
        .missing, .needless, .trailingBytes(count: 1), .detached, .noSigner, .badSignature(signer: "CN=a", reason: "a"),
        .certificateMissing(signer: "CN=a"), .certificate(.expired(subject: "CN=a", at: 0)),
        .certificate(.notYetValid(subject: "CN=a", from: 0)), .certificate(.untrustedRoot(subject: "CN=a")),
        .certificate(.incomplete(subject: "CN=a", missing: "CN=b")), .certificate(.selfSigned(subject: "CN=a")),
        .wrongDomain(domain: "a", names: []), .wrongPurpose(subject: "CN=a"),
        .certificate(.notAnAuthority(subject: "CN=a")), .commonNameOnly(domain: "a"),
        .weakDigest(signer: "CN=a", name: "SHA-1"), .severalSigners(count: 2), .domainUnknown,
    ]

    private static let sign = "Sign the file with: motivator association sign FILE"
    private static let onlyDomain = "Sign only with the certificate of the domain"

    package var entry: CatalogEntry {
        switch self {
        case .missing:
            .init(
                "signature-missing", "For iOS 8, the file is signed: DER-encoded CMS that contains the JSON.",
                because: "iOS 9 and later accept plain JSON over https. iOS 8 does not.",
                SeverityByProfile(ios8: .denial), .sharedWebCredentials, example: "plain JSON",
                fixed: "a signed file at the root path",
                problem: "the file is not signed",
                fix: "If the app supports iOS 8, sign the file with motivator association sign")
        case .needless:
            .init(
                "signature-needless", "Since iOS 9, a file does not require a signature.",
                because: "You must sign the file again with each new certificate. Otherwise, the device ignores it.",
                SeverityByProfile(device: .note, documented: .note, ios9: .note), .appSearch,
                example: "a signed file at /.well-known/", fixed: "plain JSON at /.well-known/",
                problem: "the file is signed",
                fix: "Serve the plain JSON, unless the app supports iOS 8")
        case .empty: malformed("the message is empty", fix: Self.sign)
        case .isPEM:
            malformed(
                "the message is in PEM form, not in DER form",
                fix: "Write the message in DER form; with openssl, add: -outform DER")
        case .isSMIME:
            malformed(
                "the message is S/MIME text, not in DER form",
                fix: "Write the message in DER form; with openssl, add: -outform DER")
        case .isJSON:
            malformed(
                "the file is unsigned JSON",
                fix: "Check the file with: motivator association check FILE, or sign it with: motivator association "
                    + "sign FILE")
        case .malformed(let reason): malformed("the message is not CMS in DER form: \(reason)", fix: Self.sign)
        case .trailingBytes(let count):
            malformed("\(count) bytes follow the message", fix: "Serve the message unchanged, without additional bytes")
        case .notSignedData(let type):
            malformed("the content type of the message is \(type.quoted), not SignedData", fix: Self.sign)
        case .tooManySigners(let count, let limit):
            malformed("the message has \(count) signatures, more than the limit of \(limit)", fix: Self.onlyDomain)
        case .cannotSign(let reason):
            malformed("the content cannot be signed: \(reason)", fix: "Check that the key belongs to the certificate")
        case .detached:
            denied(
                "signature-detached", "The JSON is inside the signed file.",
                "A detached signature does not contain the JSON.", "5.2", "openssl smime -sign without -nodetach",
                "openssl smime -sign -nodetach",
                problem: "the message does not contain the signed content",
                fix: "Include the content; with openssl, add: -nodetach")
        case .noSigner:
            denied(
                "signature-without-signer", "The file has a signer.", "A file without a signer proves nothing.", "5.1",
                "certificates only", "a message with a signer", problem: "the message has no signature",
                fix: "Sign the file with a certificate and its key")
        case .badSignature(let signer, let reason):
            denied(
                "signature-bad", "The signature matches the content.",
                "The content or the signature changed after signing.", "5.6", "an edited file",
                "the edited file, signed again",
                problem: "the signature of \(signer.quotedName) is invalid: \(reason)",
                fix: "Sign again whenever the content changes, and serve the message unchanged")
        case .certificateMissing(let signer):
            denied(
                "signer-certificate-missing", "The signer's certificate is in the file.",
                "The device does not fetch the certificate.", "5.1", "openssl smime -sign -nocerts",
                "openssl smime -sign",
                problem: "the message does not contain the certificate of its signer, which it identifies only by "
                    + "\(signer.hasPrefix("key ") ? "key identifier" : "issuer and serial number"): "
                    + signer.quotedName, fix: "Sign again without -nocerts")
        case .certificate(let issue): entry(of: issue)
        case .wrongDomain(let domain, let names):
            wrongDomain(
                "the signer's certificate is for \(names.listed), not for \(domain.quoted)",
                fix: "Sign with a certificate for the domain that serves the file")
        case .wrongPurpose(let subject):
            wrongPurpose(
                "the certificate \(subject.quotedName) is not for TLS servers (serverAuth)",
                fix: "Sign with the TLS certificate of the domain")
        case .noTrustAnchors(let reason):
            untrusted(
                "the system's trusted certificates cannot be read: \(reason)",
                fix: "Specify the trusted root with --trust, or set SSL_CERT_FILE")
        case .commonNameOnly(let domain):
            .init(
                "signer-common-name-only", "The signer's certificate names the domain in subjectAltName.",
                because: "The archived reference accepts the Common Name. No source describes later systems.",
                .all(.note).unproven(in: .device, .ios9), .sharedWebCredentials, example: "CN=example.com",
                fixed: "DNS:example.com in subjectAltName",
                problem: "the signer's certificate names \(domain.quoted) only in the Common Name",
                fix: "Sign with a certificate that names the domain in subjectAltName")
        case .weakDigest(let signer, let name):
            weak(
                "the signature of \(signer.quotedName) uses the weak digest \(name)",
                fix: "Sign with SHA-256; with openssl, add: -md sha256")
        case .severalSigners(let count):
            .init(
                "signer-several", "The file has only one signer.",
                because: "Each additional signer must also be valid.", .all(.note), .cms("5.1"),
                example: "two signers", fixed: "one signer", problem: "the message has \(count) signatures",
                fix: Self.onlyDomain)
        case .domainUnknown:
            .init(
                "signer-domain-unknown", "The signer's certificate is valid for the domain that serves the file.",
                because: "A local file does not identify its domain.", .all(.note), .sharedWebCredentials,
                example: "check signed.der", fixed: "check signed.der --domain example.com",
                problem: "the domain of the file is unknown, so the checker cannot verify the signer's names",
                fix: "Specify the domain with --domain or --entitlement")
        }
    }

    private func entry(of issue: ChainIssue) -> CatalogEntry {
        let problem = issue.problem
        let again = "Sign again with a valid certificate, and check the clock"
        return switch issue {
        case .expired:
            deniedToIOS8(
                "signer-expired", "The signer's certificate has not expired.",
                "iOS rejects the file after the expiration date.", "a file signed two years ago",
                "a file signed with a valid certificate", problem, fix: again)
        case .notYetValid:
            deniedToIOS8(
                "signer-not-yet-valid", "The signer's certificate is already valid.",
                "iOS rejects the file before the start date.", "notBefore: tomorrow", "notBefore: yesterday", problem,
                fix: again)
        case .untrustedRoot:
            untrusted(problem, fix: "Sign with a certificate from a trusted CA, or trust the root with --trust")
        case .incomplete:
            deniedToIOS8(
                "signer-incomplete-chain", "The intermediate certificates are in the signed file.",
                "Without these certificates, the chain is incomplete. openssl smime -sign adds them with -certfile.",
                "openssl smime -sign without -certfile", "openssl smime -sign -certfile chain.pem", problem,
                fix: "Include every intermediate certificate when signing (--chain), or trust the root with --trust")
        case .selfSigned, .selfSignedAnchor:
            deniedToIOS8(
                "signer-self-signed", "A certificate authority issued the signer's certificate.",
                "A self-signed certificate proves nothing.", "openssl req -x509", "the certificate of the site",
                problem,
                fix: "Sign with a certificate from a CA, such as the certificate of the site")
        case .weakKey, .weakDigest: weak(problem, fix: issue.fix)
        case .notForServers, .noPurpose: wrongPurpose(problem, fix: issue.fix)
        case .wrongHost, .noAlternativeName, .wildcardTooWide: wrongDomain(problem, fix: issue.fix)
        case .noCertificate, .tooLong, .notAnAuthority, .nameConstraint, .badSignature, .pathTooLong, .chainTooLong,
            .refused, .givenRoot, .wrongOrder, .unneeded:
            deniedToIOS8(
                "signer-bad-chain",
                "Every issuer in the signer's chain is a certificate authority, and every signature is valid.",
                "One invalid certificate makes the chain invalid.", "a leaf that signed a leaf",
                "a leaf that a CA signed", problem,
                source: .x509("6.1"),
                fix: issue.fix)
        }
    }

    private func denied(
        _ code: String, _ text: String, _ reason: String, _ section: String, _ example: String, _ fixed: String,
        problem: String,
        fix: String
    ) -> CatalogEntry {
        .init(
            code, text, because: reason, .all(.denial), .cms(section), example: example, fixed: fixed, problem: problem,
            fix: fix)
    }

    /// Returns the entry for a requirement on the signer. Whether systems that accept plain JSON enforce it is unproven.
    private func deniedToIOS8(
        _ code: String, _ text: String, _ reason: String, _ example: String, _ fixed: String, _ problem: String,
        source: Source = .sharedWebCredentials, fix: String
    ) -> CatalogEntry {
        .init(
            code, text, because: reason, .all(.denial).unproven(in: .device, .ios9), source, example: example,
            fixed: fixed,
            problem: problem, fix: fix)
    }

    private func malformed(_ problem: String, fix: String) -> CatalogEntry {
        denied(
            "signature-malformed", "A signed file is exactly one DER-encoded CMS message.",
            "The device cannot read other content.", "3", "DER followed by other bytes", "only the DER message",
            problem: problem, fix: fix)
    }

    private func untrusted(_ problem: String, fix: String) -> CatalogEntry {
        deniedToIOS8(
            "signer-untrusted", "The signer's chain ends at a trusted root.",
            "The device does not trust other certificate authorities.", "a private root",
            "a certificate from a public CA", problem, fix: fix)
    }

    private func wrongDomain(_ problem: String, fix: String) -> CatalogEntry {
        deniedToIOS8(
            "signer-wrong-domain", "The signer's certificate is valid for the domain.",
            "iOS requires a TLS certificate that names the domain in the Common Name or subjectAltName. A wildcard "
                + "is allowed.", "a certificate for www.example.com", "a certificate for example.com", problem, fix: fix
        )
    }

    private func wrongPurpose(_ problem: String, fix: String) -> CatalogEntry {
        deniedToIOS8(
            "signer-wrong-purpose", "The signer's certificate is a TLS server certificate.",
            "Other certificates do not prove domain control.", "a certificate for email",
            "the TLS certificate of the domain", problem, fix: fix)
    }

    private func weak(_ problem: String, fix: String) -> CatalogEntry {
        .init(
            "signer-weak", "The signature uses a strong digest and strong keys.",
            because: "Later systems reject SHA-1 and short keys.", .all(.warning).unproven(in: .device, .ios9),
            .trustedCertificates, example: "SHA-1", fixed: "SHA-256", problem: problem, fix: fix)
    }
}
