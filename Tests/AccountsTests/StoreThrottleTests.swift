import MotivatorPlatform
import Testing

@testable import Accounts

/// How each store counts attempts.
@Suite("A store's count of attempts") struct StoreThrottleTests {
    @Test(
        "100 failures with an account have to be so far apart, and the 101st waits an hour", arguments: StoreFactory.all
    )
    func sequence(_ factory: StoreFactory) async throws {
        let bench = try await StoreBench(factory)
        let rules = ThrottleRules(failuresPerAddress: 1_000_000, signUpsPerAddress: 100)
        var now: UnixTime = 0
        var waits: [UnixTime] = []
        for failure in 1...100 {
            while let wait = try await bench.count("ada", at: now, rules: rules) {
                // A refused attempt one second too early does not prolong the wait.
                #expect(try await bench.count("ada", at: now + wait - 1, rules: rules) == 1)
                waits.append(wait)
                now += wait
            }
            #expect(waits.count == max(failure - 5, 0))
        }
        #expect(waits == [1, 2, 4, 8, 16, 32] + [UnixTime](repeating: 60, count: 89))
        #expect(try await bench.count("ada", at: now, rules: rules) == 3600)
        #expect(try await bench.count("ada", at: now + 3599, rules: rules) == 1)
        // Then the sequence starts again, so that a user is never locked out permanently.
        for _ in 1...5 { #expect(try await bench.count("ada", at: now + 3600, rules: rules) == nil) }
        #expect(try await bench.count("ada", at: now + 3600, rules: rules) == 1)
    }

    @Test("Of 200 attempts of an address with an account at the same time 5 are allowed", arguments: StoreFactory.all)
    func parallelWithAccount(_ factory: StoreFactory) async throws {
        let bench = try await StoreBench(factory)
        let waits = try await Self.many { _ in try await bench.count("ada", at: 50) }
        #expect(waits.count == 200)
        #expect(waits.filter { $0 == nil }.count == 5)
        #expect(waits.filter { $0 == 1 }.count == 195)
    }

    @Test("Of 200 attempts from an address at the same time 100 are allowed", arguments: StoreFactory.all)
    func parallelFromAddress(_ factory: StoreFactory) async throws {
        let bench = try await StoreBench(factory)
        let waits = try await Self.many { try await bench.count("account \($0)", at: 50) }
        #expect(waits.filter { $0 == nil }.count == 100)
        #expect(waits.filter { $0 == 36 }.count == 100)
    }

    private static func many(
        _ body: @escaping @Sendable (Int) async throws -> UnixTime?
    ) async throws -> [UnixTime?] {
        try await withThrowingTaskGroup(of: UnixTime?.self) { group in
            for number in 0..<200 { group.addTask { try await body(number) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }

    struct Refill: CustomTestStringConvertible, Sendable {
        let capacity: Int
        /// The first second that allows another attempt after the bucket was emptied at second 0.
        let first: UnixTime
        var testDescription: String { "\(capacity) an hour" }
    }

    @Test(
        "An empty bucket of any size fills evenly over an hour", arguments: StoreFactory.all,
        [
            Refill(capacity: 1, first: 3600), Refill(capacity: 7, first: 515), Refill(capacity: 100, first: 36),
            Refill(capacity: 360, first: 10),
        ])
    func refill(_ factory: StoreFactory, _ refill: Refill) async throws {
        let bench = try await StoreBench(factory)
        let rules = ThrottleRules(failuresPerAddress: refill.capacity, signUpsPerAddress: 100)
        for _ in 0..<refill.capacity { #expect(try await bench.count(address: 1, at: 0, rules: rules) == nil) }
        #expect(try await bench.count(address: 1, at: 0, rules: rules) == refill.first)
        #expect(try await bench.count(address: 1, at: refill.first - 1, rules: rules) == 1)
        #expect(try await bench.count(address: 1, at: refill.first, rules: rules) == nil)
        #expect(try await bench.count(address: 2, at: 0, rules: rules) == nil)
    }

    @Test(
        "An hour forgives exactly as many attempts as the bucket holds, in any distribution",
        arguments: StoreFactory.all)
    func steady(_ factory: StoreFactory) async throws {
        let bench = try await StoreBench(factory)
        let rules = ThrottleRules(failuresPerAddress: 7, signUpsPerAddress: 100)
        var allowed = 0
        for second in stride(from: UnixTime(0), to: 7200, by: 5)
        where try await bench.count(address: 1, at: second, rules: rules) == nil {
            allowed += 1
        }
        // 7 immediately and 7 per hour. The last attempt is due just after the end of the two hours.
        #expect(allowed == 7 + 13)
    }

    @Test("An attempt that is refused for the account costs the address nothing", arguments: StoreFactory.all)
    func allOrNothing(_ factory: StoreFactory) async throws {
        let bench = try await StoreBench(factory)
        let rules = ThrottleRules(failuresPerAddress: 7, signUpsPerAddress: 100)
        for _ in 0..<5 { #expect(try await bench.count("ada", at: 0, rules: rules) == nil) }
        for _ in 0..<50 { #expect(try await bench.count("ada", at: 0, rules: rules) == 1) }
        for _ in 0..<2 { #expect(try await bench.count(address: 1, at: 0, rules: rules) == nil) }
        #expect(try await bench.count(address: 1, at: 0, rules: rules) == 515)
        // Conversely, a refusal for the address costs the account nothing.
        #expect(try await bench.count("grace", at: 0, rules: rules) == 515)
        for _ in 0..<5 { #expect(try await bench.count("grace", from: 2, at: 0, rules: rules) == nil) }
    }

    @Test(
        "A success forgets the account's failures and gives the address one attempt back", arguments: StoreFactory.all)
    func success(_ factory: StoreFactory) async throws {
        let rules = ThrottleRules(failuresPerAddress: 7, signUpsPerAddress: 100)
        let settlings: [@Sendable (StoreBench, StoredAccount) async throws -> Void] = [
            { try await $0.begin("t", for: $1) },
            { try await $0.begin("t", for: $1, rehash: "renewed") },
            { try await $0.replace($1, with: "next", session: "t") },
            { try await $0.store.deleteAccount($1, settling: StoreBench.attempt("ada")) },
            { bench, _ in try await bench.create("Grace", session: "t") },
        ]
        for (number, settle) in settlings.enumerated() {
            let bench = try await StoreBench(factory)
            let account = try await bench.create("Ada", session: "s")
            let key = number == 4 ? "grace" : "ada"
            for _ in 0..<5 { #expect(try await bench.count(key, rules: rules) == nil) }
            #expect(try await bench.count(key, rules: rules) == 1)
            try await settle(bench, account)
            // The address has used 5 of 7 attempts. A successful attempt is refunded, except for a sign-up. The success
            // also resets the address's failures on the account.
            for _ in 0..<(number == 4 ? 2 : 3) {
                #expect(try await bench.count(key, rules: rules) == nil, "settling \(number)")
            }
            #expect(try await bench.count(key, rules: rules) == 515, "settling \(number)")
            #expect(try await bench.count(key, from: 2, rules: rules) == nil, "settling \(number)")
        }
    }

    @Test("A failed transaction settles no attempt", arguments: StoreFactory.all)
    func nothingSettled(_ factory: StoreFactory) async throws {
        let bench = try await StoreBench(factory)
        let account = try await bench.create("Ada", session: "s")
        let stale = StoredAccount(id: account.id, name: "Ada", key: "ada", hash: "older")
        for _ in 0..<5 { #expect(try await bench.count("ada") == nil) }
        await #expect(throws: StoreError.hashChanged) { try await bench.begin("t", for: stale) }
        await #expect(throws: StoreError.hashChanged) { try await bench.replace(stale, with: "x", session: "t") }
        #expect(try await bench.count("ada") == 1)
    }

    @Test("An attempt that was not made is given back", arguments: StoreFactory.all)
    func givenBack(_ factory: StoreFactory) async throws {
        let bench = try await StoreBench(factory)
        let rules = ThrottleRules(failuresPerAddress: 7, signUpsPerAddress: 100)
        for _ in 0..<5 { #expect(try await bench.count("ada", rules: rules) == nil) }
        try await bench.store.refund(StoreBench.attempt("ada"), scope: .password, at: 0)
        #expect(try await bench.count("ada", rules: rules) == nil)
        #expect(try await bench.count("ada", rules: rules) == 1)
        for _ in 0..<2 { #expect(try await bench.count(address: 1, rules: rules) == nil) }
        #expect(try await bench.count(address: 1, rules: rules) == 515)
        // A refund never exceeds the counted attempts.
        for _ in 0..<20 { try await bench.store.refund(StoreBench.attempt("ada"), scope: .password, at: 0) }
        for _ in 0..<5 { #expect(try await bench.count("ada", rules: rules) == nil) }
        #expect(try await bench.count("ada", rules: rules) == 1)
    }

    @Test("An attempt that was not made prolongs no wait", arguments: StoreFactory.all)
    func givenBackInTime(_ factory: StoreFactory) async throws {
        let bench = try await StoreBench(factory)
        for _ in 0..<5 { #expect(try await bench.count("ada", at: 100) == nil) }
        #expect(try await bench.count("ada", at: 101) == nil)
        #expect(try await bench.count("ada", at: 103) == nil)
        // Without the refund, the wait would be 4 seconds.
        try await bench.store.refund(StoreBench.attempt("ada"), scope: .password, at: 0)
        #expect(try await bench.count("ada", at: 103) == nil)
        #expect(try await bench.count("ada", at: 103) == 4)
    }

    @Test("A clock that is set back prolongs a wait by at most a minute", arguments: StoreFactory.all)
    func clockBack(_ factory: StoreFactory) async throws {
        let bench = try await StoreBench(factory)
        let rules = ThrottleRules(failuresPerAddress: 7, signUpsPerAddress: 1)
        let late: UnixTime = 1_000_000
        for _ in 0..<5 { #expect(try await bench.count("ada", at: late) == nil) }
        #expect(try await bench.count("ada", at: late - 60) == 61)
        #expect(try await bench.count("ada", at: late - 61) == nil)
        for _ in 0..<7 { #expect(try await bench.count(address: 2, at: late, rules: rules) == nil) }
        #expect(try await bench.count(address: 2, at: late - 60, rules: rules) == 575)
        for _ in 0..<7 { #expect(try await bench.count(address: 2, at: late - 61, rules: rules) == nil) }
        #expect(try await bench.count(address: 2, at: late - 61, rules: rules) == 515)
        #expect(try await bench.count(signUpFrom: 2, at: late, rules: rules) == nil)
        #expect(try await bench.count(signUpFrom: 2, at: late - 60, rules: rules) == 3660)
        #expect(try await bench.count(signUpFrom: 2, at: late - 61, rules: rules) == nil)
    }

    @Test("Sign-ups have a bucket of their own, which a sign-up does not refill", arguments: StoreFactory.all)
    func signUps(_ factory: StoreFactory) async throws {
        let bench = try await StoreBench(factory)
        let rules = ThrottleRules(failuresPerAddress: 1, signUpsPerAddress: 3)
        for number in 0..<3 {
            #expect(try await bench.count(signUpFrom: 1, rules: rules) == nil)
            try await bench.create("user \(number)", session: "\(number)")
        }
        #expect(try await bench.count(signUpFrom: 1, rules: rules) == 1200)
        #expect(try await bench.count(signUpFrom: 1, at: 1199, rules: rules) == 1)
        #expect(try await bench.count(signUpFrom: 2, rules: rules) == nil)
        #expect(try await bench.count(address: 1, rules: rules) == nil)
        #expect(try await bench.count(address: 1, rules: rules) == 3600)
        try await bench.store.refund(StoreBench.attempt("ada"), scope: .signUp, at: 0)
        #expect(try await bench.count(signUpFrom: 1, rules: rules) == nil)
        #expect(try await bench.count(signUpFrom: 1, rules: rules) == 1200)
        #expect(try await bench.count(address: 1, rules: rules) == 3600)
    }

    struct Wait: CustomTestStringConvertible, Sendable {
        let burst: Int, perHour: Int, amount: Int64
        let now: UnixTime
        let seconds: UnixTime
        var testDescription: String { "\(burst) and \(perHour) per hour, \(amount) at \(now)" }
    }

    @Test(
        "The wait for a token of a limit is until the bucket has one, or until it expires if it is never refilled",
        arguments: [
            Wait(burst: 1, perHour: 60, amount: 3600, now: 0, seconds: 60),
            Wait(burst: 2, perHour: 60, amount: 7200, now: 0, seconds: 60),
            Wait(burst: 2, perHour: 60, amount: 7201, now: 0, seconds: 61),
            Wait(burst: 2, perHour: 60, amount: 7200, now: 59, seconds: 1),
            Wait(burst: 2, perHour: 60, amount: 7200, now: 90, seconds: 1),
            Wait(burst: 2, perHour: 0, amount: 7200, now: 0, seconds: 3600),
            Wait(burst: 2, perHour: 0, amount: 7200, now: 3599, seconds: 1),
            Wait(burst: 2, perHour: 0, amount: 7200, now: 9999, seconds: 1),
        ])
    func bucket(_ wait: Wait) {
        let bucket = ThrottleRules.Bucket(burst: wait.burst, perHour: wait.perHour)
        #expect(bucket.wait(amount: wait.amount, at: 0, now: wait.now) == wait.seconds)
    }

    @Test("Limits below 1 and above a million are limited, and the defaults are those of the documentation")
    func limits() {
        let least = ThrottleRules(failuresPerAddress: 0, signUpsPerAddress: -1)
        #expect(least == ThrottleRules(failuresPerAddress: 1, signUpsPerAddress: 1))
        let most = ThrottleRules(failuresPerAddress: .max, signUpsPerAddress: 1_000_001)
        #expect(most == ThrottleRules(failuresPerAddress: 1_000_000, signUpsPerAddress: 1_000_000))
        #expect(most.failuresPerAddress == 1_000_000 && least.failuresPerAddress == 1)
        let options = AccountOptions()
        #expect(options.failuresPerAddress == 100 && options.signUpsPerAddress == 20 && options.waitingLine == 128)
        #expect(options.sessionIdle == 1800 && options.sessionLifetime == 43_200 && options.minimumPasswordLength == 8)
    }

    @Test("An hour after the last failure an account's failures are forgotten", arguments: StoreFactory.all)
    func forgotten(_ factory: StoreFactory) async throws {
        let bench = try await StoreBench(factory)
        for _ in 0..<5 { #expect(try await bench.count("ada", at: 0) == nil) }
        #expect(try await bench.count("ada", at: 3599) == nil)
        #expect(try await bench.count("ada", at: 3599) == 2)
        for _ in 0..<5 { #expect(try await bench.count("ada", at: 3599 + 3600) == nil) }
        #expect(try await bench.count("ada", at: 3599 + 3600) == 1)
    }
}
