import Testing

@testable import Server

@Suite("Places for connections") struct ConnectionLimiterTests {
    private static func address(_ last: UInt8) -> [UInt8] { [192, 0, 2, last] }

    @Test("One address gets a quarter, all together get the limit")
    func limits() {
        let limiter = ConnectionLimiter(limit: 8)
        #expect(limiter.limitForAddress == 2)
        for last in UInt8(1)...4 {
            #expect(limiter.enter(Self.address(last), now: 0).entered)
            #expect(limiter.enter(Self.address(last), now: 0).entered)
            #expect(!limiter.enter(Self.address(last), now: 0).entered)
        }
        #expect(!limiter.enter(Self.address(5), now: 0).entered)
        limiter.leave(Self.address(1))
        #expect(!limiter.enter(Self.address(2), now: 0).entered)
        let (entered, total, _) = limiter.enter(Self.address(5), now: 0)
        #expect(entered && total == 8)
    }

    @Test("A place that is left is given to the next, also to the same address")
    func leaving() {
        let limiter = ConnectionLimiter(limit: 4)
        for _ in 0..<100 {
            #expect(limiter.enter(Self.address(1), now: 0).entered)
            #expect(!limiter.enter(Self.address(1), now: 0).entered)
            limiter.leave(Self.address(1))
        }
    }

    @Test("A small limit still leaves a place", arguments: [0, 1, 2, 3, -5])
    func smallest(_ limit: Int) {
        let limiter = ConnectionLimiter(limit: limit)
        #expect(limiter.limitForAddress == 1)
        #expect(limiter.enter(Self.address(1), now: 0).entered)
    }

    @Test("Refusals are told once a second, with their number")
    func told() {
        let limiter = ConnectionLimiter(limit: 1)
        #expect(limiter.enter(Self.address(1), now: 10_000).refusedToLog == nil)
        #expect(limiter.enter(Self.address(2), now: 10_000).refusedToLog == 1)
        for now in Int64(10_001)...10_020 {
            #expect(limiter.enter(Self.address(2), now: now).refusedToLog == nil)
        }
        #expect(limiter.enter(Self.address(3), now: 10_999).refusedToLog == nil)
        #expect(limiter.enter(Self.address(2), now: 11_000).refusedToLog == 22)
        #expect(limiter.enter(Self.address(2), now: 12_000).refusedToLog == 1)
    }

    @Test("The system's descriptor limit leaves some for files and listeners")
    func descriptors() {
        #expect(ConnectionLimiter.limitFromDescriptors() >= 8)
        #expect(ConnectionLimiter.limitFromDescriptors() <= (1 << 20) - 64)
    }
}
