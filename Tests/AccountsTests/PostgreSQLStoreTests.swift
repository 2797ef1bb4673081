#if PostgreSQL
import MotivatorPlatform
import TestSupport
import Testing

@testable import Accounts
@testable import PostgreSQLAccounts

@Suite("Accounts in PostgreSQL") struct PostgreSQLStoreTests {
    private let database: TestDatabase

    init() throws {
        database = try TestDatabase()
    }

    private func count(_ store: PostgreSQLStore, _ key: String = "ada") async throws -> UnixTime? {
        try await store.count(StoreBench.attempt(key), scope: .password, rules: StoreBench.rules, at: 0)
    }

    @Test("Servers that start at the same time create the tables once")
    func concurrentStart() async throws {
        let stores = try await withThrowingTaskGroup(of: PostgreSQLStore.self) { group in
            for _ in 0..<6 { group.addTask { try await database.open() } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        for store in stores { try await store.checkHealth(at: 0) }
        #expect(try await stores[0].scalar("SELECT version FROM schema_version") == Int64(PostgreSQLSchema.version))
        #expect(try await stores[0].scalar("SELECT count(*) FROM schema_version") == 1)
    }

    @Test("Servers that start at the same time with a database of version 1 create one secret")
    func versionOne() async throws {
        let first = try await database.open()
        try await StoreTests.fill(first)
        try await first.execute(
            """
            DROP TABLE passkey, used_challenge, secret;
            ALTER TABLE session DROP COLUMN confirmed, DROP COLUMN password_confirmed;
            UPDATE schema_version SET version = 1
            """)
        let stores = try await withThrowingTaskGroup(of: PostgreSQLStore.self) { group in
            for _ in 0..<4 { group.addTask { try await database.open() } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        let secret = try await stores[0].secret()
        for store in stores { #expect(try await store.secret() == secret) }
        let session = try await stores[1].session(StoreBench.digest("s"), limits: StoreBench.limits, at: 0)
        #expect(session?.account.name == "Ada" && session?.confirmed == 0)
        #expect(try await stores[0].scalar("SELECT count(*) FROM secret") == 1)
    }

    @Test("A newer database is refused, and not changed")
    func newer() async throws {
        let store = try await database.open()
        try await store.execute("UPDATE schema_version SET version = 99")
        await #expect(throws: ExplainedFailure.newer(version: 99, known: PostgreSQLSchema.version)) {
            try await database.open()
        }
        #expect(try await store.scalar("SELECT version FROM schema_version") == 99)
    }

    @Test("A user without the right to create tables can use existing ones")
    func limitedUser() async throws {
        let owner = try await database.open()
        let user = "\(database.schema)_user"
        try await owner.execute(
            """
            CREATE USER \(user); GRANT USAGE ON SCHEMA \(database.schema) TO \(user);
            GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA \(database.schema) TO \(user)
            """)
        let limited = try await database.open(adding: "user=\(user)")
        try await StoreTests.fill(limited)
        try await limited.checkHealth(at: 0)
    }

    @Test("Servers share accounts, sessions, failures and sign-ups")
    func shared() async throws {
        let (one, other) = (try await database.open(), try await database.open())
        try await StoreTests.fill(one)
        let session = try await other.session(StoreBench.digest("s"), limits: StoreBench.limits, at: 0)
        #expect(session?.account.name == "Ada")
        for server in [one, other, one, other, one] { #expect(try await count(server) == nil) }
        #expect(try await count(other) == 1)
        let rules = ThrottleRules(failuresPerAddress: 1, signUpsPerAddress: 2)
        func signUp(_ store: PostgreSQLStore) async throws -> UnixTime? {
            try await store.count(StoreBench.attempt("x"), scope: .signUp, rules: rules, at: 0)
        }
        #expect(try await signUp(one) == nil)
        #expect(try await signUp(other) == nil)
        #expect(try await signUp(one) == 1800)
    }

    @Test("Servers share the limits of clients")
    func sharedLimits() async throws {
        let stores = [try await database.open(), try await database.open()]
        let (checks, first) = (
            ClientLimit("checks", burst: 3, perHour: 360), ClientLimit("first", burst: 2, perHour: 0)
        )
        let (client, other) = (ClientAddress([192, 0, 2, 1]), ClientAddress([192, 0, 2, 2]))
        func take(_ limit: ClientLimit, _ server: Int, at now: UnixTime = 0) async throws -> UnixTime? {
            try await stores[server].take(limit, of: client, at: now)
        }
        for server in [0, 1, 0] { #expect(try await take(checks, server) == nil) }
        #expect(try await take(checks, 1) == 10)
        #expect(try await take(checks, 0, at: 9) == 1)
        #expect(try await take(checks, 1, at: 10) == nil)
        #expect(try await stores[0].take(checks, of: other, at: 0) == nil)
        for server in [0, 1] { #expect(try await take(first, server) == nil) }
        #expect(try await take(first, 0, at: 3599) == 1)
        try await stores[1].reset(first, of: client)
        #expect(try await take(first, 0, at: 3599) == nil)
        #expect(try await take(checks, 0, at: 10) == 10)
    }

    @Test("Concurrent transactions of several servers run again after a serialization failure")
    func serializable() async throws {
        let option = "options=-c%20default_transaction_isolation%3Dserializable"
        let stores = [try await database.open(adding: option), try await database.open(adding: option)]
        #expect(try await setting("default_transaction_isolation", of: stores[0]) == "serializable")
        let waits = try await withThrowingTaskGroup(of: UnixTime?.self) { group in
            for number in 0..<40 { group.addTask { try await count(stores[number % 2]) } }
            return try await group.reduce(into: [UnixTime?]()) { $0.append($1) }
        }
        #expect(waits.filter { $0 == nil }.count == 5)
        #expect(waits.filter { $0 == 1 }.count == 35)
        let created = await withTaskGroup(of: Result<Void, any Error>.self) { group in
            for number in 0..<20 {
                group.addTask {
                    do {
                        return .success(try await create("Ada", session: "\(number)", stores[number % 2]))
                    } catch {
                        return .failure(error)
                    }
                }
            }
            return await group.reduce(into: [Result<Void, any Error>]()) { $0.append($1) }
        }
        let failures = created.compactMap { result in
            if case .failure(let error) = result { error as? StoreError } else { nil }
        }
        #expect(failures == [StoreError](repeating: .nameTaken, count: 19))
    }

    private func create(_ name: String, session: String, _ store: PostgreSQLStore) async throws {
        try await store.createAccount(
            try UserName(name), hash: "first", session: StoreBench.digest(session),
            settling: StoreBench.attempt(name.lowercased()), at: 0)
    }

    private func setting(_ name: String, of store: PostgreSQLStore) async throws -> String? {
        try await store.perform { connection in
            try await connection.run("SELECT current_setting('\(name)')").first?.text(0)
        }
    }

    @Test("Transactions that deadlock run again, and both succeed")
    func deadlock() async throws {
        let store = try await database.open()
        try await store.execute(
            "CREATE TABLE pair (id BIGINT PRIMARY KEY, n BIGINT); INSERT INTO pair VALUES (1, 0), (2, 0)")
        let (arrived, arrive) = AsyncStream.makeStream(of: Void.self)
        let runs = Guarded(0)
        @Sendable func add(_ first: Int64, _ second: Int64) async throws {
            try await store.transaction { connection in
                let sql = "UPDATE pair SET n = n + 1 WHERE id = $1"
                try await connection.run(sql, [.integer(first)])
                let run = runs.withLock { count in
                    count += 1
                    return count
                }
                // The first transaction waits until the second transaction has its first lock.
                if run == 2 { arrive.finish() }
                if run == 1 { for await _ in arrived {} }
                try await connection.run(sql, [.integer(second)])
            }
        }
        async let one: Void = add(1, 2)
        async let other: Void = add(2, 1)
        _ = try await (one, other)
        #expect(runs.withLock { $0 } >= 3)
        #expect(try await store.scalar("SELECT sum(n)::BIGINT FROM pair") == 4)
    }

    @Test("A unique violation that does not go away makes the operation fail without effect")
    func uniqueViolation() async throws {
        let store = try await database.open()
        try await StoreTests.fill(store)
        await #expect(
            throws: StoreError.unavailable(
                reason: "PostgreSQL error 23505: duplicate key value violates unique constraint \"session_pkey\"")
        ) {
            try await create("Grace", session: "s", store)
        }
        #expect(try await store.account(key: "grace") == nil)
    }

    @Test("A password change during a sign-in ends the new session or makes the sign-in fail")
    func signInDuringChange() async throws {
        let stores = [try await database.open(), try await database.open()]
        for round in 0..<20 {
            let name = try UserName("user \(round)")
            let account = try await stores[0].createAccount(
                name, hash: "first", session: StoreBench.digest("\(round)"), settling: StoreBench.attempt(name.key),
                at: 0)
            async let begun: Void = stores[0].beginSession(
                StoreBench.digest("begun \(round)"), for: account, rehash: nil,
                settling: StoreBench.attempt(name.key, from: 2), at: 0)
            async let replaced: Void = stores[1].replaceHash(
                of: account, with: "second", session: StoreBench.digest("new \(round)"),
                settling: StoreBench.attempt(name.key, from: 3), at: 0)
            try await replaced
            do { try await begun } catch { #expect(error as? StoreError == .hashChanged) }
        }
        #expect(try await stores[0].scalar("SELECT count(*) FROM session") == 20)
    }

    @Test("On a read-only server, reads work and writes fail")
    func readOnly() async throws {
        let store = try await database.open()
        try await StoreTests.fill(store)
        let readOnly = try await database.open(adding: "options=-c%20default_transaction_read_only%3Don")
        #expect(try await readOnly.account(key: "ada")?.name == "Ada")
        let reason = "PostgreSQL error 25006: cannot execute INSERT in a read-only transaction"
        await #expect(throws: StoreError.unavailable(reason: reason)) { try await count(readOnly) }
        await #expect(throws: StoreError.self) { try await readOnly.checkHealth(at: 0) }
        let session = try await readOnly.session(StoreBench.digest("s"), limits: StoreBench.limits, at: 60)
        #expect(session?.account.name == "Ada")
        let failure = "PostgreSQL error 25006: cannot execute UPDATE in a read-only transaction"
        #expect(session?.touchFailure == failure)
        // The store tries again after ten seconds, or immediately if the clock was set back.
        for (now, tries) in [(69, false), (70, true), (79, false), (80, true), (68, true), (77, false)] {
            let again = try await readOnly.session(
                StoreBench.digest("s"), limits: StoreBench.limits, at: UnixTime(now))
            #expect(again?.account.name == "Ada" && again?.touchFailure == (tries ? failure : nil), "at \(now)")
        }
    }

    @Test("At most 8 operations run and 256 wait, and those finish")
    func bounded() async throws {
        let store = try await database.open()
        let (opened, open) = AsyncStream.makeStream(of: Void.self)
        let holders = try await store.occupy(until: opened)
        let refused = Guarded(0)
        let others = (0..<PostgreSQLPool.mostWaiting + 20).map { _ in
            Task {
                do throws(StoreError) {
                    try await store.checkHealth(at: 0)
                } catch {
                    #expect(error == .unavailable(reason: "256 operations are waiting for the database"))
                    refused.withLock { $0 += 1 }
                }
            }
        }
        await eventually { refused.withLock { $0 } == 20 }
        open.finish()
        for task in others { await task.value }
        for task in holders { try await task.value }
        #expect(refused.withLock { $0 } == 20)
        #expect(try await store.scalar("SELECT 7::BIGINT") == 7)
    }

    @Test("A statement that takes too long is cancelled, and the connection is used again")
    func slowStatement() async throws {
        let store = try await database.open()
        let cancelled = "PostgreSQL error 57014: canceling statement due to statement timeout"
        await #expect(throws: StoreError.unavailable(reason: cancelled)) {
            try await store.perform { connection in
                _ = try await connection.execute("SET statement_timeout = 50; SELECT pg_sleep(60)")
            }
        }
        try await store.checkHealth(at: 0)
    }

    @Test("Statements that prepare the tables do not change their rows again")
    func reopened() async throws {
        try await StoreTests.fill(try await database.open())
        let again = try await database.open()
        #expect(try await again.account(key: "ada")?.hash == "first")
    }
}
#endif
