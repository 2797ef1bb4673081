import Accounts
import MotivatorPlatform

/// Limits how often each client may do something: a token bucket for each client, in a table of fixed size.
///
/// A bucket is one number, the time at which it is full again. A full bucket needs no slot. A randomly seeded hash
/// selects eight adjacent slots for each client. If no slot is free, the bucket that is closest to full is
/// dropped, because this changes the limits the least.
final class RateLimiter<Client: Hashable & Sendable>: Sendable {
    private struct Bucket: Sendable {
        let client: Client
        let fullAt: Duration
    }

    /// The number of slots that a client's bucket can be in.
    private static var ways: Int { 8 }

    private let burst: Int
    private let interval: Duration
    private let now: @Sendable () -> Duration
    private let slots: Guarded<[Bucket?]>

    /// - Parameters:
    ///   - burst: the number of tokens in a full bucket, at least 1.
    ///   - interval: the time after which a bucket gets one token back.
    ///   - capacity: the maximum number of buckets, rounded up to a multiple of eight. With more clients at a time,
    ///     some clients get a full bucket early.
    ///   - now: a monotonic time.
    init(
        burst: Int, interval: Duration, capacity: Int = 8192,
        now: @escaping @Sendable () -> Duration = { MonotonicTime.now }
    ) {
        self.burst = max(burst, 1)
        self.interval = interval
        self.now = now
        let sets = max((capacity + Self.ways - 1) / Self.ways, 1)
        slots = Guarded(Array(repeating: nil, count: sets * Self.ways))
    }

    /// Limits the requests to this server, with the numbers of a limit that refills buckets.
    convenience init(_ limit: ClientLimit) {
        self.init(burst: limit.burst, interval: .seconds(3600) / limit.perHour)
    }

    /// Takes a token from the bucket of a client.
    ///
    /// - Returns: nil if there was a token; otherwise the seconds until there is one, at least 1.
    func take(for client: Client) -> Int? {
        let now = now()
        return slots.withLock { slots in
            let slot = Self.slot(for: client, in: slots, at: now)
            let known = slots[slot].flatMap { $0.client == client ? $0.fullAt : nil } ?? now
            let fullAt = max(known, now) + interval
            let wait = fullAt - now - interval * burst
            guard wait <= .zero else { return wait.wholeSeconds }
            slots[slot] = Bucket(client: client, fullAt: fullAt)
            return nil
        }
    }

    /// Returns the slot of the client's bucket, or the slot for a new bucket.
    private static func slot(for client: Client, in slots: [Bucket?], at now: Duration) -> Int {
        let sets = UInt(slots.count / ways)
        let first = Int(UInt(bitPattern: client.hashValue) % sets) * ways
        let own = first..<first + ways
        if let known = own.first(where: { slots[$0]?.client == client }) { return known }
        func fullAt(_ slot: Int) -> Duration { slots[slot]?.fullAt ?? .zero }
        return own.min { fullAt($0) < fullAt($1) } ?? first
    }
}
