import COpenSSL

/// A chain as OpenSSL built it, with everything that it found wrong.
struct ExaminedPath {
    /// One thing that is wrong.
    struct Problem {
        /// One of OpenSSL's `X509_V_ERR` numbers.
        let code: Int32
        let certificate: Certificate

        /// The numbers of those that say that the path ends before a trust anchor.
        static let untrusting = [
            X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY,
            X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE, X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT,
            X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN, X509_V_ERR_CERT_CHAIN_TOO_LONG, X509_V_ERR_CERT_UNTRUSTED,
            X509_V_ERR_CERT_REJECTED,
        ]

        /// OpenSSL's words for it.
        var reason: String { unsafe String(cString: X509_verify_cert_error_string(Int(code))) }
    }

    /// The certificate that was judged first, then its issuers as far as they were found.
    let path: [Certificate]
    /// Whether the last of the path is a trust anchor.
    let isAnchored: Bool
    let problems: [Problem]
    /// Whether a trust anchor has the name of the issuer of the path's last certificate.
    let hasNamesake: Bool

    /// - Parameter hasTrusted: whether the last of the path is among the trusted certificates; the issuer of one that is
    ///   no root may be missing all the same.
    init(path: [Certificate], hasTrusted: Bool, problems: [Problem], hasNamesake: Bool) {
        self.path = path
        isAnchored = hasTrusted && !problems.contains { Problem.untrusting.contains($0.code) }
        self.problems = problems
        self.hasNamesake = hasNamesake
    }

    /// A path of which nothing could be built.
    init(_ leaf: Certificate, problem code: Int32) {
        self.init(
            path: [leaf], hasTrusted: false, problems: [Problem(code: code, certificate: leaf)], hasNamesake: false)
    }

    /// What is wrong with the path by RFC 5280 §6, and what of its keys and digests is too weak; each thing once.
    var faults: [ChainFault] {
        (problems.compactMap(fault) + path.compactMap(\.weakKey) + weakDigests + notAuthorities).unique
    }

    /// A root's signature of itself proves nothing, so its digest does not count.
    private var weakDigests: [ChainFault] {
        let endsAtRoot = path.count > 1 && path.last?.isSelfIssued == true
        return path.dropLast(endsAtRoot ? 1 : 0).compactMap(\.weakDigest)
    }

    /// OpenSSL also takes authorities by older extensions than basicConstraints; Apple's platforms do not.
    private var notAuthorities: [ChainFault] {
        path.dropFirst().filter { !$0.isAuthority && !(isAnchored && $0 == path.last) }
            .map { .notAnAuthority(subject: $0.title) }
    }

    private func fault(of problem: Problem) -> ChainFault? {
        let certificate = problem.certificate
        let subject = certificate.title
        return switch problem.code {
        case X509_V_ERR_CERT_HAS_EXPIRED: .expired(subject: subject, at: certificate.notAfter)
        case X509_V_ERR_CERT_NOT_YET_VALID: .notYetValid(subject: subject, from: certificate.notBefore)
        case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT: .selfSigned(subject: subject)
        case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN, X509_V_ERR_CERT_UNTRUSTED, X509_V_ERR_CERT_REJECTED:
            .untrustedRoot(subject: path.last?.title ?? subject)
        case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY: missingIssuer
        // It only says again that the issuer of a path of one certificate is missing.
        case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE: problems.count > 1 ? nil : missingIssuer
        case X509_V_ERR_CERT_CHAIN_TOO_LONG: .chainTooLong(limit: TrustStore.authorityLimit)
        case X509_V_ERR_PATH_LENGTH_EXCEEDED: .pathTooLong(subject: subject)
        case X509_V_ERR_CERT_SIGNATURE_FAILURE: .badSignature(subject: subject)
        // An issuer whose extended key usage is right lacks what makes it an authority.
        case X509_V_ERR_INVALID_PURPOSE where certificate != path.first && certificate.isForServers:
            .notAnAuthority(subject: subject)
        case X509_V_ERR_INVALID_PURPOSE: .notForServers(subject: subject)
        case X509_V_ERR_INVALID_CA, X509_V_ERR_INVALID_NON_CA, X509_V_ERR_KEYUSAGE_NO_CERTSIGN:
            .notAnAuthority(subject: subject)
        case X509_V_ERR_PERMITTED_VIOLATION, X509_V_ERR_EXCLUDED_VIOLATION, X509_V_ERR_SUBTREE_MINMAX,
            X509_V_ERR_UNSUPPORTED_CONSTRAINT_TYPE, X509_V_ERR_UNSUPPORTED_CONSTRAINT_SYNTAX,
            X509_V_ERR_UNSUPPORTED_NAME_SYNTAX:
            .nameConstraint(subject: subject, reason: problem.reason)
        case _: .refused(subject: subject, reason: problem.reason)
        }
    }

    /// The path ends before a trust anchor.
    ///
    /// Which sort of certificate is missing is not written anywhere. Public authorities sign servers' certificates with
    /// intermediates only, so above a server's certificate an intermediate is missing, above an intermediate a root.
    /// An anchor with the missing one's name is a root as well: one that was made anew with another key.
    private var missingIssuer: ChainFault? {
        guard let end = path.last else { return nil }
        return end.isAuthority || hasNamesake
            ? .untrustedRoot(subject: end.issuer) : .incomplete(subject: end.title, missing: end.issuer)
    }
}

extension Array where Element: Hashable {
    /// The elements without repetitions, in the order of their first appearance.
    var unique: [Element] {
        var seen: Set<Element> = []
        return filter { seen.insert($0).inserted }
    }
}
