import COpenSSL
import Certificates
import Platform

// What a client learns about the server.
extension TLSSession {
    /// The certificates as the server showed them, in its order, the server's own first; unverified.
    ///
    /// They are there as soon as they have arrived, also when the handshake fails afterwards.
    public var servedChain: [Certificate] { channel?.chain ?? [] }

    /// The first bytes, at most 64, of a server that does not speak TLS; else empty.
    public var foreignBytes: [UInt8] { channel?.foreignBytes ?? [] }

    /// The name of the version that the server chose when it is older than TLS 1.2, such as "TLSv1.1"; else nil.
    public var outdatedVersion: String? {
        guard let version = channel?.chosenVersion else { return nil }
        switch Int32(version) {
        case TLS1_1_VERSION: return "TLSv1.1"
        case TLS1_VERSION: return "TLSv1"
        case SSL3_VERSION: return "SSLv3"
        case _: return nil
        }
    }

    /// The protocol that the server chose from the offer (ALPN, RFC 7301); nil when it chose none.
    public var applicationProtocol: String? {
        var name: UnsafePointer<UInt8>?
        var count: UInt32 = 0
        unsafe SSL_get0_alpn_selected(pointer, &name, &count)
        guard let name = unsafe name, count > 0 else { return nil }
        return unsafe String(decoding: UnsafeBufferPointer(start: name, count: Int(count)), as: UTF8.self)
    }

    /// Writes the name that is asked for into the client's hello.
    ///
    /// - Returns: whether OpenSSL takes it.
    func ask(for serverName: String?) -> Bool {
        guard let serverName else { return true }
        var text = Array(serverName.utf8CString)
        return unsafe SSL_ctrl(pointer, SSL_CTRL_SET_TLSEXT_HOSTNAME, Int(TLSEXT_NAMETYPE_host_name), &text) == 1
    }
}
