import Foundation
import GRDB
package import MotivatorPlatform

extension SQLiteStore {
    package func count(
        _ attempt: Attempt, scope: AttemptScope, rules: ThrottleRules, at now: UnixTime
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

    package func refund(_ attempt: Attempt, scope: AttemptScope, at now: UnixTime) async throws(StoreError) {
        try await transaction { database in
            switch scope {
            case .signUp: try Self.refund(attempt.signUps, database)
            case .password:
                try Self.execute(ThrottleStatements.refundPair, database, [Data(attempt.pair.bytes)])
                try Self.refundFailure(attempt, database, at: now)
            }
        }
    }

    /// Settles a successful attempt: resets the address's failures on the account, refunds the attempt, and marks the
    /// address as known.
    static func settle(_ attempt: Attempt, _ database: Database, at now: UnixTime) throws {
        try forget(attempt.pair, database)
        try refundFailure(attempt, database, at: now)
        try remember(attempt, database, at: now)
    }

    /// Settles a sign-up: removes earlier counts for the name and marks the address as known. The earlier counts do not
    /// apply to the new account.
    static func settleSignUp(_ attempt: Attempt, _ database: Database, at now: UnixTime) throws {
        try forget(attempt.pair, database)
        try forget(attempt.account, database)
        try remember(attempt, database, at: now)
    }

    /// Settles a deletion: removes the counts for the account and refunds the attempt.
    static func settleDeletion(_ attempt: Attempt, _ database: Database) throws {
        try forget(attempt.pair, database)
        try forget(attempt.account, database)
        try refund(attempt.address, database)
        try execute(ThrottleStatements.forgetAddress, database, [Data(attempt.pair.bytes)])
    }

    private static func execute(_ sql: String, _ database: Database, _ arguments: StatementArguments) throws {
        try database.cachedStatement(sql: sql).execute(arguments: arguments)
    }

    private static func forget(_ key: Digest, _ database: Database) throws {
        try execute(ThrottleStatements.forget, database, [Data(key.bytes)])
    }

    private static func remember(_ attempt: Attempt, _ database: Database, at now: UnixTime) throws {
        try execute(ThrottleStatements.remember, database, [Data(attempt.pair.bytes), now])
    }

    private static func isKnown(_ attempt: Attempt, _ database: Database, at now: UnixTime) throws -> Bool {
        try Row.fetchOne(
            database.cachedStatement(sql: ThrottleStatements.isKnown),
            arguments: [Data(attempt.pair.bytes), now - ThrottleRules.knownAddressLifetime]) != nil
    }

    private static func refundFailure(_ attempt: Attempt, _ database: Database, at now: UnixTime) throws {
        try refund(attempt.address, database)
        if try !isKnown(attempt, database, at: now) {
            try refund(attempt.account, database, upTo: ThrottleRules.refundableLevel)
        }
    }

    /// Refunds one attempt to a bucket, unless its amount exceeds `level`.
    private static func refund(_ key: Digest, _ database: Database, upTo level: Int64 = .max) throws {
        try execute(ThrottleStatements.refund, database, [Data(key.bytes), level])
    }

    /// Counts one attempt in a bucket that refills within a window.
    ///
    /// - Returns: nil if the attempt was counted; otherwise the number of seconds to wait.
    private static func take(_ key: Digest, size: Int, _ database: Database, at now: UnixTime) throws -> UnixTime? {
        let bucket = ThrottleRules.Bucket(size: size)
        let taken = try Row.fetchOne(
            database.cachedStatement(sql: ThrottleStatements.take),
            arguments: [Data(key.bytes), now, now + ThrottleRules.window, bucket.perSecond, bucket.free])
        guard taken == nil else { return nil }
        let (amount, at) = try state(key, database)
        return bucket.wait(amount: amount, at: at, now: now)
    }

    /// Raises an account's level by one attempt, up to the highest level.
    ///
    /// - Returns: the new level.
    private static func raiseLevel(_ key: Digest, _ database: Database, at now: UnixTime) throws -> Int64 {
        let row = try Row.fetchOne(
            database.cachedStatement(sql: ThrottleStatements.raiseLevel),
            arguments: [Data(key.bytes), now, now + ThrottleRules.levelLifetime])
        guard let row, let level = Int64.fromDatabaseValue(row[0]) else {
            throw StoreError.unavailable(reason: "the database is damaged: a count is unreadable")
        }
        return level
    }

    /// Counts one attempt for a pair. Returns nil if the attempt was counted; otherwise the number of seconds to wait.
    private static func countPair(_ attempt: Attempt, _ database: Database, at now: UnixTime) throws -> UnixTime? {
        let isKnown = try isKnown(attempt, database, at: now)
        let spacing =
            isKnown ? 0 : ThrottleRules.spacing(atLevel: try raiseLevel(attempt.account, database, at: now))
        let counted = try Row.fetchOne(
            database.cachedStatement(sql: ThrottleStatements.countPair),
            arguments: [Data(attempt.pair.bytes), now, now + max(ThrottleRules.window, spacing), spacing])
        guard counted == nil else { return nil }
        let (attempts, at) = try state(attempt.pair, database)
        return ThrottleRules.wait(attempts: attempts, spacing: spacing, at: at, now: now)
    }

    private static func state(_ key: Digest, _ database: Database) throws -> (amount: Int64, at: UnixTime) {
        let statement = try database.cachedStatement(sql: ThrottleStatements.state)
        guard let row = try Row.fetchOne(statement, arguments: [Data(key.bytes)]),
            let amount = Int64.fromDatabaseValue(row[0]), let at = Int64.fromDatabaseValue(row[1])
        else { throw StoreError.unavailable(reason: "the database is damaged: a count is unreadable") }
        return (amount, at)
    }
}
