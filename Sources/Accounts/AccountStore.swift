package import MotivatorPlatform

/// A store of accounts, sessions and failure counts.
///
/// Each operation is atomic, so several servers can share a store. Acknowledged changes are durable. Times are in seconds
/// since 1970. If the store fails, every operation throws `StoreError.unavailable`.
package protocol AccountStore: Sendable {
    /// Whether several servers share the database.
    ///
    /// Its account numbers are random, because a sequence would serialize the nodes of a distributed database. A column
    /// of its accounts contains the prefix of the hash. Otherwise, the database numbers the accounts, and an index
    /// contains the prefix.
    var isShared: Bool { get }

    /// The time of the last failure to record the use of a session.
    var touchFailed: Guarded<UnixTime?> { get }

    /// Runs a plan.
    /// - Parameter inTransaction: whether to run the steps in one transaction. It is rolled back if a step throws.
    func run<Result: Sendable>(_ plan: Plan<Result>, inTransaction: Bool) async throws(StoreError) -> Result

    /// Returns the same as `session`, but a session that another server ended in the last second may still be returned.
    func recentSession(
        _ digest: SHA256, limits: SessionLimits, at now: UnixTime
    ) async throws(StoreError) -> StoredSession?

    /// Checks that the store can read and write.
    func checkHealth(at now: UnixTime) async throws(StoreError)

    /// Checks the entire content of the store. No server may use the store at the same time.
    /// - Returns: a description of the damage; nil if there is none.
    func damage() async throws(StoreError) -> String?

    /// Finishes the operations in progress and closes the store. All later calls throw.
    func close() async
}

extension AccountStore {
    package func recentSession(
        _ digest: SHA256, limits: SessionLimits, at now: UnixTime
    ) async throws(StoreError) -> StoredSession? {
        try await session(digest, limits: limits, at: now)
    }
}

/// The reason a store did not confirm an operation. The store is then unchanged, unless it lost the connection to a
/// database server during a commit (`unavailable`).
package enum StoreError: Error, Equatable, Sendable {
    case nameTaken
    /// The account no longer exists, its hash has changed since the password was verified, or the session has ended.
    case hashChanged
    case passkey(PasskeyRefusal)
    /// The store is unavailable. The reason is one line for the log and contains no user input.
    case unavailable(reason: String)
}

package struct StoredAccount: Sendable, Equatable {
    package let id: Int64
    /// The user name as typed at sign-up.
    package let name: String
    /// The user name folded for comparison.
    package let key: String
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
    package let account: StoredAccount
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
    /// - Parameter row: a row with the columns of an account, began, used, confirmed and password_confirmed.
    package init(_ row: any StoredRow) throws {
        self.init(
            account: try StoredAccount(row), began: try row.integer(4), used: try row.integer(5),
            confirmed: try row.integer(6), passwordConfirmed: try row.integer(7))
    }
}
