import MotivatorPlatform
import Testing

@testable import Accounts

/// How a store slows down many addresses that guess the password of the same account.
@Suite("The level of an account") struct StoreLevelTests {
    @Test(
        "The spacing is none up to 100 attempts, and a day at 200",
        arguments: [(0, 0), (99, 0), (100, 0), (101, 864), (150, 43_200), (200, 86_400)])
    func spacing(_ attempts: Int64, _ seconds: UnixTime) {
        #expect(ThrottleRules.spacing(atLevel: attempts * ThrottleRules.partsOfAttempt) == seconds)
    }

    @Test("A single address that guesses never delays a new address", arguments: StoreFactory.all)
    func single(_ factory: StoreFactory) async throws {
        let level = try await Level(factory)
        for hour in 1...6 {
            let now = UnixTime(hour) * 3600
            _ = try await level.guesses(of: 1, from: now - 3600, to: now)
            for _ in 0..<5 { #expect(try await level.count(1000 + hour, at: now) == nil, "hour \(hour)") }
            #expect(try await level.count(1000 + hour, at: now) == 1)
        }
    }

    @Test("20 addresses reach 100 guesses an hour, after the first 100", arguments: StoreFactory.all)
    func many(_ factory: StoreFactory) async throws {
        let level = try await Level(factory)
        var guesses: [Int] = []
        for hour in 0..<4 {
            guesses.append(try await level.guesses(of: 20, from: UnixTime(hour) * 3600, to: UnixTime(hour + 1) * 3600))
        }
        #expect((195...205).contains(guesses[0]))
        for hour in 1..<4 { #expect((95...105).contains(guesses[hour]), "hour \(hour)") }
    }

    @Test("The 101st attempt of an hour is spaced, unless it is an address's first one", arguments: StoreFactory.all)
    func boundary(_ factory: StoreFactory) async throws {
        let level = try await Level(factory)
        try await level.raise(99)
        #expect(try await level.count(1) == nil)
        #expect(try await level.count(1) == 864)
        // After 34 seconds, the level is lower by 34/36 of an attempt.
        #expect(try await level.count(1, at: 34) == 48 - 34)
        #expect(try await level.count(1, at: 35) == nil)
        #expect(try await level.count(500) == nil)
    }

    @Test(
        "At the highest level the first attempt of a new address is allowed, and the next one within two hours of calm",
        arguments: StoreFactory.all)
    func highest(_ factory: StoreFactory) async throws {
        let level = try await Level(factory)
        try await level.raise(250)
        #expect(try await level.count(1000) == nil)
        #expect(try await level.count(1000) == 86_400)
        #expect(try await level.count(1000, at: 1800) == 51 * 864 - 1800)
        #expect(try await level.count(1000, at: 3490) == 3504 - 3490)
        #expect(try await level.count(1000, at: 3491) == nil)
        #expect(try await level.count(1001, at: 7300) == nil)
        #expect(try await level.count(1001, at: 7300) == nil)
    }

    @Test(
        "A known address neither waits for the others nor adds to the level, until it is no longer known",
        arguments: StoreFactory.all)
    func known(_ factory: StoreFactory) async throws {
        let level = try await Level(factory)
        let account = try await level.bench.create("Ada", session: "s")
        try await level.bench.store.beginSession(
            StoreBench.digest("t"), for: account, rehash: nil, settling: Level.attempt(1), at: 0)
        try await level.raise(99, from: 2)
        for _ in 0..<5 { #expect(try await level.count(1) == nil) }
        #expect(try await level.count(1) == 1)
        #expect(try await level.count(2) == nil, "the level is 100, so a first attempt is allowed")
        #expect(try await level.count(2) == 864)
        let last = ThrottleRules.knownAddressLifetime - 1
        try await level.raise(250, from: 2, at: last)
        #expect(try await level.count(1, at: last) == nil)
        #expect(try await level.count(1, at: last) == nil)
        #expect(try await level.count(1, at: last + 1) == 86_399)
    }

    @Test("A refund lowers the level, but not from where attempts did not raise it", arguments: StoreFactory.all)
    func refunds(_ factory: StoreFactory) async throws {
        let level = try await Level(factory)
        try await level.raise(100)
        try await level.bench.store.refund(Level.attempt(100), scope: .password, at: 0)
        #expect(try await level.count(1) == nil)
        #expect(try await level.count(1) == 864)
        try await level.raise(90, from: 101)
        try await level.bench.store.refund(Level.attempt(101), scope: .password, at: 0)
        #expect(try await level.count(1) == 90 * 864, "a refund lowers the level from 190")
        try await level.raise(2, from: 301)
        try await level.bench.store.refund(Level.attempt(102), scope: .password, at: 0)
        #expect(try await level.count(1) == 92 * 864, "a refund does not lower the level from 191")
    }

    @Test("A refunded first attempt is not spaced", arguments: StoreFactory.all)
    func refundedFirst(_ factory: StoreFactory) async throws {
        let level = try await Level(factory)
        try await level.raise(150)
        #expect(try await level.count(1000) == nil)
        try await level.bench.store.refund(Level.attempt(1000), scope: .password, at: 0)
        #expect(try await level.count(1000) == nil)
        #expect(try await level.count(1000) == 52 * 864)
    }

    @Test(
        "A right password clears the count of its address, and leaves the level to the others",
        arguments: StoreFactory.all)
    func success(_ factory: StoreFactory) async throws {
        let level = try await Level(factory)
        let account = try await level.bench.create("Ada", session: "s")
        try await level.raise(150)
        try await level.bench.store.beginSession(
            StoreBench.digest("t"), for: account, rehash: nil, settling: Level.attempt(1), at: 0)
        #expect(try await level.count(1) == nil)
        #expect(try await level.count(2) == 43_200)
    }

    @Test(
        "A right password at a known address does not lower the level, which its attempt did not raise",
        arguments: StoreFactory.all)
    func knownSuccess(_ factory: StoreFactory) async throws {
        let level = try await Level(factory)
        let account = try await level.bench.create("Ada", session: "s")
        func signIn(_ token: String) async throws {
            try await level.bench.store.beginSession(
                StoreBench.digest(token), for: account, rehash: nil, settling: Level.attempt(1), at: 0)
        }
        try await signIn("t")
        try await level.raise(150, from: 2)
        for number in 0..<20 {
            #expect(try await level.count(1) == nil)
            try await signIn("\(number)")
        }
        #expect(try await level.count(2) == 51 * 864)
    }

    @Test("A new account and a deleted one start at no level", arguments: StoreFactory.all)
    func accountAgain(_ factory: StoreFactory) async throws {
        let level = try await Level(factory)
        try await level.raise(150)
        let account = try await level.bench.create("Ada", session: "s")
        #expect(try await level.count(1) == nil)
        try await level.raise(150, from: 301)
        try await level.bench.store.deleteAccount(account, settling: Level.attempt(301))
        #expect(try await level.count(302) == nil)
        for _ in 0..<5 { #expect(try await level.count(301) == nil) }
        #expect(try await level.count(301) == 1)
    }

    @Test(
        "A count is kept while it matters: a bucket for an hour, a level for two, a pair as long as its spacing",
        arguments: StoreFactory.all)
    func expiry(_ factory: StoreFactory) async throws {
        let level = try await Level(factory)
        func rows(at now: UnixTime) async throws -> Int64? {
            while try await level.bench.store.removeExpired(limits: StoreBench.limits, at: now, most: 1000) {}
            return try await level.bench.scalar("SELECT count(*) FROM throttle")
        }
        // Pairs at levels 1 to 200. The last pair must wait for a day.
        try await level.raise(200)
        #expect(try await level.count(signUpFrom: 1) == nil)
        #expect(try await rows(at: 3599) == 200 + 200 + 1 + 1)
        #expect(try await rows(at: 3600) == 96 + 1)
        #expect(try await rows(at: 7199) == 92 + 1)
        #expect(try await rows(at: 7200) == 92)
        #expect(try await rows(at: 86_399) == 1)
        #expect(try await rows(at: 86_400) == 0)
    }
}

/// Attempts from many addresses on one account.
private struct Level {
    let bench: StoreBench
    private static let rules = ThrottleRules(failuresPerAddress: 1_000_000, signUpsPerAddress: 1)

    init(_ factory: StoreFactory) async throws {
        bench = try await StoreBench(factory)
    }

    static func attempt(_ address: Int) -> AttemptKeys {
        AttemptKeys(key: "ada", from: ClientAddress([10, 1, UInt8(address >> 8), UInt8(address & 255)]))
    }

    /// Counts an attempt from an address. Returns nil if it is allowed, otherwise the seconds to wait.
    func count(_ address: Int, at now: UnixTime = 0) async throws -> UnixTime? {
        try await bench.store.count(Self.attempt(address), scope: .password, rules: Self.rules, at: now)
    }

    /// Counts one attempt from each of several addresses.
    func raise(_ attempts: Int, from first: Int = 1, at now: UnixTime = 0) async throws {
        for address in first..<first + attempts { #expect(try await count(address, at: now) == nil) }
    }

    /// Returns the number of allowed attempts if each address tries again as soon as possible.
    func guesses(of addresses: Int, from begin: UnixTime, to end: UnixTime) async throws -> Int {
        var due = [UnixTime](repeating: begin, count: addresses)
        var allowed = 0
        while let now = due.min(), now < end, let index = due.firstIndex(of: now) {
            let wait = try await count(index + 1, at: now)
            if wait == nil { allowed += 1 }
            due[index] += wait ?? 0
        }
        return allowed
    }

    func count(signUpFrom address: Int) async throws -> UnixTime? {
        try await bench.store.count(Self.attempt(address), scope: .signUp, rules: Self.rules, at: 0)
    }
}
