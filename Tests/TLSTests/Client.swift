import COpenSSL
import Certificates
import MotivatorPlatform
import MotivatorTLS
import Testing

/// A client in plain OpenSSL on one end of a socket pair. The test's thread drives both ends in turn.
final class Client {
    struct Wishes {
        var least = TLS1_2_VERSION
        var most = TLS1_3_VERSION
        var name: String?
        var protocols: [String] = []
        var groups: String?
        /// A TLS 1.2 cipher suite, by its OpenSSL name.
        var suite: String?
    }

    enum Trouble: Error { case noSocket, noContext }

    let ssl: OpaquePointer
    let descriptor: Int32
    /// The other end, for the server.
    let serverDescriptor: Int32
    private let context: OpaquePointer
    private var isClosed = false

    init(_ wishes: Wishes = Wishes(), resuming session: OpaquePointer? = nil) throws {
        // As in the server, a write to a closed socket must return an error instead of raising a signal.
        signal(SIGPIPE, SIG_IGN)
        var pair: [Int32] = [0, 0]
        guard socketpair(AF_UNIX, SocketCalls.stream, 0, &pair) == 0 else { throw Trouble.noSocket }
        for number in pair { _ = fcntl(number, F_SETFL, O_NONBLOCK) }
        (descriptor, serverDescriptor) = (pair[0], pair[1])
        guard let context = SSL_CTX_new(TLS_client_method()), let ssl = SSL_new(context) else {
            throw Trouble.noContext
        }
        (self.context, self.ssl) = (context, ssl)
        // Old versions need old digests. At security level 1 and above, the client itself would reject them.
        SSL_set_security_level(ssl, 0)
        SSL_ctrl(ssl, SSL_CTRL_SET_MIN_PROTO_VERSION, Int(wishes.least), nil)
        SSL_ctrl(ssl, SSL_CTRL_SET_MAX_PROTO_VERSION, Int(wishes.most), nil)
        if let name = wishes.name {
            var text = Array(name.utf8CString)
            SSL_ctrl(ssl, SSL_CTRL_SET_TLSEXT_HOSTNAME, Int(TLSEXT_NAMETYPE_host_name), &text)
        }
        if let groups = wishes.groups {
            var text = Array(groups.utf8CString)
            SSL_ctrl(ssl, SSL_CTRL_SET_GROUPS_LIST, 0, &text)
        }
        if let suite = wishes.suite { SSL_set_cipher_list(ssl, suite) }
        let offer = wishes.protocols.flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) }
        if !offer.isEmpty { SSL_set_alpn_protos(ssl, offer, UInt32(offer.count)) }
        if let session { SSL_set_session(ssl, session) }
        SSL_set_fd(ssl, descriptor)
        SSL_set_connect_state(ssl)
    }

    deinit {
        SSL_free(ssl)
        SSL_CTX_free(context)
        hangUp()
        close(serverDescriptor)
    }

    /// Closes the socket without a TLS message.
    func hangUp() {
        if !isClosed { close(descriptor) }
        isClosed = true
    }

    /// Sends bytes outside TLS.
    func sendRaw(_ bytes: [UInt8]) { _ = MotivatorPlatform.write(descriptor, bytes, bytes.count) }

    /// Performs the handshake on both ends until the server completes it or fails.
    func handshake(_ server: TLSSession) -> TLSProgress {
        var last = TLSProgress.wantsRead
        for _ in 0..<20 {
            ERR_clear_error()
            SSL_do_handshake(ssl)
            last = server.handshake()
            switch last {
            case .done:
                // The client's last step: it reads the server's Finished message and the ticket.
                _ = read()
                return last
            case .wantsRead, .wantsWrite: continue
            case .closed, .failed:
                ERR_clear_error()
                SSL_do_handshake(ssl)
                return last
            }
        }
        return last
    }

    /// Whether the client's handshake is complete.
    var isEstablished: Bool { SSL_is_init_finished(ssl) == 1 }

    /// The reason for the client's last error.
    var reason: String { OpenSSLErrors.drain() }

    func write(_ text: String) -> Int32 { SSL_write(ssl, text, Int32(text.utf8.count)) }

    func read() -> String? {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = SSL_read(ssl, &buffer, Int32(buffer.count))
        return count > 0 ? String(decoding: buffer.prefix(Int(count)), as: UTF8.self) : nil
    }

    /// The server's certificate.
    var shown: [UInt8]? {
        guard let raw = SSL_get1_peer_certificate(ssl) else { return nil }
        defer { X509_free(raw) }
        var der: UnsafeMutablePointer<UInt8>?
        let count = i2d_X509(raw, &der)
        defer { CRYPTO_free(der, "", 0) }
        return [UInt8](UnsafeBufferPointer(start: der, count: Int(count)))
    }

    var chosenProtocol: String? {
        var data: UnsafePointer<UInt8>?
        var count: UInt32 = 0
        SSL_get0_alpn_selected(ssl, &data, &count)
        return data.map { String(decoding: UnsafeBufferPointer(start: $0, count: Int(count)), as: UTF8.self) }
    }

    /// Returns the session to resume. The caller frees it.
    func takeSession() -> OpaquePointer? { SSL_get1_session(ssl) }
}
