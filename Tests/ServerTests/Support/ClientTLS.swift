import COpenSSL
import Certificates
import MotivatorPlatform
import MotivatorTLS
import TestSupport

@testable import MotivatorServer

/// The client side of TLS in plain OpenSSL. It trusts only the tests' CA, and checks the server's name.
final class ClientTLS {
    private(set) var reason = ""
    /// Whether the server closed without close_notify.
    private(set) var hasUnexpectedEnd = false
    private let context: OpaquePointer
    private let session: OpaquePointer

    init(_ socket: Int32, name: String) throws {
        let root = try TestAuthority.shared.get().root
        guard let context = SSL_CTX_new(TLS_client_method()), let session = SSL_new(context) else {
            throw WireTrouble.handshake(OpenSSLErrors.drain())
        }
        (self.context, self.session) = (context, session)
        X509_STORE_add_cert(SSL_CTX_get_cert_store(context), root.pointer)
        SSL_set_verify(session, SSL_VERIFY_PEER, nil)
        SSL_set1_host(session, name)
        var text = Array(name.utf8CString)
        SSL_ctrl(session, SSL_CTRL_SET_TLSEXT_HOSTNAME, Int(TLSEXT_NAMETYPE_host_name), &text)
        SSL_set_fd(session, socket)
        SSL_set_connect_state(session)
    }

    deinit {
        SSL_free(session)
        SSL_CTX_free(context)
    }

    func handshake() -> TLSProgress {
        ERR_clear_error()
        return outcome(SSL_do_handshake(session))
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> TLSProgress {
        ERR_clear_error()
        return outcome(SSL_read(session, buffer.baseAddress, Int32(buffer.count)))
    }

    func write(_ bytes: UnsafeRawBufferPointer) -> TLSProgress {
        ERR_clear_error()
        return outcome(SSL_write(session, bytes.baseAddress, Int32(min(bytes.count, 16 << 10))))
    }

    /// Sends close_notify.
    func close() { SSL_shutdown(session) }

    /// Ends the session with the alert bad_record_mac, as after a record that the client cannot decrypt.
    func fail() {
        let record: [UInt8] = [UInt8(SSL3_RT_APPLICATION_DATA), 3, 3, 0, 32] + [UInt8](repeating: 0, count: 32)
        let received = BIO_new(BIO_s_mem())
        BIO_write(received, record, Int32(record.count))
        SSL_set0_rbio(session, received)
        var byte: UInt8 = 0
        SSL_read(session, &byte, 1)
        ERR_clear_error()
    }

    private func outcome(_ result: Int32) -> TLSProgress {
        if result > 0 { return .done(Int(result)) }
        let code = SSL_get_error(session, result)
        switch code {
        case SSL_ERROR_WANT_READ: return .wantsRead
        case SSL_ERROR_WANT_WRITE: return .wantsWrite
        case SSL_ERROR_ZERO_RETURN: return .closed
        default:
            reason = OpenSSLErrors.drain()
            hasUnexpectedEnd = reason.contains("unexpected eof")
            return .failed(.broken(code: 0))
        }
    }
}

/// The certificates of the live tests, issued once by the development CA.
enum TestAuthority {
    struct Made: Sendable {
        let root: Certificate
        let context: TLSContext
    }

    static let shared = Result {
        let authority = try Authority.temporary()
        let identity = try authority.issue(hosts: ["example.test", "localhost", "127.0.0.1"])
        return Made(root: authority.root, context: try TLSContext(identity: identity, tickets: TicketKeys()))
    }
}
