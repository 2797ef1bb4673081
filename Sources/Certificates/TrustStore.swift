import COpenSSL
import Platform

/// The trust anchors that chains have to end at, and what OpenSSL has to say about a chain to one of them.
// OpenSSL counts a store atomically and guards what is in it with its own lock; nothing here changes it after `init`.
@safe final class TrustStore: @unchecked Sendable {
    /// The most authorities between a certificate and its trust anchor.
    ///
    /// Public chains have one or two. Each costs the check of a signature, whose price the one who made the chain sets.
    static let authorityLimit = 16

    private let store: OpaquePointer

    /// - Parameter anchors: roots; the system's when nil (`SSL_CERT_FILE`, or OpenSSL's own paths).
    /// - Throws: `CMSError.noTrustAnchors`.
    init(_ anchors: [Certificate]?) throws(CMSError) {
        OpenSSLErrors.clear()
        defer { OpenSSLErrors.clear() }
        guard let store = unsafe X509_STORE_new() else { throw .noTrustAnchors(reason: OpenSSLErrors.drain()) }
        unsafe self.store = store
        if anchors == nil, unsafe X509_STORE_set_default_paths(store) != 1 {
            throw .noTrustAnchors(reason: OpenSSLErrors.drain())
        }
        for anchor in anchors ?? [] { unsafe X509_STORE_add_cert(store, anchor.pointer) }
    }

    deinit {
        unsafe X509_STORE_free(store)
    }

    /// Checks a signer's chain (RFC 5280 §6), which has to be good in every respect.
    ///
    /// - Parameters:
    ///   - signer: the certificate to judge.
    ///   - intermediates: certificates that may be part of the chain.
    ///   - time: the moment of which the dates are asked.
    /// - Throws: `CMSError.expired`, `.notYetValid`, `.untrusted` or `.wrongPurpose`.
    func check(_ signer: Certificate, intermediates: [Certificate], at time: UnixTime) throws(CMSError) {
        let path = examine(signer, intermediates: intermediates, at: time, purpose: X509_PURPOSE_ANY)
        if let problem = path.problems.first {
            let culprit = problem.certificate
            switch problem.code {
            case X509_V_ERR_CERT_HAS_EXPIRED:
                throw .expired(subject: culprit.subject, at: Timestamp.text(culprit.notAfter))
            case X509_V_ERR_CERT_NOT_YET_VALID:
                throw .notYetValid(subject: culprit.subject, from: Timestamp.text(culprit.notBefore))
            case _: throw .untrusted(subject: culprit.subject, reason: problem.reason)
            }
        }
        guard signer.isForSigning else { throw .wrongPurpose(subject: signer.subject) }
    }

    /// Builds the chain and collects everything that OpenSSL finds wrong with it, in the order in which it finds it.
    ///
    /// Strength of keys and digests is left to the caller: OpenSSL would stop at what is weak without a word on the rest.
    ///
    /// - Parameters:
    ///   - leaf: the certificate to judge.
    ///   - intermediates: certificates that may be part of the chain, in any order.
    ///   - time: the moment of which the dates are asked.
    ///   - purpose: what the chain has to be for, one of OpenSSL's `X509_PURPOSE` numbers.
    /// - Returns: the chain as far as it could be built.
    func examine(
        _ leaf: Certificate, intermediates: [Certificate], at time: UnixTime, purpose: Int32
    ) -> ExaminedPath {
        OpenSSLErrors.clear()
        defer { OpenSSLErrors.clear() }
        let stack = CertificateStack(intermediates)
        let context = unsafe X509_STORE_CTX_new()
        defer { unsafe X509_STORE_CTX_free(context) }
        let collector = ProblemCollector(leaf, at: time)
        return withExtendedLifetime(collector) {
            guard unsafe X509_STORE_CTX_init(context, store, leaf.pointer, stack.pointer) == 1,
                unsafe X509_STORE_CTX_set_ex_data(context, 0, Unmanaged.passUnretained(collector).toOpaque()) == 1,
                let rules = unsafe X509_STORE_CTX_get0_param(context),
                unsafe X509_VERIFY_PARAM_set_purpose(rules, purpose) == 1
            else {
                return ExaminedPath(leaf, problem: X509_V_ERR_UNSPECIFIED)
            }
            unsafe X509_STORE_CTX_set_time(context, 0, time_t(time))
            unsafe X509_VERIFY_PARAM_set_depth(rules, Int32(TrustStore.authorityLimit))
            unsafe X509_VERIFY_PARAM_set_auth_level(rules, 0)
            unsafe X509_STORE_CTX_set_verify_cb(context, ProblemCollector.callback)
            let isWhole = unsafe X509_verify_cert(context) == 1
            let chain = unsafe CertificateStack.certificates(in: X509_STORE_CTX_get0_chain(context))
            let path = chain.isEmpty ? [leaf] : chain
            var problems = collector.problems
            if !isWhole {
                // It gave up half-way, for want of memory or at a limit of its own: what is not looked at is not good.
                let code = unsafe X509_STORE_CTX_get_error(context)
                problems.append(.init(code: code == X509_V_OK ? X509_V_ERR_UNSPECIFIED : code, certificate: leaf))
            }
            let untrusted = unsafe Int(X509_STORE_CTX_get_num_untrusted(context))
            return ExaminedPath(
                path: path, hasTrusted: !chain.isEmpty && untrusted < chain.count, problems: problems,
                hasNamesake: path.last.map { unsafe TrustStore.hasIssuer(named: $0, context) } ?? false)
        }
    }

    /// Whether an anchor has the name of the certificate's issuer, be it with another key.
    private static func hasIssuer(named certificate: Certificate, _ context: OpaquePointer?) -> Bool {
        let found = unsafe X509_STORE_CTX_get1_certs(context, X509_get_issuer_name(certificate.pointer))
        defer { unsafe CertificateStack.free(found) }
        return unsafe OPENSSL_sk_num(found) > 0
    }
}

/// Gathers what OpenSSL reports while it checks a chain, and lets it go on each time.
private final class ProblemCollector {
    /// The most problems that are kept; a chain at its longest has fewer than ten for each certificate.
    private static let limit = 256

    private(set) var problems: [ExaminedPath.Problem] = []
    private let leaf: Certificate
    private let time: UnixTime

    init(_ leaf: Certificate, at time: UnixTime) {
        self.leaf = leaf
        self.time = time
    }

    static let callback: @convention(c) (Int32, OpaquePointer?) -> Int32 = { isGood, context in
        guard isGood != 1, let data = unsafe X509_STORE_CTX_get_ex_data(context, 0) else { return isGood }
        let collector = unsafe Unmanaged<ProblemCollector>.fromOpaque(data).takeUnretainedValue()
        guard collector.problems.count < limit else { return 0 }
        let culprit =
            unsafe X509_STORE_CTX_get_current_cert(context).map { unsafe Certificate(sharing: $0) } ?? collector.leaf
        let code = unsafe X509_STORE_CTX_get_error(context)
        // OpenSSL takes the last second for the first of the time after, but RFC 5280 §4.1.2.5 includes it.
        let isLastSecond = code == X509_V_ERR_CERT_HAS_EXPIRED && culprit.notAfter == collector.time
        if !isLastSecond { collector.problems.append(.init(code: code, certificate: culprit)) }
        return 1
    }
}
