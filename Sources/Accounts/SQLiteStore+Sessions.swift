import Foundation
import GRDB
package import MotivatorPlatform

extension SQLiteStore {
    package func session(
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

    package func endSession(_ digest: Digest, limits: SessionLimits, at now: UnixTime) async throws(StoreError) -> Bool
    {
        try await transaction { database in
            let statement = try database.cachedStatement(
                sql: "DELETE FROM session WHERE digest = ? RETURNING 0, 0, 0, 0, began, used")
            return try Row.fetchOne(statement, arguments: [Data(digest.bytes)]).map { !Self.isOver($0, limits, now) }
                ?? false
        }
    }

    package func removeExpired(
        limits: SessionLimits, at now: UnixTime, most: Int
    ) async throws(StoreError) -> Bool {
        // Each condition has an index. A session past its lifetime is not used again, so it soon counts as idle. A use
        // in the future means that the clock was set back. Such a session has also expired.
        let removals: [(table: String, key: String, column: String, condition: String, limit: UnixTime)] = [
            ("session", "digest", "used", "<=", now - limits.idle),
            ("session", "digest", "used", ">=", now + limits.lifetime),
            ("throttle", "key", "expires", "<=", now),
            ("known_address", "key", "at", "<=", now - ThrottleRules.knownAddressLifetime),
        ]
        return try await transaction { database in
            var hasMore = false
            for (table, key, column, condition, limit) in removals {
                let sql = """
                    DELETE FROM \(table) WHERE \(key) IN
                    (SELECT \(key) FROM \(table) WHERE \(column) \(condition) ? ORDER BY \(column) LIMIT ?)
                    """
                try database.cachedStatement(sql: sql).execute(arguments: [limit, most])
                if database.changesCount == most { hasMore = true }
            }
            return hasMore
        }
    }

    /// - Parameter row: a row with the start in the fifth column and the last use in the sixth.
    private static func isOver(_ row: Row, _ limits: SessionLimits, _ now: UnixTime) -> Bool {
        guard let began = Int64.fromDatabaseValue(row[4]), let used = Int64.fromDatabaseValue(row[5]) else {
            return true
        }
        // If the clock was set back, earlier sessions are in the future, and would last too long.
        return now - used >= limits.idle || now - began >= limits.lifetime
            || used - now >= limits.lifetime
    }
}
