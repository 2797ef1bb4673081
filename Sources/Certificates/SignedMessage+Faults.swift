import COpenSSL
import Platform

extension SignedMessage {
    /// The most signatures that are judged: each costs the checks of a whole chain, and one is usual.
    public static let signerLimit = 16

    /// Checks everything that `verify` does and the strength of digests and keys, and reports everything that is wrong.
    ///
    /// - Parameters:
    ///   - trust: the trust anchors, which are roots, used instead of the system's; nil for the system's
    ///     (`SSL_CERT_FILE`, or OpenSSL's own paths).
    ///   - time: the moment at which every certificate of the chain has to be valid.
    ///   - domain: the domain that every signer's certificate has to be for; nil for any.
    /// - Returns: what is wrong, the signatures first; when it is empty or only notes, `verify` succeeds.
    public func faults(trust: [Certificate]?, at time: UnixTime, domain: String?) -> [SignerFault] {
        guard signatureCount > 0 else { return [.noSigner] }
        guard signatureCount <= SignedMessage.signerLimit else {
            return [.tooManySigners(count: signatureCount, limit: SignedMessage.signerLimit)]
        }
        let signatures = Signatures(message)
        var faults = signatures.faults
        if signatureCount > 1 { faults.append(.severalSigners(count: signatureCount)) }
        let store: TrustStore
        do {
            store = try TrustStore(trust)
        } catch {
            return faults + [.noTrustAnchors(reason: error.problem)]
        }
        for signer in signatures.signers {
            let path = store.examine(signer, intermediates: certificates, at: time, purpose: X509_PURPOSE_ANY)
            faults += path.faults.map { .certificate($0) }
            if !signer.isForSigning { faults.append(.wrongPurpose(subject: signer.title)) }
            if let domain, !signer.matches(host: domain, commonName: true) {
                faults.append(.wrongDomain(domain: domain, names: signer.signingNames))
            }
        }
        return faults.unique
    }
}

/// The signatures of a message, each judged by itself.
private struct Signatures {
    private(set) var faults: [SignerFault] = []
    /// The certificates of those who signed, as far as the message holds them.
    private(set) var signers: [Certificate] = []

    init(_ message: [UInt8]) {
        OpenSSLErrors.clear()
        defer { OpenSSLErrors.clear() }
        do {
            try judge(ParsedMessage(message))
        } catch {
            faults = [.badSignature(signer: "", reason: error.problem)]
        }
    }

    private mutating func judge(_ parsed: borrowing ParsedMessage) {
        unsafe CMS_set1_signers_certs(parsed.pointer, nil, 0)
        OpenSSLErrors.clear()
        let digests = unsafe CMS_dataInit(parsed.pointer, nil)
        defer { unsafe BIO_free_all(digests) }
        let cause = unsafe digests == nil ? OpenSSLErrors.drain() : nil
        // The digests are made of what is read through them.
        var buffer = [UInt8](repeating: 0, count: 16 << 10)
        while unsafe BIO_read(digests, &buffer, Int32(buffer.count)) > 0 {}
        let infos = unsafe CMS_get0_SignerInfos(parsed.pointer)
        for index in unsafe 0..<max(OPENSSL_sk_num(infos), 0) {
            guard let info = unsafe OPENSSL_sk_value(infos, index).map({ OpaquePointer($0) }) else { continue }
            unsafe judge(info, digests: digests, cause: cause)
        }
    }

    private mutating func judge(_ info: OpaquePointer, digests: OpaquePointer?, cause: String?) {
        var certificate: OpaquePointer?
        var algorithm: UnsafeMutablePointer<X509_ALGOR>?
        unsafe CMS_SignerInfo_get0_algs(info, nil, &certificate, &algorithm, nil)
        let signer = unsafe certificate.map { unsafe Certificate(sharing: $0) }
        let name = unsafe signer?.title ?? Signatures.name(of: info)
        if let signer {
            signers.append(signer)
            OpenSSLErrors.clear()
            // The signature is of the attributes, should there be any, and the attributes hold the content's digest.
            let isGood =
                unsafe cause == nil && (CMS_signed_get_attr_count(info) < 0 || CMS_SignerInfo_verify(info) == 1)
                && CMS_SignerInfo_verify_content(info, digests) == 1
            if !isGood { faults.append(.badSignature(signer: name, reason: cause ?? OpenSSLErrors.drain())) }
        } else {
            faults.append(.certificateMissing(signer: name))
        }
        if let algorithm = unsafe algorithm, let weak = unsafe WeakDigest.name(OBJ_obj2nid(algorithm.pointee.algorithm))
        {
            faults.append(.weakDigest(signer: name, name: weak))
        }
    }

    /// How the message names a signer whose certificate it does not hold.
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
