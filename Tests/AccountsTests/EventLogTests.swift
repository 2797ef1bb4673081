import MotivatorPlatform
import TestSupport
import Testing

@testable import Accounts

@Suite("The events of accounts") struct EventLogTests {
    private let bench: Bench

    init() throws {
        let scratch = try TemporaryDirectory()
        bench = try Bench(SQLiteStore.open(path: scratch.database)) { $0.signUpsPerAddress = 3 }
        self.scratch = scratch
    }

    private let scratch: TemporaryDirectory

    /// The log, with the accounts numbered in the order of their appearance, because their numbers are random.
    private var log: [String] {
        var order: [Substring] = []
        return bench.log.map { line in
            guard let number = line.firstMatch(of: #/account: (\d+)/#)?.output.1 else { return line }
            let position = order.firstIndex(of: number) ?? order.count
            if position == order.count { order.append(number) }
            return line.replacing("account: \(number)", with: "account: \(position + 1)")
        }
    }

    /// Returns the lines that an action adds to the log.
    private func lines(_ action: () async throws -> Void) async -> [String] {
        let before = bench.log.count
        try? await action()
        return Array(log.dropFirst(before))
    }

    @Test("Each event is one line with the account's number and the reason")
    func events() async throws {
        #expect(await lines { try await bench.signUp("Ada") } == ["info: sign-up succeeded, account: 1"])
        #expect(await lines { try await bench.signUp("Grace") } == ["info: sign-up succeeded, account: 2"])
        #expect(
            await lines { try await bench.signUp("ada") }
                == ["notice: sign-up refused, account: 1, reason: user name taken"])
        #expect(
            await lines { try await bench.signUp("Grace") }
                == ["notice: sign-up refused, account: 2, reason: too many attempts"])
        let token = try await bench.signIn("Grace").token
        #expect(log.last == "info: sign-in succeeded, account: 2")
        #expect(
            await lines { _ = try await bench.signIn("Grace", "wrong") }
                == ["notice: sign-in refused, account: 2, reason: wrong password"])
        #expect(
            await lines { _ = try await bench.signIn("Nobody") }
                == ["notice: sign-in refused, account: unknown, reason: unknown user name"])
        #expect(
            await lines { try await bench.accounts.delete(token, password: "wrong", from: Bench.home) }
                == ["notice: account deletion refused, account: 2, reason: wrong password"])
        #expect(
            await lines {
                _ = try await bench.accounts.update(
                    name: "Ada", current: Bench.password, new: "another mountain", from: Bench.home)
            } == ["info: password change succeeded, account: 1"])
        #expect(
            await lines {
                _ = try await bench.accounts.update(
                    name: "Nobody", current: "wrong", new: "another mountain", from: Bench.home)
            } == ["notice: password change refused, account: unknown, reason: unknown user name"])
        #expect(
            await lines { try await bench.accounts.delete(token, password: Bench.password, from: Bench.home) }
                == ["info: account deletion succeeded, account: 2"])
    }

    @Test(
        "A throttled attempt is an event, with the account if there is one",
        arguments: [("Ada", "1"), ("X", "unknown")])
    func throttled(_ name: String, _ number: String) async throws {
        try await bench.signUp("Ada")
        for _ in 0..<5 { #expect(await bench.failure(name) == .wrongNameOrPassword) }
        #expect(
            await lines { _ = try await bench.signIn(name) }
                == ["notice: sign-in refused, account: \(number), reason: too many attempts"])
    }

    @Test("A full queue is an event")
    func busy() async throws {
        try await bench.signUp("Ada")
        let queue = HashingQueue(threads: 1, waiting: 0)
        let full = try Bench(bench.store, hashing: queue)
        let gate = Gate()
        let work = await queue.occupy(gate, jobs: 1)
        #expect(await full.failure() == .busy)
        #expect(full.log == ["notice: sign-in refused, account: unknown, reason: hashing queue full"])
        gate.open()
        #expect(await work[0].value)
    }

    @Test("A request that loses its slot while it waits is an event")
    func evicted() async throws {
        try await bench.signUp("Ada")
        let queue = HashingQueue(threads: 1, waiting: 2)
        let full = try Bench(bench.store, hashing: queue)
        let gate = Gate()
        let work = await queue.occupy(gate, jobs: 1)
        let first = Task { await full.failure() }
        await eventually { queue.waiting == 1 }
        let second = Task { await full.failure() }
        await eventually { queue.waiting == 2 }
        // Another client, with fewer requests.
        let other = Task { try? await queue.run {} }
        #expect(await second.value == .busy)
        #expect(full.log == ["notice: sign-in refused, account: unknown, reason: hashing queue full"])
        gate.open()
        await other.value
        #expect(await work[0].value)
        #expect(await first.value == .wrongNameOrPassword)
    }

    @Test("10 refusals for a reason are written in a second; the rest are counted, and other reasons are not affected")
    func limited() async throws {
        for number in 0..<25 { #expect(await bench.failure("user \(number)") == .wrongNameOrPassword) }
        #expect(bench.log.count == 10)
        try await bench.signUp("Ada")
        #expect(await bench.failure("Ada") == .wrongNameOrPassword)
        #expect(bench.log.count == 12)
        bench.clock.advance(1)
        #expect(await bench.failure("user 25") == .wrongNameOrPassword)
        #expect(
            bench.log.last
                == "notice: sign-in refused, account: unknown, reason: unknown user name, unreported: 15")
        #expect(await bench.failure("user 26") == .wrongNameOrPassword)
        #expect(bench.log.last == "notice: sign-in refused, account: unknown, reason: unknown user name")
    }

    @Test("Refused ceremonies are limited to 10 lines per second for all reasons together")
    func limitedCeremonies() {
        let codes = ["origin_mismatch", "challenge_invalid"]
        for number in 0..<25 {
            bench.accounts.ceremonyRefused(.confirmation, account: nil, code: codes[number % 2])
        }
        #expect(bench.log.count == 10)
        #expect(bench.log.last == "notice: confirmation refused, account: unknown, reason: challenge_invalid")
        bench.clock.advance(1)
        bench.accounts.ceremonyRefused(.addition, account: 7, code: codes[0])
        #expect(
            bench.log.last
                == "notice: passkey addition refused, account: 7, reason: origin_mismatch, unreported: 15")
    }

    @Test("Nothing that was typed and no token is in the log")
    func secrets() async throws {
        let typed = ["canary name", "canary password", "canary other"]
        let first = try await bench.accounts.signUp(name: typed[0], password: typed[1], from: Bench.home)
        let second = try await bench.accounts.update(name: typed[0], current: typed[1], new: typed[2], from: Bench.home)
        _ = await bench.failure(typed[1], typed[0])
        for _ in 0..<7 { _ = await bench.failure(typed[0], typed[1]) }
        _ = try? await bench.accounts.signUp(name: typed[0], password: typed[2], from: Bench.home)
        bench.clock.advance(60)
        try await bench.accounts.delete(second.token, password: typed[2], from: Bench.home)
        #expect(bench.log.count >= 9)
        for secret in typed + [first.token.text, second.token.text, "canary"] {
            #expect(!bench.log.joined(separator: "\n").contains(secret))
        }
    }
}
