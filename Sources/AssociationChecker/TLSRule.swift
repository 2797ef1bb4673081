/// The certificate and the session, judged as a device judges them.
enum TLSRule: String, RuleGroup {
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
    case weakKey = "tls-weak-key"
    case weakDigest = "tls-weak-digest"
    case givenRoot = "tls-given-root"
    case untidy = "tls-untidy-chain"

    package var entry: Rule.Entry {
        switch self {
        case .notSpoken:
            denied("The port speaks TLS.", "A file that comes without it proves nothing about the domain.", .supporting)
        case .failed: denied("The TLS handshake succeeds.", "Without it there is no file.", .supporting)
        case .tooOld:
            denied("The host speaks TLS 1.2 or later.", "Devices refuse older versions.", .transportSecurity)
        case .expired: denied("The certificate is not expired.", "An expired one vouches for nobody.", .x509("4.1.2.5"))
        case .notYetValid:
            denied("The certificate is valid already.", "One from the future vouches for nobody.", .x509("4.1.2.5"))
        case .wrongHost:
            denied("The certificate is for the host.", "Another host's vouches for that one only.", .hostNames("6"))
        case .noAlternativeName:
            denied(
                "The certificate names its hosts in subjectAltName.", "The Common Name no longer counts.",
                .trustedCertificates)
        case .wildcardTooWide:
            denied(
                "No wildcard stands right below a public suffix.", "Apple platforms refuse the whole certificate.",
                .observed)
        case .selfSigned:
            denied(
                "The certificate is signed by an authority.",
                "A device refuses one that vouches for itself in every mode (SWCErrorDomain 100).", .observed)
        case .untrusted:
            denied(
                "The chain ends at a root that the system has.",
                "A device ends with SWCErrorDomain 100, or 103 for a root that a user installed.", .observed)
        case .incomplete:
            denied(
                "The host sends the intermediate certificates too.",
                "A browser may know them from elsewhere; who asks for the first time does not.", .x509("6.1"))
        case .badChain:
            denied(
                "Each certificate of the chain may sign the next, and has.",
                "A chain with one bad link is none.", .x509("6.1"))
        case .tooLong:
            denied(
                "The certificate is valid for at most 825 days, 398 below a public root.",
                "Apple platforms refuse longer ones since 2019 and 2020.", .certificateLimits)
        case .notForServers:
            denied(
                "The certificate is for TLS servers: id-kp-serverAuth in extendedKeyUsage.",
                "Apple platforms refuse one that does not say so.", .trustedCertificates)
        case .weakKey:
            denied("RSA keys have at least 2048 bits.", "Apple platforms refuse smaller ones.", .trustedCertificates)
        case .weakDigest:
            denied("Signatures are made with SHA-2.", "Apple platforms refuse SHA-1.", .trustedCertificates)
        case .givenRoot:
            .init(
                "The root is in the system's store, not only given to this tool.",
                because: "A device takes a root that a user installed only in developer mode, with ?mode=developer "
                    + "in the entitlement.", Consequences(device: .warning), .observed)
        case .untidy:
            .init(
                "The chain comes in order, without certificates that it does not need.",
                because: "It works, but each handshake carries the rest.", .all(.note), .x509("6.1"))
        }
    }

    private func denied(_ text: String, _ reason: String, _ source: Source) -> Rule.Entry {
        .init(text, because: reason, .all(.denial), source)
    }
}
