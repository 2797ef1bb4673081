/// Diagnostics about the certificate and the TLS session. The verifier writes most messages.
package enum TLSDiagnostic: String, DiagnosticGroup {
    case notSpoken = "tls-not-spoken"
    case failed = "tls-handshake-failed"
    case tooOld = "tls-too-old"
    case expired = "tls-expired"
    case notYetValid = "tls-not-yet-valid"
    case wrongHost = "tls-wrong-host"
    case noAlternativeName = "tls-no-alternative-name"
    case wildcardTooWide = "tls-wildcard-too-wide"
    case selfSigned = "tls-self-signed"
    case untrusted = "tls-untrusted-root"
    case incomplete = "tls-incomplete-chain"
    case badChain = "tls-bad-chain"
    case tooLong = "tls-valid-too-long"
    case notForServers = "tls-not-for-servers"
    case noPurpose = "tls-no-extended-key-usage"
    case weakKey = "tls-weak-key"
    case weakDigest = "tls-weak-digest"
    case givenRoot = "tls-given-root"
    case untidy = "tls-untidy-chain"

    package var row: Diagnostic.Row {
        switch self {
        case .notSpoken:
            denied(
                "The port accepts TLS connections.", "A file fetched without TLS does not prove control of the domain.",
                .supporting, "plain HTTP on port 443")
        case .failed:
            denied(
                "The TLS handshake succeeds.", "The device fetches the file only over TLS.", .supporting, "a TLS alert")
        case .tooOld:
            .init(
                "The host supports TLS 1.2 or later.", because: "Devices reject earlier TLS versions.",
                .all(.denial).unproven(in: .documented, .ios9, .ios8), .transportSecurity, example: "TLS 1.1 only")
        case .expired:
            denied(
                "The certificate has not expired.", "Devices reject an expired certificate.", .x509("4.1.2.5"),
                "notAfter: yesterday")
        case .notYetValid:
            denied(
                "The certificate is already valid.", "Devices reject a certificate before its start date.",
                .x509("4.1.2.5"), "notBefore: tomorrow")
        case .wrongHost:
            denied(
                "The certificate is valid for the host.", "A certificate is valid only for the names that it lists.",
                .hostNames("6"), "a certificate for www.example.com at example.com")
        case .noAlternativeName:
            deniedSinceIOS13(
                "The certificate lists its hosts in subjectAltName.", "Devices ignore the Common Name.",
                .trustedCertificates, "CN=example.com without subjectAltName")
        case .wildcardTooWide:
            denied(
                "No wildcard is directly below a public suffix.", "Apple platforms reject the whole certificate.",
                .observed, "*.com")
        case .selfSigned:
            denied(
                "A certificate authority issued the certificate.",
                "Devices reject a self-signed certificate in every mode (SWCErrorDomain 100).", .observed,
                "openssl req -x509")
        case .untrusted:
            denied(
                "The chain ends at a root in the system's trust store.",
                "The device reports SWCErrorDomain 100, or 103 for a root that a user installed.", .observed,
                "a company's private root")
        case .incomplete:
            denied(
                "The host sends the intermediate certificates.",
                "Some browsers have cached these certificates, but new clients have not.", .x509("6.1"),
                "a leaf certificate alone")
        case .badChain:
            denied(
                "Every issuer in the chain is a certificate authority, and every signature is valid.",
                "One invalid certificate makes the chain invalid.", .x509("6.1"), "a leaf that signed a leaf")
        case .tooLong:
            deniedSinceIOS13(
                "The certificate is valid for at most 825 days, or 398 days if its root is publicly trusted.",
                "Apple platforms have enforced these limits since 2019 and 2020, respectively.", .certificateLimits,
                "10 years")
        case .notForServers:
            denied(
                "The certificate permits TLS server authentication: extendedKeyUsage has id-kp-serverAuth.",
                "Apple platforms reject other certificates.", .trustedCertificates, "a client certificate")
        case .noPurpose:
            deniedSinceIOS13(
                "The certificate has the extension extendedKeyUsage with id-kp-serverAuth.",
                "Apple platforms reject certificates issued since July 2019 without this extension.",
                .trustedCertificates, "a certificate without extendedKeyUsage")
        case .weakKey:
            deniedSinceIOS13(
                "RSA keys are at least 2,048 bits long.", "Apple platforms reject smaller keys.", .trustedCertificates,
                "a 1,024-bit RSA key")
        case .weakDigest:
            deniedSinceIOS13(
                "Signatures use SHA-2.", "Apple platforms reject SHA-1.", .trustedCertificates, "SHA-1 with RSA")
        case .givenRoot:
            .init(
                "The root is in the system's trust store.",
                because: "Apple's CDN accepts only publicly trusted roots (SWCErrorDomain 103). A device trusts a "
                    + "user-installed root only in developer mode, with ?mode=developer in the entitlement entry.",
                SeverityByProfile(device: .denial), .observed,
                message: "The chain ends at the root {root}, which is not publicly trusted.",
                fix: "During development, add ?mode=developer to the entitlement entry and install the root on the "
                    + "device. Otherwise, use a certificate from a public authority.",
                example: "--trust authority.pem")
        case .untidy:
            .init(
                "The chain is in order and has no unnecessary certificates.",
                because: "The chain works, but each handshake sends extra certificates.", .all(.note), .x509("6.1"),
                example: "a chain with its root")
        }
    }

    /// Returns a row for a requirement that Apple introduced in iOS 13. Its effect on earlier systems is unproven.
    private func deniedSinceIOS13(
        _ text: String, _ reason: String, _ source: Source, _ example: String
    ) -> Diagnostic.Row {
        .init(text, because: reason, .all(.denial).unproven(in: .ios9, .ios8), source, example: example)
    }

    private func denied(_ text: String, _ reason: String, _ source: Source, _ example: String) -> Diagnostic.Row {
        .init(text, because: reason, .all(.denial), source, example: example)
    }
}
