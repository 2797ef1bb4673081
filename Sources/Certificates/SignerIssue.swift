public import MotivatorPlatform

/// An issue in the signatures of a message (RFC 5652).
public enum SignerIssue: Hashable, Sendable {
    /// The message has no signature.
    case noSigner
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
    /// The message has more signatures than `SignedMessage.signerLimit`.
    case tooManySigners(count: Int, limit: Int)
    /// The trust anchors cannot be read, so no chain can be verified. The reason is a complete sentence.
    case noTrustAnchors(reason: String)
    /// The message has several signatures. This is a note, because each signature is verified.
    case severalSigners(count: Int)

    /// Whether verification succeeds despite this issue.
    public var isNote: Bool {
        switch self {
        case .severalSigners, .commonNameOnly: true
        case .certificate(let issue): issue.isNote
        case .noSigner, .certificateMissing, .badSignature, .wrongDomain, .wrongPurpose, .weakDigest, .tooManySigners,
            .noTrustAnchors:
            false
        }
    }

    /// Whether a device that trusts another root may accept the signer.
    public var dependsOnTrust: Bool {
        switch self {
        case .noTrustAnchors, .certificate(.untrustedRoot), .certificate(.selfSigned), .certificate(.incomplete): true
        case .noSigner, .certificateMissing, .badSignature, .certificate, .wrongDomain, .wrongPurpose, .weakDigest,
            .tooManySigners, .severalSigners, .commonNameOnly:
            false
        }
    }
}

extension SignerIssue: ExplainedError {
    public var problem: String {
        switch self {
        case .noSigner: CMSError.noSigner.problem
        case .certificateMissing(let signer):
            "the message does not contain the certificate of its signer, which it identifies only by "
                + "\(signer.hasPrefix("key ") ? "key identifier" : "issuer and serial number"): \(signer.quotedName)"
        case .badSignature(let signer, let reason): "the signature of \(signer.quotedName) is invalid: \(reason)"
        case .certificate(let issue): issue.problem
        case .wrongDomain(let domain, let names):
            "the signer's certificate is for \(names.listed), not for \(domain.quoted)"
        case .commonNameOnly(let domain):
            "the signer's certificate names \(domain.quoted) only in the Common Name"
        case .wrongPurpose(let subject): CMSError.wrongPurpose(subject: subject).problem
        case .weakDigest(let signer, let name): "the signature of \(signer.quotedName) uses the weak digest \(name)"
        case .tooManySigners(let count, let limit): CMSError.tooManySigners(count: count, limit: limit).problem
        case .noTrustAnchors(let reason): reason
        case .severalSigners(let count): "the message has \(count) signatures"
        }
    }

    public var fix: String {
        switch self {
        case .noSigner: CMSError.noSigner.fix
        case .certificateMissing: CMSError.signerCertificateMissing.fix
        case .badSignature(_, let reason): CMSError.badSignature(reason: reason).fix
        case .certificate(.expired), .certificate(.notYetValid):
            "Sign again with a valid certificate, and check the clock"
        case .certificate(.untrustedRoot):
            "Sign with a certificate from a trusted CA, or trust the root with --trust"
        case .certificate(.selfSigned):
            "Sign with a certificate from a CA, such as the certificate of the site"
        case .certificate(.incomplete):
            "Include every intermediate certificate when signing (--chain), or trust the root with --trust"
        case .certificate(let issue): issue.fix
        case .wrongDomain(let domain, let names): CMSError.wrongDomain(domain: domain, names: names).fix
        case .commonNameOnly: "Sign with a certificate that names the domain in subjectAltName"
        case .wrongPurpose(let subject): CMSError.wrongPurpose(subject: subject).fix
        case .weakDigest: "Sign with SHA-256; with openssl, add: -md sha256"
        case .tooManySigners, .severalSigners: "Sign only with the certificate of the domain"
        case .noTrustAnchors(let reason): CMSError.noTrustAnchors(reason: reason).fix
        }
    }

    public var exitCode: ExitCode {
        switch self {
        case .noTrustAnchors: .unavailable
        case .noSigner, .certificateMissing, .badSignature, .certificate, .wrongDomain, .wrongPurpose, .weakDigest,
            .tooManySigners, .severalSigners, .commonNameOnly:
            .no
        }
    }
}
