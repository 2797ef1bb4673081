#if PostgreSQL
package import Accounts
package import MotivatorPlatform

extension PostgreSQLStore {
    package func count(
        _ attempt: AttemptKeys, scope: AttemptScope, rules: ThrottleRules, at now: UnixTime
    ) async throws(StoreError) -> UnixTime? {
        try await write { connection in
            let wait: UnixTime?
            switch scope {
            case .signUp:
                wait = try await Self.take(attempt.signUps, .init(size: rules.signUpsPerAddress), connection, at: now)
            case .password:
                let bucket = ThrottleRules.Bucket(size: rules.failuresPerAddress)
                if let full = try await Self.take(attempt.address, bucket, connection, at: now) {
                    wait = full
                } else {
                    wait = try await Self.countPair(attempt, connection, at: now)
                }
            }
            return (wait, commits: wait == nil)
        }
    }

    package func refund(_ attempt: AttemptKeys, scope: AttemptScope, at now: UnixTime) async throws(StoreError) {
        try await transaction { try await $0.run(ThrottleStatements.refund(attempt, scope, at: now)) }
    }

    /// Counts one attempt in a bucket.
    /// - Returns: nil if the attempt was counted; otherwise the number of seconds to wait.
    private static func take(
        _ key: SHA256, _ bucket: ThrottleRules.Bucket, _ connection: PostgreSQLConnection, at now: UnixTime
    ) async throws -> UnixTime? {
        guard try await connection.run(ThrottleStatements.take(key, bucket, at: now)).isEmpty else { return nil }
        let (amount, at) = try await state(key, connection)
        return bucket.wait(amount: amount, at: at, now: now)
    }

    /// Counts one attempt for a pair. Returns nil if the attempt was counted; otherwise the number of seconds to wait.
    private static func countPair(
        _ attempt: AttemptKeys, _ connection: PostgreSQLConnection, at now: UnixTime
    ) async throws -> UnixTime? {
        var spacing: UnixTime = 0
        if try await connection.run(ThrottleStatements.isKnown(attempt, at: now)).isEmpty {
            let level = try await connection.run(ThrottleStatements.raiseLevel(attempt, at: now))
            spacing = ThrottleRules.spacing(atLevel: try level.first?.integer(0) ?? 0)
        }
        let counted = try await connection.run(ThrottleStatements.countPair(attempt, spacing: spacing, at: now))
        guard counted.isEmpty else { return nil }
        let (attempts, at) = try await state(attempt.pair, connection)
        return ThrottleRules.wait(attempts: attempts, spacing: spacing, at: at, now: now)
    }

    private static func state(
        _ key: SHA256, _ connection: PostgreSQLConnection
    ) async throws -> (amount: Int64, at: UnixTime) {
        guard let row = try await connection.run(ThrottleStatements.state(key)).first else {
            throw PostgreSQLFailure.unexpected("a count is missing")
        }
        return (try row.integer(0), try row.integer(1))
    }
}

extension PostgreSQLStore: SharedLimits {
    package func take(
        _ limit: ClientLimit, of client: ClientAddress, at now: UnixTime
    ) async throws(StoreError) -> UnixTime? {
        try await transaction { connection in
            let bucket = ThrottleRules.Bucket(burst: limit.burst, perHour: limit.perHour)
            return try await Self.take(limit.key(of: client), bucket, connection, at: now)
        }
    }

    package func reset(_ limit: ClientLimit, of client: ClientAddress) async throws(StoreError) {
        try await perform { try await $0.run([ThrottleStatements.forget(limit.key(of: client))]) }
    }
}

extension PostgreSQLConnection {
    func run(_ statement: Statement) async throws(PostgreSQLFailure) -> [PostgreSQLRow] {
        try await run(statement.sql, statement.parameters)
    }

    func run(_ statements: [Statement]) async throws(PostgreSQLFailure) {
        for statement in statements { _ = try await run(statement) }
    }
}
#endif
