import GRDB
import MotivatorPlatform
import TestSupport
import Testing

@testable import Accounts

@Suite("Accounts") struct AccountsTests {
    private let scratch: TemporaryDirectory
    private let store: SQLiteStore
    private let bench: Bench

    init() throws {
        scratch = try TemporaryDirectory()
        store = try SQLiteStore.open(path: scratch.database)
        bench = try Bench(store)
    }

    private var accounts: Accounts { bench.accounts }

    @Test("A sign-up starts a session, and the name signs in again in any case of letters")
    func signUpAndIn() async throws {
        let new = try await bench.signUp("Ada")
        #expect(new.name == "Ada")
        #expect(try await accounts.session(new.token)?.name == "Ada")
        let again = try await bench.signIn("aDA")
        #expect(again.name == "Ada")
        #expect(again.token != new.token)
        #expect(try await accounts.session(again.token)?.name == "Ada")
        #expect(try await accounts.session(new.token)?.name == "Ada")
    }

    @Test("The stored hash has the chosen parameters")
    func kept() async throws {
        try await bench.signUp()
        let hash = try #require(try await store.account(key: "ada")).hash
        #expect(hash.hasPrefix("$scrypt$ln=4,r=8,p=1$"))
    }

    @Test(
        "A refused sign-up has the reason",
        arguments: [
            ("", Bench.password, AccountError.refusedName(.empty)),
            ("a\u{202E}", Bench.password, .refusedName(.controlCharacter(at: 2))),
            ("Grace", "short", .refusedPassword(.tooShort(minimum: 8))),
            ("Grace", "password", .refusedPassword(.common)),
            ("Grace Hopper", "grace hopper", .refusedPassword(.isUserName)),
            ("Grace", String(repeating: "x", count: 1025), .refusedPassword(.tooLong(maximumBytes: 1024))),
            ("ADA", Bench.password, .nameTaken),
            ("ada", "another mountain", .nameTaken),
        ])
    func cannotSignUp(_ name: String, _ password: String, _ failure: AccountError) async throws {
        try await bench.signUp("Ada")
        await #expect(throws: failure) {
            try await accounts.signUp(name: name, password: password, from: Bench.home)
        }
    }

    @Test("The minimum password length is configurable")
    func minimum() async throws {
        let strict = try Bench(store) { $0.minimumPasswordLength = 15 }
        await #expect(throws: AccountError.refusedPassword(.tooShort(minimum: 15))) {
            try await strict.accounts.signUp(name: "Ada", password: "14 characters!", from: Bench.home)
        }
    }

    @Test("A new password must not be a word from a current domain of the site, or from its name")
    func domains() async throws {
        func fault(_ password: String) async -> AccountError? {
            do {
                _ = try await accounts.signUp(name: "Ada \(password)", password: password, from: Bench.home)
                return nil
            } catch { return error }
        }
        accounts.setDomains(["mountains.test", "valleys.test"])
        #expect(await fault("mountains1") == .refusedPassword(.isSiteName(word: "mountains")))
        accounts.setDomains(["valleys.test"])
        #expect(await fault("mountains1") == nil)
        #expect(await fault("valleys123") == .refusedPassword(.isSiteName(word: "valleys")))
        #expect(await fault("motivator2") == .refusedPassword(.isSiteName(word: "Motivator")))
    }

    @Test("A wrong password and an unknown name have the same error")
    func alike() async throws {
        try await bench.signUp("Ada")
        for (name, password) in [("Ada", "wrong"), ("Ada", ""), ("Ada", Bench.password + " "), ("Nobody", "wrong")] {
            #expect(await bench.failure(name, password) == .wrongNameOrPassword)
        }
    }

    @Test("An unknown name waits for a hash as a known one does", arguments: ["Ada", "Nobody"])
    func sameWork(_ name: String) async throws {
        try await bench.signUp("Ada")
        let queue = HashingQueue(threads: 1, waiting: 10)
        let slow = try Bench(store, hashing: queue)
        let gate = Gate()
        let first = await queue.occupy(gate, jobs: 1)
        let attempt = Task { await slow.failure(name) }
        await eventually { queue.waiting == 1 }
        gate.open()
        #expect(await attempt.value == .wrongNameOrPassword)
        #expect(await first[0].value)
    }

    @Test("A password that is too long is refused without a hash, and is not counted")
    func tooLong() async throws {
        let token = try await bench.signUp("Ada").token
        bench.accounts.hashing.close()
        let long = String(repeating: "x", count: 1025)
        let refused = AccountError.refusedPassword(.tooLong(maximumBytes: 1024))
        for _ in 0..<200 { #expect(await bench.failure("Ada", long) == refused) }
        await #expect(throws: refused) {
            try await accounts.update(name: "Ada", current: long, new: Bench.password, from: Bench.home)
        }
        await #expect(throws: refused) { try await accounts.delete(token, password: long, from: Bench.home) }
        let attempt = AttemptKeys(key: "ada", from: Bench.home)
        for _ in 0..<5 {
            #expect(
                try await store.count(attempt, scope: .password, rules: accounts.rules, at: bench.clock.now)
                    == nil)
        }
    }

    @Test("Every Unicode composition of a password verifies")
    func composed() async throws {
        _ = try await accounts.signUp(name: "Ada", password: "Bu\u{308}cherberge", from: Bench.home)
        #expect(await bench.failure("Ada", "B\u{FC}cherberge") == nil)
    }

    @Test("A session ends half an hour after its last use, and after 12 hours at the latest")
    func sessions() async throws {
        let idle = try await bench.signUp().token
        let busy = try await bench.signIn().token
        bench.clock.advance(1799)
        #expect(try await accounts.session(busy) != nil)
        bench.clock.advance(1)
        #expect(try await accounts.session(idle) == nil)
        for _ in 0..<26 {
            bench.clock.advance(1550)
            #expect(try await accounts.session(busy) != nil)
        }
        bench.clock.advance(43_200 - 1800 - 26 * 1550 - 1)
        #expect(try await accounts.session(busy) != nil)
        bench.clock.advance(1)
        #expect(try await accounts.session(busy) == nil)
    }

    @Test("The lifetimes of sessions are configurable")
    func chosenLimits() async throws {
        let short = try Bench(store) { ($0.sessionIdle, $0.sessionLifetime) = (100, 150) }
        let token = try await short.signUp().token
        short.clock.advance(99)
        #expect(try await short.accounts.session(token) != nil)
        short.clock.advance(51)
        #expect(try await short.accounts.session(token) == nil)
    }

    @Test("Signing out ends only the session of the token")
    func signOut() async throws {
        let (here, there) = (try await bench.signUp().token, try await bench.signIn().token)
        try await accounts.signOut(here)
        #expect(try await accounts.session(here) == nil)
        #expect(try await accounts.session(there) != nil)
        await #expect(throws: AccountError.notSignedIn) { try await accounts.signOut(here) }
        bench.clock.advance(1800)
        await #expect(throws: AccountError.notSignedIn) { try await accounts.signOut(there) }
    }

    @Test("A new password ends every other session, and the old password fails")
    func update() async throws {
        let old = [try await bench.signUp().token, try await bench.signIn().token]
        let other = try await bench.signUp("Grace").token
        let new = try await accounts.update(
            name: "ADA", current: Bench.password, new: "another mountain", from: Bench.home)
        #expect(new.name == "Ada")
        for token in old { #expect(try await accounts.session(token) == nil) }
        #expect(try await accounts.session(new.token)?.name == "Ada")
        #expect(try await accounts.session(other)?.name == "Grace")
        #expect(await bench.failure("Ada", Bench.password) == .wrongNameOrPassword)
        #expect(await bench.failure("Ada", "another mountain") == nil)
    }

    @Test(
        "A refused update keeps the password",
        arguments: [
            ("Ada", Bench.password, "short", AccountError.refusedPassword(.tooShort(minimum: 8))),
            ("Ada", Bench.password, "password", .refusedPassword(.common)),
            ("Ada", "wrong", "another mountain", .wrongNameOrPassword),
            ("Nobody", Bench.password, "another mountain", .wrongNameOrPassword),
            ("", Bench.password, "another mountain", .refusedName(.empty)),
        ])
    func cannotUpdate(_ name: String, _ current: String, _ new: String, _ failure: AccountError) async throws {
        let token = try await bench.signUp("Ada").token
        await #expect(throws: failure) {
            try await accounts.update(name: name, current: current, new: new, from: Bench.home)
        }
        #expect(try await accounts.session(token) != nil)
        #expect(await bench.failure("Ada", Bench.password) == nil)
    }

    @Test("Deleting an account requires its password, ends all sessions, and frees its name")
    func delete() async throws {
        let (here, there) = (try await bench.signUp().token, try await bench.signIn().token)
        await #expect(throws: AccountError.wrongNameOrPassword) {
            try await accounts.delete(here, password: "wrong", from: Bench.home)
        }
        #expect(try await accounts.session(here) != nil)
        try await accounts.delete(here, password: Bench.password, from: Bench.home)
        #expect(try await accounts.session(here) == nil)
        #expect(try await accounts.session(there) == nil)
        #expect(await bench.failure("Ada", Bench.password) == .wrongNameOrPassword)
        await #expect(throws: AccountError.notSignedIn) {
            try await accounts.delete(here, password: Bench.password, from: Bench.home)
        }
        #expect(try await bench.signUp("ADA").name == "ADA")
        #expect(try await accounts.session(there) == nil)
    }

    @Test("A sign-in rehashes a hash with other parameters once")
    func rehashed() async throws {
        try await bench.signUp()
        let parameters = try ScryptParameters(log2N: 5, r: 8, p: 2)
        let stronger = try Bench(store) { $0.scrypt = parameters }
        #expect(await stronger.failure("Ada", "wrong") == .wrongNameOrPassword)
        #expect(try await store.account(key: "ada")?.hash.hasPrefix("$scrypt$ln=4,r=8,p=1$") == true)
        #expect(await stronger.failure("Ada", Bench.password) == nil)
        let renewed = try #require(try await store.account(key: "ada")).hash
        #expect(renewed.hasPrefix("$scrypt$ln=5,r=8,p=2$"))
        #expect(await stronger.failure("Ada", Bench.password) == nil)
        #expect(try await store.account(key: "ada")?.hash == renewed)
    }

    @Test("After the parameters changed, known and unknown names cost the same derivations, right or wrong")
    func sameDerivations() async throws {
        try await bench.signUp("Ada")
        let parameters = try ScryptParameters(log2N: 5, r: 8, p: 1)
        let used = Guarded<[ScryptParameters]>([])
        let stronger = try Bench(store, recording: used) { $0.scrypt = parameters }
        try await stronger.signUp("Grace")
        let sequence = [try ScryptParameters(log2N: 4, r: 8, p: 1), parameters]
        for (name, password) in [
            ("Ada", "wrong"), ("Grace", "wrong"), ("Nobody", "wrong"), ("Grace", Bench.password),
            ("Nobody", Bench.password), ("Ada", Bench.password),
        ] {
            used.withLock { $0 = [] }
            _ = await stronger.failure(name, password)
            #expect(used.withLock { $0 } == sequence, "\(name)")
        }
        // The last account with the old parameters has signed in.
        for name in ["Ada", "Nobody"] {
            used.withLock { $0 = [] }
            _ = await stronger.failure(name)
            #expect(used.withLock { $0 } == [parameters], "\(name)")
        }
        used.withLock { $0 = [] }
        await #expect(throws: AccountError.wrongNameOrPassword) {
            try await stronger.accounts.update(
                name: "Nobody", current: "wrong", new: "another mountain", from: Bench.home)
        }
        #expect(used.withLock { $0 } == [parameters])
    }

    @Test("An account whose name is no longer allowed for new accounts can still be used")
    func earlierName() async throws {
        let hash = try PasswordHasher(parameters: accounts.hasher.parameters).hash(Password(Bench.password)).text
        let name = try UserName(existing: "\u{430}dmin \u{200B}")
        try await store.createAccount(
            name, hash: hash, session: StoreBench.digest("s"), settling: StoreBench.attempt(name.key),
            at: bench.clock.now)
        await #expect(throws: AccountError.refusedName(.invisibleCharacter(at: 7))) {
            try await bench.signUp("\u{430}dmin \u{200B}")
        }
        let token = try await bench.signIn("\u{430}DMIN \u{200B}").token
        _ = try await accounts.update(
            name: name.text, current: Bench.password, new: "another mountain", from: Bench.home)
        #expect(try await accounts.session(token) == nil)
    }

    @Test("Thousands of expired sessions are removed")
    func removeExpired() async throws {
        let token = try await bench.signUp().token
        let now = bench.clock.now
        try await store.perform { database in
            try database.execute(
                sql: """
                    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2500)
                    INSERT INTO session
                    SELECT randomblob(32), (SELECT id FROM account), \(now - 1800), \(now - 1800), 0, 0 FROM n
                    """)
        }
        await accounts.removeExpired()
        #expect(try await store.perform { try $0.scalar("SELECT count(*) FROM session") } == 1)
        #expect(try await accounts.session(token) != nil)
    }

    @Test("Health is checked once per second")
    func health() async throws {
        #expect(await accounts.unavailability() == nil)
        await store.close()
        #expect(await accounts.unavailability() == nil)
        bench.clock.advance(1)
        #expect(await accounts.unavailability() == "the database is closed")
    }

    @Test("Closing waits for operations in progress, refuses waiting and new ones, and closes the store")
    func close() async throws {
        let queue = HashingQueue(threads: 1, waiting: 10)
        let slow = try Bench(store, hashing: queue)
        try await slow.signUp()
        let gate = Gate()
        let store = HookedStore(base: store) { await Task.detached { gate.pass() }.value }
        let held = try Bench(store, clock: slow.clock, hashing: queue)
        let underWay = Task { try await held.signIn() }
        await eventually { gate.arrivals == 1 }
        let ended = Guarded(false)
        let end = Task {
            await held.accounts.close()
            ended.withLock { $0 = true }
        }
        try await ProgressLimit.wait { (try? await queue.run(for: SHA256(of: [0]), {})) == nil }
        #expect(await held.failure() == .unavailable)
        #expect(!ended.withLock { $0 })
        gate.open()
        let token = try await underWay.value.token
        await end.value
        await #expect(throws: AccountError.unavailable) { try await held.accounts.session(token) }
        let again = try Bench(try SQLiteStore.open(path: scratch.database), clock: slow.clock)
        #expect(try await again.accounts.session(token)?.name == "Ada")
    }
}
