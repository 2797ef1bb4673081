import COpenSSL
import Platform

/// The trust anchors that chains have to end at.
struct TrustStore: ~Copyable {
    private let store: OpaquePointer

    /// - Parameter anchors: roots; the system's when empty.
    /// - Throws: `CMSError.noTrustAnchors`.
    init(_ anchors: [Certificate]) throws(CMSError) {
        OpenSSLErrors.clear()
        defer { OpenSSLErrors.clear() }
        guard let store = X509_STORE_new() else { throw .noTrustAnchors(reason: OpenSSLErrors.drain()) }
        if anchors.isEmpty {
            guard X509_STORE_set_default_paths(store) == 1 else {
                X509_STORE_free(store)
                throw .noTrustAnchors(reason: OpenSSLErrors.drain())
            }
        }
        for anchor in anchors { X509_STORE_add_cert(store, anchor.pointer) }
        self.store = store
    }

    deinit {
        X509_STORE_free(store)
    }

    /// Builds and checks a chain (RFC 5280 §6).
    ///
    /// - Parameters:
    ///   - signer: the certificate to judge.
    ///   - intermediates: certificates that may be part of the chain.
    ///   - time: the moment of which the dates are asked.
    /// - Throws: `CMSError.expired`, `.notYetValid`, `.untrusted` or `.wrongPurpose`.
    func check(_ signer: Certificate, intermediates: [Certificate], at time: UnixTime) throws(CMSError) {
        OpenSSLErrors.clear()
        defer { OpenSSLErrors.clear() }
        let stack = CertificateStack(intermediates)
        let context = X509_STORE_CTX_new()
        defer { X509_STORE_CTX_free(context) }
        guard X509_STORE_CTX_init(context, store, signer.pointer, stack.pointer) == 1 else {
            throw .untrusted(subject: signer.subject, reason: OpenSSLErrors.drain())
        }
        X509_STORE_CTX_set_time(context, 0, time_t(time))
        // The purpose is judged below: OpenSSL's own for CMS is mail, but associations are signed with TLS certificates.
        X509_VERIFY_PARAM_set_purpose(X509_STORE_CTX_get0_param(context), X509_PURPOSE_ANY)
        guard X509_verify_cert(context) == 1 else { throw TrustStore.failure(context, signer) }
        let uses = X509_get_extended_key_usage(signer.pointer)
        guard uses & UInt32(XKU_SSL_SERVER | XKU_SMIME | XKU_ANYEKU) != 0 else {
            throw .wrongPurpose(subject: signer.subject)
        }
    }

    private static func failure(_ context: OpaquePointer?, _ signer: Certificate) -> CMSError {
        let code = X509_STORE_CTX_get_error(context)
        let culprit = X509_STORE_CTX_get_current_cert(context).map { Certificate(sharing: $0) } ?? signer
        switch code {
        case X509_V_ERR_CERT_HAS_EXPIRED: return .expired(subject: culprit.subject, at: culprit.notAfter.dateText)
        case X509_V_ERR_CERT_NOT_YET_VALID:
            return .notYetValid(subject: culprit.subject, from: culprit.notBefore.dateText)
        case let code:
            return .untrusted(
                subject: culprit.subject, reason: String(cString: X509_verify_cert_error_string(Int(code))))
        }
    }
}

extension UnixTime {
    /// The moment as RFC 3339 text in UTC, for error messages.
    var dateText: String {
        var seconds = time_t(self)
        var parts = tm()
        guard gmtime_r(&seconds, &parts) != nil else { return "\(self)" }
        func padded(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(parts.tm_year + 1900)-\(padded(parts.tm_mon + 1))-\(padded(parts.tm_mday))T"
            + "\(padded(parts.tm_hour)):\(padded(parts.tm_min)):\(padded(parts.tm_sec))Z"
    }
}
