/// Counts transferred bytes over consecutive windows of time, to find a peer that is too slow.
struct TransferRate {
    private var windowStart: Int64
    private var bytes: Int

    /// - Parameters:
    ///   - now: milliseconds of a monotonic clock.
    ///   - bytes: the bytes that have already been transferred.
    init(now: Int64, bytes: Int = 0) {
        windowStart = now
        self.bytes = bytes
    }

    /// Counts transferred bytes.
    mutating func add(_ count: Int) {
        bytes += count
    }

    /// Returns whether the last window ended below the minimum rate, and starts a new window when one has ended.
    ///
    /// - Parameters:
    ///   - minimum: bytes per second.
    ///   - window: the length of a window in milliseconds.
    ///   - now: milliseconds of the same clock as in `init`.
    mutating func isBelow(_ minimum: Int, over window: Int64, now: Int64) -> Bool {
        let elapsed = now - windowStart
        guard elapsed >= window else { return false }
        let isTooSlow = bytes < minimum * Int(elapsed) / 1_000
        (windowStart, bytes) = (now, 0)
        return isTooSlow
    }
}
