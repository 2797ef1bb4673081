import Accounts
import MotivatorPlatform

/// A rate limiter with a token bucket for each client, in a table of fixed size.
///
/// A bucket stores only the time when it is full again. A full bucket needs no slot. A randomly seeded hash selects
/// eight adjacent slots for each client. If no slot is free, the limiter drops the fullest bucket, because this changes
/// the limits the least.
final class RateLimiter<Client: Hashable & Sendable>: Sendable {
    private struct Bucket: Sendable {
        let client: Client
        let fullAt: Duration
    }

    /// The number of slots that can contain a client's bucket.
    private static var ways: Int { 8 }

    private let burst: Int
    private let interval: Duration
    private let now: @Sendable () -> Duration
    private let slots: Guarded<[Bucket?]>

    /// - Parameter capacity: the maximum number of buckets, rounded up to a multiple of eight. If more clients are
    ///   active, some get a full bucket early.
    init(
        burst: Int, interval: Duration, capacity: Int = 8192,
        now: @escaping @Sendable () -> Duration = { MonotonicTime.now }
    ) {
        self.burst = max(burst, 1)
        (self.interval, self.now) = (interval, now)
        let sets = max((capacity + Self.ways - 1) / Self.ways, 1)
        slots = Guarded(Array(repeating: nil, count: sets * Self.ways))
    }

    /// Creates a limiter for this server with the burst and the refill rate of a limit.
    convenience init(_ limit: ClientLimit) {
        self.init(burst: limit.burst, interval: .seconds(3600) / limit.perHour)
    }

    /// Takes a token from the bucket of a client.
    /// - Returns: nil if a token was available; otherwise the seconds until the next token, at least 1.
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

    /// Returns a token that was taken.
    func refund(to client: Client) {
        let now = now()
        slots.withLock { slots in
            let slot = Self.slot(for: client, in: slots, at: now)
            guard let known = slots[slot], known.client == client else { return }
            slots[slot] = Bucket(client: client, fullAt: known.fullAt - interval)
        }
    }

    /// Returns the slot of the client's bucket, or a slot for a new bucket.
    private static func slot(for client: Client, in slots: [Bucket?], at now: Duration) -> Int {
        let sets = UInt(slots.count / ways)
        let first = Int(UInt(bitPattern: client.hashValue) % sets) * ways
        let own = first..<first + ways
        if let known = own.first(where: { slots[$0]?.client == client }) { return known }
        func fullAt(_ slot: Int) -> Duration { slots[slot]?.fullAt ?? .zero }
        return own.min { fullAt($0) < fullAt($1) } ?? first
    }
}
