import Foundation
import GRDB
package import MotivatorPlatform

extension SQLiteStore {
    package func session(
        _ digest: SHA256, limits: SessionLimits, at now: UnixTime
    ) async throws(StoreError) -> StoredSession? {
        try await perform { [touchFailed] database in
            let statement = try database.cachedStatement(sql: SessionStatements.find)
            guard let row = try Row.fetchOne(statement, arguments: [Data(digest.bytes)]) else { return nil }
            let hasExpired = Self.hasExpired(row[4], row[5], limits, now)
            var session = hasExpired ? nil : try StoredSession(SQLiteRow(values: Array(row.databaseValues)))
            if session.map({ now - $0.used >= SessionLimits.touchInterval }) ?? true,
                touchFailed.withLock({ $0 != now })
            {
                do {
                    let digest = Data(digest.bytes)
                    let (sql, arguments): (String, StatementArguments) =
                        hasExpired ? (SessionStatements.remove, [digest]) : (SessionStatements.touch, [now, digest])
                    try database.cachedStatement(sql: sql).execute(arguments: arguments)
                } catch let error as DatabaseError {
                    touchFailed.withLock { $0 = now }
                    session?.touchFailure = Self.reason(error)
                }
            }
            return session
        }
    }

    package func endSession(_ digest: SHA256, limits: SessionLimits, at now: UnixTime) async throws(StoreError) -> Bool
    {
        try await transaction { database in
            let statement = try database.cachedStatement(sql: SessionStatements.remove)
            return try Row.fetchOne(statement, arguments: [Data(digest.bytes)]).map {
                !Self.hasExpired($0[0], $0[1], limits, now)
            } ?? false
        }
    }

    package func removeExpired(
        limits: SessionLimits, at now: UnixTime, most: Int
    ) async throws(StoreError) -> Bool {
        try await transaction { database in
            var hasMore = false
            for (sql, limit) in SessionStatements.removals(limits, at: now) {
                try database.cachedStatement(sql: sql).execute(arguments: [limit, most])
                if database.changesCount == most { hasMore = true }
            }
            return hasMore
        }
    }

    /// Returns whether a session has expired. A session with unreadable times counts as expired.
    private static func hasExpired(
        _ began: DatabaseValue, _ used: DatabaseValue, _ limits: SessionLimits, _ now: UnixTime
    ) -> Bool {
        guard let began = Int64.fromDatabaseValue(began), let used = Int64.fromDatabaseValue(used) else { return true }
        return limits.hasExpired(began: began, used: used, at: now)
    }
}
