/// The signature of a signed file, and who signed it.
enum SignatureRule: String, RuleGroup {
    case missing = "signature-missing"
    case needless = "signature-needless"
    case malformed = "signature-malformed"
    case detached = "signature-detached"
    case noSigner = "signature-without-signer"
    case bad = "signature-bad"
    case certificateMissing = "signer-certificate-missing"
    case expired = "signer-expired"
    case notYetValid = "signer-not-yet-valid"
    case untrusted = "signer-untrusted"
    case incomplete = "signer-incomplete-chain"
    case selfSigned = "signer-self-signed"
    case wrongDomain = "signer-wrong-domain"
    case wrongPurpose = "signer-wrong-purpose"
    case badChain = "signer-bad-chain"
    case weak = "signer-weak"
    case several = "signer-several"
    case domainUnknown = "signer-domain-unknown"

    package var entry: Rule.Entry {
        switch self {
        case .missing:
            .init(
                "For iOS 8 the file is signed: CMS in DER around the JSON.",
                because: "iOS 9 and later take plain JSON over https; iOS 8 does not.", Consequences(legacy: .denial),
                .sharedWebCredentials)
        case .needless:
            .init(
                "A file without a signature is enough since iOS 9.",
                because: "A signature has to be renewed with its certificate, or the whole file is void.",
                Consequences(documented: .note, device: .note), .appSearch)
        case .malformed:
            denied(
                "A signed file is one CMS message in DER form, and nothing else.", "A device cannot read others.",
                .cms("3"))
        case .detached:
            denied("The JSON is inside the signed file.", "A detached signature has nothing to read.", .cms("5.2"))
        case .noSigner: denied("Somebody signed the file.", "Without a signature it proves nothing.", .cms("5.1"))
        case .bad:
            denied("The signature is that of the content.", "One of them was changed since.", .cms("5.6"))
        case .certificateMissing:
            denied("The signer's certificate is in the file.", "Nobody knows it from elsewhere.", .cms("5.1"))
        case .expired:
            denied(
                "The signer's certificate is not expired.", "iOS refuses the file from that day on.",
                .sharedWebCredentials)
        case .notYetValid:
            denied(
                "The signer's certificate is valid already.", "iOS refuses the file before that day.",
                .sharedWebCredentials)
        case .untrusted:
            denied(
                "The signer's chain ends at a trusted root.", "An unknown authority vouches for nobody.",
                .sharedWebCredentials)
        case .incomplete:
            denied(
                "The intermediate certificates are in the signed file.",
                "openssl smime -sign puts them in with -certfile; without them the chain ends in nothing.",
                .sharedWebCredentials)
        case .selfSigned:
            denied(
                "The signer's certificate is signed by an authority.", "One that vouches for itself is no proof.",
                .sharedWebCredentials)
        case .wrongDomain:
            denied(
                "The signer's certificate is for the domain.",
                "A TLS certificate valid for the domain is asked for: Common Name or subjectAltName, wildcard allowed.",
                .sharedWebCredentials)
        case .wrongPurpose:
            denied("The signer's certificate is one for TLS.", "That is what proves the domain.", .sharedWebCredentials)
        case .badChain:
            denied(
                "Each certificate of the signer's chain may sign the next, and has.",
                "A chain with one bad link is none.", .x509("6.1"))
        case .weak:
            .init(
                "Digest and keys of the signature are strong.", because: "Later systems refuse SHA-1 and short keys.",
                .all(.warning), .trustedCertificates)
        case .several:
            .init(
                "One signer is enough.", because: "Each further one has to be valid too.", .all(.note), .cms("5.1"))
        case .domainUnknown:
            .init(
                "The signer's certificate is for the domain that serves the file.",
                because: "A file alone does not tell its domain; name it with --domain or an entitlement.", .all(.note),
                .sharedWebCredentials)
        }
    }

    private func denied(_ text: String, _ reason: String, _ source: Source) -> Rule.Entry {
        .init(text, because: reason, .all(.denial), source)
    }
}
