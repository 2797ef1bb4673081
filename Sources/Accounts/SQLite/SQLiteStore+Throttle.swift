import Foundation
import GRDB
package import MotivatorPlatform

extension SQLiteStore {
    package func count(
        _ attempt: AttemptKeys, scope: AttemptScope, rules: ThrottleRules, at now: UnixTime
    ) async throws(StoreError) -> UnixTime? {
        try await write { database in
            let wait =
                switch scope {
                case .signUp: try Self.take(attempt.signUps, size: rules.signUpsPerAddress, database, at: now)
                case .password:
                    try Self.take(attempt.address, size: rules.failuresPerAddress, database, at: now)
                        ?? Self.countPair(attempt, database, at: now)
                }
            return (wait, wait == nil ? .commit : .rollback)
        }
    }

    package func refund(_ attempt: AttemptKeys, scope: AttemptScope, at now: UnixTime) async throws(StoreError) {
        try await transaction { try Self.execute(ThrottleStatements.refund(attempt, scope, at: now), $0) }
    }

    static func execute(_ statements: [Statement], _ database: Database) throws {
        for statement in statements {
            try database.cachedStatement(sql: statement.sql).execute(arguments: StatementArguments(statement))
        }
    }

    /// Returns the first row of a statement's result.
    private static func row(_ statement: Statement, _ database: Database) throws -> Row? {
        try Row.fetchOne(database.cachedStatement(sql: statement.sql), arguments: StatementArguments(statement))
    }

    /// Counts one attempt in a bucket that refills within a window.
    /// - Returns: nil if the attempt was counted; otherwise the number of seconds to wait.
    private static func take(_ key: SHA256, size: Int, _ database: Database, at now: UnixTime) throws -> UnixTime? {
        let bucket = ThrottleRules.Bucket(size: size)
        guard try row(ThrottleStatements.take(key, bucket, at: now), database) == nil else { return nil }
        let (amount, at) = try state(key, database)
        return bucket.wait(amount: amount, at: at, now: now)
    }

    /// Counts one attempt for a pair. Returns nil if the attempt was counted; otherwise the number of seconds to wait.
    private static func countPair(_ attempt: AttemptKeys, _ database: Database, at now: UnixTime) throws -> UnixTime? {
        var spacing: UnixTime = 0
        if try row(ThrottleStatements.isKnown(attempt, at: now), database) == nil {
            let level = try row(ThrottleStatements.raiseLevel(attempt, at: now), database)
            guard let level, let level = Int64.fromDatabaseValue(level[0]) else { throw unreadable }
            spacing = ThrottleRules.spacing(atLevel: level)
        }
        let counted = try row(ThrottleStatements.countPair(attempt, spacing: spacing, at: now), database)
        guard counted == nil else { return nil }
        let (attempts, at) = try state(attempt.pair, database)
        return ThrottleRules.wait(attempts: attempts, spacing: spacing, at: at, now: now)
    }

    private static func state(_ key: SHA256, _ database: Database) throws -> (amount: Int64, at: UnixTime) {
        guard let row = try row(ThrottleStatements.state(key), database),
            let amount = Int64.fromDatabaseValue(row[0]), let at = Int64.fromDatabaseValue(row[1])
        else { throw unreadable }
        return (amount, at)
    }

    private static var unreadable: StoreError {
        .unavailable(reason: "the database is damaged: a count is unreadable")
    }
}

extension StatementArguments {
    init(_ statement: Statement) {
        self.init(
            statement.parameters.map { parameter -> DatabaseValue in
                switch parameter {
                case .integer(let number): number.databaseValue
                case .bytes(let bytes): Data(bytes).databaseValue
                case .text(let text): text.databaseValue
                }
            })
    }
}
