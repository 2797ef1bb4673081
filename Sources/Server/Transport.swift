import MotivatorPlatform
import MotivatorTLS

/// A connection to a client over TLS or plain TCP, with the same operations for both.
enum Transport {
    case plain(Int32)
    case tls(TLSSession)

    @inline(__always)
    func read(into buffer: UnsafeMutableRawBufferPointer) -> TLSProgress {
        switch self {
        case .plain(let descriptor):
            while true {
                let count = unsafe recv(descriptor, buffer.baseAddress, buffer.count, 0)
                if count > 0 { return .done(count) }
                if count == 0 { return .closed }
                if errno == EINTR { continue }
                return errno == EAGAIN || errno == EWOULDBLOCK ? .wantsRead : .failed(.system(errno))
            }
        case .tls(let session): return unsafe session.read(into: buffer)
        }
    }

    @inline(__always)
    func write(_ bytes: UnsafeRawBufferPointer) -> TLSProgress {
        switch self {
        case .plain(let descriptor):
            while true {
                let count = unsafe send(descriptor, bytes.baseAddress, bytes.count, SocketCalls.sendFlags)
                if count >= 0 { return .done(count) }
                if errno == EINTR { continue }
                return errno == EAGAIN || errno == EWOULDBLOCK ? .wantsWrite : .failed(.system(errno))
            }
        case .tls(let session): return unsafe session.write(bytes)
        }
    }

    /// Whether the TLS session has buffered bytes, which the poller does not report.
    var hasPending: Bool {
        if case .tls(let session) = self { session.hasPending } else { false }
    }
}

/// A counter of transferred bytes over consecutive time windows, used to detect a slow peer.
struct TransferRate {
    private var windowStart: Int64
    private var bytes: Int

    init(now: Int64, bytes: Int = 0) {
        windowStart = now
        self.bytes = bytes
    }

    mutating func add(_ count: Int) {
        bytes += count
    }

    func end(of window: Int64) -> Int64 { windowStart + window }

    /// Returns whether a window has ended below the minimum rate. If a window has ended, a new window starts.
    /// - Parameters:
    ///   - minimum: the minimum rate in bytes per second.
    ///   - now: the time of the same clock as in `init`, in milliseconds.
    mutating func isBelow(_ minimum: Int, over window: Int64, now: Int64) -> Bool {
        let elapsed = now - windowStart
        guard elapsed >= window else { return false }
        let isTooSlow = bytes < minimum * Int(elapsed) / 1_000
        (windowStart, bytes) = (now, 0)
        return isTooSlow
    }
}
