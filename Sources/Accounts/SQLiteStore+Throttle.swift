import Foundation
import GRDB
package import MotivatorPlatform

/// Each row of the table `throttle` is one count:
/// - A bucket is the failures of an address, the sign-ups of an address, or the level of an account. `amount` is the
///   used part of the bucket at the time `at`, in parts of an attempt. An account's level alone never causes a refusal;
///   it only sets the minimum interval between two attempts of an unknown address.
/// - A pair counts the attempts of an address with an account. `amount` is the number of consecutive attempts, `at` is
///   the time of the last attempt, and `before` is the time of the attempt before it.
///
/// An address is known to an account after a sign-in from it. Failures from a known address do not raise the account's
/// level, and the level does not delay attempts from a known address.
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
                // Restore the time too, so that a refunded attempt causes no wait.
                try database.cachedStatement(
                    sql: "UPDATE throttle SET amount = max(amount - 1, 0), at = min(at, before) WHERE key = ?"
                ).execute(arguments: [Data(attempt.pair.bytes)])
                try Self.refundFailure(attempt, database, at: now)
            }
        }
    }

    /// Settles an attempt with the right password: resets the address's failures with the account, refunds the attempt,
    /// and marks the address as known.
    static func settle(_ attempt: Attempt, _ database: Database, at now: UnixTime) throws {
        try forget(attempt.pair, database)
        try refundFailure(attempt, database, at: now)
        try remember(attempt, database, at: now)
    }

    /// Settles a sign-up: removes earlier counts for the name, which do not concern the new account.
    static func settleSignUp(_ attempt: Attempt, _ database: Database, at now: UnixTime) throws {
        try forget(attempt.pair, database)
        try forget(attempt.account, database)
        try remember(attempt, database, at: now)
    }

    /// Settles a deletion: removes the counts for the account, and refunds the attempt.
    static func settleDeletion(_ attempt: Attempt, _ database: Database) throws {
        try forget(attempt.pair, database)
        try forget(attempt.account, database)
        try refund(attempt.address, database)
        try database.cachedStatement(sql: "DELETE FROM known_address WHERE key = ?")
            .execute(arguments: [Data(attempt.pair.bytes)])
    }

    private static func forget(_ key: Digest, _ database: Database) throws {
        try database.cachedStatement(sql: "DELETE FROM throttle WHERE key = ?").execute(arguments: [Data(key.bytes)])
    }

    private static func remember(_ attempt: Attempt, _ database: Database, at now: UnixTime) throws {
        try database.cachedStatement(
            sql: "INSERT INTO known_address (key, at) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET at = excluded.at"
        ).execute(arguments: [Data(attempt.pair.bytes), now])
    }

    private static func isKnown(_ attempt: Attempt, _ database: Database, at now: UnixTime) throws -> Bool {
        let statement = try database.cachedStatement(sql: "SELECT 1 FROM known_address WHERE key = ? AND at > ?")
        return try Row.fetchOne(
            statement, arguments: [Data(attempt.pair.bytes), now - ThrottleRules.knownAddressLifetime]) != nil
    }

    private static func refundFailure(_ attempt: Attempt, _ database: Database, at now: UnixTime) throws {
        try refund(attempt.address, database)
        if try !isKnown(attempt, database, at: now) {
            try refund(attempt.account, database, upTo: ThrottleRules.refundableLevel)
        }
    }

    /// Refunds one attempt to a bucket, unless more than `level` of the bucket is used.
    private static func refund(_ key: Digest, _ database: Database, upTo level: Int64 = .max) throws {
        try database.cachedStatement(
            sql: "UPDATE throttle SET amount = max(amount - ?, 0) WHERE key = ? AND amount <= ?"
        ).execute(arguments: [ThrottleRules.partsOfAttempt, Data(key.bytes), level])
    }

    /// The SQL expression for the currently used amount of a bucket.
    private static let used = "iif(at > :now + :tolerance, 0, max(amount - max(:now - at, 0) * :perSecond, 0))"

    /// Counts one attempt in a bucket that is refunded within a window.
    ///
    /// - Returns: nil if the attempt was counted; otherwise the number of seconds to wait.
    private static func take(_ key: Digest, size: Int, _ database: Database, at now: UnixTime) throws -> UnixTime? {
        let perSecond = UnixTime(size)
        let free = perSecond * ThrottleRules.window - ThrottleRules.partsOfAttempt
        let statement = try database.cachedStatement(
            sql: """
                INSERT INTO throttle (key, amount, at, before, expires) VALUES (:key, :parts, :now, 0, :expires)
                ON CONFLICT (key) DO UPDATE SET at = :now, expires = :expires, amount = \(used) + :parts
                WHERE \(used) <= :free
                RETURNING amount
                """)
        let taken = try Row.fetchOne(
            statement,
            arguments: [
                "key": Data(key.bytes), "parts": ThrottleRules.partsOfAttempt, "now": now,
                "expires": now + ThrottleRules.window, "tolerance": ThrottleRules.clockTolerance,
                "perSecond": perSecond, "free": free,
            ])
        guard taken == nil else { return nil }
        let (amount, at) = try state(key, database)
        let excess = amount - free
        return max(at + (excess + perSecond - 1) / perSecond - now, 1)
    }

    /// Raises an account's level by one attempt, up to the highest level.
    ///
    /// - Returns: the level with this attempt.
    private static func raiseLevel(_ key: Digest, _ database: Database, at now: UnixTime) throws -> Int64 {
        let statement = try database.cachedStatement(
            sql: """
                INSERT INTO throttle (key, amount, at, before, expires) VALUES (:key, :parts, :now, 0, :expires)
                ON CONFLICT (key) DO UPDATE SET at = :now, expires = :expires, amount = min(\(used) + :parts, :full)
                RETURNING amount
                """)
        let row = try Row.fetchOne(
            statement,
            arguments: [
                "key": Data(key.bytes), "parts": ThrottleRules.partsOfAttempt, "now": now,
                // The highest level drops to 0 within two windows.
                "expires": now + 2 * ThrottleRules.window, "tolerance": ThrottleRules.clockTolerance,
                "perSecond": ThrottleRules.ceiling, "full": ThrottleRules.fullLevel,
            ])
        guard let row, let level = Int64.fromDatabaseValue(row[0]) else {
            throw StoreError.unavailable(reason: "the database is damaged: a count is not readable")
        }
        return level
    }

    /// - Returns: nil if the attempt was counted; otherwise the seconds to wait.
    private static func countPair(_ attempt: Attempt, _ database: Database, at now: UnixTime) throws -> UnixTime? {
        let isKnown = try isKnown(attempt, database, at: now)
        let spacing =
            isKnown ? 0 : ThrottleRules.spacing(atLevel: try raiseLevel(attempt.account, database, at: now))
        let statement = try database.cachedStatement(
            sql: """
                INSERT INTO throttle (key, amount, at, before, expires) VALUES (:key, 1, :now, 0, :expires)
                ON CONFLICT (key) DO UPDATE SET before = at, at = :now, expires = :expires,
                    amount = iif(:now >= at + :window OR at > :now + :tolerance, 1, amount + 1)
                WHERE amount = 0 OR at > :now + :tolerance OR (:now >= at + :spacing AND (
                    :now >= at + :window OR amount < :free
                    OR (amount < :ceiling AND :now >= at + min(:longest, 1 << min(amount - :free, 30)))))
                RETURNING amount
                """)
        let counted = try Row.fetchOne(
            statement,
            arguments: [
                "key": Data(attempt.pair.bytes), "now": now, "expires": now + max(ThrottleRules.window, spacing),
                "window": ThrottleRules.window, "tolerance": ThrottleRules.clockTolerance, "spacing": spacing,
                "free": ThrottleRules.freeFailures, "ceiling": ThrottleRules.ceiling,
                "longest": ThrottleRules.longestDelay,
            ])
        guard counted == nil else { return nil }
        let (amount, at) = try state(attempt.pair, database)
        let delay = max(ThrottleRules.delay(after: Int(clamping: amount)), spacing)
        return max(at + delay - now, 1)
    }

    private static func state(_ key: Digest, _ database: Database) throws -> (amount: Int64, at: UnixTime) {
        let statement = try database.cachedStatement(sql: "SELECT amount, at FROM throttle WHERE key = ?")
        guard let row = try Row.fetchOne(statement, arguments: [Data(key.bytes)]),
            let amount = Int64.fromDatabaseValue(row[0]), let at = Int64.fromDatabaseValue(row[1])
        else { throw StoreError.unavailable(reason: "the database is damaged: a count is not readable") }
        return (amount, at)
    }
}
