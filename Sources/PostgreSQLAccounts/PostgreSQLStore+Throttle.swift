#if PostgreSQL
package import Accounts
package import MotivatorPlatform

extension PostgreSQLStore {
    package func count(
        _ attempt: Attempt, scope: AttemptScope, rules: ThrottleRules, at now: UnixTime
    ) async throws(StoreError) -> UnixTime? {
        try await write { connection in
            let wait: UnixTime?
            switch scope {
            case .signUp:
                wait = try await Self.take(
                    attempt.signUps, .init(size: rules.signUpsPerAddress), connection, at: now)
            case .password:
                let bucket = ThrottleRules.Bucket(size: rules.failuresPerAddress)
                if let full = try await Self.take(attempt.address, bucket, connection, at: now) {
                    wait = full
                } else {
                    wait = try await Self.countPair(attempt, connection, at: now)
                }
            }
            return (wait, commits: wait == nil)
        }
    }

    package func refund(_ attempt: Attempt, scope: AttemptScope, at now: UnixTime) async throws(StoreError) {
        try await transaction { connection in
            switch scope {
            case .signUp: try await Self.refund(attempt.signUps, connection)
            case .password:
                try await Self.refundFailure(attempt, connection, at: now)
                try await connection.run(ThrottleStatements.refundPair, [.bytes(attempt.pair.bytes)])
            }
        }
    }

    /// Settles a successful attempt: resets the address's failures on the account, refunds the attempt, and marks the
    /// address as known.
    static func settle(_ attempt: Attempt, _ connection: PostgreSQLConnection, at now: UnixTime) async throws {
        try await refundFailure(attempt, connection, at: now)
        try await forget(attempt.pair, connection)
        try await remember(attempt, connection, at: now)
    }

    /// Settles a sign-up: removes earlier counts for the name and marks the address as known. The earlier counts do not
    /// apply to the new account.
    static func settleSignUp(_ attempt: Attempt, _ connection: PostgreSQLConnection, at now: UnixTime) async throws {
        try await forget(attempt.account, connection)
        try await forget(attempt.pair, connection)
        try await remember(attempt, connection, at: now)
    }

    /// Settles a deletion: removes the counts for the account and refunds the attempt.
    static func settleDeletion(_ attempt: Attempt, _ connection: PostgreSQLConnection) async throws {
        try await refund(attempt.address, connection)
        try await forget(attempt.account, connection)
        try await forget(attempt.pair, connection)
        try await connection.run(ThrottleStatements.forgetAddress, [.bytes(attempt.pair.bytes)])
    }

    private static func forget(_ key: Digest, _ connection: PostgreSQLConnection) async throws {
        try await connection.run(ThrottleStatements.forget, [.bytes(key.bytes)])
    }

    private static func remember(
        _ attempt: Attempt, _ connection: PostgreSQLConnection, at now: UnixTime
    ) async throws {
        try await connection.run(ThrottleStatements.remember, [.bytes(attempt.pair.bytes), .integer(now)])
    }

    private static func isKnown(
        _ attempt: Attempt, _ connection: PostgreSQLConnection, at now: UnixTime
    ) async throws -> Bool {
        let limit = now - ThrottleRules.knownAddressLifetime
        return try await !connection.run(ThrottleStatements.isKnown, [.bytes(attempt.pair.bytes), .integer(limit)])
            .isEmpty
    }

    private static func refundFailure(
        _ attempt: Attempt, _ connection: PostgreSQLConnection, at now: UnixTime
    ) async throws {
        try await refund(attempt.address, connection)
        if try await !isKnown(attempt, connection, at: now) {
            try await refund(attempt.account, connection, upTo: ThrottleRules.refundableLevel)
        }
    }

    /// Refunds one attempt to a bucket, unless the bucket's amount exceeds `level`.
    private static func refund(
        _ key: Digest, _ connection: PostgreSQLConnection, upTo level: Int64 = .max
    ) async throws {
        try await connection.run(ThrottleStatements.refund, [.bytes(key.bytes), .integer(level)])
    }

    /// Counts one attempt in a bucket.
    ///
    /// - Returns: nil if the attempt was counted; otherwise the number of seconds to wait.
    private static func take(
        _ key: Digest, _ bucket: ThrottleRules.Bucket, _ connection: PostgreSQLConnection, at now: UnixTime
    ) async throws -> UnixTime? {
        let taken = try await connection.run(
            ThrottleStatements.take,
            [
                .bytes(key.bytes), .integer(now), .integer(now + ThrottleRules.window), .integer(bucket.perSecond),
                .integer(bucket.free),
            ])
        guard taken.isEmpty else { return nil }
        let (amount, at) = try await state(key, connection)
        return bucket.wait(amount: amount, at: at, now: now)
    }

    /// Counts one attempt for a pair. Returns nil if the attempt was counted; otherwise the number of seconds to wait.
    private static func countPair(
        _ attempt: Attempt, _ connection: PostgreSQLConnection, at now: UnixTime
    ) async throws -> UnixTime? {
        var spacing: UnixTime = 0
        if try await !isKnown(attempt, connection, at: now) {
            let level = try await connection.run(
                ThrottleStatements.raiseLevel,
                [.bytes(attempt.account.bytes), .integer(now), .integer(now + ThrottleRules.levelLifetime)])
            spacing = ThrottleRules.spacing(atLevel: try level.first?.integer(0) ?? 0)
        }
        let expires = now + max(ThrottleRules.window, spacing)
        let counted = try await connection.run(
            ThrottleStatements.countPair,
            [.bytes(attempt.pair.bytes), .integer(now), .integer(expires), .integer(spacing)])
        guard counted.isEmpty else { return nil }
        let (attempts, at) = try await state(attempt.pair, connection)
        return ThrottleRules.wait(attempts: attempts, spacing: spacing, at: at, now: now)
    }

    private static func state(
        _ key: Digest, _ connection: PostgreSQLConnection
    ) async throws -> (amount: Int64, at: UnixTime) {
        guard let row = try await connection.run(ThrottleStatements.state, [.bytes(key.bytes)]).first else {
            throw PostgreSQLFailure.unexpected("a count is missing")
        }
        return (try row.integer(0), try row.integer(1))
    }
}

extension PostgreSQLStore: SharedLimits {
    package func take(
        _ limit: ClientLimit, of client: ClientAddress, at now: UnixTime
    ) async throws(StoreError) -> UnixTime? {
        try await transaction { connection in
            let bucket = ThrottleRules.Bucket(burst: limit.burst, perHour: limit.perHour)
            return try await Self.take(limit.key(of: client), bucket, connection, at: now)
        }
    }

    package func reset(_ limit: ClientLimit, of client: ClientAddress) async throws(StoreError) {
        try await perform { connection in try await Self.forget(limit.key(of: client), connection) }
    }
}
#endif
