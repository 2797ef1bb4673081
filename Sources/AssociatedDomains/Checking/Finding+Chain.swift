import Certificates

extension Finding {
    /// What is to be said about the certificates of a host.
    ///
    /// - Parameters:
    ///   - chain: how they were judged.
    ///   - subject: the URL that was asked for.
    ///   - isStraight: whether the app's entry has a mode.
    static func all(_ chain: ChainVerdict, in subject: String, isStraight: Bool) -> [Finding] {
        var findings = chain.faults.map { fault in
            Finding(TLSRule(fault), fault.problem, remedy: fault.remedy, in: subject)
        }
        if case .given(let root) = chain.anchor, !isStraight {
            findings.append(
                Finding(
                    TLSRule.givenRoot, "the chain ends at \(root.excerpt), a root that was given to this tool",
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
