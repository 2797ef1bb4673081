import COpenSSL
package import Certificates
package import MotivatorPlatform

/// A TLS connection on a non-blocking descriptor. It owns its OpenSSL object, but not the descriptor.
///
/// A session is not thread-safe. Handshakes, reads and writes do not allocate memory in Swift.
@safe package final class TLSSession {
    /// The initial context of a server session; nil on the client side.
    let context: TLSContext?
    /// The context selected by name, retained for the life of the session.
    private var chosen: TLSContext?
    /// The context of a client session, retained for the life of the session; nil on the server side.
    private let clientContext: TLSClientContext?
    /// The socket as OpenSSL's BIO. It is also `channel` in a client session, and `serverChannel` in a server session.
    let socket: SocketChannel
    let channel: ClientChannel?
    private let serverChannel: ServerChannel?
    let pointer: OpaquePointer
    private(set) var isEstablished = false
    /// The number of records since the last application data.
    var records = RecordCount()
    /// The client hello, if the context has a greeting.
    package private(set) var clientHello: ClientHello?
    package private(set) var reply = GreetingReply.proceed
    /// The failure of the session after the handshake, such as an alert from the client.
    package private(set) var alert: TLSFailure?
    /// Whether a fatal error occurred. OpenSSL then allows no other call, not even a shutdown.
    private var isBroken = false

    /// Prepares a server session.
    /// - Parameters:
    ///   - context: the default context, which a server name may replace.
    ///   - descriptor: a connected, non-blocking socket that outlives the session.
    ///   - buffer: holds the records that the session writes until `sendRecords`; nil to send each record immediately.
    package convenience init(
        context: TLSContext, descriptor: Int32, buffer: RecordBuffer? = nil,
        hello: ClientHelloReader = ClientHelloReader()
    ) throws(ExplainedFailure) {
        let channel = ServerChannel(descriptor, buffer: buffer, hello: hello)
        try unsafe self.init(context.pointer, channel, context: context, serverChannel: channel)
        unsafe SSL_set_accept_state(pointer)
    }

    /// Prepares a client session, which provides the server's chain without verifying it.
    ///
    /// Each call reads at most 64 kB, so a caller can always meet its deadline. Writing to a closed connection
    /// does not raise SIGPIPE.
    /// - Parameters:
    ///   - descriptor: a connected, non-blocking socket that outlives the session.
    ///   - serverName: the server name (SNI, RFC 6066 §3), at most 255 bytes; nil to send none, such as for an address.
    /// - Throws: `ExplainedFailure`, including for a name that is too long.
    package convenience init(
        client context: TLSClientContext, descriptor: Int32, serverName: String?
    ) throws(ExplainedFailure) {
        let channel = ClientChannel(descriptor)
        try unsafe self.init(context.pointer, channel, clientContext: context, channel: channel)
        guard setServerName(serverName) else { throw .noMemory(OpenSSLErrors.drain()) }
        unsafe SSL_set_connect_state(pointer)
    }

    private init(
        _ settings: OpaquePointer, _ socket: SocketChannel, context: TLSContext? = nil,
        serverChannel: ServerChannel? = nil, clientContext: TLSClientContext? = nil, channel: ClientChannel? = nil
    ) throws(ExplainedFailure) {
        OpenSSLErrors.clear()
        guard let pointer = unsafe SSL_new(settings) else { throw .noMemory(OpenSSLErrors.drain()) }
        (self.context, self.serverChannel, self.socket) = (context, serverChannel, socket)
        (self.clientContext, self.channel) = (clientContext, channel)
        unsafe self.pointer = pointer
        guard let bio = unsafe socket.makeBIO() else { throw .noMemory(OpenSSLErrors.drain()) }
        unsafe SSL_set_bio(pointer, bio, bio)
        // Unretained: OpenSSL calls back only within this object's own calls.
        guard unsafe SSL_set_ex_data(pointer, 0, Unmanaged.passUnretained(self).toOpaque()) == 1 else {
            throw .noMemory(OpenSSLErrors.drain())
        }
    }

    deinit {
        unsafe SSL_free(pointer)
    }

    /// Continues the handshake.
    /// - Returns: `.done(0)` when the session is established. On the server side, also `.closed` if the client closed
    ///   the connection before its first byte, and `.failed` with the failure of `ClientHelloReader`. On the client side,
    ///   also `.failed(.notTLS)`, with the server's bytes unread.
    package func handshake() -> TLSProgress {
        if isEstablished { return .done(0) }
        if isBroken { return .closed }
        channel?.startCall()
        OpenSSLErrors.clear()
        let result = unsafe SSL_do_handshake(pointer)
        if result == 1 {
            isEstablished = true
            return .done(0)
        }
        if serverChannel?.isUnused == true {
            isBroken = true
            ERR_clear_error()
            return .closed
        }
        return progress(after: result)
    }

    /// Reads decrypted bytes.
    ///
    /// One call processes at most `RecordCount.limit` + 1 records without application data.
    /// - Returns: `.done` with the number of bytes; `.closed` after close_notify; `.failed(.truncated)` if the stream
    ///   ended without close_notify; `.failed(.tooManyRecordsWithoutData)` for too many records in a row without
    ///   application data.
    package func read(into buffer: UnsafeMutableRawBufferPointer) -> TLSProgress {
        if isBroken { return .closed }
        guard buffer.count > 0 else { return .done(0) }
        channel?.startCall()
        OpenSSLErrors.clear()
        while true {
            let result = unsafe SSL_read(pointer, buffer.baseAddress, Int32(clamping: buffer.count))
            if result > 0 {
                records.reset()
                return .done(Int(result))
            }
            let progress = progress(after: result)
            // OpenSSL may stop after or within a record without application data.
            guard progress == .wantsRead, !socket.isEmpty else { return progress }
        }
    }

    /// Encrypts and writes a record.
    /// - Parameter buffer: the bytes. After `.wantsRead` or `.wantsWrite`, the next call must start with the same
    ///   bytes.
    /// - Returns: `.done` with the number of accepted bytes, possibly fewer than given.
    package func write(_ buffer: UnsafeRawBufferPointer) -> TLSProgress {
        if isBroken { return .closed }
        guard buffer.count > 0 else { return .done(0) }
        channel?.startCall()
        OpenSSLErrors.clear()
        let result = unsafe SSL_write(pointer, buffer.baseAddress, Int32(clamping: buffer.count))
        return result > 0 ? .done(Int(result)) : progress(after: result)
    }

    /// Whether the session has buffered bytes from the socket, which no poller reports.
    ///
    /// They may be part of a record. In that case, `read` returns `.wantsRead`, and the poller reports the rest.
    package var hasPending: Bool { unsafe !isBroken && SSL_has_pending(pointer) == 1 }

    /// Sends the records that the session has written to its buffer. Call it when the session has no more to write, and
    /// again when the socket is writable.
    /// - Returns: the number of bytes sent since the last call, and `.done(0)` if no records remain. While records
    ///   remain, the session does not write new records.
    package func sendRecords() -> (count: Int, progress: TLSProgress) {
        guard let serverChannel else { return (0, .done(0)) }
        let (count, outcome) = serverChannel.sendRecords()
        switch outcome {
        case .done: return (count, .done(0))
        case .again: return (count, .wantsWrite)
        case .ended, .failed:
            isBroken = true
            return (count, .failed(serverChannel.failure))
        }
    }

    package var unsentBytes: Int { serverChannel?.unsentBytes ?? 0 }

    /// Sends close_notify once.
    /// - Returns: `.done(0)` if the alert is sent and the peer has not closed the session; `.closed` if both sides have
    ///   closed it, or if no session exists.
    package func closeNotify() -> TLSProgress {
        guard isEstablished, !isBroken else { return .closed }
        let sides = unsafe SSL_get_shutdown(pointer)
        if sides & SSL_SENT_SHUTDOWN != 0 { return sides & SSL_RECEIVED_SHUTDOWN != 0 ? .closed : .done(0) }
        channel?.startCall()
        OpenSSLErrors.clear()
        switch unsafe SSL_shutdown(pointer) {
        case 0: return .done(0)
        case 1: return .closed
        case let result: return progress(after: result)
        }
    }

    private func progress(after result: Int32) -> TLSProgress {
        if records.isOverLimit {
            isBroken = true
            ERR_clear_error()
            return .failed(.tooManyRecordsWithoutData)
        }
        switch unsafe SSL_get_error(pointer, result) {
        case SSL_ERROR_WANT_READ: return .wantsRead
        case SSL_ERROR_WANT_WRITE: return .wantsWrite
        case SSL_ERROR_WANT_CLIENT_HELLO_CB:
            // The connection ends with the client's next byte or at the handshake deadline.
            isBroken = true
            if case .stall = reply { return .wantsRead }
            return .closed
        case SSL_ERROR_ZERO_RETURN: return .closed
        case SSL_ERROR_SYSCALL:
            isBroken = true
            ERR_clear_error()
            return .failed(socket.failure)
        case _:
            isBroken = true
            // The first error is the cause. Later errors are its consequences.
            let code = ERR_peek_error()
            ERR_clear_error()
            switch ERR_GET_REASON(code) {
            case SSL_R_UNEXPECTED_EOF_WHILE_READING: return .failed(.truncated)
            case _:
                guard isEstablished else { return .failed(.handshakeRefused(code: code)) }
                alert = .broken(code: code)
                return .failed(.broken(code: code))
            }
        }
    }

    /// The TLS version; nil before the handshake is complete.
    package var protocolVersion: TLSVersion? {
        guard isEstablished else { return nil }
        switch unsafe SSL_version(pointer) {
        case TLS1_VERSION, TLS1_1_VERSION: return .outdated
        case TLS1_2_VERSION: return .tls12
        case TLS1_3_VERSION: return .tls13
        case _: return nil
        }
    }

    /// The name of the TLS version, such as "TLSv1.3"; empty before the handshake is complete.
    package var version: String { protocolVersion.map { "\($0.name)" } ?? "" }

    /// The OpenSSL name of the cipher suite, such as "TLS_AES_256_GCM_SHA384"; nil before the handshake is complete.
    package var cipher: String? {
        unsafe SSL_CIPHER_get_name(SSL_get_current_cipher(pointer)).map { unsafe String(cString: $0) }
    }

    /// The server name (SNI) in lower case; nil if the client sent none.
    package var serverName: String? {
        guard let name = unsafe SSL_get_servername(pointer, TLSEXT_NAMETYPE_host_name) else { return nil }
        return unsafe String(cString: name).lowercased()
    }

    /// The memory that a server's session needs between events, in bytes: OpenSSL's objects and the keys.
    package static let idleMemory = 14 << 10
    /// The additional memory until the handshake is complete: the buffers for a message and for records, and the keys.
    /// A ClientHello has arrived before, so its size adds nothing. OpenSSL 3.0 needs 30 to 47 KiB.
    package static let handshakeMemory = 48 << 10
    /// The size of OpenSSL's buffer for reading or writing a record, in bytes.
    private static let recordMemory = 17 << 10
    /// The size of OpenSSL's buffer for a handshake message, in bytes.
    private static let messageMemory = 22 << 10

    /// The memory that the session needs in addition to `idleMemory`, in bytes.
    package var bufferedMemory: Int {
        guard isEstablished else { return Self.handshakeMemory }
        // The names of the states of OpenSSL's record layer are "RH" for a header and "RB" for a body. After the header,
        // OpenSSL keeps the buffer, even if `SSL_has_pending` returns 0.
        let hasPart = unsafe SSL_has_pending(pointer) == 1 || SSL_rstate_string(pointer)?[1] == 0x42
        return (hasPart ? Self.recordMemory : 0) + (unsentBytes > 0 ? Self.recordMemory : 0)
            + (unsafe SSL_in_init(pointer) == 1 ? Self.messageMemory : 0)
    }

    package var isResumed: Bool { unsafe SSL_session_reused(pointer) == 1 }

    /// Returns the session that a callback's pointer belongs to.
    static func of(_ ssl: OpaquePointer?) -> TLSSession? {
        guard let ssl = unsafe ssl, let raw = unsafe SSL_get_ex_data(ssl, 0) else { return nil }
        return unsafe Unmanaged<TLSSession>.fromOpaque(raw).takeUnretainedValue()
    }

    func greet(_ hello: ClientHello) -> Bool {
        clientHello = hello
        reply = context?.greet?(hello) ?? .proceed
        switch reply {
        case .proceed: return true
        case .stall, .close: return false
        case .use(let choice):
            chosen = choice
            guard unsafe SSL_set_SSL_CTX(pointer, choice.pointer) != nil else { return false }
            guard choice.settings == .outdated else { return true }
            return unsafe SSL_ctrl(pointer, SSL_CTRL_SET_MIN_PROTO_VERSION, Int(TLS1_VERSION), nil) == 1
                && SSL_ctrl(pointer, SSL_CTRL_SET_MAX_PROTO_VERSION, Int(TLS1_1_VERSION), nil) == 1
        }
    }

    /// Selects the context for the server name.
    /// - Returns: whether the name is acknowledged.
    func selectContext() -> Bool {
        guard let context else { return false }
        if case .use = reply { return true }
        let name = serverName
        guard let choice = context.choose?(name) else {
            // When OpenSSL resumes a TLS 1.2 session, it discards a name that was not acknowledged.
            return name.map { context.certificate.matches(host: $0) } ?? false
        }
        guard choice !== chosen, choice !== context else { return true }
        chosen = choice
        return unsafe SSL_set_SSL_CTX(pointer, choice.pointer) != nil
    }
}

package enum TLSProgress: Equatable, Sendable {
    /// The operation is complete. The value is the number of bytes for a read or write, and otherwise 0.
    case done(Int)
    case wantsRead
    case wantsWrite
    /// The peer sent close_notify, or closed the connection before the handshake.
    case closed
    /// The session is broken. Free it and close the descriptor.
    case failed(TLSFailure)
}

package enum TLSVersion: UInt8, Sendable {
    /// TLS 1.0 or 1.1, only with `TLSContext.Settings.outdated`.
    case outdated
    case tls12
    case tls13

    /// The name that OpenSSL and most logs use.
    package var name: StaticString {
        switch self {
        case .outdated: "TLSv1.1"
        case .tls12: "TLSv1.2"
        case .tls13: "TLSv1.3"
        }
    }
}

// The server's properties in a client session.
extension TLSSession {
    /// The unverified certificates in the order sent, starting with the server's own.
    ///
    /// They are available once they have arrived, even if the handshake fails later.
    package var servedChain: [Certificate] { channel?.chain ?? [] }

    /// The first bytes, at most 64, of a server that does not use TLS; otherwise empty.
    package var foreignBytes: [UInt8] { channel?.foreignBytes ?? [] }

    /// Whether a TLS 1.2 server requested a client certificate, or a TLS 1.3 server did so with the names of CAs.
    package var requestsCertificate: Bool { unsafe SSL_get0_peer_CA_list(pointer) != nil }

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
