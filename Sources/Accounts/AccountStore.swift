public import Platform

/// The storage of accounts, their sessions and the counts of failures.
///
/// Each method is atomic, so that several servers can share a store. An acknowledged change is not lost. The caller
/// passes times as seconds since 1970. Every method throws `StoreError.unavailable` while the store does not work.
public protocol AccountStore: Sendable {
    /// Returns the account with this folded name, if it exists.
    func account(key: String) async throws(StoreError) -> StoredAccount?

    /// Returns the distinct prefixes of the accounts' hashes up to the salt, in ascending order. The cost does not
    /// depend on the number of accounts.
    ///
    /// - Parameter most: the maximum number of prefixes to return.
    func hashPrefixes(most: Int) async throws(StoreError) -> [String]

    /// Creates an account and its first session, resets the failures with its name, and records the address as known to
    /// the account. The sign-up stays counted.
    ///
    /// - Returns: the new account.
    /// - Throws: `StoreError.nameTaken` if an account has a name with the same key.
    @discardableResult
    func createAccount(
        _ name: UserName, hash: String, session: Digest, settling attempt: Attempt, at now: UnixTime
    ) async throws(StoreError) -> StoredAccount

    /// Begins a session, resets the address's failures with the account, refunds the attempt, and records the address as
    /// known to the account. Failures from other addresses do not delay a known address.
    ///
    /// - Parameters:
    ///   - session: the digest of the session's token.
    ///   - account: the account, with the hash that the password was verified against.
    ///   - rehash: the hash that replaces it; nil to keep it.
    ///   - attempt: the attempt that succeeded.
    ///   - now: the current time.
    /// - Throws: `StoreError.hashChanged` if the account's hash is no longer that one.
    func beginSession(
        _ session: Digest, for account: StoredAccount, rehash: String?, settling attempt: Attempt, at now: UnixTime
    ) async throws(StoreError)

    /// Replaces an account's hash, ends all its sessions, begins a new one, and settles the attempt as `beginSession`
    /// does.
    ///
    /// - Throws: `StoreError.hashChanged` if the account's hash is no longer the one that was verified.
    func replaceHash(
        of account: StoredAccount, with hash: String, session: Digest, settling attempt: Attempt, at now: UnixTime
    ) async throws(StoreError)

    /// Deletes an account with its sessions and its failures, and refunds the attempt.
    ///
    /// - Throws: `StoreError.hashChanged` if the account's hash is no longer the one that was verified.
    func deleteAccount(_ account: StoredAccount, settling attempt: Attempt) async throws(StoreError)

    /// Finds a session that has not expired, and records its use at most once in `SessionLimits.touchInterval`. The
    /// session is returned even if its use cannot be recorded.
    func session(_ digest: Digest, limits: SessionLimits, at now: UnixTime) async throws(StoreError) -> StoredSession?

    /// Ends a session.
    ///
    /// - Returns: whether the session existed and had not expired.
    func endSession(_ digest: Digest, limits: SessionLimits, at now: UnixTime) async throws(StoreError) -> Bool

    /// Counts an attempt before it is made, unless the rules refuse it. Counting is one statement for each row, so that
    /// concurrent attempts are counted one after the other.
    ///
    /// - Parameters:
    ///   - attempt: the attempt.
    ///   - scope: what the attempt is counted as.
    ///   - rules: the limits.
    ///   - now: the current time.
    /// - Returns: nil if the attempt was counted; otherwise the seconds to wait, at least 1.
    func count(
        _ attempt: Attempt, scope: AttemptScope, rules: ThrottleRules, at now: UnixTime
    ) async throws(StoreError) -> UnixTime?

    /// Refunds an attempt that was counted but had no result.
    func refund(_ attempt: Attempt, scope: AttemptScope, at now: UnixTime) async throws(StoreError)

    /// Removes sessions, counts and known addresses that have expired.
    ///
    /// - Parameters:
    ///   - limits: the lifetimes of sessions.
    ///   - now: the current time.
    ///   - most: the maximum number of rows of each kind to remove, so that other operations get their turn.
    /// - Returns: whether there may be more.
    func removeExpired(limits: SessionLimits, at now: UnixTime, most: Int) async throws(StoreError) -> Bool

    /// Reads and writes, to find out whether the store works.
    func checkHealth(at now: UnixTime) async throws(StoreError)

    /// Finishes the operations in progress and closes the store. Every later call throws.
    func close() async
}

/// Why a store did not perform an operation. The store is then unchanged.
public enum StoreError: Error, Equatable, Sendable {
    /// Another account has this name.
    case nameTaken
    /// The account no longer exists, or its hash is no longer the one that was verified.
    case hashChanged
    /// The store does not work at present.
    ///
    /// - reason: one line for the log, without anything that a user sent.
    case unavailable(reason: String)
}

/// An account in the store.
public struct StoredAccount: Sendable, Equatable {
    /// The account's number.
    public let id: Int64
    /// The user name as it was typed at sign-up.
    public let name: String
    /// The user name folded for comparison.
    public let key: String
    /// The password's hash, as text.
    public let hash: String

    public init(id: Int64, name: String, key: String, hash: String) {
        (self.id, self.name, self.key, self.hash) = (id, name, key, hash)
    }
}

/// A session in the store that has not expired.
public struct StoredSession: Sendable, Equatable {
    /// The account that is signed in.
    public let account: StoredAccount
    /// Why its use could not be recorded, for the log. The session is valid, but may expire early.
    public let touchFailure: String?

    public init(account: StoredAccount, touchFailure: String?) {
        (self.account, self.touchFailure) = (account, touchFailure)
    }
}
