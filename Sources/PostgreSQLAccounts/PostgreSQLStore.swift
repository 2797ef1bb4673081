#if PostgreSQL
package import Accounts
import Dispatch
package import MotivatorPlatform

/// An accounts store in a PostgreSQL database that several servers can share.
///
/// Dependent statements run in one transaction. Row locks make the transactions correct at the isolation level "read
/// committed" and at every stricter level. All transactions lock rows in the same order: account, session, address
/// count, account count, pair count, known address.
package final class PostgreSQLStore: Sendable {
    static let schema = "motivator"
    /// The maximum number of tries for a transaction that conflicts with others.
    static let mostTries = 20

    struct Timeouts: Sendable {
        var connect = DispatchTimeInterval.seconds(2)
        /// The maximum time to create or migrate the tables.
        var migration = DispatchTimeInterval.seconds(30)
        /// The maximum time for an operation, including its wait for a connection.
        var operation = DispatchTimeInterval.seconds(2)
        /// The server's timeout for a statement, in milliseconds. It is shorter than the operation timeout, so the
        /// store receives the server's error.
        var statement = 1500
        /// The server's timeout for a transaction whose client has disappeared, in milliseconds.
        var transaction = 5000
    }

    let pool: PostgreSQLPool
    let cache: SessionCache
    private let channel: SessionChannel
    /// The task that runs the channel, after the first check of a session.
    private let listening = Guarded<Task<Void, Never>?>(nil)
    package let touchFailed = Guarded<UnixTime?>(nil)
    private let timeouts: Timeouts

    /// Opens an accounts database. Creates its tables if they do not exist.
    ///
    /// If the server cannot be reached, opening succeeds. The store is then unavailable until the server responds.
    /// - Parameter url: the database's URL, with the scheme `postgres` or `postgresql`.
    /// - Throws: `ExplainedFailure` if the URL is invalid, or the database must not be used.
    package static func open(url: String) async throws -> PostgreSQLStore {
        try await open(url: url, schema: schema)
    }

    static func open(
        url: String, schema: String, timeouts: Timeouts = Timeouts(),
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) async throws -> PostgreSQLStore {
        let store = PostgreSQLStore(try PostgreSQLTarget(url: url), schema: schema, timeouts, SessionCache(now: now))
        do throws(PostgreSQLFailure) {
            let connection = try await store.pool.acquire(until: .now() + timeouts.operation)
            await store.pool.release(connection)
        } catch .refused(let error) {
            await store.pool.close()
            throw error
        } catch {
            // The pool keeps trying to connect.
        }
        return store
    }

    /// Connects to a database once, and changes nothing in it. Returns why it is not available; nil if it responds.
    /// - Throws: `ExplainedFailure` if the URL is invalid, or the database must not be used.
    package static func outage(url: String) async throws(ExplainedFailure) -> String? {
        let target = try PostgreSQLTarget(url: url)
        let connection = PostgreSQLConnection(on: QueueExecutor(label: "database check"))
        await connection.arm(until: .now() + Timeouts().connect)
        do throws(PostgreSQLFailure) {
            try await connection.open(target.resolvedOptions(timeout: 2).options)
            try await checkEncoding(connection)
            return nil
        } catch .refused(let error) {
            throw error
        } catch {
            return error.reason
        }
    }

    private init(_ target: PostgreSQLTarget, schema: String, _ timeouts: Timeouts, _ cache: SessionCache) {
        let isMigrated = Guarded(false)
        // The index of the address that worked last, and the number of addresses.
        let addresses = Guarded((last: 0, count: 1))
        let connect: PostgreSQLPool.Connect = { connection, number async throws(PostgreSQLFailure) in
            let first = addresses.withLock { $0.last } + number
            let resolved = try await target.resolvedOptions(timeout: 2, first: first)
            addresses.withLock { $0.count = resolved.addresses }
            try await connection.open(resolved.options)
            addresses.withLock { $0.last = first }
            try await Self.checkEncoding(connection)
            try await connection.execute("SET search_path TO \(schema)")
            if !isMigrated.withLock({ $0 }) {
                await connection.arm(until: .now() + timeouts.migration)
                try await PostgreSQLSchema.update(connection, schema: schema)
                isMigrated.withLock { $0 = true }
            }
            try await connection.execute(
                """
                SET statement_timeout = \(timeouts.statement);
                SET idle_in_transaction_session_timeout = \(timeouts.transaction)
                """)
        }
        (self.timeouts, self.cache) = (timeouts, cache)
        pool = PostgreSQLPool(
            connectTimeout: timeouts.connect, alternatives: { addresses.withLock { $0.count } }, connect: connect)
        channel = SessionChannel(
            name: "\(schema)_session", cache: cache, executor: pool.executor, timeouts: timeouts, connect: connect)
    }

    deinit {
        listening.withLock { $0?.cancel() }
    }

    /// Starts to receive the changes of sessions, unless the channel was started before.
    func listen() {
        listening.withLock { [channel] task in
            if task == nil { task = Task { await channel.run() } }
        }
    }

    /// Tells all servers to discard their copies of sessions. PostgreSQL sends the notification when the transaction
    /// commits.
    /// - Parameter key: the account's number, or the prefix of the session's digest.
    func notify(_ key: Int64, _ connection: PostgreSQLConnection) async throws(PostgreSQLFailure) {
        // CockroachDB has no notifications. The cache then stays off.
        guard await connection.setting("crdb_version") == nil else { return }
        try await connection.execute("NOTIFY \(channel.name), '\(key)'")
    }

    private static func checkEncoding(_ connection: PostgreSQLConnection) async throws(PostgreSQLFailure) {
        let encoding = await connection.setting("server_encoding") ?? "unknown"
        guard encoding == "UTF8" else { throw .refused(.encoding(encoding)) }
    }

    /// Runs `body` in a transaction, and rolls back if `body` throws or returns `commits: false`. Retries a transaction
    /// that conflicts with others.
    func write<Result: Sendable>(
        _ body: @Sendable (PostgreSQLConnection) async throws -> (Result, commits: Bool)
    ) async throws(StoreError) -> Result {
        try await perform { connection in
            try await connection.execute("BEGIN")
            do {
                let (result, commits) = try await body(connection)
                if commits { try await Self.commit(connection) } else { try await connection.execute("ROLLBACK") }
                return result
            } catch {
                // The pool closes a connection that is still in a transaction.
                if await connection.isUsable { _ = try? await connection.execute("ROLLBACK") }
                throw error
            }
        }
    }

    /// Runs `body` on a connection. Canceling the task does not interrupt `body`.
    func perform<Result: Sendable>(
        _ body: @Sendable (PostgreSQLConnection) async throws -> Result
    ) async throws(StoreError) -> Result {
        let deadline = DispatchTime.now() + timeouts.operation
        var tries = 1
        while true {
            do {
                let connection = try await pool.acquire(until: deadline)
                do {
                    let result = try await body(connection)
                    await pool.release(connection)
                    return result
                } catch {
                    await pool.release(connection, after: error as? PostgreSQLFailure)
                    throw error
                }
            } catch let error as StoreError {
                throw error
            } catch let error as PostgreSQLFailure {
                // SQLSTATE 23503 is a foreign key violation: the account of a session or passkey does not exist.
                if case .server("23503", _) = error { throw .hashChanged }
                guard error.isConflict, tries < Self.mostTries, DispatchTime.now() < deadline else {
                    throw .unavailable(reason: error.reason)
                }
                tries += 1
                await Self.pause(before: tries)
            } catch {
                throw .unavailable(reason: "\(error)")
            }
        }
    }

    /// Waits before a retry. The delay is random, to avoid another conflict between the same transactions.
    static func pause(before number: Int) async {
        try? await Task.sleep(for: .milliseconds(Int.random(in: 1...(5 * min(number, 20)))))
    }

    private static func commit(_ connection: PostgreSQLConnection) async throws(PostgreSQLFailure) {
        let tag: String
        do throws(PostgreSQLFailure) {
            // The statement timeout does not apply to the wait for a synchronous standby.
            tag = try await connection.execute("COMMIT")
        } catch {
            switch error {
            case .lost(let reason): throw .uncertain(reason)
            case .timedOut: throw .uncertain(error.reason)
            case _: throw error
            }
        }
        // On COMMIT of a failed transaction, the server rolls back without an error.
        guard tag == "COMMIT" else { throw .unexpected("COMMIT returned \(tag)") }
    }
}

extension PostgreSQLStore: AccountStore {
    package var isShared: Bool { true }

    package func run<Result: Sendable>(
        _ plan: Plan<Result>, inTransaction: Bool
    ) async throws(StoreError) -> Result {
        let changed = Guarded<[Int64]>([])
        // This server refuses changed sessions immediately, not only after its notification.
        defer { changed.withLock { $0.forEach(cache.discard) } }
        guard inTransaction else { return try await perform { try await run(plan, $0, changed).result } }
        return try await write { try await run(plan, $0, changed) }
    }

    private func run<Result>(
        _ plan: Plan<Result>, _ connection: PostgreSQLConnection, _ changed: Guarded<[Int64]>
    ) async throws -> (result: Result, commits: Bool) {
        var plan = plan
        while true {
            switch plan {
            case .step(let step, let next):
                if let key = step.changed { changed.withLock { $0.append(key) } }
                let sql = step.statement.sql + (step.locks ? " FOR UPDATE" : "")
                let rows = try step.checked(await connection.run(sql, step.statement.parameters))
                if let key = step.changed, !rows.isEmpty { try await notify(key, connection) }
                plan = try next(rows)
            case .commit(let result): return (result, true)
            case .rollBack(let result): return (result, false)
            }
        }
    }

    package func recentSession(
        _ digest: SHA256, limits: SessionLimits, at now: UnixTime
    ) async throws(StoreError) -> StoredSession? {
        if let known = cache.find(digest, limits, at: now) { return known }
        let ticket = cache.begin()
        let session = try await session(digest, limits: limits, at: now)
        listen()
        if let session, let ticket, session.touchFailure == nil { cache.insert(digest, session, ticket) }
        return session
    }

    package func checkHealth(at now: UnixTime) async throws(StoreError) {
        // The value does not change, but the server writes the row.
        let write = Statement(sql: "UPDATE schema_version SET version = version WHERE id = 1", parameters: [])
        try await apply([Step(write)])
    }

    /// Returns nil, because the server itself detects damage.
    package func damage() -> String? { nil }

    package func close() async {
        let task = listening.withLock { task in
            // A task that does nothing keeps the channel closed.
            let last = task ?? Task {}
            task = last
            return last
        }
        task.cancel()
        await pool.close()
        await task.value
    }
}
#endif
