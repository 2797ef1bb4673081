import Foundation
import GRDB
public import Platform

extension SQLiteStore {
    public func session(
        _ digest: Digest, limits: SessionLimits, at now: UnixTime
    ) async throws(StoreError) -> StoredSession? {
        try await perform { [touchFailed] database in
            let statement = try database.cachedStatement(
                sql: """
                    SELECT account.id, name, name_key, hash, began, used
                    FROM session JOIN account ON account.id = session.account WHERE digest = ?
                    """)
            guard let row = try Row.fetchOne(statement, arguments: [Data(digest.bytes)]) else { return nil }
            let used = Int64.fromDatabaseValue(row[5]) ?? 0
            let isOver = Self.isOver(row, limits, now)
            let account = try StoredAccount(row)
            var failure: String?
            if isOver || now - used >= SessionLimits.touchInterval, touchFailed.withLock({ $0 != now }) {
                do {
                    let sql =
                        isOver
                        ? "DELETE FROM session WHERE digest = ?2" : "UPDATE session SET used = ?1 WHERE digest = ?2"
                    try database.cachedStatement(sql: sql).execute(arguments: [now, Data(digest.bytes)])
                } catch let error as DatabaseError {
                    touchFailed.withLock { $0 = now }
                    failure = Self.reason(error)
                }
            }
            return isOver ? nil : StoredSession(account: account, touchFailure: failure)
        }
    }

    public func endSession(_ digest: Digest, limits: SessionLimits, at now: UnixTime) async throws(StoreError) -> Bool {
        try await transaction { database in
            let statement = try database.cachedStatement(
                sql: "DELETE FROM session WHERE digest = ? RETURNING 0, 0, 0, 0, began, used")
            return try Row.fetchOne(statement, arguments: [Data(digest.bytes)]).map { !Self.isOver($0, limits, now) }
                ?? false
        }
    }

    public func removeExpired(
        limits: SessionLimits, rules: ThrottleRules, at now: UnixTime, most: Int
    ) async throws(StoreError) -> Bool {
        try await transaction { database in
            // By the last use alone, which has an index: a session past its lifetime is used no more, and follows soon.
            try database.cachedStatement(
                sql: """
                    DELETE FROM session WHERE digest IN
                    (SELECT digest FROM session WHERE used <= ? ORDER BY used LIMIT ?)
                    """
            ).execute(arguments: [now - limits.idle, most])
            let sessions = database.changesCount
            try database.cachedStatement(
                sql: "DELETE FROM throttle WHERE key IN (SELECT key FROM throttle WHERE at <= ? ORDER BY at LIMIT ?)"
            ).execute(arguments: [now - ThrottleRules.window, most])
            let throttles = database.changesCount
            try database.cachedStatement(
                sql: """
                    DELETE FROM acquaintance WHERE key IN
                    (SELECT key FROM acquaintance WHERE at <= ? ORDER BY at LIMIT ?)
                    """
            ).execute(arguments: [now - ThrottleRules.acquaintance, most])
            return max(sessions, throttles, database.changesCount) == most
        }
    }

    /// - Parameter row: has the beginning and the last use as its fifth and sixth column.
    private static func isOver(_ row: Row, _ limits: SessionLimits, _ now: UnixTime) -> Bool {
        guard let began = Int64.fromDatabaseValue(row[4]), let used = Int64.fromDatabaseValue(row[5]) else {
            return true
        }
        // One from the future is from before the clock was set back, and would last too long.
        return now - used >= limits.idle || now - began >= limits.lifetime
            || used - now >= limits.lifetime
    }
}
