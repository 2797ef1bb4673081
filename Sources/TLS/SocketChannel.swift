import COpenSSL
import MotivatorPlatform

/// The socket through which OpenSSL reads and writes, as a BIO.
// Only the thread that runs its session uses it.
class SocketChannel {
    enum Outcome {
        case done(Int)
        /// The socket has no bytes to read, or cannot accept more bytes.
        case again
        case ended
        case failed
    }

    let descriptor: Int32
    var isEmpty = false
    /// The `errno` of a failed system call; nil before a failure.
    var errorNumber: Int32?

    init(_ descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// The failure to report when OpenSSL reports a failed system call.
    var failure: TLSFailure { errorNumber.map { .system($0) } ?? .truncated }

    func read(into buffer: UnsafeMutableRawPointer, _ count: Int) -> Outcome {
        while true {
            let got = unsafe recv(descriptor, buffer, count, 0)
            isEmpty = got < 0
            if got > 0 { return .done(got) }
            if got == 0 { return .ended }
            if errno != EINTR { return stop(errno) }
        }
    }

    func write(_ buffer: UnsafeRawPointer, _ count: Int) -> Outcome {
        while true {
            let put = unsafe send(descriptor, buffer, count, SocketCalls.sendFlags)
            if put >= 0 { return .done(put) }
            if errno != EINTR { return stop(errno) }
        }
    }

    final func stop(_ number: Int32) -> Outcome {
        if number == EAGAIN || number == EWOULDBLOCK { return .again }
        errorNumber = number
        return .failed
    }
}

// MARK: - OpenSSL's BIO

extension SocketChannel {
    /// Creates a BIO for this channel, which must outlive the BIO; nil if memory runs out.
    final func makeBIO() -> OpaquePointer? {
        guard let method = unsafe Self.method, let bio = unsafe BIO_new(method) else { return nil }
        // Unretained: the session owns both and frees the BIO first.
        unsafe BIO_set_data(bio, Unmanaged.passUnretained(self).toOpaque())
        unsafe BIO_set_init(bio, 1)
        return unsafe bio
    }

    // nonisolated(unsafe): created once, then only read.
    private nonisolated(unsafe) static let method: OpaquePointer? = {
        let kind = BIO_get_new_index() | BIO_TYPE_SOURCE_SINK
        guard let method = unsafe BIO_meth_new(kind, "socket channel") else { return nil }
        unsafe BIO_meth_set_read(method) { bio, buffer, count in
            guard let channel = unsafe SocketChannel.of(bio), let buffer = unsafe buffer else { return -1 }
            return unsafe SocketChannel.result(of: channel.read(into: buffer, Int(count)), bio, retry: BIO_FLAGS_READ)
        }
        unsafe BIO_meth_set_write(method) { bio, buffer, count in
            guard let channel = unsafe SocketChannel.of(bio), let buffer = unsafe buffer else { return -1 }
            return unsafe SocketChannel.result(of: channel.write(buffer, Int(count)), bio, retry: BIO_FLAGS_WRITE)
        }
        // The owner of the session decides when held records are sent, so a flush always succeeds. Every other command
        // is unsupported.
        unsafe BIO_meth_set_ctrl(method) { _, command, _, _ in command == BIO_CTRL_FLUSH ? 1 : 0 }
        return unsafe method
    }()

    private static func of(_ bio: OpaquePointer?) -> SocketChannel? {
        guard let raw = unsafe BIO_get_data(bio) else { return nil }
        return unsafe Unmanaged<SocketChannel>.fromOpaque(raw).takeUnretainedValue()
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
