import MotivatorPlatform
import TestSupport
import Testing

@testable import Accounts

@Suite("Accounts that are guessed") struct AccountsThrottleTests {
    private let scratch: TemporaryDirectory
    private let store: SQLiteStore
    private let bench: Bench

    init() throws {
        scratch = try TemporaryDirectory()
        store = try SQLiteStore.open(path: scratch.database)
        bench = try Bench(store) { $0.waitingLine = 300 }
    }

    private func address(_ number: Int) -> ClientAddress {
        ClientAddress([10, 0, UInt8(number >> 8), UInt8(number & 255)])
    }

    @Test(
        "After 5 failures, the right password also waits, and a success resets the count",
        arguments: ["Ada", "ADA"])
    func account(_ name: String) async throws {
        try await bench.signUp("Ada")
        for round in 0..<3 {
            for _ in 0..<5 { #expect(await bench.failure("Ada") == .wrongNameOrPassword, "round \(round)") }
            #expect(await bench.failure("Ada", Bench.password) == .throttled(retryAfter: 1))
            #expect(await bench.failure(name, Bench.password) == .throttled(retryAfter: 1))
            bench.clock.advance(1)
            #expect(await bench.failure(name, Bench.password) == nil)
        }
    }

    @Test("An address that guesses makes no other address wait, known to the account or not")
    func otherAddresses() async throws {
        try await bench.signUp("Ada")
        for _ in 0..<5 { #expect(await bench.failure("Ada", from: address(1)) == .wrongNameOrPassword) }
        #expect(await bench.failure("Ada", from: address(1)) == .throttled(retryAfter: 1))
        #expect(await bench.failure("Ada", Bench.password) == nil)
        #expect(await bench.failure("Ada", Bench.password, from: address(2)) == nil)
    }

    @Test(
        "While 300 addresses guess, an honest user signs in at a new address with the first attempt, and at a known one"
    )
    func distributed() async throws {
        try await bench.signUp("Ada")
        for number in 1...300 {
            #expect(await bench.failure("Ada", from: address(number)) == .wrongNameOrPassword)
        }
        for number in 1...300 {
            #expect(await bench.failure("Ada", from: address(number)) == .throttled(retryAfter: 86_400))
        }
        #expect(await bench.failure("Ada", Bench.password, from: address(301)) == nil)
        for _ in 0..<5 { #expect(await bench.failure("Ada") == .wrongNameOrPassword) }
        #expect(await bench.failure("Ada") == .throttled(retryAfter: 1))
    }

    @Test("An unknown name is slowed down as a known one is")
    func unknown() async throws {
        for _ in 0..<5 { #expect(await bench.failure("Nobody") == .wrongNameOrPassword) }
        #expect(await bench.failure("nobody") == .throttled(retryAfter: 1))
        bench.clock.advance(1)
        #expect(await bench.failure("Nobody") == .wrongNameOrPassword)
        #expect(await bench.failure("Nobody") == .throttled(retryAfter: 2))
    }

    @Test("Of 200 guesses at the same time 5 are tried")
    func parallel() async throws {
        try await bench.signUp("Ada")
        let failures = await withTaskGroup(of: AccountError?.self) { group in
            for number in 0..<200 { group.addTask { await bench.failure("Ada", "wrong \(number)") } }
            return await group.reduce(into: [AccountError?]()) { $0.append($1) }
        }
        #expect(failures.filter { $0 == .wrongNameOrPassword }.count == 5)
        #expect(failures.filter { $0 == .throttled(retryAfter: 1) }.count == 195)
    }

    @Test("Of 200 guesses from an address at the same time 100 are tried")
    func parallelFromAddress() async throws {
        let failures = await withTaskGroup(of: AccountError?.self) { group in
            for number in 0..<200 { group.addTask { await bench.failure("user \(number)") } }
            return await group.reduce(into: [AccountError?]()) { $0.append($1) }
        }
        #expect(failures.filter { $0 == .wrongNameOrPassword }.count == 100)
        #expect(failures.filter { $0 == .throttled(retryAfter: 36) }.count == 100)
    }

    @Test("Updates and deletions are guesses too")
    func otherGuesses() async throws {
        let token = try await bench.signUp("Ada").token
        for _ in 0..<3 {
            await #expect(throws: AccountError.wrongNameOrPassword) {
                try await bench.accounts.update(name: "Ada", current: "x", new: "another mountain", from: Bench.home)
            }
        }
        for _ in 0..<2 {
            await #expect(throws: AccountError.wrongNameOrPassword) {
                try await bench.accounts.delete(token, password: "x", from: Bench.home)
            }
        }
        await #expect(throws: AccountError.throttled(retryAfter: 1)) {
            try await bench.accounts.delete(token, password: Bench.password, from: Bench.home)
        }
        await #expect(throws: AccountError.throttled(retryAfter: 1)) {
            try await bench.accounts.update(
                name: "Ada", current: Bench.password, new: "another mountain", from: Bench.home)
        }
        #expect(await bench.failure("Ada", Bench.password) == .throttled(retryAfter: 1))
    }

    @Test("Each sign-up counts for its address, whether or not the name is free, and no failure does")
    func signUps() async throws {
        let poor = try Bench(store) { ($0.signUpsPerAddress, $0.failuresPerAddress) = (4, 1) }
        for number in 0..<3 { #expect(try await poor.signUp("user \(number)").name == "user \(number)") }
        await #expect(throws: AccountError.nameTaken) { try await poor.signUp("user 1") }
        let throttled = AccountError.throttled(retryAfter: 900)
        await #expect(throws: throttled) { try await poor.signUp("user 1") }
        await #expect(throws: throttled) { try await poor.signUp("a free name") }
        #expect(await poor.failure("user 1", Bench.password) == nil)
        #expect(await poor.failure("user 1") == .wrongNameOrPassword)
        #expect(await poor.failure("user 1") == .throttled(retryAfter: 3600))
        #expect(try await poor.signUp("a free name", from: address(1)).name == "a free name")
        poor.clock.advance(900)
        #expect(try await poor.signUp("another free name").name == "another free name")
    }

    @Test("A sign-up without a hash is refunded, whether the policy refuses it or the queue is full")
    func refundedSignUps() async throws {
        let queue = HashingQueue(threads: 1, waiting: 0)
        let poor = try Bench(store, hashing: queue) { $0.signUpsPerAddress = 1 }
        for _ in 0..<3 {
            await #expect(throws: AccountError.refusedPassword(.common)) {
                try await poor.accounts.signUp(name: "Ada", password: "password", from: Bench.home)
            }
        }
        let gate = Gate()
        let work = await queue.occupy(gate, jobs: 1)
        for _ in 0..<3 { await #expect(throws: AccountError.busy) { try await poor.signUp() } }
        gate.open()
        #expect(await work[0].value)
        try await poor.signUp()
        await #expect(throws: AccountError.throttled(retryAfter: 3600)) { try await poor.signUp("Grace") }
    }

    @Test("While two addresses flood sign-ups and sign-ins, every sign-in of another client succeeds")
    func flood() async throws {
        try await bench.signUp("Ada")
        let queue = HashingQueue(threads: 1, waiting: 8)
        // If the account's own bucket stopped the flood, the queue would be empty.
        let busy = try Bench(store, clock: bench.clock, hashing: queue) { $0.signUpsPerAddress = 1_000_000 }
        let over = Guarded(false)
        let outcomes = await withTaskGroup(of: [AccountError?].self) { group in
            for flooder in 0..<24 {
                group.addTask {
                    var refusals: [AccountError?] = []
                    while !over.withLock({ $0 }) {
                        let name = "user \(flooder) \(refusals.count)"
                        do throws(AccountError) {
                            _ = try await busy.signUp(name, from: address(1 + flooder % 2))
                        } catch {
                            refusals.append(error)
                        }
                        // A refusal returns immediately, so a pause keeps the other tests from waiting.
                        try? await Task.sleep(for: .milliseconds(1))
                    }
                    return refusals
                }
            }
            await eventually { queue.waiting >= 4 }
            for _ in 0..<20 { #expect(await busy.failure("Ada", Bench.password) == nil) }
            over.withLock { $0 = true }
            return await group.reduce(into: []) { $0 += $1 }
        }
        #expect(outcomes.contains { if case .busy = $0 { true } else { false } })
    }

    @Test("Attempts that wait for their turn, are refused or are canceled do not use the store")
    func waitsBeforeStore() async throws {
        let queue = HashingQueue(threads: 1, waiting: 2)
        let uses = Guarded(0)
        let counted = HookedStore(base: store, beforeChange: {}, beforeCount: { uses.withLock { $0 += 1 } })
        let busy = try Bench(counted, hashing: queue)
        let gate = Gate()
        let work = await queue.occupy(gate, jobs: 1)
        let first = Task { await busy.failure() }
        await eventually { queue.waiting == 1 }
        let second = Task { try await busy.signUp() }
        await eventually { queue.waiting == 2 }
        for _ in 0..<20 { #expect(await busy.failure() == .busy) }
        second.cancel()
        await #expect(throws: AccountError.busy) { try await second.value }
        #expect(uses.withLock { $0 } == 0)
        gate.open()
        #expect(await work[0].value)
        #expect(await first.value == .wrongNameOrPassword)
        #expect(uses.withLock { $0 } > 0)
    }

    @Test("A new account is not slowed down for guesses at its name before there was one")
    func newAccount() async throws {
        for _ in 0..<5 { #expect(await bench.failure("Ada") == .wrongNameOrPassword) }
        #expect(await bench.failure("Ada") == .throttled(retryAfter: 1))
        try await bench.signUp("Ada")
        #expect(await bench.failure("Ada", Bench.password) == nil)
    }

    @Test("A full queue gives the time to wait, and does not count the attempt")
    func busy() async throws {
        try await bench.signUp("Ada")
        let queue = HashingQueue(threads: 1, waiting: 0)
        let full = try Bench(store, clock: bench.clock, hashing: queue)
        let gate = Gate()
        let work = await queue.occupy(gate, jobs: 1)
        for _ in 0..<20 { #expect(await full.failure("Ada", Bench.password) == .busy) }
        await #expect(throws: AccountError.busy) { try await full.signUp("Grace") }
        gate.open()
        #expect(await work[0].value)
        for _ in 0..<5 { #expect(await bench.failure("Ada") == .wrongNameOrPassword) }
        #expect(await bench.failure("Ada") == .throttled(retryAfter: 1))
    }

    @Test("A cancelled request is refunded its attempt")
    func cancelled() async throws {
        try await bench.signUp("Ada")
        let queue = HashingQueue(threads: 1, waiting: 10)
        let slow = try Bench(store, clock: bench.clock, hashing: queue)
        let gate = Gate()
        let work = await queue.occupy(gate, jobs: 1)
        for _ in 0..<10 {
            let task = Task { await slow.failure("Ada", Bench.password) }
            await eventually { queue.waiting == 1 }
            task.cancel()
            #expect(await task.value == .busy)
        }
        gate.open()
        #expect(await work[0].value)
        for _ in 0..<5 { #expect(await bench.failure("Ada") == .wrongNameOrPassword) }
        #expect(await bench.failure("Ada") == .throttled(retryAfter: 1))
    }

    @Test("Refused guesses do not prolong the wait")
    func notForGood() async throws {
        try await bench.signUp("Ada")
        for failure in 0..<100 {
            bench.clock.advance(failure < 5 ? 0 : 60)
            #expect(await bench.failure("Ada") == .wrongNameOrPassword)
        }
        for _ in 0..<59 {
            bench.clock.advance(60)
            #expect(await bench.failure("Ada") != .wrongNameOrPassword)
        }
        bench.clock.advance(59)
        #expect(await bench.failure("Ada", Bench.password) == .throttled(retryAfter: 1))
        bench.clock.advance(1)
        #expect(await bench.failure("Ada", Bench.password) == nil)
    }
}
