#if PostgreSQL
import Dispatch
import MotivatorPlatform
import MotivatorServer
import TestSupport
import Testing

@testable import Accounts
@testable import PostgreSQLAccounts

/// Two servers that share a database. The lease of each server lasts until the test advances its clock, so only a
/// notification or the end of the channel can discard a session.
@Suite("Sessions of several servers") struct PostgreSQLSessionTests {
    private let database: TestDatabase
    private let clock = LeaseClock()
    private let one, other: PostgreSQLStore

    init() async throws {
        database = try TestDatabase()
        let (name, clock) = ("application_name=\(database.schema)", clock)
        one = try await PostgreSQLStore.open(
            url: database.url, schema: database.schema, timeouts: TestDatabase.patient, now: { clock.now })
        other = try await PostgreSQLStore.open(
            url: "\(database.url)?\(name)", schema: database.schema, timeouts: TestDatabase.patient,
            now: { clock.now })
    }

    private func check(
        _ session: String, _ store: PostgreSQLStore, at now: UnixTime = 0
    ) async throws -> StoredSession? {
        try await store.recentSession(StoreBench.digest(session), limits: StoreBench.limits, at: now)
    }

    /// Waits until a server finds a session in its cache.
    private func cached(_ session: String, _ stores: PostgreSQLStore...) async throws {
        for store in stores {
            try await ProgressLimit.wait { try await check(session, store)?.isCached == true }
        }
    }

    private func create(_ name: String = "Ada", session: String = "s") async throws -> StoredAccount {
        let name = try UserName(name)
        return try await one.createAccount(
            name, hash: "first", session: StoreBench.digest(session), settling: StoreBench.attempt(name.key), at: 0)
    }

    /// A change that another server must notice.
    struct Change: CustomTestStringConvertible, Sendable {
        let testDescription: String
        /// The time of the last confirmation after the change; nil if the session has ended.
        var confirmed: UnixTime?
        let make: @Sendable (PostgreSQLStore, StoredAccount) async throws -> Void

        init(
            _ name: String, confirmed: UnixTime? = nil,
            _ make: @escaping @Sendable (PostgreSQLStore, StoredAccount) async throws -> Void
        ) {
            (testDescription, self.confirmed, self.make) = (name, confirmed, make)
        }
    }

    static let changes = [
        Change("sign-out") { store, _ in
            _ = try await store.endSession(StoreBench.digest("s"), limits: StoreBench.limits, at: 0)
        },
        Change("password change") { store, account in
            try await store.replaceHash(
                of: account, with: "second", session: StoreBench.digest("new"),
                settling: StoreBench.attempt(account.key), at: 0)
        },
        Change("deletion") { store, account in
            try await store.deleteAccount(account, settling: StoreBench.attempt(account.key))
        },
        Change("confirmation with a password", confirmed: 9) { store, account in
            let steps = PasskeyStatements.confirm(
                StoreBench.digest("s"), of: account, settling: StoreBench.attempt(account.key), at: 9)
            try await store.apply(steps)
        },
    ]

    @Test(
        "A change reaches the other server through a notification, and its own server immediately", arguments: changes)
    func changed(_ change: Change) async throws {
        let account = try await create()
        try await cached("s", one, other)
        try await change.make(one, account)
        #expect(try await check("s", one)?.confirmed == change.confirmed)
        try await ProgressLimit.wait { try await check("s", other)?.confirmed == change.confirmed }
        // The lease of the other server never ended.
        try await cached("s2", session: "s2")
    }

    private func cached(_ name: String, session: String) async throws {
        _ = try await create(name, session: session)
        try await cached(session, other)
    }

    @Test("Each change of a session has a notification in its transaction, which contains only a number")
    func notifications() async throws {
        let received = Guarded<[String]>([])
        let account = try await create()
        try await other.perform { connection in
            try await connection.listen(to: "\(database.schema)_session") { content in
                received.withLock { $0.append(content ?? "") }
            }
        }
        struct Failed: Error {}
        await #expect(throws: StoreError.self) {
            try await one.transaction { connection in
                try await one.notify(1, connection)
                throw Failed()
            }
        }
        // A sign-out without a session, a refused change, and the recorded use of a session are no changes.
        let absent = StoreBench.digest("absent")
        #expect(try await !one.endSession(absent, limits: StoreBench.limits, at: 0))
        let outdated = StoredAccount(id: account.id, name: account.name, key: account.key, hash: "outdated")
        await #expect(throws: StoreError.hashChanged) {
            try await one.deleteAccount(outdated, settling: StoreBench.attempt("ada"))
        }
        #expect(try await check("s", one, at: 60) != nil)
        for change in [Self.changes[3], Self.changes[0], Self.changes[1]] {
            let current = try #require(try await one.account(key: "ada"))
            try await change.make(one, current)
        }
        let prefix = "\(StoreBench.digest("s").prefix)"
        let expected = [prefix, prefix, "\(account.id)"]
        try await ProgressLimit.wait { received.withLock { $0.count } >= expected.count }
        #expect(received.withLock { $0 } == expected)
    }

    @Test("A cached check sends no query, and the other calls read the database")
    func noQuery() async throws {
        let account = try await create()
        try await cached("s", other)
        await other.pool.close()
        #expect(try await check("s", other)?.account == account)
        let closed = StoreError.unavailable(reason: "the database is closed")
        await #expect(throws: closed) {
            try await other.session(StoreBench.digest("s"), limits: StoreBench.limits, at: 0)
        }
        await #expect(throws: closed) { try await check("s", other, at: SessionLimits.touchInterval) }
        clock.advance(SessionCache.lease)
        await #expect(throws: closed) { try await check("s", other) }
        await other.close()
    }

    @Test("The use of a cached session is recorded once per interval, and the session expires")
    func expiry() async throws {
        _ = try await create()
        try await cached("s", other)
        func used() async throws -> Int64? { try await one.scalar("SELECT used FROM session") }
        #expect(try await check("s", other, at: 59)?.isCached == true)
        #expect(try await used() == 0)
        #expect(try await check("s", other, at: 60)?.isCached == false)
        #expect(try await used() == 60)
        #expect(try await check("s", other, at: 61)?.isCached == true)
        #expect(try await check("s", other, at: 1060) == nil)
        #expect(try await one.scalar("SELECT count(*) FROM session") == 0)
    }

    /// Returns the ID of the server process that serves the channel of the other server.
    private func listener() async throws -> Int64 {
        let sql = """
            SELECT pid::BIGINT FROM pg_stat_activity WHERE application_name = '\(database.schema)'
            AND query LIKE '%pg_listening_channels%'
            """
        return try #require(try await one.scalar(sql))
    }

    @Test("While the channel is cut, the cache is off and empty; afterwards, it is on again")
    func cut() async throws {
        _ = try await create()
        try await cached("s", other)
        try await one.execute("SELECT pg_terminate_backend(\(try await listener())::INT)")
        try await ProgressLimit.wait { other.cache.begin() == nil }
        #expect(try await one.endSession(StoreBench.digest("s"), limits: StoreBench.limits, at: 0))
        #expect(try await check("s", other) == nil)
        try await cached("Grace", session: "t")
        #expect(try await check("s", other) == nil)
    }

    @Test("If the channel is silent, a session that has ended is refused when the lease ends")
    func silent() async throws {
        _ = try await create()
        try await cached("s", other)
        let process = pid_t(try await listener())
        // Suspend the process while it waits for a command, because it then holds no lock of the database.
        let isWaiting = "SELECT count(*) FROM pg_stat_activity WHERE pid = \(process) AND wait_event = 'ClientRead'"
        try await ProgressLimit.wait {
            kill(process, SIGSTOP)
            if try await one.scalar(isWaiting) == 1 { return true }
            kill(process, SIGCONT)
            return false
        }
        defer { kill(process, SIGCONT) }
        #expect(try await one.endSession(StoreBench.digest("s"), limits: StoreBench.limits, at: 0))
        // Nothing tells the other server about the end.
        #expect(try await check("s", other)?.isCached == true)
        clock.advance(SessionCache.lease)
        #expect(try await check("s", other) == nil)
        kill(process, SIGCONT)
        try await cached("Grace", session: "t")
        #expect(try await check("s", other) == nil)
    }

    @Test("A session that ends while it is checked on another server does not stay in its cache")
    func race() async throws {
        _ = try await create("Warm", session: "warm")
        try await cached("warm", other)
        for round in 0..<50 {
            _ = try await create("user \(round)", session: "\(round)")
            let digest = StoreBench.digest("\(round)")
            async let ended = one.endSession(digest, limits: StoreBench.limits, at: 0)
            async let checks: Void = withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<4 { group.addTask { _ = try await check("\(round)", other) } }
                try await group.waitForAll()
            }
            _ = try await (ended, checks)
            try await ProgressLimit.wait { try await check("\(round)", other) == nil }
            #expect(try await check("\(round)", other) == nil)
        }
    }

    @Test("An operator's notification without a key discards all sessions")
    func operatorChange() async throws {
        _ = try await create()
        try await cached("s", other)
        try await one.execute("DELETE FROM session; NOTIFY \(database.schema)_session")
        try await ProgressLimit.wait { try await check("s", other) == nil }
    }

    @Test("Accounts count the checks of sessions by their source")
    func metrics() async throws {
        let registry = PrometheusRegistry(help: [:])
        let bench = try Bench(other, metrics: registry)
        let token = try await bench.signUp().token
        var count = 0
        try await ProgressLimit.wait {
            count += 1
            _ = try await bench.accounts.session(token)
            var exposition = Exposition()
            registry.write(to: &exposition)
            let lines = exposition.text.split(separator: "\n")
            return lines.contains(#"motivator_session_checks_total{source="cache"} 1"#)
                && lines.contains(#"motivator_session_checks_total{source="database"} \#(count - 1)"#[...])
        }
    }

    @Test("Closing a store ends its channel")
    func closing() async throws {
        _ = try await create()
        try await cached("s", other)
        await other.close()
        #expect(other.cache.begin() == nil)
        let connections = "SELECT count(*) FROM pg_stat_activity WHERE application_name = '\(database.schema)'"
        try await ProgressLimit.wait { try await one.scalar(connections) == 0 }
    }
}
#endif
