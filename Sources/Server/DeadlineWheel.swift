/// A timer wheel that schedules the deadline checks of connections in coarse ticks.
///
/// The cost of a sweep depends only on the checks that are due. A check beyond the range of the wheel is due at the
/// wheel's last tick.
struct DeadlineWheel {
    struct Entry: Equatable {
        let slot: SlotID
        /// The time in milliseconds, as passed to `add`.
        let time: Int64
    }

    /// The number of ticks. With an interval of 150 ms, the wheel covers 77 s, which exceeds the default timeouts.
    private static let ticks: Int64 = 512

    /// The length of a tick in milliseconds.
    private let interval: Int64
    private var buckets = [[Entry]](repeating: [], count: Int(Self.ticks))
    /// The last tick whose checks were taken.
    private var taken: Int64

    init(interval: Int64, now: Int64) {
        self.interval = interval
        taken = now / interval
    }

    /// Adds a check. The check is due at the first tick at or after its time.
    mutating func add(_ slot: SlotID, at time: Int64) {
        let tick = min(max((time + interval - 1) / interval, taken + 1), taken + Self.ticks)
        buckets[Int(tick % Self.ticks)].append(Entry(slot: slot, time: time))
    }

    mutating func takeDue(_ now: Int64) -> [Entry] {
        let tick = now / interval
        guard tick > taken else { return [] }
        var due: [Entry] = []
        for bucket in (taken + 1)...min(tick, taken + Self.ticks) {
            due += buckets[Int(bucket % Self.ticks)]
            buckets[Int(bucket % Self.ticks)] = []
        }
        taken = tick
        return due
    }
}
