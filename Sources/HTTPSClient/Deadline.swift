import MotivatorPlatform

/// The time source of a fetch. Tests use a simulated clock.
package struct FetchClock: Sendable {
    /// Returns the time of a monotonic clock in milliseconds.
    package let now: @Sendable () -> Int64

    package static let system = FetchClock { SocketCalls.monotonicMilliseconds() }
}

/// The time when a fetch, or a part of a fetch, times out.
package struct Deadline: Sendable {
    private let clock: FetchClock
    private let start: Int64
    private let end: Int64
}

extension Deadline {
    /// - Parameter seconds: the time from now, 0 to 86,400; other values are clamped.
    package init(seconds: Int, clock: FetchClock) {
        let start = clock.now()
        self.init(clock: clock, start: start, end: start + Int64(min(max(seconds, 0), 86_400)) * 1_000)
    }

    /// The remaining milliseconds, 0 or more.
    package var left: Int { Int(max(end - clock.now(), 0)) }

    /// The elapsed milliseconds, 0 or more.
    var gone: Int { Int(max(clock.now() - start, 0)) }

    var isOver: Bool { left == 0 }

    /// The total time in seconds, rounded up.
    package var seconds: Int { Int((end - start + 999) / 1_000) }

    /// Returns the deadline for the first of several steps that share the remaining time.
    /// - Parameter count: the number of steps, at least 1.
    func share(of count: Int) -> Deadline {
        let now = clock.now()
        return Deadline(clock: clock, start: now, end: now + max(end - now, 0) / Int64(max(count, 1)))
    }

    /// Waits until a descriptor is ready or the deadline has passed. May return early, so callers must check both.
    /// - Parameter events: `POLLIN`, `POLLOUT` or both.
    package func wait(_ descriptor: Int32, _ events: Int32) {
        var entry = pollfd(fd: descriptor, events: Int16(truncatingIfNeeded: events), revents: 0)
        _ = unsafe poll(&entry, 1, Int32(clamping: left))
    }
}
