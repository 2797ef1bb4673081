package import MotivatorPlatform

package struct SessionLimits: Sendable, Equatable {
    /// The maximum number of seconds since the last use.
    package let idle: UnixTime
    /// The maximum number of seconds since the sign-in.
    package let lifetime: UnixTime
    /// The minimum number of seconds between two recorded uses of a session. The interval limits writes to the store.
    package static let touchInterval: UnixTime = 60

    /// Returns whether a session has expired. A session with future times has expired: the clock was set back, and the
    /// session would last too long.
    package func hasExpired(began: UnixTime, used: UnixTime, at now: UnixTime) -> Bool {
        now - used >= idle || now - began >= lifetime || used - now >= lifetime
    }
}

/// The SQL statements for sessions. All stores use the same statements.
enum SessionStatements {
    /// Starts a session.
    /// - Parameter isByPassword: whether a password was verified, and not a passkey.
    static func begin(_ session: SHA256, _ account: Int64, isByPassword: Bool = true, at now: UnixTime) -> Step {
        let insert = Statement(
            sql: """
                INSERT INTO session (digest, account, began, used, confirmed, password_confirmed)
                VALUES ($1, $2, $3, $3, $3, \(isByPassword ? "$3" : "0"))
                """, parameters: [.bytes(session.bytes), .integer(account), .integer(now)])
        return Step(insert)
    }
}

extension AccountStore {
    /// Returns an unexpired session. Records its use at most once per `SessionLimits.touchInterval`. Returns the
    /// session even if its use cannot be recorded.
    package func session(
        _ digest: SHA256, limits: SessionLimits, at now: UnixTime
    ) async throws(StoreError) -> StoredSession? {
        let find = Statement(
            sql: """
                SELECT account.id, name, name_key, hash, began, used, confirmed, password_confirmed
                FROM session JOIN account ON account.id = session.account WHERE digest = $1
                """, parameters: [.bytes(digest.bytes)])
        guard var session = try await values(find, { try StoredSession($0) }).first else { return nil }
        let hasExpired = limits.hasExpired(began: session.began, used: session.used, at: now)
        guard hasExpired || now - session.used >= SessionLimits.touchInterval, canTouch(at: now) else {
            return hasExpired ? nil : session
        }
        let key = Statement.Parameter.bytes(digest.bytes)
        let touch =
            hasExpired
            ? Statement(sql: "DELETE FROM session WHERE digest = $1", parameters: [key])
            : Statement(sql: "UPDATE session SET used = $1 WHERE digest = $2", parameters: [.integer(now), key])
        do throws(StoreError) {
            try await apply([Step(touch)])
            session.used = now
        } catch {
            touchFailed.withLock { $0 = now }
            if case .unavailable(let reason) = error { session.touchFailure = reason }
        }
        return hasExpired ? nil : session
    }

    /// Returns whether to record the use of a session. After a failure, the store does not retry within the same
    /// second, because each try may wait for a lock and delay later operations. A shared database does not retry for ten
    /// seconds: while it waits for a standby, each write blocks until its deadline.
    private func canTouch(at now: UnixTime) -> Bool {
        touchFailed.withLock { failed in failed.map { !(0..<(isShared ? 10 : 1) ~= now - $0) } ?? true }
    }

    /// Ends a session.
    /// - Returns: whether the session existed and had not expired.
    package func endSession(
        _ digest: SHA256, limits: SessionLimits, at now: UnixTime
    ) async throws(StoreError) -> Bool {
        let delete = Statement(
            sql: "DELETE FROM session WHERE digest = $1 RETURNING began, used", parameters: [.bytes(digest.bytes)])
        let plan = Plan<Bool>.step(Step(delete, changing: digest.prefix)) { rows in
            guard let row = rows.first else { return .commit(false) }
            return .commit(!limits.hasExpired(began: try row.integer(0), used: try row.integer(1), at: now))
        }
        return try await run(plan, inTransaction: true)
    }

    /// Removes sessions, counts, known addresses and used challenges that have expired.
    ///
    /// Each statement runs in its own transaction, so a transaction locks the rows of only one table. Each condition has
    /// an index. A session past its lifetime is not used again, so it soon counts as idle. If a session's last use is in
    /// the future, the clock was set back, and the session has also expired. Each statement repeats its condition,
    /// because another server may have changed a row after this server selected it.
    /// - Parameter most: the maximum number of rows of each kind to remove. Other operations can run between calls.
    /// - Returns: whether more rows may have expired.
    package func removeExpired(limits: SessionLimits, at now: UnixTime, most: Int) async throws(StoreError) -> Bool {
        let expired = [
            ("session", "digest", "used <=", now - limits.idle),
            ("session", "digest", "used >=", now + limits.lifetime), ("throttle", "key", "expires <=", now),
            ("known_address", "key", "at <=", now - ThrottleRules.knownAddressLifetime),
            // Another server, whose clock is slow, may still accept the challenge.
            ("used_challenge", "digest", "expires <=", now - ThrottleRules.clockTolerance),
        ]
        var hasMore = false
        for (table, key, condition, limit) in expired {
            let order = condition.prefix { $0 != " " }
            let delete = Statement(
                sql: """
                    DELETE FROM \(table) WHERE \(condition) $1 AND \(key) IN
                    (SELECT \(key) FROM \(table) WHERE \(condition) $1 ORDER BY \(order) LIMIT $2) RETURNING 1
                    """, parameters: [.integer(limit), .integer(Int64(most))])
            let removed = try await run(.run(delete) { .commit($0.count) }, inTransaction: true)
            if removed == most { hasMore = true }
        }
        return hasMore
    }
}
