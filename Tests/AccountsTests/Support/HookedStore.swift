import MotivatorPlatform

@testable import Accounts

/// A store that forwards calls to another store. Before each operation that depends on a hash, it runs a hook. The hook
/// therefore runs between the verification of a password and the resulting change.
struct HookedStore: AccountStore {
    let base: any AccountStore
    let beforeChange: @Sendable () async -> Void
    /// Called before an attempt is counted or refunded.
    var beforeCount: @Sendable () async -> Void = {}

    var isShared: Bool { base.isShared }
    var touchFailed: Guarded<UnixTime?> { base.touchFailed }

    func run<Result: Sendable>(_ plan: Plan<Result>, inTransaction: Bool) async throws(StoreError) -> Result {
        // The first statement of a change is about the account, and that of a count about its bucket.
        if inTransaction, case .step(let step, _) = plan {
            if step.statement.sql.contains("throttle") {
                await beforeCount()
            } else if step.statement.sql.contains("account") {
                await beforeChange()
            }
        }
        return try await base.run(plan, inTransaction: inTransaction)
    }

    func checkHealth(at now: UnixTime) async throws(StoreError) {
        try await base.checkHealth(at: now)
    }

    func damage() async throws(StoreError) -> String? { try await base.damage() }

    func close() async {
        await base.close()
    }
}
