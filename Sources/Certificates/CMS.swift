import COpenSSL

/// Signed messages in the Cryptographic Message Syntax (RFC 5652), the format of association files for iOS 8.
public enum CMS {
    /// Signs content with SHA-256. The message contains the content and the signer's chain.
    /// - Parameters:
    ///   - content: the content, which is signed byte for byte.
    ///   - attributes: whether to also sign attributes, such as the signing time. Without them, the message equals
    ///     the output of `openssl smime -sign -noattr -nodetach -outform DER -binary`.
    public static func sign(
        _ content: [UInt8], identity: Identity, attributes: Bool = false
    ) throws(CMSIssue) -> [UInt8] {
        var draft = CMSDraft(signers: [identity])
        draft.hasAttributes = attributes
        return try draft.sign(content)
    }

    /// Parses a signed message that contains its content, without verifying it.
    /// - Parameter message: the message in DER form, without additional bytes.
    /// - Throws: `CMSIssue`, with a case for each common error: PEM, S/MIME text, other content types, detached
    ///   signatures and trailing bytes.
    public static func open(_ message: [UInt8]) throws(CMSIssue) -> SignedMessage {
        try SignedMessage.parse(message)
    }
}

/// An OpenSSL list of certificates, which retains its elements.
@safe package struct CertificateStack: ~Copyable {
    let pointer: OpaquePointer?

    init(_ certificates: [Certificate]) {
        unsafe pointer = OPENSSL_sk_new_null()
        for certificate in certificates {
            unsafe X509_up_ref(certificate.pointer)
            unsafe OPENSSL_sk_push(pointer, UnsafeRawPointer(certificate.pointer))
        }
    }

    deinit {
        unsafe CertificateStack.free(pointer)
    }

    package static func certificates(in stack: OpaquePointer?) -> [Certificate] {
        unsafe Bio.elements(stack).map { unsafe Certificate(sharing: OpaquePointer($0)) }
    }

    static func free(_ stack: OpaquePointer?) {
        while let last = unsafe OPENSSL_sk_pop(stack) { unsafe X509_free(OpaquePointer(last)) }
        unsafe OPENSSL_sk_free(stack)
    }
}

/// A signed message with arbitrary parts, valid or not (RFC 5652).
public struct CMSDraft: Sendable {
    /// The signers; without signers, the message contains only certificates and no content.
    public var signers: [Identity]
    /// The certificates in the message besides the signers' own certificates.
    public var certificates: [Certificate]
    /// Whether the message contains the signers' own certificates.
    public var includesSigners = true
    /// Whether the message contains the content.
    public var includesContent = true
    /// Whether to also sign attributes, such as the signing time.
    public var hasAttributes = false
    /// The digest of the content.
    public var digest = CertificateDraft.Digest.sha256

    /// Creates the draft of a message that contains its content and the chains of its signers.
    public init(signers: [Identity]) {
        self.signers = signers
        // OpenSSL rejects duplicates.
        certificates = signers.flatMap(\.chain).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    /// Signs content.
    /// - Parameter content: the content, which is signed byte for byte.
    public func sign(_ content: [UInt8]) throws(CMSIssue) -> [UInt8] {
        OpenSSLErrors.clear()
        defer { OpenSSLErrors.clear() }
        let flags =
            CMS_BINARY | CMS_NOSMIMECAP | (hasAttributes ? 0 : CMS_NOATTR)
            | (includesContent && !signers.isEmpty ? 0 : CMS_DETACHED)
            | (includesSigners ? 0 : CMS_NOCERTS)
        let chain = CertificateStack(certificates)
        let message: [UInt8]?? = unsafe Bio.reading(content) { bio -> [UInt8]? in
            let message = unsafe CMS_sign(nil, nil, chain.pointer, bio, UInt32(flags | CMS_PARTIAL))
            defer { unsafe CMS_ContentInfo_free(message) }
            guard let message = unsafe message, unsafe addSigners(to: message, UInt32(flags)),
                unsafe signers.isEmpty || CMS_final(message, bio, nil, UInt32(flags)) == 1
            else { return nil }
            return unsafe Bio.encoding { unsafe i2d_CMS_ContentInfo(message, $0) }
        }
        guard let message = message ?? nil else { throw .cannotSign(reason: OpenSSLErrors.drain()) }
        return message
    }

    private func addSigners(to message: OpaquePointer, _ flags: UInt32) -> Bool {
        let algorithm = unsafe digest == .sha1 ? EVP_sha1() : EVP_sha256()
        return signers.allSatisfy { signer in
            unsafe CMS_add1_signer(message, signer.certificate.pointer, signer.key.pointer, algorithm, flags) != nil
        }
    }
}
