import COpenSSL
import MotivatorPlatform

/// The trust anchors that OpenSSL verifies chains against.
// Sendable unchecked: OpenSSL counts references atomically and locks the store. It does not change after `init`.
@safe final class TrustStore: @unchecked Sendable {
    /// The maximum number of CAs between a certificate and its trust anchor.
    ///
    /// Public chains have one or two CAs. Each CA costs a signature verification with a key that the peer chooses.
    static let authorityLimit = 16

    private let store: OpaquePointer

    /// - Parameter anchors: the trusted roots; nil for the system's roots (`SSL_CERT_FILE` or OpenSSL's paths).
    init(_ anchors: [Certificate]?) throws(CMSIssue) {
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

    /// Builds the chain for a certificate and collects all of OpenSSL's errors.
    ///
    /// OpenSSL's check of key and digest strength is off, because it would hide all errors after the first weak key.
    /// - Parameters:
    ///   - intermediates: the certificates that may be part of the chain, in any order.
    ///   - purpose: the required purpose, one of OpenSSL's `X509_PURPOSE` numbers.
    /// - Returns: the part of the chain that OpenSSL could build.
    func build(
        _ leaf: Certificate, intermediates: [Certificate], at time: UnixTime, purpose: Int32
    ) -> BuiltChain {
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
                return .translate(
                    path: [leaf], hasTrusted: false,
                    problems: [(X509_V_ERR_UNSPECIFIED, leaf)], hasNamesake: false)
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
                // OpenSSL ran out of memory or reached a limit. The rest of the chain is unverified.
                let code = unsafe X509_STORE_CTX_get_error(context)
                problems.append((code == X509_V_OK ? X509_V_ERR_UNSPECIFIED : code, leaf))
            }
            let untrusted = unsafe Int(X509_STORE_CTX_get_num_untrusted(context))
            return .translate(
                path: path, hasTrusted: !chain.isEmpty && untrusted < chain.count, problems: problems,
                hasNamesake: path.last.map { unsafe TrustStore.hasIssuer(named: $0, context) } ?? false)
        }
    }

    /// Returns whether an anchor has the name of the certificate's issuer, possibly with another key.
    private static func hasIssuer(named certificate: Certificate, _ context: OpaquePointer?) -> Bool {
        let found = unsafe X509_STORE_CTX_get1_certs(context, X509_get_issuer_name(certificate.pointer))
        defer { unsafe CertificateStack.free(found) }
        return unsafe OPENSSL_sk_num(found) > 0
    }
}

/// Collects the errors that OpenSSL reports while it verifies a chain, and makes it continue after each error.
private final class ProblemCollector {
    /// The maximum number of errors to collect. Even the longest chain causes fewer than ten errors per certificate.
    private static let limit = 256

    private(set) var problems: [BuiltChain.Problem] = []
    private let leaf: Certificate
    private let time: UnixTime

    init(_ leaf: Certificate, at time: UnixTime) {
        (self.leaf, self.time) = (leaf, time)
    }

    static let callback: @convention(c) (Int32, OpaquePointer?) -> Int32 = { isGood, context in
        guard isGood != 1, let data = unsafe X509_STORE_CTX_get_ex_data(context, 0) else { return isGood }
        let collector = unsafe Unmanaged<ProblemCollector>.fromOpaque(data).takeUnretainedValue()
        guard collector.problems.count < limit else { return 0 }
        let culprit =
            unsafe X509_STORE_CTX_get_current_cert(context).map { unsafe Certificate(sharing: $0) } ?? collector.leaf
        let code = unsafe X509_STORE_CTX_get_error(context)
        // OpenSSL treats a certificate as expired in its last second. RFC 5280 §4.1.2.5 includes that second.
        let isLastSecond = code == X509_V_ERR_CERT_HAS_EXPIRED && culprit.notAfter == collector.time
        if !isLastSecond { collector.problems.append((code, culprit)) }
        return 1
    }
}
