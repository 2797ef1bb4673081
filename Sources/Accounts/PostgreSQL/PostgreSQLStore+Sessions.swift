#if PostgreSQL
package import MotivatorPlatform

extension PostgreSQLStore {
    package func session(
        _ digest: Digest, limits: SessionLimits, at now: UnixTime
    ) async throws(StoreError) -> StoredSession? {
        try await perform { connection in
            guard let row = try await connection.run(SessionStatements.find, [.bytes(digest.bytes)]).first else {
                return nil
            }
            let account = try StoredAccount(row)
            let (began, used) = (try row.integer(4), try row.integer(5))
            let isOver = limits.isOver(began: began, used: used, at: now)
            var failure: String?
            if isOver || now - used >= SessionLimits.touchInterval {
                do throws(PostgreSQLFailure) {
                    if isOver {
                        try await connection.run(SessionStatements.remove, [.bytes(digest.bytes)])
                    } else {
                        try await connection.run(SessionStatements.touch, [.integer(now), .bytes(digest.bytes)])
                    }
                } catch {
                    guard !error.isConflict else { throw error }
                    failure = error.reason
                }
            }
            return isOver ? nil : StoredSession(account: account, touchFailure: failure)
        }
    }

    package func endSession(_ digest: Digest, limits: SessionLimits, at now: UnixTime) async throws(StoreError) -> Bool
    {
        try await transaction { connection in
            guard let row = try await connection.run(SessionStatements.remove, [.bytes(digest.bytes)]).first else {
                return false
            }
            return !limits.isOver(began: try row.integer(0), used: try row.integer(1), at: now)
        }
    }

    package func removeExpired(limits: SessionLimits, at now: UnixTime, most: Int) async throws(StoreError) -> Bool {
        var hasMore = false
        // Each statement is its own transaction, so that the rows of one table are not locked while others are removed.
        for (sql, limit) in SessionStatements.removals(limits, at: now) {
            let removed = try await perform { connection in
                try await connection.run(sql + " RETURNING 1", [.integer(limit), .integer(Int64(most))]).count
            }
            if removed == most { hasMore = true }
        }
        return hasMore
    }
}
#endif
