import COpenSSL
import Certificates
package import MotivatorPlatform

/// A context with the settings for client sessions. It owns its OpenSSL object.
///
/// To inspect servers, the context offers TLS 1.2 and 1.3, and accepts every key size, digest and certificate. The
/// caller can then report the issues in a chain.
// OpenSSL counts references to a context atomically. After setup, sessions only read it; see openssl-threads(7).
@safe package final class TLSClientContext: @unchecked Sendable {
    /// The suites for TLS 1.2: OpenSSL's defaults except finite-field Diffie-Hellman, because the server could choose
    /// an expensive group.
    static let suites = "DEFAULT:!DHE:@SECLEVEL=0"
    /// The maximum size of a server's chain in bytes; OpenSSL's default.
    static let longestChain = 100 << 10

    let pointer: OpaquePointer

    package init() throws(ExplainedFailure) {
        OpenSSLErrors.clear()
        defer { OpenSSLErrors.clear() }
        guard let pointer = unsafe SSL_CTX_new(TLS_client_method()) else {
            throw .noMemory(OpenSSLErrors.drain())
        }
        unsafe self.pointer = pointer
        // Servers without RFC 5746 are accepted, because the client never renegotiates. A compressed certificate
        // message announces its decompressed size, up to 16 MiB.
        unsafe SSL_CTX_set_options(
            pointer,
            COPENSSL_OP_NO_COMPRESSION | COPENSSL_OP_NO_RX_CERTIFICATE_COMPRESSION | COPENSSL_OP_NO_RENEGOTIATION
                | COPENSSL_OP_LEGACY_SERVER_CONNECT)
        // The system configuration may have set another maximum.
        try unsafe ExplainedFailure.require(
            SSL_CTX_ctrl(pointer, SSL_CTRL_SET_MIN_PROTO_VERSION, Int(TLS1_2_VERSION), nil) == 1
                && SSL_CTX_ctrl(pointer, SSL_CTRL_SET_MAX_PROTO_VERSION, Int(TLS1_3_VERSION), nil) == 1,
            "TLS 1.2 and 1.3 as the versions")
        try unsafe ExplainedFailure.require(
            SSL_CTX_set_cipher_list(pointer, TLSClientContext.suites) == 1, "the cipher suites")
        unsafe SSL_CTX_set_security_level(pointer, 0)
        let protocols: [UInt8] = [8] + Array("http/1.1".utf8)
        // This function returns 0 for success.
        try unsafe ExplainedFailure.require(
            SSL_CTX_set_alpn_protos(pointer, protocols, UInt32(protocols.count)) == 0, "the ALPN protocols")
        unsafe SSL_CTX_ctrl(pointer, SSL_CTRL_SET_MAX_CERT_LIST, TLSClientContext.longestChain, nil)
        unsafe SSL_CTX_ctrl(pointer, SSL_CTRL_SET_SESS_CACHE_MODE, Int(SSL_SESS_CACHE_OFF), nil)
        let modes = SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER
        unsafe SSL_CTX_ctrl(pointer, SSL_CTRL_MODE, Int(modes), nil)
        unsafe RecordCount.watch(pointer)
        unsafe SSL_CTX_set_verify(pointer, SSL_VERIFY_NONE, nil)
        unsafe SSL_CTX_set_cert_verify_callback(pointer, keepChain, nil)
        unsafe SSL_CTX_set_msg_callback(pointer, noteMessage)
    }

    deinit {
        unsafe SSL_CTX_free(pointer)
    }
}

/// Keeps the chain as sent, even if the handshake fails later. It does not search for issuers, because a hostile chain
/// can make that search slow.
private let keepChain: @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?) -> Int32 = { store, _ in
    let ssl = unsafe X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx())
    guard let session = unsafe TLSSession.of(ssl.map { OpaquePointer($0) }) else { return 1 }
    let stack = unsafe X509_STORE_CTX_get0_untrusted(store)
    session.channel?.chain = unsafe CertificateStack.certificates(in: stack)
    return 1
}

/// Counts records, and keeps the version in the server hello, because OpenSSL does not report an outdated version.
private let noteMessage:
    @convention(c) (
        Int32, Int32, Int32, UnsafeRawPointer?, Int, OpaquePointer?, UnsafeMutableRawPointer?
    ) -> Void = { isWritten, _, kind, bytes, count, ssl, _ in
        unsafe RecordCount.add(isWritten: isWritten, kind: kind, ssl)
        // HandshakeType 2, three bytes of length, then legacy_version (RFC 8446 §4.1.3).
        guard isWritten == 0, kind == SSL3_RT_HANDSHAKE, count >= 6, let bytes = unsafe bytes,
            unsafe bytes.load(as: UInt8.self) == UInt8(SSL3_MT_SERVER_HELLO)
        else { return }
        let high = unsafe bytes.load(fromByteOffset: 4, as: UInt8.self)
        let low = unsafe bytes.load(fromByteOffset: 5, as: UInt8.self)
        unsafe TLSSession.of(ssl)?.channel?.chosenVersion = UInt16(high) << 8 | UInt16(low)
    }
