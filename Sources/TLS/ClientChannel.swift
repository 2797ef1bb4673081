import COpenSSL
import Certificates
import MotivatorPlatform

/// The socket through which OpenSSL reads and writes in a client session. It also records facts about the server.
///
/// OpenSSL's socket BIO reads as long as bytes arrive. A server that sends only handshake messages that OpenSSL ignores
/// could keep one call busy past any deadline. This channel limits the bytes of each call, and never raises SIGPIPE.
// Only the thread of its session uses it.
final class ClientChannel {
    /// The maximum number of bytes that one call of the session may read: several records.
    private static let budget = 64 << 10
    /// The number of bytes to keep from a server that does not use TLS: enough to recognize its protocol.
    private static let excerpt = 64

    private let descriptor: Int32
    private var left = 0
    /// Whether the last read found no bytes, or reached the limit of the call.
    private(set) var isEmpty = false
    private var hasRead = false
    private var errorNumber: Int32?
    private var isReset = false
    /// The first bytes of a server that does not use TLS; otherwise empty.
    private(set) var foreignBytes: [UInt8] = []
    /// The certificates in the order sent.
    var chain: [Certificate] = []
    /// The version in the server hello. TLS 1.3 also uses 0x0303.
    var chosenVersion: UInt16?

    init(_ descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// Resets the byte limit for the next call.
    func startCall() { left = Self.budget }

    /// The failure to report when OpenSSL reports a failed system call.
    var failure: TLSFailure {
        if !foreignBytes.isEmpty { return .notTLS }
        return errorNumber.map { .system($0) } ?? .truncated
    }

    /// Creates a BIO for this channel, which must outlive the BIO; nil if memory runs out.
    func makeBIO() -> OpaquePointer? {
        guard let method = unsafe Self.method, let bio = unsafe BIO_new(method) else { return nil }
        // Unretained: the session owns both and frees the BIO first.
        unsafe BIO_set_data(bio, Unmanaged.passUnretained(self).toOpaque())
        unsafe BIO_set_init(bio, 1)
        return unsafe bio
    }

    private enum Outcome {
        case done(Int)
        case again
        case ended
        case failed
    }

    private func read(into buffer: UnsafeMutableRawPointer, _ count: Int) -> Outcome {
        isEmpty = true
        guard left > 0 else { return .again }
        if !hasRead, let early = peekAtFirstBytes() { return early }
        while true {
            let got = unsafe recv(descriptor, buffer, min(count, left), 0)
            if got > 0 {
                left -= got
                isEmpty = false
                return .done(got)
            }
            if got == 0 { return end() }
            if errno == EINTR { continue }
            return stop(errno)
        }
    }

    /// Checks that the server's first record is an alert or a handshake message (RFC 8446 §5.1).
    private func peekAtFirstBytes() -> Outcome? {
        var bytes = [UInt8](repeating: 0, count: Self.excerpt)
        let got = unsafe recv(descriptor, &bytes, bytes.count, Int32(MSG_PEEK))
        if got == 0 { return end() }
        guard got > 0 else { return errno == EINTR ? .again : stop(errno) }
        hasRead = true
        guard bytes[0] != SSL3_RT_ALERT, bytes[0] != SSL3_RT_HANDSHAKE else { return nil }
        foreignBytes = Array(bytes.prefix(got))
        return .failed
    }

    private func write(_ buffer: UnsafeRawPointer, _ count: Int) -> Outcome {
        while true {
            let put = unsafe send(descriptor, buffer, count, SocketCalls.sendFlags)
            if put >= 0 { return .done(put) }
            switch errno {
            case EINTR: continue
            case EPIPE: return .done(count)
            case ECONNRESET:
                // The bytes that the server sent before the reset are still readable. The reset is reported after them.
                isReset = true
                return .done(count)
            case let number: return stop(number)
            }
        }
    }

    private func end() -> Outcome {
        guard isReset else { return .ended }
        errorNumber = ECONNRESET
        return .failed
    }

    private func stop(_ number: Int32) -> Outcome {
        if number == EAGAIN || number == EWOULDBLOCK { return .again }
        errorNumber = number
        return .failed
    }
}

// MARK: - OpenSSL's BIO

extension ClientChannel {
    // nonisolated(unsafe): it is created once and then only read.
    private nonisolated(unsafe) static let method: OpaquePointer? = {
        let kind = BIO_get_new_index() | BIO_TYPE_SOURCE_SINK
        guard let method = unsafe BIO_meth_new(kind, "client channel") else { return nil }
        unsafe BIO_meth_set_read(method) { bio, buffer, count in
            guard let channel = unsafe ClientChannel.of(bio), let buffer = unsafe buffer else { return -1 }
            return unsafe ClientChannel.result(
                of: channel.read(into: buffer, Int(count)), bio, retry: BIO_FLAGS_READ)
        }
        unsafe BIO_meth_set_write(method) { bio, buffer, count in
            guard let channel = unsafe ClientChannel.of(bio), let buffer = unsafe buffer else { return -1 }
            return unsafe ClientChannel.result(of: channel.write(buffer, Int(count)), bio, retry: BIO_FLAGS_WRITE)
        }
        // Nothing is buffered, so a flush always succeeds. Every other command is unsupported.
        unsafe BIO_meth_set_ctrl(method) { _, command, _, _ in command == BIO_CTRL_FLUSH ? 1 : 0 }
        return unsafe method
    }()

    private static func of(_ bio: OpaquePointer?) -> ClientChannel? {
        guard let raw = unsafe BIO_get_data(bio) else { return nil }
        return unsafe Unmanaged<ClientChannel>.fromOpaque(raw).takeUnretainedValue()
    }

    private static func result(of outcome: Outcome, _ bio: OpaquePointer?, retry: Int32) -> Int32 {
        unsafe BIO_clear_flags(bio, BIO_FLAGS_READ | BIO_FLAGS_WRITE | BIO_FLAGS_SHOULD_RETRY)
        switch outcome {
        case .done(let count): return Int32(clamping: count)
        case .again:
            unsafe BIO_set_flags(bio, retry | BIO_FLAGS_SHOULD_RETRY)
            return -1
        case .ended: return 0
        case .failed: return -1
        }
    }
}
