import MotivatorPlatform
import MotivatorServer
import TestSupport
import Testing

@testable import Accounts

@Suite("Accounts after an operation") struct AccountsCleanupTests {
    private let scratch: TemporaryDirectory
    private let store: SQLiteStore
    private let bench: Bench

    init() throws {
        scratch = try TemporaryDirectory()
        store = try SQLiteStore.open(path: scratch.database)
        bench = try Bench(store)
    }

    private static let new = "another mountain"

    @Test("An operation that computes no hash ends its turn in the hashing queue")
    func slots() async throws {
        let queue = HashingQueue(threads: 1, waiting: 0)
        let only = try Bench(store, hashing: queue) { $0.signUpsPerAddress = 2 }
        func expectFree(_ operation: String) async {
            await #expect(throws: Never.self, "\(operation)") {
                try await queue.run(for: AttemptKeys(key: "x", from: Bench.home).address) {}
            }
        }
        let token = try await only.signUp().token
        await #expect(throws: AccountError.nameTaken) { try await only.signUp() }
        await expectFree("a sign-up with a taken name")
        await #expect(throws: AccountError.throttled(retryAfter: 1800)) { try await only.signUp("Grace") }
        await expectFree("a throttled sign-up")
        for _ in 0..<5 { #expect(await only.failure() == .wrongNameOrPassword) }
        #expect(await only.failure() == .throttled(retryAfter: 1))
        await expectFree("a throttled sign-in")
        await #expect(throws: AccountError.throttled(retryAfter: 1)) {
            try await only.accounts.update(name: "Ada", current: Bench.password, new: Self.new, from: Bench.home)
        }
        await expectFree("a throttled password change")
        await #expect(throws: AccountError.throttled(retryAfter: 1)) {
            try await only.accounts.delete(token, password: Bench.password, from: Bench.home)
        }
        await expectFree("a throttled deletion")
    }

    @Test("Closing does not wait for operations that have ended, with or without an error")
    func ended() async throws {
        let accounts = bench.accounts
        let tokens = [try await bench.signUp().token, try await bench.signIn().token]
        await #expect(throws: AccountError.nameTaken) { try await bench.signUp() }
        #expect(await bench.failure() == .wrongNameOrPassword)
        #expect(try await accounts.session(tokens[0]) != nil)
        try await accounts.signOut(tokens[0])
        await #expect(throws: AccountError.notSignedIn) { try await accounts.signOut(tokens[0]) }
        await #expect(throws: AccountError.notSignedIn) {
            try await accounts.delete(tokens[0], password: Bench.password, from: Bench.home)
        }
        await #expect(throws: AccountError.wrongNameOrPassword) {
            try await accounts.update(name: "Ada", current: "wrong", new: Self.new, from: Bench.home)
        }
        let token = try await accounts.update(
            name: "Ada", current: Bench.password, new: Self.new, from: Bench.home
        ).token
        try await accounts.delete(token, password: Self.new, from: Bench.home)
        #expect(await accounts.unavailability() == nil)
        await accounts.removeExpired()
        // If an operation were still counted, closing would take the whole time limit.
        await accounts.close()
        bench.clock.advance(1)
        #expect(await accounts.unavailability() == "the server is shutting down")
    }

    @Test("A deletion that loses its session is refunded to the address")
    func refundedDeletion() async throws {
        let token = try await bench.signUp().token
        let late = try Bench(
            HookedStore(base: store) { [accounts = bench.accounts] in
                _ = try? await accounts.update(name: "Ada", current: Bench.password, new: Self.new, from: Bench.home)
            }, clock: bench.clock)
        await #expect(throws: AccountError.notSignedIn) {
            try await late.accounts.delete(token, password: Bench.password, from: Bench.home)
        }
        let rules = ThrottleRules(failuresPerAddress: 1, signUpsPerAddress: 1)
        let attempt = AttemptKeys(key: "another name", from: Bench.home)
        #expect(try await store.count(attempt, scope: .password, rules: rules, at: bench.clock.now) == nil)
    }

    @Test("A verification derives at most 4 of the hashes in use")
    func derivations() async throws {
        for cost in 1...6 {
            let parameters = try ScryptParameters(log2N: cost, r: 8, p: 1)
            try await Bench(store) { $0.scrypt = parameters }.signUp("user \(cost)")
        }
        let used = Guarded<[ScryptParameters]>([])
        let counting = try Bench(store, recording: used)
        #expect(await counting.failure("Nobody") == .wrongNameOrPassword)
        #expect(used.withLock { $0.map(\.log2N) } == [1, 2, 3, 4])
    }

    @Test("An address has 20 sign-ups by default, which are refunded over an hour")
    func signUps() async throws {
        let limited = try Bench(store) { $0.signUpsPerAddress = AccountOptions().signUpsPerAddress }
        for number in 0..<20 { try await limited.signUp("user \(number)") }
        await #expect(throws: AccountError.throttled(retryAfter: 180)) { try await limited.signUp("one more") }
    }

    @Test("A limit is at least 1 and at most 1,000,000")
    func rules() {
        #expect(
            ThrottleRules(failuresPerAddress: 0, signUpsPerAddress: -1)
                == ThrottleRules(failuresPerAddress: 1, signUpsPerAddress: 1))
        let most = ThrottleRules(failuresPerAddress: .max, signUpsPerAddress: 1_000_001)
        #expect(most.failuresPerAddress == 1_000_000 && most.signUpsPerAddress == 1_000_000)
    }

    @Test("Refused hashes, errors of the store, and the outcome of each operation are counted")
    func metrics() async throws {
        let registry = PrometheusRegistry(help: [:])
        let queue = HashingQueue(threads: 1, waiting: 0)
        let counting = try Bench(store, hashing: queue, metrics: registry)
        let gate = Gate()
        let token = try await counting.signUp().token
        let work = await queue.occupy(gate, jobs: 1)
        for _ in 0..<2 { #expect(await counting.failure() == .busy) }
        gate.open()
        #expect(await work[0].value)
        #expect(await counting.failure() == .wrongNameOrPassword)
        #expect(await counting.failure("Nobody") == .wrongNameOrPassword)
        try await counting.accounts.delete(token, password: Bench.password, from: Bench.home)
        await store.close()
        for _ in 0..<3 { #expect(await counting.failure() == .unavailable) }
        var exposition = Exposition()
        registry.write(to: &exposition)
        let operations = "motivator_account_operations_total"
        for line in [
            "motivator_hashing_refused_total 2", "motivator_store_errors_total 3",
            #"\#(operations){operation="sign-up",outcome="success"} 1"#,
            #"\#(operations){operation="sign-in",outcome="hashing queue full"} 2"#,
            #"\#(operations){operation="sign-in",outcome="wrong password"} 1"#,
            #"\#(operations){operation="sign-in",outcome="unknown user name"} 1"#,
            #"\#(operations){operation="account deletion",outcome="success"} 1"#,
        ] {
            #expect(exposition.text.split(separator: "\n").contains(line[...]), "\(line)\n\(exposition.text)")
        }
    }
}
