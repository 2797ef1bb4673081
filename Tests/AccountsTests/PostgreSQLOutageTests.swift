#if PostgreSQL
import Dispatch
import MotivatorPlatform
import TestSupport
import Testing

@testable import Accounts
@testable import PostgreSQLAccounts

/// Each test has its own server, so the tests run one at a time.
@Suite("Accounts while PostgreSQL fails", .serialized) struct PostgreSQLOutageTests {
    /// Waits until accounts work.
    private func recovered(_ store: PostgreSQLStore) async throws {
        try await ProgressLimit.wait {
            try await store.checkHealth(at: 0)
            return true
        }
    }

    @Test("While the server is down, operations fail; after its restart, they work, and nothing acknowledged is lost")
    func restart() async throws {
        let server = try await TestServer()
        let database = try TestDatabase(url: server.url)
        let store = try await database.open()
        let bench = try Bench(store)
        let token = try await bench.signUp().token
        for _ in 0..<2 {
            try await server.stop()
            // Until the store notices the end of its connections, it still has the session in its cache.
            try await ProgressLimit.wait { (try? await bench.accounts.session(token)) == nil }
            for _ in 0..<50 {
                await #expect(throws: AccountError.unavailable) { try await bench.accounts.session(token) }
                #expect(await bench.failure("Ada", Bench.password) == .unavailable)
            }
            await #expect(throws: StoreError.self) { try await store.checkHealth(at: 0) }
            try await server.start()
            try await recovered(store)
            #expect(try await bench.accounts.session(token)?.name == "Ada")
        }
        #expect(bench.faults.allSatisfy { $0.hasPrefix("error: accounts are unavailable: \"PostgreSQL") })
        #expect(await bench.failure("Ada", Bench.password) == nil)
    }

    @Test("A store that opens while the server is down works when the server is up")
    func startedFirst() async throws {
        let server = try await TestServer()
        try await server.stop()
        let store = try await TestDatabase(url: server.url).open()
        await #expect(throws: StoreError.self) { try await store.account(key: "ada") }
        try await server.start()
        try await recovered(store)
        try await StoreTests.fill(store)
    }

    @Test("If the server freezes, one operation waits for its deadline, and later ones fail immediately")
    func frozen() async throws {
        let server = try await TestServer()
        let database = try TestDatabase(url: server.url)
        try await StoreTests.fill(try await database.open())
        let store = try await database.open(timeouts: .init())
        try await recovered(store)
        try await server.freeze(true)
        let silence = StoreError.unavailable(reason: "PostgreSQL did not respond in time")
        // If each operation waited for its deadline, this would take longer than the time limit.
        for _ in 0..<100 { await #expect(throws: silence) { try await store.account(key: "ada") } }
        // The port of the other server follows the port of the frozen one.
        let other = try TestDatabase().url
        let hosts = server.url.replacing("/postgres", with: other.replacing("postgres://motivator@", with: ","))
        let timeouts = PostgreSQLStore.Timeouts(connect: .seconds(1), operation: .seconds(60), statement: 60_000)
        try await recovered(try await TestDatabase(url: hosts).open(timeouts: timeouts))
        try await server.freeze(false)
        try await recovered(store)
        #expect(try await store.account(key: "ada")?.name == "Ada")
    }

    @Test("If the server has fewer connections than the pool, operations wait for those that work")
    func fewConnections() async throws {
        let server = try await TestServer(["max_connections=4"])
        let store = try await TestDatabase(url: server.url).open()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<3 * PostgreSQLPool.size {
                group.addTask {
                    try await store.perform { _ = try await $0.execute("SELECT pg_sleep(0.01)") }
                }
            }
            try await group.waitForAll()
        }
        try await store.checkHealth(at: 0)
    }

    @Test("A transaction fails if the server ends its connection, and the next one works")
    func killed() async throws {
        let store = try await TestDatabase().open()
        do {
            try await store.transaction { connection in
                try await connection.run(
                    "INSERT INTO known_address (key, at) VALUES ($1, 0)", [.bytes(StoreBench.digest("a").bytes)])
                try await connection.execute("SELECT pg_terminate_backend(pg_backend_pid())")
            }
            Issue.record("the transaction succeeded")
        } catch {
            let reason = "PostgreSQL error 57P01: terminating connection due to administrator command"
            #expect(error == .unavailable(reason: reason))
        }
        #expect(try await store.scalar("SELECT count(*) FROM known_address") == 0)
    }

    @Test("A change whose confirmation does not arrive is not reported as a success")
    func unconfirmed() async throws {
        // The server stores the change, but confirms it only after a standby stores it. There is no standby. At this
        // level, the server also logs each cancel request.
        let server = try await TestServer(["log_min_messages=debug2"])
        let timeouts = PostgreSQLStore.Timeouts(connect: .seconds(60), operation: .seconds(3))
        let store = try await TestDatabase(url: server.url).open(timeouts: timeouts)
        let probe = try await TestDatabase(url: server.url).open(timeouts: timeouts)
        try await store.execute("ALTER SYSTEM SET synchronous_standby_names = 'none'")
        try await store.execute("SELECT pg_reload_conf()")
        // A server process applies the setting to commits only after sessions already show it. Only a commit that wrote
        // to the log waits.
        let probing = "SELECT pg_logical_emit_message(true, '', '')"
        try await ProgressLimit.wait { (try? await probe.execute(probing)) == nil }
        do {
            try await StoreTests.fill(store)
            Issue.record("the sign-up succeeded")
        } catch let error as StoreError {
            let reason =
                "PostgreSQL did not confirm a change, so its outcome is unknown: "
                + "PostgreSQL did not respond in time"
            #expect(error == .unavailable(reason: reason))
        }
        // To release the server connection, the store cancels the wait. The change is stored, and other transactions see
        // it when its transaction has ended, which is after the wait.
        let open = "SELECT count(*) FROM pg_stat_activity WHERE backend_xid IS NOT NULL"
        try await ProgressLimit.wait { try await store.scalar(open) == 0 }
        // libpq before version 17 sends the key of a cancel request without TLS.
        #expect(try !server.log().contains("cancel request"))
        #expect(try await store.account(key: "ada") != nil)
        // Reads work, although the session's use cannot be confirmed.
        let session = try await store.session(StoreBench.digest("s"), limits: StoreBench.limits, at: 60)
        #expect(session?.account.name == "Ada")
        #expect(session?.touchFailure?.contains("did not confirm") == true)
        try await ProgressLimit.wait { try await store.scalar(open) == 0 }
        let again = try await store.session(StoreBench.digest("s"), limits: StoreBench.limits, at: 69)
        #expect(again?.account.name == "Ada" && again?.touchFailure == nil)
        await #expect(throws: StoreError.self) { try await store.checkHealth(at: 0) }
        #expect(try await store.account(key: "ada") != nil)
    }
}
#endif
