package import MotivatorPlatform

/// The SQL statements that apply `ThrottleRules`. All stores use the same statements.
///
/// Each row of the table `throttle` is one count:
/// - A bucket counts failures of an address, sign-ups of an address, or failures that raise an account's level.
///   `amount` is the used part of the bucket at the time `at`, in parts of an attempt. An account's level alone never
///   causes a refusal. It only sets the minimum interval between two attempts from an unknown address.
/// - A pair counts the attempts from an address on an account. `amount` is the number of consecutive attempts. `at` is
///   the time of the last attempt, and `before` is the time of the previous attempt.
///
/// An address is known to an account after a sign-in from this address. Failures from a known address do not raise the
/// account's level. The level does not delay attempts from a known address.
enum ThrottleStatements {
    /// Counts one attempt in a bucket that refills within a window. Returns a row if the attempt was counted.
    ///
    /// The parameters are the key, the current time, the expiration time, the refund per second, and the highest
    /// allowed amount.
    private static let takeSQL = """
        INSERT INTO throttle (key, amount, at, before, expires) VALUES ($1, \(parts), $2, 0, $3)
        ON CONFLICT (key) DO UPDATE SET at = excluded.at, expires = excluded.expires,
            amount = \(used(perSecond: "$4")) + \(parts)
        WHERE \(used(perSecond: "$4")) <= $5
        RETURNING amount
        """

    /// Raises an account's level by one attempt, up to the highest level. Returns the level.
    ///
    /// The parameters are the key, the current time, and the expiration time.
    private static let raiseLevelSQL = """
        INSERT INTO throttle (key, amount, at, before, expires) VALUES ($1, \(parts), $2, 0, $3)
        ON CONFLICT (key) DO UPDATE SET at = excluded.at, expires = excluded.expires,
            amount = CASE WHEN \(used(perSecond: "\(ThrottleRules.ceiling)")) < \(ThrottleRules.fullLevel - parts)
                THEN \(used(perSecond: "\(ThrottleRules.ceiling)")) + \(parts) ELSE \(ThrottleRules.fullLevel) END
        RETURNING amount
        """

    /// Counts one attempt for a pair. Returns a row if the attempt was counted.
    ///
    /// The parameters are the key, the current time, the expiration time, and the spacing.
    private static let countPairSQL = """
        INSERT INTO throttle (key, amount, at, before, expires) VALUES ($1, 1, $2, 0, $3)
        ON CONFLICT (key) DO UPDATE SET before = throttle.at, at = excluded.at, expires = excluded.expires,
            amount = CASE WHEN \(isFromFuture) OR excluded.at >= throttle.at + \(ThrottleRules.window) THEN 1
                ELSE throttle.amount + 1 END
        WHERE throttle.amount = 0 OR \(isFromFuture)
            OR (excluded.at >= throttle.at + $4 AND excluded.at >= throttle.at + \(delay))
        RETURNING amount
        """

    /// Returns the amount and the time of a count. The parameter is the key.
    private static let stateSQL = "SELECT amount, at FROM throttle WHERE key = $1"

    /// Refunds one attempt to a bucket. The parameter is the key.
    private static let refundSQL = """
        UPDATE throttle SET amount = CASE WHEN amount > \(parts) THEN amount - \(parts) ELSE 0 END WHERE key = $1
        """

    /// Refunds one attempt to an account's level, unless its amount exceeds a level or the address is known to the
    /// account. The parameters are the key, the level, the pair's key, and a time. Sign-ins up to this time have expired.
    private static let refundLevelSQL = """
        \(refundSQL) AND amount <= $2 AND NOT EXISTS
        (SELECT 1 FROM known_address WHERE known_address.key = $3 AND known_address.at > $4)
        """

    /// Refunds one attempt for a pair. Also restores the previous time, because a refunded attempt must not cause a
    /// wait. The parameter is the key.
    private static let refundPairSQL = """
        UPDATE throttle SET amount = CASE WHEN amount > 1 THEN amount - 1 ELSE 0 END,
            at = CASE WHEN before < at THEN before ELSE at END
        WHERE key = $1
        """

    /// Removes a count. The parameter is the key.
    private static let forgetSQL = "DELETE FROM throttle WHERE key = $1"

    /// Marks an address as known to an account. The parameters are the key and the current time.
    private static let rememberSQL =
        "INSERT INTO known_address (key, at) VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET at = excluded.at"

    /// Returns a row if an address is known to an account. The parameters are the key and a time. Sign-ins up to this
    /// time have expired.
    private static let isKnownSQL = "SELECT at FROM known_address WHERE key = $1 AND at > $2"

    /// Marks an address as unknown to an account. The parameter is the key.
    private static let forgetAddressSQL = "DELETE FROM known_address WHERE key = $1"

    private static let parts = ThrottleRules.partsOfAttempt

    private static let isFromFuture = "throttle.at > excluded.at + \(ThrottleRules.clockTolerance)"

    /// Returns an SQL expression for the current amount of a bucket.
    private static func used(perSecond: String) -> String {
        let refunded = "(excluded.at - throttle.at) * \(perSecond)"
        return """
            CASE WHEN \(isFromFuture) THEN 0 WHEN throttle.at >= excluded.at THEN throttle.amount
            WHEN throttle.amount > \(refunded) THEN throttle.amount - \(refunded) ELSE 0 END
            """
    }

    /// An SQL expression for `ThrottleRules.delay` after a number of consecutive attempts.
    private static var delay: String {
        let longest = ThrottleRules.longestDelay
        let growing = (0..<ThrottleRules.ceiling).map { (failures: $0, delay: ThrottleRules.delay(after: $0)) }
            .filter { $0.delay < longest }
            .map { "WHEN throttle.amount = \($0.failures) THEN \($0.delay)" }
        return """
            CASE WHEN throttle.amount >= \(ThrottleRules.ceiling) THEN \(ThrottleRules.window)
            \(growing.joined(separator: " ")) ELSE \(longest) END
            """
    }
}

extension Statement {
    fileprivate init(_ sql: String, _ key: SHA256, _ numbers: Int64...) {
        self.init(sql: sql, parameters: [.bytes(key.bytes)] + numbers.map { .integer($0) })
    }
}

extension Step {
    fileprivate init(_ sql: String, _ key: SHA256) {
        self.init(Statement(sql, key))
    }
}

/// The steps that settle an attempt. All stores lock the rows in this order: address count, account count, pair count,
/// known address.
extension ThrottleStatements {
    /// Settles a successful attempt: resets the address's failures on the account, refunds the attempt, and marks the
    /// address as known.
    static func settle(_ attempt: AttemptKeys, at now: UnixTime) -> [Step] {
        refundFailure(attempt, at: now) + [Step(forgetSQL, attempt.pair), remember(attempt, at: now)]
    }

    static func remember(_ attempt: AttemptKeys, at now: UnixTime) -> Step {
        Step(Statement(rememberSQL, attempt.pair, now))
    }

    /// Settles a sign-up: removes earlier counts for the name and marks the address as known. The earlier counts do not
    /// apply to the new account.
    static func settleSignUp(_ attempt: AttemptKeys, at now: UnixTime) -> [Step] {
        [Step(forgetSQL, attempt.account), Step(forgetSQL, attempt.pair), remember(attempt, at: now)]
    }

    /// Settles a deletion: removes the counts for the account and refunds the attempt.
    static func settleDeletion(_ attempt: AttemptKeys) -> [Step] {
        [
            Step(refundSQL, attempt.address), Step(forgetSQL, attempt.account), Step(forgetSQL, attempt.pair),
            Step(forgetAddressSQL, attempt.pair),
        ]
    }

    /// Refunds an attempt that had no result.
    static func refund(_ attempt: AttemptKeys, _ scope: AttemptScope, at now: UnixTime) -> [Step] {
        switch scope {
        case .signUp: [Step(refundSQL, attempt.signUps)]
        case .password: refundFailure(attempt, at: now) + [Step(refundPairSQL, attempt.pair)]
        }
    }

    private static func refundFailure(_ attempt: AttemptKeys, at now: UnixTime) -> [Step] {
        let level: [Statement.Parameter] = [.bytes(attempt.account.bytes), .integer(ThrottleRules.refundableLevel)]
        let refundLevel = Statement(sql: refundLevelSQL, parameters: level + isKnown(attempt, at: now).parameters)
        return [Step(refundSQL, attempt.address), Step(refundLevel)]
    }

    static func isKnown(_ attempt: AttemptKeys, at now: UnixTime) -> Statement {
        Statement(isKnownSQL, attempt.pair, now - ThrottleRules.knownAddressLifetime)
    }

    static func forget(_ key: SHA256) -> Step { Step(forgetSQL, key) }
}

/// The plans that count an attempt. The result is nil if the attempt was counted; otherwise the number of seconds to wait.
extension ThrottleStatements {
    static func count(
        _ attempt: AttemptKeys, _ scope: AttemptScope, _ rules: ThrottleRules, at now: UnixTime
    ) -> Plan<UnixTime?> {
        switch scope {
        case .signUp: take(attempt.signUps, .init(size: rules.signUpsPerAddress), at: now)
        case .password:
            take(attempt.address, .init(size: rules.failuresPerAddress), at: now, then: countPair(attempt, at: now))
        }
    }

    /// Counts one attempt in a bucket, and continues if the bucket is not full.
    static func take(
        _ key: SHA256, _ bucket: ThrottleRules.Bucket, at now: UnixTime, then next: Plan<UnixTime?> = .commit(nil)
    ) -> Plan<UnixTime?> {
        let take = Statement(takeSQL, key, now, now + ThrottleRules.window, bucket.perSecond, bucket.free)
        return .run(take) { $0.isEmpty ? refuse(key) { bucket.wait(amount: $0, at: $1, now: now) } : next }
    }

    private static func countPair(_ attempt: AttemptKeys, at now: UnixTime) -> Plan<UnixTime?> {
        .run(isKnown(attempt, at: now)) { rows in
            guard rows.isEmpty else { return countPair(attempt, spacing: 0, at: now) }
            let raise = Statement(raiseLevelSQL, attempt.account, now, now + ThrottleRules.levelLifetime)
            return .step(Step(raise, otherwise: missing)) { rows in
                countPair(attempt, spacing: ThrottleRules.spacing(atLevel: try rows[0].integer(0)), at: now)
            }
        }
    }

    private static func countPair(_ attempt: AttemptKeys, spacing: UnixTime, at now: UnixTime) -> Plan<UnixTime?> {
        let count = Statement(countPairSQL, attempt.pair, now, now + max(ThrottleRules.window, spacing), spacing)
        return .run(count) { rows in
            guard rows.isEmpty else { return .commit(nil) }
            return refuse(attempt.pair) { ThrottleRules.wait(attempts: $0, spacing: spacing, at: $1, now: now) }
        }
    }

    /// Reads the amount and the time of a count that refuses the attempt.
    private static func refuse(
        _ key: SHA256, _ wait: @escaping @Sendable (Int64, UnixTime) -> UnixTime
    ) -> Plan<UnixTime?> {
        .step(Step(Statement(stateSQL, key), otherwise: missing)) { rows in
            .rollBack(wait(try rows[0].integer(0), try rows[0].integer(1)))
        }
    }

    private static let missing = StoreError.unavailable(reason: "the database is damaged: a count is missing")
}

extension AccountStore {
    /// Counts an attempt in advance, unless the rules refuse it. A single statement updates each count, so concurrent
    /// attempts are serialized.
    /// - Returns: nil if the attempt was counted; otherwise the number of seconds to wait, at least 1.
    package func count(
        _ attempt: AttemptKeys, scope: AttemptScope, rules: ThrottleRules, at now: UnixTime
    ) async throws(StoreError) -> UnixTime? {
        try await run(ThrottleStatements.count(attempt, scope, rules, at: now), inTransaction: true)
    }

    /// Refunds a counted attempt that had no result.
    package func refund(_ attempt: AttemptKeys, scope: AttemptScope, at now: UnixTime) async throws(StoreError) {
        try await apply(ThrottleStatements.refund(attempt, scope, at: now))
    }
}

extension ThrottleRules {
    /// The refund rate and the limit of a bucket.
    struct Bucket: Sendable {
        /// The number of parts refunded per second.
        let perSecond: Int64
        /// The highest amount that allows an attempt.
        let free: Int64

        /// - Parameter size: the number of attempts in a full bucket. An empty bucket refills within a window.
        init(size: Int) {
            self.init(burst: size, perHour: size)
        }

        /// - Parameters:
        ///   - burst: the number of attempts in a full bucket, at least 1.
        ///   - perHour: the number of attempts refunded per hour; 0 for none.
        init(burst: Int, perHour: Int) {
            perSecond = Int64(perHour)
            free = Int64(burst - 1) * ThrottleRules.partsOfAttempt
        }

        /// Returns the number of seconds until the next attempt is allowed, at least 1.
        func wait(amount: Int64, at: UnixTime, now: UnixTime) -> UnixTime {
            guard perSecond > 0 else { return max(at + ThrottleRules.window - now, 1) }
            return max(at + (amount - free + perSecond - 1) / perSecond - now, 1)
        }
    }

    /// Returns the number of seconds until an address's next attempt on an account is allowed, at least 1.
    static func wait(attempts: Int64, spacing: UnixTime, at: UnixTime, now: UnixTime) -> UnixTime {
        max(at + max(delay(after: Int(clamping: attempts)), spacing) - now, 1)
    }

    /// The time in seconds after which a level expires. The highest level drops to 0 within two windows.
    static let levelLifetime = 2 * window
}
