import COpenSSL
import Certificates
import Platform

/// One TLS connection on a non-blocking descriptor; the one owner of its OpenSSL value, not of the descriptor.
///
/// It belongs to one thread at a time. Reading, writing and the states in between allocate nothing in Swift.
@safe public final class TLSSession {
    /// The server's context that the session began with; nil on a client's side.
    let context: TLSContext?
    /// The context that was chosen by name, kept alive as long as the session.
    private var chosen: TLSContext?
    /// The client's context, kept alive as long as the session; nil on a server's side.
    private let clientContext: TLSClientContext?
    /// What a client reads and writes through; a server's OpenSSL has the descriptor itself.
    let channel: ClientChannel?
    let pointer: OpaquePointer
    let descriptor: Int32
    private var hasBegun = false
    private(set) var isEstablished = false
    /// Records received since the last application data.
    var records = RecordCount()
    /// OpenSSL forbids every further call after a fatal error, also the one that closes.
    private var isBroken = false

    /// Prepares a session; the client has to speak first.
    ///
    /// - Parameters:
    ///   - context: the default context, which names may replace.
    ///   - descriptor: a connected, non-blocking socket, which stays open longer than the session lives.
    /// - Throws: `TLSContextError.noMemory`.
    public init(context: TLSContext, descriptor: Int32) throws(TLSContextError) {
        OpenSSLErrors.clear()
        guard let pointer = unsafe SSL_new(context.pointer) else { throw .noMemory(reason: OpenSSLErrors.drain()) }
        self.context = context
        clientContext = nil
        channel = nil
        unsafe self.pointer = pointer
        self.descriptor = descriptor
        guard unsafe SSL_set_fd(pointer, descriptor) == 1,
            // Unretained: OpenSSL calls back only from inside this object's own calls.
            unsafe SSL_set_ex_data(pointer, 0, Unmanaged.passUnretained(self).toOpaque()) == 1
        else {
            throw .noMemory(reason: OpenSSLErrors.drain())
        }
        unsafe SSL_set_accept_state(pointer)
    }

    /// Prepares a client's session, which verifies nothing: it hands out the chain as the server showed it.
    ///
    /// No call reads more than 64 kB, so that a caller who looks at the clock between calls keeps its deadline whatever
    /// the server sends. A peer that is gone raises no SIGPIPE.
    ///
    /// - Parameters:
    ///   - context: the client's settings.
    ///   - descriptor: a connected, non-blocking socket, which stays open longer than the session lives.
    ///   - serverName: the name that is asked for (SNI, RFC 6066 §3), at most 255 bytes; nil asks for none, as has to be
    ///     for an address.
    /// - Throws: `TLSContextError.noMemory`, also for a name that is too long.
    public init(
        client context: TLSClientContext, descriptor: Int32, serverName: String?
    ) throws(TLSContextError) {
        OpenSSLErrors.clear()
        let channel = ClientChannel(descriptor)
        guard let pointer = unsafe SSL_new(context.pointer) else { throw .noMemory(reason: OpenSSLErrors.drain()) }
        self.context = nil
        clientContext = context
        self.channel = channel
        unsafe self.pointer = pointer
        self.descriptor = descriptor
        guard let bio = unsafe channel.makeBIO() else { throw .noMemory(reason: OpenSSLErrors.drain()) }
        unsafe SSL_set_bio(pointer, bio, bio)
        guard unsafe SSL_set_ex_data(pointer, 0, Unmanaged.passUnretained(self).toOpaque()) == 1, ask(for: serverName)
        else {
            throw .noMemory(reason: OpenSSLErrors.drain())
        }
        unsafe SSL_set_connect_state(pointer)
    }

    deinit {
        unsafe SSL_free(pointer)
    }

    /// Goes on with the handshake.
    ///
    /// - Returns: `.done(0)` when the session is established. On a server's side `.closed` when the client left before
    ///   its first byte, and `.failed(.plainHTTP)` with the client's bytes still unread; on a client's side
    ///   `.failed(.notTLS)` with the server's bytes still unread.
    public func handshake() -> TLSProgress {
        if isEstablished { return .done(0) }
        if isBroken { return .closed }
        if let channel {
            channel.startCall()
        } else if !hasBegun, let end = lookAtFirstByte() {
            return end
        }
        OpenSSLErrors.clear()
        let result = unsafe SSL_do_handshake(pointer)
        if result == 1 {
            isEstablished = true
            return .done(0)
        }
        return progress(after: result)
    }

    /// Looks at the client's first byte and leaves it in the socket: OpenSSL knows five methods of HTTP, and would eat
    /// their bytes.
    private func lookAtFirstByte() -> TLSProgress? {
        var first: UInt8 = 0
        let got = unsafe recv(descriptor, &first, 1, Int32(MSG_PEEK))
        if got == 0 { return .closed }
        if got == 1 {
            hasBegun = true
            if isLetter(first) {
                isBroken = true
                return .failed(.plainHTTP)
            }
        } else if errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR {
            return .wantsRead
        } else if errno != ENOTSOCK {
            isBroken = true
            return .failed(.system(errno))
        }
        hasBegun = true
        return nil
    }

    /// Reads decrypted bytes.
    ///
    /// One call processes at most `RecordCount.limit` + 1 records without application data.
    ///
    /// - Parameter buffer: where they go.
    /// - Returns: `.done` with the number of bytes; `.closed` after the peer's close_notify;
    ///   `.failed(.truncated)` when the stream ended without one; `.failed(.tooManyRecordsWithoutData)` when the peer
    ///   keeps the session busy.
    public func read(into buffer: UnsafeMutableRawBufferPointer) -> TLSProgress {
        if isBroken { return .closed }
        guard buffer.count > 0 else { return .done(0) }
        channel?.startCall()
        OpenSSLErrors.clear()
        while true {
            errno = 0
            let result = unsafe SSL_read(pointer, buffer.baseAddress, Int32(clamping: buffer.count))
            if result > 0 {
                records.reset()
                return .done(Int(result))
            }
            let progress = progress(after: result)
            // OpenSSL stops after a record without application data, sometimes in the middle of it.
            guard progress == .wantsRead, !isSocketEmpty else { return progress }
        }
    }

    /// Encrypts and writes bytes, as many whole records as the socket takes.
    ///
    /// - Parameter buffer: the bytes; after `.wantsRead` or `.wantsWrite` the same bytes have to be offered again, from
    ///   the same or another place.
    /// - Returns: `.done` with the number of bytes taken, which may be less than offered.
    public func write(_ buffer: UnsafeRawBufferPointer) -> TLSProgress {
        if isBroken { return .closed }
        guard buffer.count > 0 else { return .done(0) }
        channel?.startCall()
        OpenSSLErrors.clear()
        let result = unsafe SSL_write(pointer, buffer.baseAddress, Int32(clamping: buffer.count))
        return result > 0 ? .done(Int(result)) : progress(after: result)
    }

    /// Whether bytes that were already taken from the socket wait to be read, of which no poller will tell.
    ///
    /// It may be only a part of a record: `read` then answers `.wantsRead`, and the poller tells of the rest.
    public var hasPending: Bool { unsafe !isBroken && SSL_has_pending(pointer) == 1 }

    /// Tells the peer that nothing more will be written.
    ///
    /// - Returns: `.done(0)` when it is told and the peer has not closed yet; `.closed` when both have, or when there is
    ///   no session to close.
    public func closeNotify() -> TLSProgress {
        guard isEstablished, !isBroken else { return .closed }
        channel?.startCall()
        OpenSSLErrors.clear()
        switch unsafe SSL_shutdown(pointer) {
        case 0: return .done(0)
        case 1: return .closed
        case let result: return progress(after: result)
        }
    }

    /// Whether the last call ended because the socket had no more bytes.
    private var isSocketEmpty: Bool { channel?.isEmpty ?? (errno == EAGAIN || errno == EWOULDBLOCK) }

    private func progress(after result: Int32) -> TLSProgress {
        let number = errno
        if records.isOverLimit {
            isBroken = true
            ERR_clear_error()
            return .failed(.tooManyRecordsWithoutData)
        }
        switch unsafe SSL_get_error(pointer, result) {
        case SSL_ERROR_WANT_READ: return .wantsRead
        case SSL_ERROR_WANT_WRITE: return .wantsWrite
        case SSL_ERROR_ZERO_RETURN: return .closed
        case SSL_ERROR_SYSCALL:
            isBroken = true
            ERR_clear_error()
            if let channel { return .failed(channel.failure) }
            return .failed(number == 0 ? .truncated : .system(number))
        case _:
            isBroken = true
            // The first error is the cause; those after it are its consequences.
            let code = ERR_peek_error()
            ERR_clear_error()
            switch ERR_GET_REASON(code) {
            case SSL_R_UNEXPECTED_EOF_WHILE_READING: return .failed(.truncated)
            case SSL_R_HTTP_REQUEST, SSL_R_HTTPS_PROXY_REQUEST: return .failed(.plainHTTP)
            case _: return .failed(isEstablished ? .broken(code: code) : .handshakeRefused(code: code))
            }
        }
    }

    private func isLetter(_ byte: UInt8) -> Bool { (0x41...0x5A).contains(byte & 0xDF) }
}

extension TLSSession {
    /// The version, nil before it is agreed on.
    public var protocolVersion: TLSVersion? {
        guard isEstablished else { return nil }
        switch unsafe SSL_version(pointer) {
        case TLS1_2_VERSION: return .tls12
        case TLS1_3_VERSION: return .tls13
        case _: return nil
        }
    }

    /// The version's name, such as "TLSv1.3"; empty before it is agreed on.
    public var version: String { protocolVersion.map { "\($0.name)" } ?? "" }

    /// The suite's name in OpenSSL's words, such as "TLS_AES_256_GCM_SHA384"; nil before it is agreed on.
    public var cipher: String? {
        unsafe SSL_CIPHER_get_name(SSL_get_current_cipher(pointer)).map { unsafe String(cString: $0) }
    }

    /// The server name that the client asked for, in lower case; nil when it sent none.
    public var serverName: String? {
        guard let name = unsafe SSL_get_servername(pointer, TLSEXT_NAMETYPE_host_name) else { return nil }
        return unsafe String(cString: name).lowercased()
    }

    /// Whether the session was taken up again with a ticket.
    public var isResumed: Bool { unsafe SSL_session_reused(pointer) == 1 }

    /// The session that OpenSSL calls back for.
    static func of(_ ssl: OpaquePointer?) -> TLSSession? {
        guard let ssl = unsafe ssl, let raw = unsafe SSL_get_ex_data(ssl, 0) else { return nil }
        return unsafe Unmanaged<TLSSession>.fromOpaque(raw).takeUnretainedValue()
    }

    /// Takes the context for the name that the client asked for.
    ///
    /// - Returns: whether a context was chosen for the name.
    func selectContext() -> Bool {
        guard let context else { return false }
        let name = serverName
        guard let choice = context.choose?(name) else {
            // A name that is not acknowledged is forgotten by a session that is resumed in TLS 1.2.
            return name.map { context.certificate.matches(host: $0) } ?? false
        }
        guard choice !== chosen, choice !== context else { return true }
        chosen = choice
        return unsafe SSL_set_SSL_CTX(pointer, choice.pointer) != nil
    }
}

/// How far an operation on a non-blocking session came.
public enum TLSProgress: Equatable, Sendable {
    /// It is done; the number of bytes for reads and writes, else 0.
    case done(Int)
    /// Call again when the descriptor can be read.
    case wantsRead
    /// Call again when the descriptor can be written.
    case wantsWrite
    /// The peer ended the session properly, or left before the handshake began.
    case closed
    /// The session is broken: free it and close the descriptor.
    case failed(TLSFailure)
}

/// A version of the protocol, small enough to be kept in a log record.
public enum TLSVersion: UInt8, Sendable {
    case tls12
    case tls13

    /// The name as OpenSSL and most logs write it.
    public var name: StaticString {
        switch self {
        case .tls12: "TLSv1.2"
        case .tls13: "TLSv1.3"
        }
    }
}
