import Foundation
import GRDB
public import Platform

/// A row of the table `throttle` holds, of an account, how many attempts were counted in a row, when the last was, and
/// when the one before; of an address, how much of its bucket was used and when that was so. An attempt uses as many
/// parts of the bucket as the window has seconds, so that each second gives back a whole number of parts.
///
/// An address from which somebody has signed in to an account is an acquaintance of it, and its failures with the
/// account are counted in a row of their own: who guesses elsewhere makes nobody wait at home.
extension SQLiteStore {
    private static let partsOfAttempt = ThrottleRules.window

    public func count(
        _ attempt: Attempt, scope: AttemptScope, rules: ThrottleRules, at now: UnixTime
    ) async throws(StoreError) -> UnixTime? {
        try await write { database in
            var wait = try Self.countAddress(attempt.address, rules, database, at: now)
            if wait == nil, scope == .accountAndAddress {
                wait = try Self.countAccount(Self.row(of: attempt, database), database, at: now)
            }
            return (wait, wait == nil ? .commit : .rollback)
        }
    }

    public func giveBack(_ attempt: Attempt, scope: AttemptScope) async throws(StoreError) {
        try await transaction { database in
            if scope == .accountAndAddress {
                // The time too: an attempt that was not made makes nobody wait.
                try database.cachedStatement(
                    sql: "UPDATE throttle SET amount = max(amount - 1, 0), at = min(at, before) WHERE key = ?"
                ).execute(arguments: [Data(Self.row(of: attempt, database).bytes)])
            }
            try Self.giveBackToAddress(attempt, database)
        }
    }

    /// What a success does: the account's failures are forgotten, the address has its attempt back and is an
    /// acquaintance.
    static func settle(_ attempt: Attempt, _ database: Database, at now: UnixTime) throws {
        try database.cachedStatement(sql: "DELETE FROM throttle WHERE key IN (?, ?)")
            .execute(arguments: [Data(attempt.account.bytes), Data(attempt.pair.bytes)])
        try database.cachedStatement(
            sql: "INSERT INTO acquaintance (key, at) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET at = excluded.at"
        ).execute(arguments: [Data(attempt.pair.bytes), now])
        try giveBackToAddress(attempt, database)
    }

    /// In which row an attempt with an account is counted.
    private static func row(of attempt: Attempt, _ database: Database) throws -> Digest {
        let statement = try database.cachedStatement(sql: "SELECT 1 FROM acquaintance WHERE key = ?")
        let isKnown = try Row.fetchOne(statement, arguments: [Data(attempt.pair.bytes)]) != nil
        return isKnown ? attempt.pair : attempt.account
    }

    private static func giveBackToAddress(_ attempt: Attempt, _ database: Database) throws {
        try database.cachedStatement(sql: "UPDATE throttle SET amount = max(amount - ?, 0) WHERE key = ?")
            .execute(arguments: [partsOfAttempt, Data(attempt.address.bytes)])
    }

    /// - Returns: nil when it was counted, the seconds to wait otherwise.
    private static func countAccount(_ key: Digest, _ database: Database, at now: UnixTime) throws -> UnixTime? {
        let statement = try database.cachedStatement(
            sql: """
                INSERT INTO throttle (key, amount, at, before) VALUES (:key, 1, :now, 0)
                ON CONFLICT (key) DO UPDATE SET before = at, at = :now,
                    amount = iif(:now >= at + :window OR at > :now + :tolerance, 1, amount + 1)
                WHERE :now >= at + :window OR at > :now + :tolerance OR amount < :free
                    OR (amount < :ceiling AND :now >= at + min(:longest, 1 << min(amount - :free, 30)))
                RETURNING amount
                """)
        let counted = try Row.fetchOne(
            statement,
            arguments: [
                "key": Data(key.bytes), "now": now, "window": ThrottleRules.window,
                "tolerance": ThrottleRules.clockTolerance, "free": ThrottleRules.freeFailures,
                "ceiling": ThrottleRules.ceiling, "longest": ThrottleRules.longestDelay,
            ])
        guard counted == nil else { return nil }
        let (amount, at) = try state(key, database)
        return max(at + ThrottleRules.delay(after: Int(clamping: amount)) - now, 1)
    }

    /// - Returns: nil when it was counted, the seconds to wait otherwise.
    private static func countAddress(
        _ key: Digest, _ rules: ThrottleRules, _ database: Database, at now: UnixTime
    ) throws -> UnixTime? {
        let perSecond = UnixTime(rules.failuresPerAddress)
        let room = perSecond * ThrottleRules.window - partsOfAttempt
        let used = "iif(at > :now + :tolerance, 0, max(amount - max(:now - at, 0) * :perSecond, 0))"
        let statement = try database.cachedStatement(
            sql: """
                INSERT INTO throttle (key, amount, at, before) VALUES (:key, :parts, :now, 0)
                ON CONFLICT (key) DO UPDATE SET at = :now, amount = \(used) + :parts
                WHERE \(used) <= :room
                RETURNING amount
                """)
        let counted = try Row.fetchOne(
            statement,
            arguments: [
                "key": Data(key.bytes), "now": now, "parts": partsOfAttempt, "perSecond": perSecond, "room": room,
                "tolerance": ThrottleRules.clockTolerance,
            ])
        guard counted == nil else { return nil }
        let (amount, at) = try state(key, database)
        let excess = amount - room
        return max(at + (excess + perSecond - 1) / perSecond - now, 1)
    }

    private static func state(_ key: Digest, _ database: Database) throws -> (amount: Int64, at: UnixTime) {
        let statement = try database.cachedStatement(sql: "SELECT amount, at FROM throttle WHERE key = ?")
        guard let row = try Row.fetchOne(statement, arguments: [Data(key.bytes)]),
            let amount = Int64.fromDatabaseValue(row[0]), let at = Int64.fromDatabaseValue(row[1])
        else { throw StoreError.unavailable(reason: "the database is damaged: a count is not readable") }
        return (amount, at)
    }
}
