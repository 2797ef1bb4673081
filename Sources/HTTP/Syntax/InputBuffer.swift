/// A queue of received bytes that are not yet parsed.
struct InputBuffer: Sendable {
    /// The largest capacity that an empty buffer keeps. It limits the memory of idle connections.
    private static let keptCapacity = 4 << 10

    private var bytes: [UInt8] = []
    private var start = 0

    var count: Int { bytes.count - start }

    var isEmpty: Bool { bytes.count == start }

    mutating func append(_ more: FieldBytes) {
        if start > 0, start >= bytes.count / 2 {
            bytes.removeFirst(start)
            start = 0
        }
        bytes.append(contentsOf: more)
    }

    @inline(__always)
    mutating func consume(_ count: Int) {
        precondition(count >= 0 && count <= self.count, "Cannot consume more bytes than the buffer contains")
        start += count
        guard start == bytes.count else { return }
        start = 0
        bytes.removeAll(keepingCapacity: bytes.capacity <= Self.keptCapacity)
    }

    mutating func clear() {
        consume(count)
    }

    @inline(__always)
    func withBytes<Result, Failure>(
        _ body: (FieldBytes) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try bytes.withFieldBytes { all throws(Failure) in try body(all.part(start..<all.count)) }
    }
}
