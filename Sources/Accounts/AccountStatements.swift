package import MotivatorPlatform

/// The operations on accounts. All stores use the same statements.
extension AccountStore {
    /// Returns the account with this folded name, if it exists.
    package func account(key: String) async throws(StoreError) -> StoredAccount? {
        let query = Statement(
            sql: "SELECT id, name, name_key, hash FROM account WHERE name_key = $1", parameters: [.text(key)])
        return try await values(query) { try StoredAccount($0) }.first
    }

    /// Returns the distinct prefixes of all hashes, in ascending order. A prefix ends before the salt. The running time
    /// does not depend on the number of accounts.
    package func hashPrefixes(most: Int) async throws(StoreError) -> [String] {
        try await run(nextPrefix(after: [], most), inTransaction: false)
    }

    /// Searches the index once per prefix, regardless of the number of accounts.
    private func nextPrefix(after found: [String], _ most: Int) -> Plan<[String]> {
        guard found.count < most else { return .commit(found) }
        let last = found.last ?? ""
        let prefix = isShared ? "hash_prefix" : "substr(hash, 1, length(hash) - 67)"
        let query = Statement(
            sql: "SELECT \(prefix) FROM account WHERE \(prefix) > $1 ORDER BY \(prefix) LIMIT 1",
            parameters: [isShared ? .bytes(Array(last.utf8)) : .text(last)])
        return .run(query) { rows in
            guard let row = rows.first else { return .commit(found) }
            return nextPrefix(after: found + [try row.text(0)], most)
        }
    }

    /// Creates an account and its first session. Resets the failures for the name and records the address as known to
    /// the account. The sign-up still counts.
    /// - Throws: `StoreError.nameTaken` if an account with the same key exists.
    @discardableResult
    package func createAccount(
        _ name: UserName, hash: String, session: SHA256, settling attempt: AttemptKeys, at now: UnixTime
    ) async throws(StoreError) -> StoredAccount {
        // Log lines and user handles contain the number and outlive the account, so the number must not be used again.
        let number = Statement.Parameter.integer(.random(in: 1 ... .max))
        let more = [number] + (isShared ? [hashPrefix(hash)] : [])
        // Avoid a unique violation, which would write the name to a server's log.
        let insert = Statement(
            sql: """
                INSERT INTO account (name, name_key, hash, created, changed, id\(isShared ? ", hash_prefix" : ""))
                VALUES ($1, $2, $3, $4, $4, $5\(isShared ? ", $6" : "")) ON CONFLICT (name_key) DO NOTHING RETURNING id
                """, parameters: [.text(name.text), .text(name.key), .text(hash), .integer(now)] + more)
        let plan = Plan<StoredAccount>.step(Step(insert, otherwise: .nameTaken)) { rows in
            let account = StoredAccount(id: try rows[0].integer(0), name: name.text, key: name.key, hash: hash)
            return .steps(
                [SessionStatements.begin(session, account.id, at: now)]
                    + ThrottleStatements.settleSignUp(attempt, at: now), then: .commit(account))
        }
        return try await run(plan, inTransaction: true)
    }

    /// Starts a session. Resets the address's failures on the account, refunds the attempt, and records the address as
    /// known to the account. Failures from other addresses do not delay a known address.
    /// - Parameters:
    ///   - account: the account, with the hash that the password was verified against.
    ///   - rehash: the new hash; nil to keep the current one.
    /// - Throws: `StoreError.hashChanged` if the account's hash has changed.
    package func beginSession(
        _ session: SHA256, for account: StoredAccount, rehash: String?, settling attempt: AttemptKeys, at now: UnixTime
    ) async throws(StoreError) {
        // A concurrent hash change waits for the lock, then also ends this session.
        let first = rehash.map { replaceHash(of: account, with: $0, at: now) } ?? account.lock
        try await apply(
            [first, SessionStatements.begin(session, account.id, at: now)]
                + ThrottleStatements.settle(attempt, at: now))
    }

    /// Replaces an account's hash and ends all its sessions. Then starts a new session and settles the attempt as
    /// `beginSession` does.
    /// - Throws: `StoreError.hashChanged` if the account's hash has changed since the password was verified.
    package func replaceHash(
        of account: StoredAccount, with hash: String, session: SHA256, settling attempt: AttemptKeys, at now: UnixTime
    ) async throws(StoreError) {
        let end = Statement(sql: "DELETE FROM session WHERE account = $1", parameters: [.integer(account.id)])
        try await apply(
            [
                replaceHash(of: account, with: hash, at: now, changing: account.id), Step(end),
                SessionStatements.begin(session, account.id, at: now),
            ] + ThrottleStatements.settle(attempt, at: now))
    }

    /// Deletes an account with its sessions and failures, and refunds the attempt.
    /// - Throws: `StoreError.hashChanged` if the account's hash has changed since the password was verified.
    package func deleteAccount(_ account: StoredAccount, settling attempt: AttemptKeys) async throws(StoreError) {
        // The foreign keys also delete the sessions and the passkeys.
        let delete = Statement(
            sql: "DELETE FROM account WHERE id = $1 AND hash = $2 RETURNING id",
            parameters: [.integer(account.id), .text(account.hash)])
        try await apply(
            [Step(delete, otherwise: .hashChanged, changing: account.id)]
                + ThrottleStatements.settleDeletion(attempt))
    }

    private func replaceHash(
        of account: StoredAccount, with hash: String, at now: UnixTime, changing key: Int64? = nil
    ) -> Step {
        let update = Statement(
            sql: """
                UPDATE account SET hash = $1, changed = $2\(isShared ? ", hash_prefix = $5" : "")
                WHERE id = $3 AND hash = $4 RETURNING id
                """,
            parameters: [.text(hash), .integer(now), .integer(account.id), .text(account.hash)]
                + (isShared ? [hashPrefix(hash)] : []))
        return Step(update, otherwise: .hashChanged, changing: key)
    }

    /// Returns a hash without its last 67 bytes: "$", 22 bytes of salt, "$", and 43 bytes of hash.
    func hashPrefix(_ hash: String) -> Statement.Parameter { .bytes(Array(hash.utf8.dropLast(67))) }
}

extension StoredAccount {
    /// The step that locks the account, unless its hash has changed.
    var lock: Step {
        let select = Statement(
            sql: "SELECT id FROM account WHERE id = $1 AND hash = $2", parameters: [.integer(id), .text(hash)])
        return Step(select, otherwise: .hashChanged, locks: true)
    }
}
