import COpenSSL
import MotivatorPlatform

/// The records that an event loop's sessions have written but not yet sent. All sessions of the loop reuse the memory.
///
/// A new connection sends its ticket, response and close_notify with one system call in one segment, instead of three.
// Only the thread that runs its sessions uses it.
package final class RecordBuffer {
    /// The number of bytes above which a session sends its records before it writes the next one.
    fileprivate static let limit = 64 << 10
    fileprivate var bytes: [UInt8] = []

    package init() {}
}

/// The socket of a server session. It can hold the records that OpenSSL writes until the session sends them together.
final class ServerChannel: SocketChannel {
    private let buffer: RecordBuffer?
    /// The records that the socket did not accept.
    private var unsent: ArraySlice<UInt8> = []
    /// The number of bytes sent since the last call to `sendRecords`.
    private var sentBytes = 0
    private var hasBegun = false
    private var hasEnded = false
    private var isPlainHTTP = false

    /// - Parameters:
    ///   - descriptor: the socket.
    ///   - buffer: holds records until `sendRecords`; nil to send each record immediately.
    init(_ descriptor: Int32, buffer: RecordBuffer?) {
        self.buffer = buffer
        super.init(descriptor)
    }

    override var failure: TLSFailure { isPlainHTTP ? .plainHTTP : super.failure }

    /// Whether the client closed the connection before its first byte.
    var isUnused: Bool { hasEnded && !hasBegun }
    /// The number of bytes that the socket did not accept.
    var unsentBytes: Int { unsent.count }

    override func read(into buffer: UnsafeMutableRawPointer, _ count: Int) -> Outcome {
        let outcome = unsafe super.read(into: buffer, count)
        if hasBegun { return outcome }
        switch outcome {
        case .done:
            hasBegun = true
            // OpenSSL would detect only five HTTP methods.
            let first = unsafe buffer.load(as: UInt8.self)
            isPlainHTTP = (0x41...0x5A).contains(first & 0xDF)
            return isPlainHTTP ? .failed : outcome
        case .ended: hasEnded = true
        case .again, .failed: break
        }
        return outcome
    }

    override func write(_ bytes: UnsafeRawPointer, _ count: Int) -> Outcome {
        guard let buffer else { return unsafe super.write(bytes, count) }
        guard unsent.isEmpty else { return .again }
        unsafe buffer.bytes.append(contentsOf: UnsafeRawBufferPointer(start: bytes, count: count))
        if buffer.bytes.count >= RecordBuffer.limit, case .failed = send(buffer) { return .failed }
        return .done(count)
    }

    /// Sends the records that the session has written.
    ///
    /// - Returns: the number of bytes sent since the last call, and `.done` if no records remain.
    func sendRecords() -> (count: Int, outcome: Outcome) {
        guard let buffer else { return (0, .done(0)) }
        let outcome = send(buffer)
        defer { sentBytes = 0 }
        return (sentBytes, outcome)
    }

    /// Sends the records that the socket did not accept before, if any; otherwise, the records in the buffer.
    private func send(_ buffer: RecordBuffer) -> Outcome {
        let start = sentBytes
        if !unsent.isEmpty {
            let outcome = unsafe unsent.withUnsafeBytes { unsafe send($0) }
            unsent.removeFirst(sentBytes - start)
            return outcome
        }
        if buffer.bytes.isEmpty { return .done(0) }
        let outcome = unsafe buffer.bytes.withUnsafeBytes { unsafe send($0) }
        let sent = sentBytes - start
        if sent < buffer.bytes.count { unsent = ArraySlice(Array(buffer.bytes[sent...])) }
        buffer.bytes.removeAll(keepingCapacity: true)
        return outcome
    }

    private func send(_ bytes: UnsafeRawBufferPointer) -> Outcome {
        guard let start = bytes.baseAddress else { return .done(0) }
        let outcome = unsafe super.write(start, bytes.count)
        guard case .done(let count) = outcome else { return outcome }
        sentBytes += count
        return count < bytes.count ? .again : outcome
    }
}
