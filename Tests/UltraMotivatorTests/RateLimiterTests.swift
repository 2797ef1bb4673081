import Accounts
import MotivatorPlatform
import Testing

@testable import UltraMotivator

/// The rules are in docs/site-and-api.md, "Queues and rates".
@Suite("Token bucket for each client") struct RateLimiterTests {
    private let time = Guarded(Duration.seconds(1_000))

    private func limiter(burst: Int, seconds: Int, capacity: Int = 64) -> RateLimiter<Int> {
        RateLimiter(
            burst: burst, interval: .seconds(seconds), capacity: capacity, now: { [time] in time.withLock { $0 } })
    }

    private func pass(_ duration: Duration) { time.withLock { $0 += duration } }

    @Test("A new client has all tokens; then it waits for the next one")
    func burst() {
        let limiter = limiter(burst: 3, seconds: 10)
        #expect((0..<5).map { _ in limiter.take(for: 1) } == [nil, nil, nil, 10, 10])
        pass(.milliseconds(9_001))
        #expect(limiter.take(for: 1) == 1, "the wait must be rounded up")
        pass(.milliseconds(999))
        #expect((0..<2).map { _ in limiter.take(for: 1) } == [nil, 10])
    }

    @Test("A refused request costs no token, and a long wait does not give more than a full bucket")
    func full() {
        let limiter = limiter(burst: 2, seconds: 10)
        for _ in 0..<50 { _ = limiter.take(for: 1) }
        pass(.seconds(10))
        #expect((0..<2).map { _ in limiter.take(for: 1) } == [nil, 10])
        pass(.seconds(86_400))
        #expect((0..<3).map { _ in limiter.take(for: 1) } == [nil, nil, 10])
    }

    @Test("A refund returns one token, and never more than a full bucket")
    func refund() {
        let limiter = limiter(burst: 2, seconds: 10)
        limiter.refund(to: 1)
        #expect((0..<3).map { _ in limiter.take(for: 1) } == [nil, nil, 10])
        limiter.refund(to: 1)
        limiter.refund(to: 2)
        #expect((0..<2).map { _ in limiter.take(for: 1) } == [nil, 10])
        for _ in 0..<9 { limiter.refund(to: 1) }
        #expect((0..<3).map { _ in limiter.take(for: 1) } == [nil, nil, 10])
    }

    @Test("The bucket of a limit has its burst, and refills at its rate per hour")
    func limit() throws {
        let limiter = RateLimiter<Int>(ClientLimit("test", burst: 3, perHour: 1))
        for _ in 0..<3 { #expect(limiter.take(for: 1) == nil) }
        // The clock is real, so a few seconds may have passed.
        let wait = try #require(limiter.take(for: 1))
        #expect((3_000...3_600).contains(wait))
        let rates = [CheckPage.checkLimit, .ceremonies, CheckPage.fetchLimit].map { ($0.burst, $0.perHour) }
        #expect(rates.map(\.0) == [60, 240, 10] && rates.map(\.1) == [3_600, 14_400, 600])
    }

    @Test("Clients have their own buckets")
    func clients() {
        let limiter = limiter(burst: 1, seconds: 10)
        #expect(limiter.take(for: 1) == nil)
        #expect(limiter.take(for: 2) == nil)
        #expect(limiter.take(for: 1) == 10)
        #expect(limiter.take(for: 2) == 10)
    }

    @Test("With too many clients, the fuller half of the buckets is dropped")
    func eviction() {
        let limiter = limiter(burst: 5, seconds: 10, capacity: 8)
        for client in 1...8 {
            for _ in 0..<(client.isMultiple(of: 2) ? 2 : 5) { #expect(limiter.take(for: client) == nil) }
        }
        #expect(limiter.take(for: 9) == nil)
        for client in [1, 3, 5, 7] { #expect(limiter.take(for: client) == 10) }
        for client in [4, 9] { #expect((0..<4).map { _ in limiter.take(for: client) } == [nil, nil, nil, nil]) }
    }

    @Test("Many clients do not free the client that is over its rate")
    func many() {
        let limiter = limiter(burst: 4, seconds: 10, capacity: 1_024)
        for _ in 0..<4 { #expect(limiter.take(for: -1) == nil) }
        for client in 0..<100_000 { _ = limiter.take(for: client) }
        #expect(limiter.take(for: -1) == 10)
    }
}
