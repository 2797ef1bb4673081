import MotivatorPlatform
import TestSupport
import Testing

@testable import Accounts

@Suite("Accounts at the same time") struct AccountsRaceTests {
    private let scratch: TemporaryDirectory
    private let store: SQLiteStore
    private let bench: Bench

    init() throws {
        scratch = try TemporaryDirectory()
        store = try SQLiteStore.open(path: scratch.database)
        bench = try Bench(store)
    }

    /// Returns accounts that run `body` once, between the verification of a password and the resulting change.
    private func interrupted(_ body: @escaping @Sendable () async -> Void) throws -> Bench {
        let happened = Guarded(false)
        return try Bench(
            HookedStore(base: store) {
                let first = happened.withLock { happened in
                    defer { happened = true }
                    return !happened
                }
                if first { await body() }
            }, clock: bench.clock)
    }

    private static let new = "another mountain"

    private func update() async {
        _ = try? await bench.accounts.update(name: "Ada", current: Bench.password, new: Self.new, from: Bench.home)
    }

    @Test("A sign-in fails if the password is replaced in the meantime")
    func signInDuringUpdate() async throws {
        try await bench.signUp()
        let late = try interrupted { await update() }
        #expect(await late.failure("Ada", Bench.password) == .wrongNameOrPassword)
        #expect(try await store.perform { try $0.scalar("SELECT count(*) FROM session") } == 1)
        #expect(await bench.failure("Ada", Self.new) == nil)
    }

    @Test("A sign-in succeeds while the same password is rehashed")
    func signInDuringRehash() async throws {
        try await bench.signUp()
        let parameters = try ScryptParameters(log2N: 5, r: 8, p: 1)
        let stronger = try Bench(store, clock: bench.clock) { $0.scrypt = parameters }
        let late = try interrupted { _ = try? await stronger.signIn() }
        let token = try await late.signIn().token
        #expect(try await late.accounts.session(token)?.name == "Ada")
    }

    @Test("Of two concurrent password changes, the second has a wrong password")
    func twoUpdates() async throws {
        try await bench.signUp()
        let late = try interrupted { await update() }
        await #expect(throws: AccountError.wrongNameOrPassword) {
            try await late.accounts.update(
                name: "Ada", current: Bench.password, new: "a third mountain", from: Bench.home)
        }
        #expect(await bench.failure("Ada", Self.new) == nil)
    }

    @Test("A deletion fails as not signed in if the password is replaced in the meantime")
    func deleteDuringUpdate() async throws {
        let token = try await bench.signUp().token
        let late = try interrupted { await update() }
        await #expect(throws: AccountError.notSignedIn) {
            try await late.accounts.delete(token, password: Bench.password, from: Bench.home)
        }
        #expect(await bench.failure("Ada", Self.new) == nil)
    }

    @Test("A sign-in to an account that is deleted in the meantime fails like an unknown name")
    func signInDuringDelete() async throws {
        let token = try await bench.signUp().token
        let late = try interrupted { [accounts = bench.accounts] in
            try? await accounts.delete(token, password: Bench.password, from: Bench.home)
        }
        #expect(await late.failure("Ada", Bench.password) == .wrongNameOrPassword)
    }

    @Test("A sign-up fails if the name is taken in the meantime")
    func twoSignUps() async throws {
        let late = try interrupted { [bench] in _ = try? await bench.signUp("ADA") }
        await #expect(throws: AccountError.nameTaken) { try await late.signUp("ada") }
        #expect(try await bench.signIn("ada").name == "ADA")
    }

    @Test("Many concurrent sign-ins with hashes of older parameters succeed")
    func manyRehashes() async throws {
        try await bench.signUp()
        let parameters = try ScryptParameters(log2N: 5, r: 8, p: 1)
        let stronger = try Bench(store, clock: bench.clock) { $0.scrypt = parameters }
        let failures = await withTaskGroup(of: AccountError?.self) { group in
            for _ in 0..<5 { group.addTask { await stronger.failure("Ada", Bench.password) } }
            return await group.reduce(into: [AccountError]()) { failures, failure in
                if let failure { failures.append(failure) }
            }
        }
        #expect(failures == [])
    }
}
