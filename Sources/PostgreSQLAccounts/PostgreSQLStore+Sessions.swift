#if PostgreSQL
package import Accounts
package import MotivatorPlatform

extension PostgreSQLStore {
    package func recentSession(
        _ digest: SHA256, limits: SessionLimits, at now: UnixTime
    ) async throws(StoreError) -> StoredSession? {
        if let known = cache.find(digest, limits, at: now) { return known }
        let ticket = cache.begin()
        let session = try await session(digest, limits: limits, at: now)
        listen()
        if let session, let ticket, session.touchFailure == nil { cache.insert(digest, session, ticket) }
        return session
    }

    package func session(
        _ digest: SHA256, limits: SessionLimits, at now: UnixTime
    ) async throws(StoreError) -> StoredSession? {
        let query = Statement(sql: SessionStatements.find, parameters: [.bytes(digest.bytes)])
        guard var session = try await values(query, { try StoredSession($0) }).first else { return nil }
        let hasExpired = limits.hasExpired(began: session.began, used: session.used, at: now)
        guard hasExpired || now - session.used >= SessionLimits.touchInterval, canTouch(at: now) else {
            return hasExpired ? nil : session
        }
        do throws(StoreError) {
            _ = try await transaction { connection in
                if hasExpired {
                    try await connection.run(SessionStatements.remove, [.bytes(digest.bytes)])
                } else {
                    try await connection.run(SessionStatements.touch, [.integer(now), .bytes(digest.bytes)])
                }
            }
            session.used = now
        } catch {
            touchFailed.withLock { $0 = now }
            if case .unavailable(let reason) = error { session.touchFailure = reason }
        }
        return hasExpired ? nil : session
    }

    /// Returns whether to record the use of a session. After a failure, the store does not retry for ten seconds. While
    /// the database waits for a standby, each write blocks until its deadline.
    private func canTouch(at now: UnixTime) -> Bool {
        touchFailed.withLock { failed in failed.map { !(0..<10 ~= now - $0) } ?? true }
    }

    package func endSession(_ digest: SHA256, limits: SessionLimits, at now: UnixTime) async throws(StoreError) -> Bool
    {
        // This server refuses the session immediately, not only after its notification.
        defer { cache.discard(digest.prefix) }
        return try await transaction { connection in
            guard let row = try await connection.run(SessionStatements.remove, [.bytes(digest.bytes)]).first else {
                return false
            }
            try await notify(digest.prefix, connection)
            return !limits.hasExpired(began: try row.integer(0), used: try row.integer(1), at: now)
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
