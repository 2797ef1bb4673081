import COpenSSL
import Platform

/// A CMS message with content and signatures that nobody has judged yet.
///
/// It keeps the bytes and reads them again for each judgement, because OpenSSL writes into a message that it verifies.
public struct SignedMessage: Sendable {
    /// The content as the message has it. Only what `verify` returns is proven.
    public let content: [UInt8]
    /// The certificates of those who signed, as far as the message holds them.
    public let signers: [Certificate]
    /// All certificates in the message.
    public let certificates: [Certificate]
    /// How many signatures there are, with a certificate or without.
    public let signatureCount: Int

    let message: [UInt8]

    init(_ message: [UInt8]) throws(CMSError) {
        OpenSSLErrors.clear()
        defer { OpenSSLErrors.clear() }
        let parsed = try ParsedMessage(message)
        guard let slot = unsafe CMS_get0_content(parsed.pointer), let content = unsafe slot.pointee else {
            throw .detached
        }
        let all = unsafe CMS_get1_certs(parsed.pointer)
        defer { unsafe CertificateStack.free(all) }
        let certificates = unsafe CertificateStack.certificates(in: all)
        let infos = unsafe CMS_get0_SignerInfos(parsed.pointer)
        var signers: [Certificate] = []
        for index in unsafe 0..<max(OPENSSL_sk_num(infos), 0) {
            let info = unsafe OPENSSL_sk_value(infos, index).map { OpaquePointer($0) }
            if let signer = certificates.first(where: { unsafe CMS_SignerInfo_cert_cmp(info, $0.pointer) == 0 }) {
                signers.append(signer)
            }
        }
        self.message = message
        self.content = unsafe Certificate.bytes(UnsafePointer(content))
        self.certificates = certificates
        self.signers = signers
        self.signatureCount = unsafe Int(max(OPENSSL_sk_num(infos), 0))
    }

    /// Checks the signatures against the certificates inside, and does not ask who the signers are.
    ///
    /// - Returns: the content that was signed.
    /// - Throws: `CMSError.noSigner`, `.tooManySigners`, `.signerCertificateMissing`, `.badSignature`.
    @discardableResult
    public func verifySignatureOnly() throws(CMSError) -> [UInt8] {
        try verifiedSigners().content
    }

    /// Checks everything: the signatures, the signers' chains to a trust anchor, the dates and the domain.
    ///
    /// - Parameters:
    ///   - trust: the trust anchors, which are roots; the system's when empty (`SSL_CERT_FILE` or OpenSSL's own paths).
    ///   - time: the moment at which every certificate of the chain has to be valid.
    ///   - domain: the domain that every signer's certificate has to be for; nil for any.
    /// - Returns: the content that was signed.
    /// - Throws: `CMSError`, with one case for each thing that can be wrong; the first that is. `faults` tells all.
    @discardableResult
    public func verify(trust: [Certificate], at time: UnixTime, domain: String?) throws(CMSError) -> [UInt8] {
        let proven = try verifiedSigners()
        let trusted = try TrustStore(trust.isEmpty ? nil : trust)
        for signer in proven.signers {
            try trusted.check(signer, intermediates: certificates, at: time)
            if let domain, !signer.matches(host: domain, commonName: true) {
                throw .wrongDomain(domain: domain, names: signer.signingNames)
            }
        }
        return proven.content
    }

    private func verifiedSigners() throws(CMSError) -> (content: [UInt8], signers: [Certificate]) {
        OpenSSLErrors.clear()
        defer { OpenSSLErrors.clear() }
        guard signatureCount > 0 else { throw .noSigner }
        guard signatureCount <= SignedMessage.signerLimit else {
            throw .tooManySigners(count: signatureCount, limit: SignedMessage.signerLimit)
        }
        guard signers.count == signatureCount else { throw .signerCertificateMissing }
        let parsed = try ParsedMessage(message)
        let flags = UInt32(CMS_BINARY | CMS_NO_SIGNER_CERT_VERIFY)
        guard let content = unsafe Bio.collecting({ unsafe CMS_verify(parsed.pointer, nil, nil, nil, $0, flags) == 1 })
        else {
            throw .badSignature(reason: OpenSSLErrors.drain())
        }
        // Asked of OpenSSL, because the certificates that it used are those to judge, should two have the same number.
        let used = unsafe CMS_get0_signers(parsed.pointer)
        defer { unsafe OPENSSL_sk_free(used) }
        let signers = unsafe CertificateStack.certificates(in: used)
        guard signers.count == signatureCount else { throw .signerCertificateMissing }
        return (content, signers)
    }
}

extension Certificate {
    /// The names that a signer's certificate is for: the Common Name when there is no other.
    var signingNames: [String] {
        let names = dnsNames + addresses
        return names.isEmpty ? [commonName ?? subject] : names
    }
}
