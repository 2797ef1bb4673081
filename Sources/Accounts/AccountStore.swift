public import Platform

/// Where accounts, their sessions and the counts of failures are kept.
///
/// Each method is an intent that is carried out as a whole or not at all, so that several servers can share a store;
/// what an intent acknowledged is not lost. Times are seconds since 1970 that the caller gives. Everything throws
/// `StoreError.unavailable` when the store does not work, and works again when it does.
public protocol AccountStore: Sendable {
    /// - Returns: the account with this folded name, if there is one.
    func account(key: String) async throws(StoreError) -> StoredAccount?

    /// Returns the beginnings of the accounts' hashes up to the salt, each once, in ascending order; the cost does not
    /// depend on the number of accounts.
    ///
    /// - Parameter most: the most beginnings to return.
    func hashPrefixes(most: Int) async throws(StoreError) -> [String]

    /// Creates an account and its first session, forgets the failures with its name, and remembers that the address is
    /// known to the account. The sign-up stays counted.
    ///
    /// - Returns: the new account.
    /// - Throws: `StoreError.nameTaken` when an account has a name with the same key.
    @discardableResult
    func createAccount(
        _ name: UserName, hash: String, session: Digest, settling attempt: Attempt, at now: UnixTime
    ) async throws(StoreError) -> StoredAccount

    /// Begins a session, forgets the address's failures with the account, refunds the attempt, and remembers that the
    /// address is known to the account: failures from other addresses then do not make it wait.
    ///
    /// - Parameters:
    ///   - session: the digest of the session's token.
    ///   - account: whose password was verified, with the hash that it was verified against.
    ///   - rehash: what the hash is replaced by, if by anything.
    ///   - attempt: what is settled.
    ///   - now: the current time.
    /// - Throws: `StoreError.hashChanged` when the account's hash is no longer that one.
    func beginSession(
        _ session: Digest, for account: StoredAccount, rehash: String?, settling attempt: Attempt, at now: UnixTime
    ) async throws(StoreError)

    /// Replaces an account's hash, ends all its sessions, begins a new one, and settles as `beginSession` does.
    ///
    /// - Throws: `StoreError.hashChanged` when the account's hash is no longer the one that was verified.
    func replaceHash(
        of account: StoredAccount, with hash: String, session: Digest, settling attempt: Attempt, at now: UnixTime
    ) async throws(StoreError)

    /// Deletes an account with its sessions and its failures, and refunds the attempt.
    ///
    /// - Throws: `StoreError.hashChanged` when the account's hash is no longer the one that was verified.
    func deleteAccount(
        _ account: StoredAccount, settling attempt: Attempt
    ) async throws(StoreError)

    /// Finds a session that is not over, and writes down that it is used, at most once in
    /// `SessionLimits.touchInterval`; reading goes on when that cannot be written.
    func session(
        _ digest: Digest, limits: SessionLimits, at now: UnixTime
    ) async throws(StoreError) -> StoredSession?

    /// Ends a session.
    ///
    /// - Returns: whether there was one that was not over.
    func endSession(_ digest: Digest, limits: SessionLimits, at now: UnixTime) async throws(StoreError) -> Bool

    /// Counts an attempt that is about to be made, unless the rules refuse it; counting is one statement for each row,
    /// so that attempts at the same time are counted one after the other.
    ///
    /// - Parameters:
    ///   - attempt: the attempt.
    ///   - scope: what the attempt is counted as.
    ///   - rules: how much is allowed.
    ///   - now: the current time.
    /// - Returns: nil when it was counted; the seconds to wait, at least 1, when it was refused and counted nowhere.
    func count(
        _ attempt: Attempt, scope: AttemptScope, rules: ThrottleRules, at now: UnixTime
    ) async throws(StoreError) -> UnixTime?

    /// Refunds an attempt that was counted and came to no result.
    func giveBack(_ attempt: Attempt, scope: AttemptScope, at now: UnixTime) async throws(StoreError)

    /// Removes sessions, counts and known addresses that have expired.
    ///
    /// - Parameters:
    ///   - limits: when sessions are over.
    ///   - now: the current time.
    ///   - most: how many rows of each kind are removed at most, so that others get their turn.
    /// - Returns: whether there may be more.
    func removeExpired(
        limits: SessionLimits, at now: UnixTime, most: Int
    ) async throws(StoreError) -> Bool

    /// Reads and writes, to find out whether the store works.
    func checkHealth(at now: UnixTime) async throws(StoreError)

    /// Finishes what is under way and lets go of the store; everything later throws.
    func close() async
}
