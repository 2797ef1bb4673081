import Accounts
import MotivatorPlatform

/// A rate limiter with a token bucket for each client.
///
/// A bucket stores only the time when it is full again.
final class RateLimiter<Client: Hashable & Sendable>: Sendable {
    private let burst: Int
    private let interval: Duration
    private let capacity: Int
    private let now: @Sendable () -> Duration
    private let buckets = Guarded<[Client: Duration]>([:])

    /// - Parameter capacity: the maximum number of buckets. If more clients are active, some get a full bucket early.
    init(
        burst: Int, interval: Duration, capacity: Int = 8192,
        now: @escaping @Sendable () -> Duration = { MonotonicTime.now }
    ) {
        self.burst = max(burst, 1)
        (self.interval, self.capacity, self.now) = (interval, capacity, now)
    }

    /// Creates a limiter for this server with the burst and the refill rate of a limit.
    convenience init(_ limit: ClientLimit) { self.init(burst: limit.burst, interval: .seconds(3600) / limit.perHour) }

    /// Takes a token from the bucket of a client.
    /// - Returns: nil if a token was available; otherwise the seconds until the next token, at least 1.
    func take(for client: Client) -> Int? {
        let now = now()
        return buckets.withLock { buckets in
            let fullAt = max(buckets[client] ?? now, now) + interval
            let wait = fullAt - now - interval * burst
            guard wait <= .zero else { return wait.wholeSeconds }
            if buckets.count >= capacity, buckets[client] == nil {
                // Drop the fuller half, because this changes the limits the least.
                let kept = buckets.sorted { $0.value < $1.value }.suffix(capacity / 2)
                buckets = Dictionary(uniqueKeysWithValues: kept.map { ($0.key, $0.value) })
            }
            buckets[client] = fullAt
            return nil
        }
    }

    /// Returns a token that was taken.
    func refund(to client: Client) {
        buckets.withLock { buckets in
            if let fullAt = buckets[client] { buckets[client] = fullAt - interval }
        }
    }
}
