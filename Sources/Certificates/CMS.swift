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

    /// Returns the certificates in a list that OpenSSL owns.
    package static func certificates(in stack: OpaquePointer?) -> [Certificate] {
        unsafe (0..<max(OPENSSL_sk_num(stack), 0)).compactMap { index in
            unsafe OPENSSL_sk_value(stack, index).map { unsafe Certificate(sharing: OpaquePointer($0)) }
        }
    }

    static func free(_ stack: OpaquePointer?) {
        while let last = unsafe OPENSSL_sk_pop(stack) { unsafe X509_free(OpaquePointer(last)) }
        unsafe OPENSSL_sk_free(stack)
    }
}
