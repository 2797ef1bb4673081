import Certificates

extension Finding {
    /// What is to be said about the certificates of a host.
    ///
    /// - Parameters:
    ///   - chain: how they were judged.
    ///   - subject: the URL that was asked for.
    ///   - isForDevelopers: whether the app's entry is for devices in developer mode alone.
    package static func all(_ chain: ChainVerdict, in subject: String, isForDevelopers: Bool) -> [Finding] {
        var findings = chain.faults.map { fault in
            Finding(TLSRule(fault), fault.problem, remedy: fault.remedy, in: subject)
        }
        guard case .given(let root) = chain.anchor else { return findings }
        if chain.path.count == 1 {
            // Only here is it known that the certificate is its own trust anchor: for the chain it is one like others.
            let fault = ChainFault.selfSigned(subject: root)
            findings.append(
                Finding(
                    TLSRule.selfSigned,
                    "the certificate \(root.quotedName) signed itself, and being trusted does not "
                        + "help it", remedy: fault.remedy, in: subject,
                    Consequences(documented: .denial, device: .denial)))
        } else if !isForDevelopers {
            findings.append(
                Finding(
                    TLSRule.givenRoot, "the chain ends at \(root.quotedName), a root that was given to this tool",
                    remedy: "For development add ?mode=developer to the entry and install the root on the device; "
                        + "otherwise take a certificate of a public authority", in: subject))
        }
        return findings
    }
}

extension TLSRule {
    /// The rule that a chain breaks.
    init(_ fault: ChainFault) {
        self =
            switch fault {
            case .noCertificate: .failed
            case .expired: .expired
            case .notYetValid: .notYetValid
            case .wrongHost: .wrongHost
            case .noAlternativeName: .noAlternativeName
            case .selfSigned: .selfSigned
            case .untrustedRoot: .untrusted
            case .incomplete: .incomplete
            case .tooLong: .tooLong
            case .notForServers: .notForServers
            case .weakKey: .weakKey
            case .weakDigest: .weakDigest
            case .wildcardTooWide: .wildcardTooWide
            case .wrongOrder, .unneeded: .untidy
            case .notAnAuthority, .nameConstraint, .badSignature, .pathTooLong, .chainTooLong, .refused: .badChain
            }
    }
}
