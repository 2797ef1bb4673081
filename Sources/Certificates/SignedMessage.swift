import COpenSSL
public import MotivatorPlatform

/// A parsed CMS message with its content and signatures (RFC 5652).
///
/// It keeps the bytes and parses them for each verification, because OpenSSL modifies a message that it verifies.
public struct SignedMessage: Sendable {
    /// The maximum number of signatures. Most messages have one signature. Each signature requires verifying a chain.
    public static let signerLimit = 16

    /// The unverified content. `verify` returns the verified content.
    public let content: [UInt8]
    /// The signers' certificates that the message contains.
    public let signers: [Certificate]
    /// All certificates in the message.
    public let certificates: [Certificate]
    /// The number of signatures, with or without a certificate.
    public let signatureCount: Int

    private let message: [UInt8]

    static func parse(_ message: [UInt8]) throws(CMSIssue) -> SignedMessage {
        OpenSSLErrors.clear()
        defer { OpenSSLErrors.clear() }
        let parsed = try ParsedMessage(message)
        let infos = unsafe parsed.signerInfos
        guard let slot = unsafe CMS_get0_content(parsed.pointer), let content = unsafe slot.pointee else {
            throw unsafe infos.isEmpty ? .noSigner : .detached
        }
        let all = unsafe CMS_get1_certs(parsed.pointer)
        defer { unsafe CertificateStack.free(all) }
        let certificates = unsafe CertificateStack.certificates(in: all)
        let signers = unsafe infos.compactMap { info in
            certificates.first { unsafe CMS_SignerInfo_cert_cmp(info, $0.pointer) == 0 }
        }
        return unsafe SignedMessage(
            content: Certificate.bytes(UnsafePointer(content)), signers: signers, certificates: certificates,
            signatureCount: infos.count, message: message)
    }

    /// Verifies the signatures, and the chain, the dates and the domain of each signer.
    ///
    /// Does not check the strength of keys and digests; `issues` does.
    /// - Parameters:
    ///   - trust: the trusted roots; empty for the system's roots (`SSL_CERT_FILE` or OpenSSL's paths).
    ///   - time: the time when every certificate in the chain must be valid.
    ///   - domain: the domain that every signer's certificate must name; nil for any domain.
    /// - Returns: the content.
    /// - Throws: the first error, as `CMSIssue`.
    @discardableResult
    public func verify(trust: [Certificate], at time: UnixTime, domain: String?) throws(CMSIssue) -> [UInt8] {
        let signatures = verifySignatures()
        let issues = issues(of: signatures, trust: trust.isEmpty ? nil : trust, at: time, domain: domain)
        if let error = issues.first(where: \.failsVerification) { throw error }
        return signatures.content
    }

    /// Verifies everything that `verify` does, and the strength of digests and keys, and returns all issues.
    /// - Parameters:
    ///   - trust: the trusted roots; nil for the system's roots (`SSL_CERT_FILE` or OpenSSL's paths).
    ///   - time: the time when every certificate in the chain must be valid.
    ///   - domain: the domain that every signer's certificate must name; nil for any domain.
    /// - Returns: the issues. Signature issues come first. If all issues are notes or weaknesses, `verify` succeeds.
    public func issues(trust: [Certificate]?, at time: UnixTime, domain: String?) -> [CMSIssue] {
        issues(of: verifySignatures(), trust: trust, at: time, domain: domain)
    }

    private func issues(
        of signatures: Signatures, trust: [Certificate]?, at time: UnixTime, domain: String?
    ) -> [CMSIssue] {
        var issues = signatures.issues
        guard !signatures.signers.isEmpty else { return issues }
        let store: TrustStore
        do { store = try TrustStore(trust) } catch { return issues + [error] }
        for signer in signatures.signers {
            let chain = store.build(signer, intermediates: certificates, at: time, purpose: X509_PURPOSE_ANY)
            issues += chain.issues.map { .certificate($0) }
            if !signer.isForSigning { issues.append(.wrongPurpose(subject: signer.title)) }
            if let domain, !signer.matches(host: domain, commonName: true) {
                let names = signer.dnsNames + signer.addresses
                let shown = names.isEmpty ? [signer.commonName ?? signer.subject] : names
                issues.append(.wrongDomain(domain: domain, names: shown))
            } else if let domain, !signer.matches(host: domain) {
                issues.append(.commonNameOnly(domain: domain))
            }
        }
        return issues.distinct
    }

    // MARK: - Signatures

    /// The result of verifying each signature with its certificate.
    fileprivate struct Signatures {
        /// The bytes whose digest was verified.
        var content: [UInt8] = []
        var issues: [CMSIssue] = []
        /// The certificates that OpenSSL used. Several certificates may have the same issuer and serial number.
        var signers: [Certificate] = []
    }

    private func verifySignatures() -> Signatures {
        guard signatureCount > 0 else { return Signatures(issues: [.noSigner]) }
        guard signatureCount <= SignedMessage.signerLimit else {
            return Signatures(issues: [.tooManySigners(count: signatureCount, limit: SignedMessage.signerLimit)])
        }
        OpenSSLErrors.clear()
        defer { OpenSSLErrors.clear() }
        do throws(CMSIssue) {
            return SignedMessage.verifySignatures(of: try ParsedMessage(message))
        } catch {
            return Signatures(issues: [.badSignature(signer: "", reason: error.problem)])
        }
    }

    private static func verifySignatures(of parsed: borrowing ParsedMessage) -> Signatures {
        unsafe CMS_set1_signers_certs(parsed.pointer, nil, 0)
        OpenSSLErrors.clear()
        let digests = unsafe CMS_dataInit(parsed.pointer, nil)
        defer { unsafe BIO_free_all(digests) }
        let cause = unsafe digests == nil ? OpenSSLErrors.drain() : nil
        var result = Signatures()
        // OpenSSL computes the digests while the content is read.
        var buffer = [UInt8](repeating: 0, count: 16 << 10)
        while true {
            let count = unsafe BIO_read(digests, &buffer, Int32(buffer.count))
            guard count > 0 else { break }
            result.content += buffer.prefix(Int(count))
        }
        let infos = unsafe parsed.signerInfos
        unsafe infos.forEach { unsafe result.verify($0, digests: digests, cause: cause) }
        let count = unsafe infos.count
        if count > 1 { result.issues.append(.severalSigners(count: count)) }
        return result
    }
}

extension SignedMessage.Signatures {
    fileprivate mutating func verify(_ info: OpaquePointer, digests: OpaquePointer?, cause: String?) {
        var certificate: OpaquePointer?
        var algorithm: UnsafeMutablePointer<X509_ALGOR>?
        unsafe CMS_SignerInfo_get0_algs(info, nil, &certificate, &algorithm, nil)
        let signer = unsafe certificate.map { unsafe Certificate(sharing: $0) }
        let name = unsafe signer?.title ?? Self.name(of: info)
        if let signer {
            signers.append(signer)
            OpenSSLErrors.clear()
            // A signature covers the attributes, if any. The attributes contain the digest of the content.
            let isGood =
                unsafe cause == nil && (CMS_signed_get_attr_count(info) < 0 || CMS_SignerInfo_verify(info) == 1)
                && CMS_SignerInfo_verify_content(info, digests) == 1
            if !isGood { issues.append(.badSignature(signer: name, reason: cause ?? OpenSSLErrors.drain())) }
        } else {
            issues.append(.certificateMissing(signer: name))
        }
        if let algorithm = unsafe algorithm, let weak = unsafe WeakDigest.name(OBJ_obj2nid(algorithm.pointee.algorithm))
        {
            issues.append(.weakDigest(signer: name, name: weak))
        }
    }

    /// Returns the identifier of a signer whose certificate is not in the message.
    private static func name(of info: OpaquePointer) -> String {
        var key: UnsafeMutablePointer<ASN1_OCTET_STRING>?
        var issuer: OpaquePointer?
        var serial: UnsafeMutablePointer<ASN1_INTEGER>?
        guard unsafe CMS_SignerInfo_get0_signer_id(info, &key, &issuer, &serial) == 1 else { return "unknown" }
        if let key = unsafe key { return unsafe "key " + Certificate.bytes(UnsafePointer(key)).hexadecimal }
        let number = unsafe serial.map { unsafe ", serial " + Certificate.bytes(UnsafePointer($0)).hexadecimal } ?? ""
        return unsafe Certificate.text(of: issuer) + number
    }
}

extension ParsedMessage {
    fileprivate var signerInfos: [OpaquePointer] {
        unsafe Bio.elements(CMS_get0_SignerInfos(pointer)).map { OpaquePointer($0) }
    }
}
