/// Diagnostics about the signature and the signer of a signed file. The verifier writes most messages.
package enum SignatureDiagnostic: String, DiagnosticGroup {
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
    case commonNameOnly = "signer-common-name-only"
    case weak = "signer-weak"
    case several = "signer-several"
    case domainUnknown = "signer-domain-unknown"

    package var row: Diagnostic.Row {
        switch self {
        case .missing:
            .init(
                "For iOS 8, the file is signed: DER-encoded CMS that contains the JSON.",
                because: "iOS 9 and later accept plain JSON over https. iOS 8 does not.",
                SeverityByProfile(ios8: .denial), .sharedWebCredentials, message: "The file is not signed.",
                fix: "If the app supports iOS 8, sign the file with motivator association sign.",
                example: "plain JSON")
        case .needless:
            .init(
                "Since iOS 9, a file does not require a signature.",
                because: "You must sign the file again with each new certificate. Otherwise, the device ignores it.",
                SeverityByProfile(device: .note, documented: .note, ios9: .note), .appSearch,
                message: "The file is signed.", fix: "Serve the plain JSON, unless the app supports iOS 8.",
                example: "a signed file at /.well-known/")
        case .malformed:
            denied(
                "A signed file is exactly one DER-encoded CMS message.", "The device cannot read other content.",
                .cms("3"), "DER followed by other bytes")
        case .detached:
            denied(
                "The JSON is inside the signed file.", "A detached signature does not contain the JSON.", .cms("5.2"),
                "openssl smime -sign without -nodetach")
        case .noSigner:
            denied(
                "The file has a signer.", "A file without a signer proves nothing.", .cms("5.1"), "certificates only")
        case .bad:
            denied(
                "The signature matches the content.", "The content or the signature changed after signing.",
                .cms("5.6"), "an edited file")
        case .certificateMissing:
            denied(
                "The signer's certificate is in the file.", "The device does not fetch the certificate.", .cms("5.1"),
                "openssl smime -sign -nocerts")
        case .expired:
            deniedToIOS8(
                "The signer's certificate has not expired.", "iOS rejects the file after the expiration date.",
                .sharedWebCredentials, "a file signed two years ago")
        case .notYetValid:
            deniedToIOS8(
                "The signer's certificate is already valid.", "iOS rejects the file before the start date.",
                .sharedWebCredentials, "notBefore: tomorrow")
        case .untrusted:
            deniedToIOS8(
                "The signer's chain ends at a trusted root.",
                "The device does not trust other certificate authorities.", .sharedWebCredentials, "a private root")
        case .incomplete:
            deniedToIOS8(
                "The intermediate certificates are in the signed file.",
                "Without these certificates, the chain is incomplete. openssl smime -sign adds them with -certfile.",
                .sharedWebCredentials, "openssl smime -sign without -certfile")
        case .selfSigned:
            deniedToIOS8(
                "A certificate authority issued the signer's certificate.", "A self-signed certificate proves nothing.",
                .sharedWebCredentials, "openssl req -x509")
        case .wrongDomain:
            deniedToIOS8(
                "The signer's certificate is valid for the domain.",
                "iOS requires a TLS certificate that names the domain in the Common Name or subjectAltName. A wildcard "
                    + "is allowed.", .sharedWebCredentials, "a certificate for www.example.com")
        case .wrongPurpose:
            deniedToIOS8(
                "The signer's certificate is a TLS server certificate.",
                "Other certificates do not prove domain control.", .sharedWebCredentials, "a certificate for email")
        case .badChain:
            deniedToIOS8(
                "Every issuer in the signer's chain is a certificate authority, and every signature is valid.",
                "One invalid certificate makes the chain invalid.", .x509("6.1"), "a leaf that signed a leaf")
        case .commonNameOnly:
            .init(
                "The signer's certificate names the domain in subjectAltName.",
                because: "The archived reference accepts the Common Name. No source describes later systems.",
                .all(.note).unproven(in: .device, .ios9), .sharedWebCredentials, example: "CN=example.com")
        case .weak:
            .init(
                "The signature uses a strong digest and strong keys.",
                because: "Later systems reject SHA-1 and short keys.",
                .all(.warning).unproven(in: .device, .ios9), .trustedCertificates,
                example: "SHA-1")
        case .several:
            .init(
                "The file has only one signer.", because: "Each additional signer must also be valid.", .all(.note),
                .cms("5.1"), example: "two signers")
        case .domainUnknown:
            .init(
                "The signer's certificate is valid for the domain that serves the file.",
                because: "A local file does not identify its domain.", .all(.note), .sharedWebCredentials,
                message: "The domain of the file is unknown, so the checker cannot verify the signer's names.",
                fix: "Specify the domain with --domain or --entitlement.", example: "check signed.der")
        }
    }

    /// Returns a row for a requirement on the signer. Whether systems that accept plain JSON enforce it is unproven.
    private func deniedToIOS8(_ text: String, _ reason: String, _ source: Source, _ example: String) -> Diagnostic.Row {
        .init(text, because: reason, .all(.denial).unproven(in: .device, .ios9), source, example: example)
    }

    private func denied(_ text: String, _ reason: String, _ source: Source, _ example: String) -> Diagnostic.Row {
        .init(text, because: reason, .all(.denial), source, example: example)
    }
}
