import COpenSSL
import MotivatorPlatform

/// A chain that OpenSSL built, with all its issues.
struct BuiltChain {
    /// One of OpenSSL's `X509_V_ERR` numbers, and the certificate that caused it.
    typealias Problem = (code: Int32, certificate: Certificate)

    /// The verified certificate, followed by the issuers that OpenSSL found.
    let path: [Certificate]
    /// Whether the last certificate of the path is a trust anchor.
    let isAnchored: Bool
    /// The issues according to RFC 5280 §6, and weak keys and digests, without duplicates.
    let issues: [ChainIssue]

    /// Translates OpenSSL's report.
    /// - Parameters:
    ///   - path: the verified certificate, followed by its issuers.
    ///   - hasTrusted: whether the last certificate of the path is trusted. Its own issuer may be missing.
    ///   - hasNamesake: whether a trust anchor has the name of the last certificate's issuer.
    static func translate(
        path: [Certificate], hasTrusted: Bool, problems: [Problem], hasNamesake: Bool
    ) -> BuiltChain {
        let reported = problems.compactMap { problem in
            // For a single certificate, this error only repeats the error for the missing issuer.
            problem.code == X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE && problems.count > 1
                ? nil : issue(of: problem, path, hasNamesake: hasNamesake)
        }
        let endsBeforeAnchor = reported.contains { issue in
            switch issue {
            case .selfSigned, .untrustedRoot, .incomplete, .chainTooLong: true
            case _: false
            }
        }
        let isAnchored = hasTrusted && !endsBeforeAnchor
        // The digest of a root's own signature does not matter, because the signature proves nothing.
        let endsAtRoot = path.count > 1 && path.last?.isSelfIssued == true
        let weakDigests = path.dropLast(endsAtRoot ? 1 : 0).compactMap(\.weakDigest)
        // OpenSSL also recognizes CAs by extensions older than basicConstraints. Apple's platforms do not.
        let notAuthorities = path.dropFirst().filter { !$0.isAuthority && !(isAnchored && $0 == path.last) }
            .map { ChainIssue.notAnAuthority(subject: $0.title) }
        return BuiltChain(
            path: path, isAnchored: isAnchored,
            issues: (reported + path.compactMap(\.weakKey) + weakDigests + notAuthorities).distinct)
    }

    private static func issue(of problem: Problem, _ path: [Certificate], hasNamesake: Bool) -> ChainIssue {
        let certificate = problem.certificate
        let subject = certificate.title
        let reason = unsafe String(cString: X509_verify_cert_error_string(Int(problem.code)))
        return switch problem.code {
        case X509_V_ERR_CERT_HAS_EXPIRED: .expired(subject: subject, at: certificate.notAfter)
        case X509_V_ERR_CERT_NOT_YET_VALID: .notYetValid(subject: subject, from: certificate.notBefore)
        case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT: .selfSigned(subject: subject)
        case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN, X509_V_ERR_CERT_UNTRUSTED, X509_V_ERR_CERT_REJECTED:
            .untrustedRoot(subject: path.last?.title ?? subject)
        case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY,
            X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
            missingIssuer(of: path.last ?? certificate, hasNamesake: hasNamesake)
        case X509_V_ERR_CERT_CHAIN_TOO_LONG: .chainTooLong(limit: TrustStore.authorityLimit)
        case X509_V_ERR_PATH_LENGTH_EXCEEDED: .pathTooLong(subject: subject)
        case X509_V_ERR_CERT_SIGNATURE_FAILURE: .badSignature(subject: subject)
        // This issuer's extended key usage is valid, so the cause is that it is not a CA certificate.
        case X509_V_ERR_INVALID_PURPOSE where certificate != path.first && certificate.isForServers:
            .notAnAuthority(subject: subject)
        case X509_V_ERR_INVALID_PURPOSE: .notForServers(subject: subject, byKeyUsage: certificate.isForServers)
        case X509_V_ERR_INVALID_CA, X509_V_ERR_INVALID_NON_CA, X509_V_ERR_KEYUSAGE_NO_CERTSIGN:
            .notAnAuthority(subject: subject)
        case X509_V_ERR_PERMITTED_VIOLATION, X509_V_ERR_EXCLUDED_VIOLATION, X509_V_ERR_SUBTREE_MINMAX,
            X509_V_ERR_UNSUPPORTED_CONSTRAINT_TYPE, X509_V_ERR_UNSUPPORTED_CONSTRAINT_SYNTAX,
            X509_V_ERR_UNSUPPORTED_NAME_SYNTAX:
            .nameConstraint(subject: subject, reason: reason)
        case _: .refused(subject: subject, reason: reason)
        }
    }

    /// Returns the issue for a path that ends before a trust anchor.
    ///
    /// Infers the kind of the missing issuer. Public CAs sign server certificates only with intermediates. A server
    /// certificate therefore lacks an intermediate, and an intermediate lacks a root. A trust anchor with the name of
    /// the missing issuer is an older or newer root with another key.
    private static func missingIssuer(of end: Certificate, hasNamesake: Bool) -> ChainIssue {
        end.isAuthority || hasNamesake
            ? .untrustedRoot(subject: end.issuer) : .incomplete(subject: end.title, missing: end.issuer)
    }

    /// Returns notes about certificates that are out of order or unneeded.
    func notes(on served: [Certificate]) -> [ChainIssue] {
        var positions: [Int] = []
        var unneeded: [String] = []
        for certificate in served {
            // A client that trusts the root already has it. The server's own certificate is always needed.
            if let index = path.firstIndex(of: certificate), !positions.contains(index),
                !(isAnchored && index > 0 && index == path.count - 1)
            {
                positions.append(index)
            } else {
                unneeded.append(certificate.title)
            }
        }
        // The first certificate that does not follow the certificate that it issued.
        let misplaced = positions.indices.dropFirst().first { positions[$0] != positions[$0 - 1] + 1 }
        return (misplaced.map { [.wrongOrder(subject: path[positions[$0]].title)] } ?? [])
            + (unneeded.isEmpty ? [] : [.unneeded(subjects: unneeded)])
    }
}
