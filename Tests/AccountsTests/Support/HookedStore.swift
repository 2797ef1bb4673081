import MotivatorPlatform

@testable import Accounts

/// A store that forwards calls to another store. Before each operation that depends on a hash, it runs a hook. The hook
/// therefore runs between the verification of a password and the resulting change.
struct HookedStore: AccountStore {
    let base: any AccountStore
    let beforeChange: @Sendable () async -> Void
    /// Called before an attempt is counted or refunded.
    var beforeCount: @Sendable () async -> Void = {}

    func account(key: String) async throws(StoreError) -> StoredAccount? {
        try await base.account(key: key)
    }

    func hashPrefixes(most: Int) async throws(StoreError) -> [String] {
        try await base.hashPrefixes(most: most)
    }

    func createAccount(
        _ name: UserName, hash: String, session: SHA256, settling attempt: AttemptKeys, at now: UnixTime
    ) async throws(StoreError) -> StoredAccount {
        await beforeChange()
        return try await base.createAccount(name, hash: hash, session: session, settling: attempt, at: now)
    }

    func beginSession(
        _ session: SHA256, for account: StoredAccount, rehash: String?, settling attempt: AttemptKeys, at now: UnixTime
    ) async throws(StoreError) {
        await beforeChange()
        try await base.beginSession(session, for: account, rehash: rehash, settling: attempt, at: now)
    }

    func replaceHash(
        of account: StoredAccount, with hash: String, session: SHA256, settling attempt: AttemptKeys, at now: UnixTime
    ) async throws(StoreError) {
        await beforeChange()
        try await base.replaceHash(of: account, with: hash, session: session, settling: attempt, at: now)
    }

    func deleteAccount(
        _ account: StoredAccount, settling attempt: AttemptKeys
    ) async throws(StoreError) {
        await beforeChange()
        try await base.deleteAccount(account, settling: attempt)
    }

    func rows(_ query: Statement) async throws(StoreError) -> [any StoredRow] {
        try await base.rows(query)
    }

    func apply(_ steps: [Step]) async throws(StoreError) {
        await beforeChange()
        try await base.apply(steps)
    }

    func session(
        _ digest: SHA256, limits: SessionLimits, at now: UnixTime
    ) async throws(StoreError) -> StoredSession? {
        try await base.session(digest, limits: limits, at: now)
    }

    func endSession(_ digest: SHA256, limits: SessionLimits, at now: UnixTime) async throws(StoreError) -> Bool {
        try await base.endSession(digest, limits: limits, at: now)
    }

    func count(
        _ attempt: AttemptKeys, scope: AttemptScope, rules: ThrottleRules, at now: UnixTime
    ) async throws(StoreError) -> UnixTime? {
        await beforeCount()
        return try await base.count(attempt, scope: scope, rules: rules, at: now)
    }

    func refund(_ attempt: AttemptKeys, scope: AttemptScope, at now: UnixTime) async throws(StoreError) {
        await beforeCount()
        try await base.refund(attempt, scope: scope, at: now)
    }

    func removeExpired(
        limits: SessionLimits, at now: UnixTime, most: Int
    ) async throws(StoreError) -> Bool {
        try await base.removeExpired(limits: limits, at: now, most: most)
    }

    func checkHealth(at now: UnixTime) async throws(StoreError) {
        try await base.checkHealth(at: now)
    }

    func close() async {
        await base.close()
    }
}
