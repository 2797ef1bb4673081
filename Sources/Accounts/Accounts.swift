public import Logging
public import Platform

/// What a person can do with an account: the rules over a store.
///
/// Each password that is tried is counted before it is hashed, whether or not the account is there, and hashed on
/// threads that give way to others; what goes wrong in the store is told to the caller as `AccountError.unavailable`,
/// and to the log with its reason.
public final class Accounts: Sendable {
    let store: any AccountStore
    let hasher: PasswordHasher
    let hashing: HashingQueue
    let policy: PasswordPolicy
    let rules: ThrottleRules
    let limits: SessionLimits
    let clock: Clock
    let faults: FaultLog
    let events: EventLog
    private let visits = Visits()
    private let health = Guarded<(at: UnixTime, fine: Bool)?>(nil)

    /// - Parameters:
    ///   - store: where everything is kept; `close` closes it.
    ///   - options: what can be chosen.
    ///   - clock: the time of day.
    ///   - log: receives the accounts' events, and at most one line per second about faults of the store.
    public convenience init(store: any AccountStore, options: AccountOptions, clock: Clock, log: Logger) {
        let hashing = HashingQueue(threads: HashingQueue.cores, waiting: options.waitingLine)
        self.init(store: store, options: options, clock: clock, log: log, hashing: hashing)
    }

    init(
        store: any AccountStore, options: AccountOptions, clock: Clock, log: Logger, hashing: HashingQueue,
        hasher: PasswordHasher? = nil
    ) {
        self.store = store
        self.hashing = hashing
        self.clock = clock
        self.hasher = hasher ?? PasswordHasher(parameters: options.scrypt)
        policy = PasswordPolicy(minimumLength: options.minimumPasswordLength, siteNames: options.siteNames)
        rules = ThrottleRules(
            failuresPerAddress: options.failuresPerAddress, signUpsPerAddress: options.signUpsPerAddress)
        limits = SessionLimits(idle: options.sessionIdle, lifetime: options.sessionLifetime)
        faults = FaultLog(log, clock)
        events = EventLog(log, clock)
    }

    /// The fewest characters of a new password.
    public var minimumPasswordLength: Int { policy.minimumLength }

    /// Refuses whoever waits for a hash or comes to: an orderly end begins with this, so that nobody waits in vain.
    public func refuseWork() { hashing.close() }

    /// Looks whether accounts can be read and written.
    ///
    /// - Returns: the answer, which is at most a second old: whoever may ask may ask often.
    public func isHealthy() async -> Bool {
        let now = clock.now()
        if let known = health.withLock({ $0 }), known.at == now { return known.fine }
        let fine =
            (try? await visit { () throws(AccountError) in
                try await self.ask { () throws(StoreError) in
                    try await self.store.checkHealth(at: now)
                }
            }) != nil
        health.withLock { $0 = (now, fine) }
        return fine
    }

    /// Removes sessions and throttles whose time is over; meant to be called every few minutes.
    public func removeExpired() async {
        let now = clock.now()
        var more = true
        while more {
            // A fault is in the log, and the next call tries again.
            more =
                (try? await visit { () throws(AccountError) in
                    try await self.ask { () throws(StoreError) in
                        try await self.store.removeExpired(limits: self.limits, at: now, most: 1000)
                    }
                }) ?? false
        }
    }

    /// Refuses what comes and what waits for its hash, waits for what is under way, and closes the store.
    public func close() async {
        visits.close()
        hashing.close()
        await visits.end()
        await store.close()
    }

    /// Does something that `close` waits for.
    func visit<Result>(_ body: () async throws(AccountError) -> Result) async throws(AccountError) -> Result {
        guard visits.begin() else { throw .unavailable }
        defer { visits.leave() }
        return try await body()
    }

    /// Asks the store for what can only fail when the store does not work.
    func ask<Result>(_ body: () async throws(StoreError) -> Result) async throws(AccountError) -> Result {
        do {
            return try await body()
        } catch {
            throw unavailable(error)
        }
    }

    /// Writes down why the store does not work.
    func unavailable(_ error: StoreError) -> AccountError {
        switch error {
        case .unavailable(let reason): faults.report(reason)
        case .nameTaken, .hashChanged: faults.report("the store refused what cannot be refused: \(error)")
        }
        return .unavailable
    }
}
