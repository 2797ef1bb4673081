#if PostgreSQL
package import Accounts
package import MotivatorPlatform

extension PostgreSQLStore: AccountStore {
    package func hashPrefixes(most: Int) async throws(StoreError) -> [String] {
        try await perform { connection in
            // Search the index once per prefix, regardless of the number of accounts.
            let sql = "SELECT hash_prefix FROM account WHERE hash_prefix > $1 ORDER BY hash_prefix LIMIT 1"
            var prefixes: [String] = []
            while prefixes.count < most,
                let row = try await connection.run(sql, [.bytes(Array((prefixes.last ?? "").utf8))]).first
            {
                prefixes.append(try row.text(0))
            }
            return prefixes
        }
    }

    @discardableResult
    package func createAccount(
        _ name: UserName, hash: String, session: SHA256, settling attempt: AttemptKeys, at now: UnixTime
    ) async throws(StoreError) -> StoredAccount {
        try await transaction { connection in
            // The account number is random, because a sequence would serialize the nodes of a distributed database.
            let account = StoredAccount(id: .random(in: 1 ... .max), name: name.text, key: name.key, hash: hash)
            // Avoid a unique violation, which would write the name to the server's log.
            let created = try await connection.run(
                """
                INSERT INTO account (id, name, name_key, hash, hash_prefix, created, changed)
                VALUES ($1, $2, $3, $4, $5, $6, $6) ON CONFLICT (name_key) DO NOTHING RETURNING id
                """,
                [
                    .integer(account.id), .text(name.text), .text(name.key), .text(hash),
                    .bytes(Self.prefix(ofHash: hash)), .integer(now),
                ])
            guard !created.isEmpty else { throw StoreError.nameTaken }
            try await Self.insert(session, connection, for: account, at: now)
            try await connection.run(ThrottleStatements.settleSignUp(attempt, at: now))
            return account
        }
    }

    package func beginSession(
        _ session: SHA256, for account: StoredAccount, rehash: String?, settling attempt: AttemptKeys, at now: UnixTime
    ) async throws(StoreError) {
        try await transaction { connection in
            var account = account
            if let rehash { account = try await Self.replaceHash(of: account, with: rehash, connection, at: now) }
            try await Self.insert(session, connection, for: account, at: now)
            try await connection.run(ThrottleStatements.settle(attempt, at: now))
        }
    }

    package func replaceHash(
        of account: StoredAccount, with hash: String, session: SHA256, settling attempt: AttemptKeys, at now: UnixTime
    ) async throws(StoreError) {
        // This server refuses the sessions immediately, not only after its notification.
        defer { cache.discard(account.id) }
        try await transaction { connection in
            let changed = try await Self.replaceHash(of: account, with: hash, connection, at: now)
            try await connection.run(SessionStatements.removeAll, [.integer(account.id)])
            try await notify(account.id, connection)
            try await Self.insert(session, connection, for: changed, at: now)
            try await connection.run(ThrottleStatements.settle(attempt, at: now))
        }
    }

    package func deleteAccount(_ account: StoredAccount, settling attempt: AttemptKeys) async throws(StoreError) {
        defer { cache.discard(account.id) }
        try await transaction { connection in
            // The foreign keys also delete the sessions and the passkeys.
            let deleted = try await connection.run(
                "DELETE FROM account WHERE id = $1 AND hash = $2 RETURNING id",
                [.integer(account.id), .text(account.hash)])
            guard !deleted.isEmpty else { throw StoreError.hashChanged }
            try await notify(account.id, connection)
            try await connection.run(ThrottleStatements.settleDeletion(attempt))
        }
    }

    private static func replaceHash(
        of account: StoredAccount, with hash: String, _ connection: PostgreSQLConnection, at now: UnixTime
    ) async throws -> StoredAccount {
        let changed = try await connection.run(
            "UPDATE account SET hash = $1, hash_prefix = $2, changed = $3 WHERE id = $4 AND hash = $5 RETURNING id",
            [
                .text(hash), .bytes(Self.prefix(ofHash: hash)), .integer(now), .integer(account.id),
                .text(account.hash),
            ])
        guard !changed.isEmpty else { throw StoreError.hashChanged }
        return StoredAccount(id: account.id, name: account.name, key: account.key, hash: hash)
    }

    /// Inserts a session if the account still has this hash. A concurrent hash change waits for the lock, then also
    /// ends this session.
    private static func insert(
        _ session: SHA256, _ connection: PostgreSQLConnection, for account: StoredAccount, at now: UnixTime
    ) async throws {
        let current = try await connection.run(
            "SELECT id FROM account WHERE id = $1 AND hash = $2 FOR UPDATE",
            [.integer(account.id), .text(account.hash)])
        guard !current.isEmpty else { throw StoreError.hashChanged }
        try await connection.run(
            """
            INSERT INTO session (digest, account, began, used, confirmed, password_confirmed)
            VALUES ($1, $2, $3, $3, $3, $3)
            """,
            [.bytes(session.bytes), .integer(account.id), .integer(now)])
    }
}

extension PostgreSQLStore {
    /// Returns a hash without its last 67 bytes: "$", 22 bytes of salt, "$", and 43 bytes of hash.
    static func prefix(ofHash hash: String) -> [UInt8] { Array(hash.utf8.dropLast(67)) }
}
#endif
