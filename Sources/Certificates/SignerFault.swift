import Platform

/// One thing that is wrong with the signatures of a message (RFC 5652).
public enum SignerFault: Hashable, Sendable {
    /// Nobody signed.
    case noSigner
    /// The message does not hold the certificate of this signer, by issuer and serial number or by key identifier.
    case certificateMissing(signer: String)
    /// The signature belongs to another content or to another key (RFC 5652 §5.6).
    case badSignature(signer: String, reason: String)
    /// What is wrong with the signer's certificate or its chain; of `ChainFault` those that are not about TLS servers.
    case certificate(ChainFault)
    /// Neither a name in subjectAltName nor, without any, the Common Name is the domain (Apple's Shared Web Credentials
    /// Reference, 2014).
    case wrongDomain(domain: String, names: [String])
    /// The certificate is for neither TLS servers nor mail (RFC 5280 §4.2.1.12).
    case wrongPurpose(subject: String)
    /// The content is signed by a digest such as SHA-1, for which other content with the same digest can be made
    /// (RFC 6194 §3).
    case weakDigest(signer: String, name: String)
    /// More signatures than are looked at; the limit is our own.
    case tooManySigners(count: Int, limit: Int)
    /// The trust anchors cannot be read, so no chain can be judged; the reason is a whole sentence.
    case noTrustAnchors(reason: String)
    /// More than one signed; a note, because each of them is judged.
    case severalSigners(count: Int)

    /// Whether the message may be good all the same.
    public var isNote: Bool {
        switch self {
        case .severalSigners: true
        case .certificate(let fault): fault.isNote
        case .noSigner, .certificateMissing, .badSignature, .wrongDomain, .wrongPurpose, .weakDigest, .tooManySigners,
            .noTrustAnchors:
            false
        }
    }
}

extension SignerFault: ExplainedError {
    public var problem: String {
        switch self {
        case .noSigner: CMSError.noSigner.problem
        case .certificateMissing(let signer):
            "the message does not hold the certificate of its signer, whom it names only by "
                + "\(signer.hasPrefix("key ") ? "key identifier" : "issuer and serial number"): \(signer.quotedName)"
        case .badSignature(let signer, let reason): "the signature of \(signer.quotedName) is wrong: \(reason)"
        case .certificate(let fault): fault.problem
        case .wrongDomain(let domain, let names):
            "the signer's certificate is for \(names.listed), not for \(domain.quoted)"
        case .wrongPurpose(let subject): CMSError.wrongPurpose(subject: subject).problem
        case .weakDigest(let signer, let name): "\(signer.quotedName) signed with \(name)"
        case .tooManySigners(let count, let limit): CMSError.tooManySigners(count: count, limit: limit).problem
        case .noTrustAnchors(let reason): reason
        case .severalSigners(let count): "\(count) signed the message"
        }
    }

    public var remedy: String {
        switch self {
        case .noSigner: CMSError.noSigner.remedy
        case .certificateMissing: CMSError.signerCertificateMissing.remedy
        case .badSignature(_, let reason): CMSError.badSignature(reason: reason).remedy
        case .certificate(.expired), .certificate(.notYetValid):
            "Sign again with a certificate that is valid, and check the clock"
        case .certificate(.untrustedRoot):
            "Sign with a certificate of an authority that is trusted, or name the root with --trust"
        case .certificate(.selfSigned):
            "Sign with a certificate of an authority, such as the one that the site serves with"
        case .certificate(.incomplete):
            "Include every intermediate certificate when signing (--chain), or name the root with --trust"
        case .certificate(let fault): fault.remedy
        case .wrongDomain(let domain, let names): CMSError.wrongDomain(domain: domain, names: names).remedy
        case .wrongPurpose(let subject): CMSError.wrongPurpose(subject: subject).remedy
        case .weakDigest: "Sign with SHA-256, with openssl by adding: -md sha256"
        case .tooManySigners, .severalSigners: "Sign with one certificate, that of the domain"
        case .noTrustAnchors(let reason): CMSError.noTrustAnchors(reason: reason).remedy
        }
    }

    public var exitCode: ExitCode {
        switch self {
        case .noTrustAnchors: .unavailable
        case .noSigner, .certificateMissing, .badSignature, .certificate, .wrongDomain, .wrongPurpose, .weakDigest,
            .tooManySigners, .severalSigners:
            .no
        }
    }
}
