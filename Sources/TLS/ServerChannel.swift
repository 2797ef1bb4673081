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

/// The socket of a server session. It passes a ClientHello to OpenSSL only when the whole message has arrived. It can
/// hold the records that OpenSSL writes until the session sends them together.
final class ServerChannel: SocketChannel {
    /// The random value of a ServerHello that is a HelloRetryRequest (RFC 8446 §4.1.3): SHA-256 of "HelloRetryRequest".
    private static let retryRandom: [UInt8] = [
        0xCF, 0x21, 0xAD, 0x74, 0xE5, 0x9A, 0x61, 0x11, 0xBE, 0x1D, 0x8C, 0x02, 0x1E, 0x65, 0xB8, 0x91,
        0xC2, 0xA2, 0x11, 0x16, 0x7A, 0xBB, 0x8C, 0x5E, 0x07, 0x9E, 0x09, 0xE2, 0xC8, 0xA8, 0x33, 0x9C,
    ]
    /// The index of the random value in the record of a ServerHello, after both headers and the version.
    private static let randomStart = 11

    private let buffer: RecordBuffer?
    /// The reader of the ClientHello that the server waits for; nil while it waits for none.
    private var hello: ClientHelloReader?
    /// Whether the client closed the connection before its first byte.
    private(set) var isUnused = false
    private var refusal: TLSFailure?
    /// The received bytes that OpenSSL has not yet read, starting with the ClientHello.
    private var unread: ArraySlice<UInt8> = []
    /// The bytes that arrived with the ClientHello and follow it.
    private var rest: ArraySlice<UInt8> = []
    private var hasWritten = false
    private var unsent: ArraySlice<UInt8> = []
    /// The number of bytes sent since the last call to `sendRecords`.
    private var sentBytes = 0

    /// - Parameters:
    ///   - buffer: holds records until `sendRecords`; nil to send each record immediately.
    ///   - hello: the bytes that have been received from the socket.
    init(_ descriptor: Int32, buffer: RecordBuffer?, hello: ClientHelloReader) {
        (self.buffer, self.hello) = (buffer, hello)
        super.init(descriptor)
    }

    override var failure: TLSFailure { if let refusal { refusal } else { super.failure } }

    var unsentBytes: Int { unsent.count }

    override func read(into buffer: UnsafeMutableRawPointer, _ count: Int) -> Outcome {
        if unread.isEmpty {
            if let outcome = unsafe collectHello(using: buffer, count) { return outcome }
            if unread.isEmpty { swap(&unread, &rest) }
            if unread.isEmpty { return unsafe super.read(into: buffer, count) }
        }
        isEmpty = false
        let part = unread.prefix(count)
        unsafe UnsafeMutableRawBufferPointer(start: buffer, count: part.count).copyBytes(from: part)
        // An empty slice would keep the memory.
        unread = part.count < unread.count ? unread.dropFirst(part.count) : []
        return .done(part.count)
    }

    /// Reads the ClientHello that the server waits for.
    /// - Returns: nil when OpenSSL can read it, or if the server waits for none.
    private func collectHello(using buffer: UnsafeMutableRawPointer, _ count: Int) -> Outcome? {
        guard var hello else { return nil }
        self.hello = nil
        while true {
            switch hello.next() {
            case .complete:
                unread = hello.parts.hello
                if !hello.parts.rest.isEmpty { rest = hello.parts.rest }
                return nil
            case .refused(let failure):
                refusal = failure
                return .failed
            case .needMore: break
            }
            let outcome = unsafe super.read(into: buffer, min(count, hello.space))
            guard case .done(let got) = outcome else {
                if case .ended = outcome { isUnused = hello.isEmpty }
                self.hello = hello
                return outcome
            }
            unsafe hello.append(UnsafeRawBufferPointer(start: buffer, count: got))
        }
    }

    /// Starts to wait for a second ClientHello if the server's first record requests it.
    private func noteFirstRecord(_ record: UnsafeRawBufferPointer) {
        hasWritten = true
        guard unsafe record.dropFirst(Self.randomStart).starts(with: Self.retryRandom) else { return }
        var reader = ClientHelloReader(isRetry: true)
        unsafe rest.withUnsafeBytes { unsafe reader.append($0) }
        rest = []
        hello = reader
    }

    override func write(_ bytes: UnsafeRawPointer, _ count: Int) -> Outcome {
        if !hasWritten { unsafe noteFirstRecord(UnsafeRawBufferPointer(start: bytes, count: count)) }
        guard let buffer else { return unsafe super.write(bytes, count) }
        guard unsent.isEmpty else { return .again }
        unsafe buffer.bytes.append(contentsOf: UnsafeRawBufferPointer(start: bytes, count: count))
        if buffer.bytes.count >= RecordBuffer.limit, case .failed = send(buffer) { return .failed }
        return .done(count)
    }

    /// Sends the records that the session has written.
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
