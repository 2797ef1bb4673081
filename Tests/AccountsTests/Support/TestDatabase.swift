#if PostgreSQL
import Dispatch
import MotivatorPlatform
import TestSupport
import Testing

@testable import Accounts
@testable import PostgreSQLAccounts

/// An empty schema in the database that `scripts/test` starts.
struct TestDatabase {
    let url: String
    let schema: String

    /// - Parameters:
    ///   - url: Another database.
    ///   - options: Parameters to add to the URL, such as `sslmode=disable`.
    init(url: String? = nil, adding options: String = "") throws {
        let shared = getenv("MOTIVATOR_POSTGRES").map { String(cString: $0) }
        let server = try #require(
            url ?? shared, "start a server with scripts/postgres, and set MOTIVATOR_POSTGRES to its URL")
        self.url = options.isEmpty ? server : "\(server)?\(options)"
        schema = "test_" + String(UInt64.random(in: 0 ... .max), radix: 36)
    }

    /// Timeouts for tests that run in parallel with many others.
    static let patient = PostgreSQLStore.Timeouts(
        connect: .seconds(300), migration: .seconds(300), operation: .seconds(300), statement: 300_000,
        transaction: 300_000)

    /// Opens a store, as each of several servers does.
    func open(
        adding options: String = "", timeouts: PostgreSQLStore.Timeouts = patient
    ) async throws -> PostgreSQLStore {
        try await PostgreSQLStore.open(
            url: options.isEmpty ? url : "\(url)?\(options)", schema: schema, timeouts: timeouts)
    }
}

extension PostgreSQLStore {
    /// Returns the number that a query produces.
    func scalar(_ sql: String) async throws -> Int64? {
        try await perform { connection in try await connection.run(sql).first?.integer(0) }
    }

    func execute(_ sql: String) async throws {
        try await perform { connection in _ = try await connection.execute(sql) }
    }
}

extension PostgreSQLStore {
    /// Runs `body` in a transaction, and rolls back if `body` throws.
    func transaction<Result: Sendable>(
        _ body: @Sendable (PostgreSQLConnection) async throws -> Result
    ) async throws(StoreError) -> Result {
        try await write { connection in (try await body(connection), commits: true) }
    }

    func take(
        _ limit: ClientLimit, of client: ClientAddress, at now: UnixTime
    ) async throws(StoreError) -> UnixTime? {
        let bucket = ThrottleRules.Bucket(burst: limit.burst, perHour: limit.perHour)
        return try await run(ThrottleStatements.take(limit.key(of: client), bucket, at: now), inTransaction: true)
    }

    /// Occupies all connections of the pool until `opened` ends.
    func occupy(until opened: AsyncStream<Void>) async throws -> [Task<Void, any Error>] {
        let holders = (0..<PostgreSQLPool.size).map { _ in
            Task { try await perform { _ in for await _ in opened {} } }
        }
        try await ProgressLimit.wait { await pool.inUse == PostgreSQLPool.size }
        return holders
    }

    func reset(_ limit: ClientLimit, of client: ClientAddress) async throws(StoreError) {
        try await apply([ThrottleStatements.forget(limit.key(of: client))])
    }
}
#endif
