import CoreMetrics
import MotivatorPlatform
import TestSupport

@testable import Accounts

/// Accounts with a store, a clock that the test controls, and a log that the test reads.
struct Bench {
    let accounts: Accounts
    let store: any AccountStore
    let clock: ManualClock
    private let recorded = RecordingLog()

    static let home = ClientAddress([127, 0, 0, 1])
    static let password = "a mountain of books"

    init(
        _ store: any AccountStore, clock: ManualClock = ManualClock(at: 1_800_000_000), hashing: HashingQueue? = nil,
        recording derivations: Guarded<[ScryptParameters]>? = nil,
        metrics: any MetricsFactory = NOOPMetricsHandler.instance,
        _ change: (inout AccountOptions) -> Void = { _ in }
    ) throws {
        var options = AccountOptions()
        options.scrypt = try ScryptParameters(log2N: 4, r: 8, p: 1)
        options.signUpsPerAddress = 1_000_000
        change(&options)
        var hasher = PasswordHasher(parameters: options.scrypt)
        if let derivations {
            hasher.derive = { password, salt, parameters throws(Scrypt.Failed) in
                derivations.withLock { $0.append(parameters) }
                return try Scrypt.derive(password, salt: salt, parameters, length: PasswordHash.length)
            }
        }
        let queue = hashing ?? HashingQueue(threads: 2, waiting: options.waitingLine)
        accounts = Accounts(
            store: store, options: options, clock: clock.clock, log: recorded.logger, metrics: metrics, hashing: queue,
            hasher: hasher)
        (self.store, self.clock) = (store, clock)
    }

    var log: [String] { recorded.lines }

    /// The log lines that report faults.
    var faults: [String] { log.filter { $0.hasPrefix("error") } }

    @discardableResult
    func signUp(_ name: String = "Ada", from address: ClientAddress = home) async throws(AccountError) -> SignedIn {
        try await accounts.signUp(name: name, password: Self.password, from: address)
    }

    func signIn(
        _ name: String = "Ada", _ password: String = password, from address: ClientAddress = home
    ) async throws(AccountError) -> SignedIn {
        try await accounts.signIn(name: name, password: password, from: address)
    }

    /// Returns the error from a sign-in attempt, or nil if the sign-in succeeds.
    func failure(
        _ name: String = "Ada", _ password: String = "wrong", from address: ClientAddress = home
    ) async -> AccountError? {
        do {
            _ = try await signIn(name, password, from: address)
            return nil
        } catch {
            return error
        }
    }
}
