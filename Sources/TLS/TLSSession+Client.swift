import COpenSSL
package import Certificates
import MotivatorPlatform

// The server's properties in a client session.
extension TLSSession {
    /// The unverified certificates in the order sent, starting with the server's own.
    ///
    /// They are available once they have arrived, even if the handshake fails later.
    package var servedChain: [Certificate] { channel?.chain ?? [] }

    /// The first bytes, at most 64, of a server that does not use TLS; otherwise empty.
    package var foreignBytes: [UInt8] { channel?.foreignBytes ?? [] }

    /// The name of the version that the server selected, if older than TLS 1.2, such as "TLSv1.1"; otherwise nil.
    package var outdatedVersion: String? {
        guard let version = channel?.chosenVersion else { return nil }
        switch Int32(version) {
        case TLS1_1_VERSION: return "TLSv1.1"
        case TLS1_VERSION: return "TLSv1"
        case SSL3_VERSION: return "SSLv3"
        case _: return nil
        }
    }

    /// The protocol that the server selected (ALPN, RFC 7301); nil if it selected none.
    package var applicationProtocol: String? {
        var name: UnsafePointer<UInt8>?
        var count: UInt32 = 0
        unsafe SSL_get0_alpn_selected(pointer, &name, &count)
        guard let name = unsafe name, count > 0 else { return nil }
        return unsafe String(decoding: UnsafeBufferPointer(start: name, count: Int(count)), as: UTF8.self)
    }

    func setServerName(_ serverName: String?) -> Bool {
        guard let serverName else { return true }
        var text = Array(serverName.utf8CString)
        return unsafe SSL_ctrl(pointer, SSL_CTRL_SET_TLSEXT_HOSTNAME, Int(TLSEXT_NAMETYPE_host_name), &text) == 1
    }
}
