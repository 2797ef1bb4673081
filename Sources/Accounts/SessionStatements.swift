package import MotivatorPlatform

/// The lifetimes of sessions.
package struct SessionLimits: Sendable, Equatable {
    /// The maximum number of seconds since the last use.
    package let idle: UnixTime
    /// The maximum number of seconds since the sign-in.
    package let lifetime: UnixTime
    /// The minimum number of seconds between two recorded uses of a session. The interval limits writes to the store.
    package static let touchInterval: UnixTime = 60

    package init(idle: UnixTime, lifetime: UnixTime) {
        (self.idle, self.lifetime) = (idle, lifetime)
    }

    /// Returns whether a session has expired. A session with future times has expired: the clock was set back, and the
    /// session would last too long.
    package func hasExpired(began: UnixTime, used: UnixTime, at now: UnixTime) -> Bool {
        now - used >= idle || now - began >= lifetime || used - now >= lifetime
    }
}

/// The SQL statements for sessions and expired rows. All stores use the same statements.
package enum SessionStatements {
    /// Returns a session with its account. The parameter is the digest.
    package static let find = """
        SELECT account.id, name, name_key, hash, began, used, confirmed, password_confirmed
        FROM session JOIN account ON account.id = session.account WHERE digest = $1
        """

    /// Records the use of a session. The parameters are the time and the digest.
    package static let touch = "UPDATE session SET used = $1 WHERE digest = $2"

    /// Removes a session and returns its times. The parameter is the digest.
    package static let remove = "DELETE FROM session WHERE digest = $1 RETURNING began, used"

    /// Removes the sessions of an account. The parameter is the account.
    package static let removeAll = "DELETE FROM session WHERE account = $1"

    /// Returns the statements that remove expired rows, each with its limit. Their parameters are the limit and the
    /// maximum number of rows.
    ///
    /// Each condition has an index. A session past its lifetime is not used again, so it soon counts as idle. If a
    /// session's last use is in the future, the clock was set back, and the session has also expired. Each statement
    /// repeats its condition, because another server may have changed a row after this server selected it.
    package static func removals(_ limits: SessionLimits, at now: UnixTime) -> [(sql: String, limit: UnixTime)] {
        func sql(_ table: String, _ key: String, _ condition: String, _ order: String) -> String {
            """
            DELETE FROM \(table) WHERE \(condition) AND \(key) IN
            (SELECT \(key) FROM \(table) WHERE \(condition) ORDER BY \(order) LIMIT $2)
            """
        }
        return [
            (sql("session", "digest", "used <= $1", "used"), now - limits.idle),
            (sql("session", "digest", "used >= $1", "used"), now + limits.lifetime),
            (sql("throttle", "key", "expires <= $1", "expires"), now),
            (sql("known_address", "key", "at <= $1", "at"), now - ThrottleRules.knownAddressLifetime),
            // Another server, whose clock is slow, may still accept the challenge.
            (sql("used_challenge", "digest", "expires <= $1", "expires"), now - ThrottleRules.clockTolerance),
        ]
    }
}
