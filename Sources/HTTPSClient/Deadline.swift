import Platform

/// Where the milliseconds of a fetch come from; tests give their own.
package struct FetchClock: Sendable {
    /// The milliseconds of a clock that never goes back.
    package let now: @Sendable () -> Int64

    package static let system = FetchClock { SocketCalls.monotonicMilliseconds() }
}

/// The moment at which a fetch, or a part of it, gives up.
package struct Deadline: Sendable {
    private let clock: FetchClock
    private let start: Int64
    private let end: Int64

    /// - Parameters:
    ///   - seconds: from now on; held to between 0 and a day.
    ///   - clock: tells the time.
    package init(seconds: Int, clock: FetchClock) {
        let start = clock.now()
        self.init(clock, start: start, end: start + Int64(min(max(seconds, 0), 86_400)) * 1_000)
    }

    private init(_ clock: FetchClock, start: Int64, end: Int64) {
        (self.clock, self.start, self.end) = (clock, start, end)
    }

    /// Milliseconds that are left, 0 or more.
    package var left: Int { Int(max(end - clock.now(), 0)) }

    /// Milliseconds that are gone, 0 or more.
    var gone: Int { Int(max(clock.now() - start, 0)) }

    var isOver: Bool { left == 0 }

    /// How long it is in all, in seconds, rounded up.
    package var seconds: Int { Int((end - start + 999) / 1_000) }

    /// The deadline of the first of several things that share what is left.
    ///
    /// - Parameter count: how many, at least 1.
    func share(of count: Int) -> Deadline {
        let now = clock.now()
        return Deadline(clock, start: now, end: now + max(end - now, 0) / Int64(max(count, 1)))
    }

    /// Waits until a descriptor is ready, the time is over, or neither: the caller asks both again.
    ///
    /// - Parameters:
    ///   - descriptor: an open descriptor.
    ///   - events: `POLLIN`, `POLLOUT` or both.
    package func wait(_ descriptor: Int32, _ events: Int32) {
        var entry = pollfd(fd: descriptor, events: Int16(truncatingIfNeeded: events), revents: 0)
        _ = unsafe poll(&entry, 1, Int32(clamping: left))
    }
}
