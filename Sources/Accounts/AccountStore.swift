package import MotivatorPlatform

/// A store of accounts, sessions and failure counts.
///
/// Each method is atomic, so several servers can share a store. Acknowledged changes are durable. Times are in seconds
/// since 1970. If the store fails, every method throws `StoreError.unavailable`.
package protocol AccountStore: StatementStore {
    /// Returns the account with this folded name, if it exists.
    func account(key: String) async throws(StoreError) -> StoredAccount?

    /// Returns the distinct prefixes of all hashes, in ascending order. A prefix ends before the salt. The running time
    /// does not depend on the number of accounts.
    /// - Parameter most: the maximum number of prefixes to return.
    func hashPrefixes(most: Int) async throws(StoreError) -> [String]

    /// Creates an account and its first session. Resets the failures for the name and records the address as known to
    /// the account. The sign-up still counts.
    /// - Returns: the new account.
    /// - Throws: `StoreError.nameTaken` if an account with the same key exists.
    @discardableResult
    func createAccount(
        _ name: UserName, hash: String, session: SHA256, settling attempt: AttemptKeys, at now: UnixTime
    ) async throws(StoreError) -> StoredAccount

    /// Starts a session. Resets the address's failures on the account, refunds the attempt, and records the address as
    /// known to the account. Failures from other addresses do not delay a known address.
    /// - Parameters:
    ///   - account: the account, with the hash that the password was verified against.
    ///   - rehash: the new hash; nil to keep the current one.
    /// - Throws: `StoreError.hashChanged` if the account's hash has changed.
    func beginSession(
        _ session: SHA256, for account: StoredAccount, rehash: String?, settling attempt: AttemptKeys, at now: UnixTime
    ) async throws(StoreError)

    /// Replaces an account's hash and ends all its sessions. Then starts a new session and settles the attempt as
    /// `beginSession` does.
    /// - Throws: `StoreError.hashChanged` if the account's hash has changed since the password was verified.
    func replaceHash(
        of account: StoredAccount, with hash: String, session: SHA256, settling attempt: AttemptKeys, at now: UnixTime
    ) async throws(StoreError)

    /// Deletes an account with its sessions and failures, and refunds the attempt.
    /// - Throws: `StoreError.hashChanged` if the account's hash has changed since the password was verified.
    func deleteAccount(_ account: StoredAccount, settling attempt: AttemptKeys) async throws(StoreError)

    /// Returns an unexpired session. Records its use at most once per `SessionLimits.touchInterval`. Returns the
    /// session even if its use cannot be recorded.
    func session(_ digest: SHA256, limits: SessionLimits, at now: UnixTime) async throws(StoreError) -> StoredSession?

    /// Returns the same as `session`, but a session that another server ended in the last second may still be returned.
    func recentSession(
        _ digest: SHA256, limits: SessionLimits, at now: UnixTime
    ) async throws(StoreError) -> StoredSession?

    /// Ends a session.
    /// - Returns: whether the session existed and had not expired.
    func endSession(_ digest: SHA256, limits: SessionLimits, at now: UnixTime) async throws(StoreError) -> Bool

    /// Counts an attempt in advance, unless the rules refuse it. A single statement updates each count, so concurrent
    /// attempts are serialized.
    /// - Returns: nil if the attempt was counted; otherwise the number of seconds to wait, at least 1.
    func count(
        _ attempt: AttemptKeys, scope: AttemptScope, rules: ThrottleRules, at now: UnixTime
    ) async throws(StoreError) -> UnixTime?

    /// Refunds a counted attempt that had no result.
    func refund(_ attempt: AttemptKeys, scope: AttemptScope, at now: UnixTime) async throws(StoreError)

    /// Removes sessions, counts, known addresses and used challenges that have expired.
    /// - Parameter most: the maximum number of rows of each kind to remove. Other operations can run between calls.
    /// - Returns: whether more rows may have expired.
    func removeExpired(limits: SessionLimits, at now: UnixTime, most: Int) async throws(StoreError) -> Bool

    /// Checks that the store can read and write.
    func checkHealth(at now: UnixTime) async throws(StoreError)

    /// Finishes the operations in progress and closes the store. All later calls throw.
    func close() async
}

extension AccountStore {
    package func account(key: String) async throws(StoreError) -> StoredAccount? {
        let query = Statement(
            sql: "SELECT id, name, name_key, hash FROM account WHERE name_key = $1", parameters: [.text(key)])
        return try await values(query) { try StoredAccount($0) }.first
    }

    package func recentSession(
        _ digest: SHA256, limits: SessionLimits, at now: UnixTime
    ) async throws(StoreError) -> StoredSession? {
        try await session(digest, limits: limits, at: now)
    }
}

/// The reason a store did not confirm an operation. The store is then unchanged, unless it lost the connection to a
/// database server during a commit (`unavailable`).
package enum StoreError: Error, Equatable, Sendable {
    /// Another account has this name.
    case nameTaken
    /// The account no longer exists, its hash has changed since the password was verified, or the session has ended.
    case hashChanged
    /// A rule for passkeys refuses the change.
    case passkey(PasskeyRefusal)
    /// The store is unavailable. The reason is one line for the log and contains no user input.
    case unavailable(reason: String)
}

/// An account in the store.
package struct StoredAccount: Sendable, Equatable {
    /// The account's number.
    package let id: Int64
    /// The user name as typed at sign-up.
    package let name: String
    /// The user name folded for comparison.
    package let key: String
    /// The password hash as text.
    package let hash: String

    package init(id: Int64, name: String, key: String, hash: String) {
        (self.id, self.name, self.key, self.hash) = (id, name, key, hash)
    }

    /// - Parameter row: a row that starts with the columns id, name, name_key and hash.
    package init(_ row: any StoredRow) throws {
        self.init(id: try row.integer(0), name: try row.text(1), key: try row.text(2), hash: try row.text(3))
    }
}

/// An unexpired session in the store.
package struct StoredSession: Sendable, Equatable {
    /// The account that is signed in.
    package let account: StoredAccount
    /// The time of the sign-in.
    package let began: UnixTime
    /// The time of the last recorded use.
    package var used: UnixTime
    /// The time of the last verification of a password or passkey in this session; 0 if there is none.
    package let confirmed: UnixTime
    /// The time of the last verification of a password in this session; 0 if there is none.
    package let passwordConfirmed: UnixTime
    /// The reason the session's use was not recorded, for the log; nil otherwise. The session is valid but may expire
    /// early.
    package var touchFailure: String?
    /// Whether the store returned the session without a query.
    package var isCached = false
}

extension StoredSession {
    /// - Parameter row: a row of `SessionStatements.find`.
    package init(_ row: any StoredRow) throws {
        self.init(
            account: try StoredAccount(row), began: try row.integer(4), used: try row.integer(5),
            confirmed: try row.integer(6), passwordConfirmed: try row.integer(7))
    }
}
