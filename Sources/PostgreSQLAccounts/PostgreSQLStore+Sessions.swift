#if PostgreSQL
package import Accounts
package import MotivatorPlatform

extension PostgreSQLStore {
    package func session(
        _ digest: SHA256, limits: SessionLimits, at now: UnixTime
    ) async throws(StoreError) -> StoredSession? {
        let found = try await perform { connection in
            try await connection.run(SessionStatements.find, [.bytes(digest.bytes)]).first.map { row in
                (
                    account: try StoredAccount(row), began: try row.integer(4), used: try row.integer(5),
                    confirmed: try row.integer(6), passwordConfirmed: try row.integer(7)
                )
            }
        }
        guard let found else { return nil }
        let isOver = limits.isOver(began: found.began, used: found.used, at: now)
        var failure: String?
        if isOver || now - found.used >= SessionLimits.touchInterval, canTouch(at: now) {
            do throws(StoreError) {
                _ = try await transaction { connection in
                    if isOver {
                        try await connection.run(SessionStatements.remove, [.bytes(digest.bytes)])
                    } else {
                        try await connection.run(SessionStatements.touch, [.integer(now), .bytes(digest.bytes)])
                    }
                }
            } catch {
                touchFailed.withLock { $0 = now }
                if case .unavailable(let reason) = error { failure = reason }
            }
        }
        return isOver
            ? nil
            : StoredSession(
                account: found.account, confirmed: found.confirmed, passwordConfirmed: found.passwordConfirmed,
                touchFailure: failure)
    }

    /// Returns whether to record the use of a session. After a failure, the store does not retry for ten seconds. While
    /// the database waits for a standby, each write blocks until its deadline.
    private func canTouch(at now: UnixTime) -> Bool {
        touchFailed.withLock { failed in failed.map { !(0..<10 ~= now - $0) } ?? true }
    }

    package func endSession(_ digest: SHA256, limits: SessionLimits, at now: UnixTime) async throws(StoreError) -> Bool
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
        // Each statement runs in its own transaction, so a transaction locks the rows of only one table.
        for (sql, limit) in SessionStatements.removals(limits, at: now) {
            let removed = try await transaction { connection in
                try await connection.run(sql + " RETURNING 1", [.integer(limit), .integer(Int64(most))]).count
            }
            if removed == most { hasMore = true }
        }
        return hasMore
    }
}
#endif
