public import MotivatorPlatform

/// Why a signed message cannot be read, verified or created (RFC 5652).
public enum CMSError: ExplainedError, Equatable {
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
    /// The message does not contain the certificate of a signer.
    case signerCertificateMissing
    /// The signature does not match the content.
    case badSignature(reason: String)
    case expired(subject: String, at: String)
    case notYetValid(subject: String, from: String)
    /// The chain does not end at a trust anchor.
    case untrusted(reason: String)
    /// The signer's certificate is not for TLS servers.
    case wrongPurpose(subject: String)
    case wrongDomain(domain: String, names: [String])
    case noTrustAnchors(reason: String)
    case cannotSign(reason: String)

    public var problem: String {
        switch self {
        case .empty: "the message is empty"
        case .isPEM: "the message is in PEM form, not in DER form"
        case .isSMIME: "the message is S/MIME text, not in DER form"
        case .isJSON: "the file is unsigned JSON"
        case .malformed(let reason): "the message is not CMS in DER form: \(reason)"
        case .trailingBytes(let count): "\(count) bytes follow the message"
        case .notSignedData(let type): "the content type of the message is \(type.quoted), not SignedData"
        case .detached: "the message does not contain the signed content"
        case .noSigner: "the message has no signature"
        case .tooManySigners(let count, let limit):
            "the message has \(count) signatures, more than the limit of \(limit)"
        case .signerCertificateMissing: "the message does not contain the certificate of its signer"
        case .badSignature(let reason): "the signature is invalid: \(reason)"
        case .expired(let subject, let date): "the certificate \(subject.quotedName) expired on \(date)"
        case .notYetValid(let subject, let date): "the certificate \(subject.quotedName) is not valid before \(date)"
        case .untrusted(let reason): "the signer is not trusted: \(reason)"
        case .wrongPurpose(let subject): "the certificate \(subject.quotedName) is not for TLS servers (serverAuth)"
        case .wrongDomain(let domain, let names):
            "the signer's certificate is for \(names.joined(separator: ", ").quoted), not for \(domain.quoted)"
        case .noTrustAnchors(let reason): "the system's trusted certificates cannot be read: \(reason)"
        case .cannotSign(let reason): "the content cannot be signed: \(reason)"
        }
    }

    public var fix: String {
        switch self {
        case .isJSON:
            "Check the file with: motivator association check FILE, or sign it with: motivator association sign FILE"
        case .empty, .malformed, .notSignedData: "Sign the file with: motivator association sign FILE"
        case .isPEM, .isSMIME: "Write the message in DER form; with openssl, add: -outform DER"
        case .trailingBytes: "Serve the message unchanged, without additional bytes"
        case .detached: "Include the content; with openssl, add: -nodetach"
        case .noSigner: "Sign the file with a certificate and its key"
        case .tooManySigners: "Sign only with the certificate of the domain"
        case .signerCertificateMissing: "Sign again without -nocerts"
        case .badSignature: "Sign again whenever the content changes, and serve the message unchanged"
        case .expired, .notYetValid: "Sign again with a valid certificate, and check the clock"
        case .untrusted: "Include every intermediate certificate when signing (--chain), or trust the root with --trust"
        case .wrongPurpose: "Sign with the TLS certificate of the domain"
        case .wrongDomain: "Sign with a certificate for the domain that serves the file"
        case .noTrustAnchors: "Specify the trusted root with --trust, or set SSL_CERT_FILE"
        case .cannotSign: "Check that the key belongs to the certificate"
        }
    }

    public var exitCode: ExitCode {
        switch self {
        case .empty, .isPEM, .isSMIME, .isJSON, .malformed, .trailingBytes, .notSignedData: .badInput
        case .detached, .noSigner, .tooManySigners, .signerCertificateMissing, .badSignature, .expired, .notYetValid,
            .untrusted,
            .wrongPurpose, .wrongDomain:
            .no
        case .noTrustAnchors: .unavailable
        case .cannotSign: .badInput
        }
    }
}

extension CMSError {
    /// Creates the error for an issue that makes verification fail; nil for notes, weak keys and weak digests.
    init?(_ issue: SignerIssue) {
        switch issue {
        case .noSigner: self = .noSigner
        case .certificateMissing: self = .signerCertificateMissing
        case .badSignature(_, let reason): self = .badSignature(reason: reason)
        case .certificate(.expired(let subject, let end)): self = .expired(subject: subject, at: Timestamp.text(end))
        case .certificate(.notYetValid(let subject, let start)):
            self = .notYetValid(subject: subject, from: Timestamp.text(start))
        case .certificate(.weakKey), .certificate(.weakDigest), .weakDigest, .severalSigners,
            .commonNameOnly:
            return nil
        case .certificate(let issue): self = .untrusted(reason: issue.problem)
        case .wrongDomain(let domain, let names): self = .wrongDomain(domain: domain, names: names)
        case .wrongPurpose(let subject): self = .wrongPurpose(subject: subject)
        case .tooManySigners(let count, let limit): self = .tooManySigners(count: count, limit: limit)
        case .noTrustAnchors(let reason): self = .noTrustAnchors(reason: reason)
        }
    }
}
