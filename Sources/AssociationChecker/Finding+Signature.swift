import Certificates

extension Finding {
    /// What is wrong with who signed a file.
    init(_ fault: SignerFault, in subject: String) {
        self.init(SignatureRule(fault), fault.problem, remedy: fault.remedy, in: subject)
    }

    /// A signed file that cannot be opened.
    init(_ error: CMSError, in subject: String) {
        switch error {
        case .isPEM: self.init(ContainerRule.pem, error.problem, remedy: error.remedy, in: subject)
        case .isSMIME: self.init(ContainerRule.smime, error.problem, remedy: error.remedy, in: subject)
        case .empty: self.init(JSONRule.empty, error.problem, remedy: error.remedy, in: subject)
        case .isJSON, .malformed, .trailingBytes, .notSignedData, .detached, .noSigner, .tooManySigners,
            .signerCertificateMissing, .badSignature,
            .expired, .notYetValid, .untrusted, .wrongPurpose, .wrongDomain, .noTrustAnchors, .cannotSign:
            self.init(SignatureRule(error), error.problem, remedy: error.remedy, in: subject)
        }
    }
}

extension SignatureRule {
    init(_ fault: SignerFault) {
        self =
            switch fault {
            case .noSigner: .noSigner
            case .certificateMissing: .certificateMissing
            case .badSignature: .bad
            case .certificate(let fault): SignatureRule(fault)
            case .wrongDomain: .wrongDomain
            case .wrongPurpose: .wrongPurpose
            case .weakDigest: .weak
            case .tooManySigners: .malformed
            case .noTrustAnchors: .untrusted
            case .severalSigners: .several
            }
    }

    private init(_ fault: ChainFault) {
        self =
            switch fault {
            case .expired: .expired
            case .notYetValid: .notYetValid
            case .selfSigned: .selfSigned
            case .untrustedRoot: .untrusted
            case .incomplete: .incomplete
            case .weakKey, .weakDigest: .weak
            case .notForServers: .wrongPurpose
            case .wrongHost, .noAlternativeName, .wildcardTooWide: .wrongDomain
            case .noCertificate: .certificateMissing
            case .tooLong, .notAnAuthority, .nameConstraint, .badSignature, .pathTooLong, .chainTooLong, .refused,
                .wrongOrder, .unneeded:
                .badChain
            }
    }

    fileprivate init(_ error: CMSError) {
        self =
            switch error {
            case .detached: .detached
            case .noSigner: .noSigner
            case .signerCertificateMissing: .certificateMissing
            case .badSignature: .bad
            case .expired: .expired
            case .notYetValid: .notYetValid
            case .untrusted, .noTrustAnchors: .untrusted
            case .wrongPurpose: .wrongPurpose
            case .wrongDomain: .wrongDomain
            case .empty, .isPEM, .isSMIME, .isJSON, .malformed, .trailingBytes, .notSignedData, .tooManySigners,
                .cannotSign:
                .malformed
            }
    }
}
