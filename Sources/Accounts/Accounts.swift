package import CoreMetrics
import Foundation
package import Logging
package import MotivatorPlatform

package struct AccountOptions: Sendable {
    /// The minimum number of code points in a new password, within `PasswordPolicy.minimumLengths`.
    package var minimumPasswordLength = 8
    /// The cost of a password hash. If a stored hash has other parameters, the next sign-in replaces the hash.
    package var scrypt = ScryptParameters.default
    /// The maximum number of failures per address, at least 1. The bucket refills evenly over an hour.
    package var failuresPerAddress = 100
    /// The maximum number of sign-ups per address, at least 1. The bucket refills evenly over an hour.
    ///
    /// The default lets a class or an office that shares an address sign up together. An address that floods the server
    /// can cause one hash every three minutes.
    package var signUpsPerAddress = 20
    /// The maximum number of requests that can wait for a hash.
    package var waitingLine = 128
    /// The time in seconds before an unused session expires: 30 minutes (OWASP ASVS 5.0, 7.3.1).
    package var sessionIdle: UnixTime = 1800
    /// The maximum lifetime of a session in seconds: 12 hours (OWASP ASVS 5.0, 7.3.2; NIST SP 800-63B-4 §2.2.3).
    package var sessionLifetime: UnixTime = 43200

    package init() {}
}

package enum AccountError: Error, Equatable, Sendable {
    case refusedName(UserName.Failure)
    case refusedPassword(PasswordPolicy.Failure)
    /// Another account has this name. The comparison is case-insensitive.
    case nameTaken
    /// No account has this name, or the password is wrong. The error does not reveal which condition applies.
    case wrongNameOrPassword
    /// The session has expired or never existed.
    case notSignedIn
    /// The account or the address has made too many attempts. Try again after `retryAfter` seconds.
    case throttled(retryAfter: Int)
    /// Too many requests are waiting for a hash.
    case busy
    case passkey(PasskeyRefusal)
    /// The store is unavailable. The log contains the reason.
    case unavailable
}

package struct SignedIn: Sendable, Equatable {
    /// The name as typed at sign-up.
    package let name: String
    package let token: SessionToken
}

/// A session that has not expired.
package struct Session: Sendable, Equatable {
    /// The user name as typed at sign-up.
    package let name: String
    package let account: Int64
    package let digest: SHA256
    /// Whether a password or a passkey was verified in this session within the last 10 minutes.
    package let isConfirmed: Bool
    /// Whether a password was verified in this session within the last 5 minutes.
    package let isPasswordConfirmed: Bool

    init(_ stored: StoredSession, _ digest: SHA256, at now: UnixTime) {
        (name, account, self.digest) = (stored.account.name, stored.account.id, digest)
        // Another server, whose clock is ahead, may have confirmed the session.
        func isRecent(_ time: UnixTime, _ seconds: UnixTime) -> Bool {
            (-ThrottleRules.clockTolerance...seconds).contains(now - time)
        }
        isConfirmed = isRecent(stored.confirmed, 600)
        isPasswordConfirmed = isRecent(stored.passwordConfirmed, 300)
    }
}

/// The queue of requests that verify or hash a password. Each turn includes the request's work in the store. Requests
/// without a client count as one client.
typealias HashingQueue = BoundedQueue<SHA256?>

/// The operations on the accounts in a store.
///
/// Each attempt is counted before its password is hashed, even if the account does not exist. Low-priority threads
/// compute the hashes. If the store fails, the operation logs the reason and throws `AccountError.unavailable`.
package final class Accounts: Sendable {
    /// A new password must not be this name, or a word from it.
    private static let siteName = "Ultra Motivator"

    let store: any AccountStore
    let hasher: PasswordHasher
    let hashing: HashingQueue
    let policy: Guarded<PasswordPolicy>
    let rules: ThrottleRules
    let limits: SessionLimits
    package let clock: Clock
    let events: EventLog
    let inFlight = InFlightCounter()
    let refusedHashes, storeErrors, cachedChecks, queriedChecks: Counter
    /// The secret for challenges and user handles, after it was read.
    let secret = Guarded<[UInt8]?>(nil)
    private let health = Guarded<(at: UnixTime, reason: String?)?>(nil)

    package enum Metric {
        package static let operations = "motivator_account_operations_total"
        package static let storeErrors = "motivator_store_errors_total"
        package static let sessionChecks = "motivator_session_checks_total"
        package static let refusedHashes = "motivator_hashing_refused_total"
    }

    /// Creates the account operations for a store.
    /// - Parameters:
    ///   - store: the store, which `close` also closes.
    ///   - log: receives account events, and at most one store error per second.
    package convenience init(
        store: any AccountStore, options: AccountOptions, clock: Clock, log: Logger,
        metrics: any MetricsFactory = NOOPMetricsHandler.instance
    ) {
        let hashing = HashingQueue(threads: ProcessInfo.processInfo.activeProcessorCount, waiting: options.waitingLine)
        self.init(store: store, options: options, clock: clock, log: log, metrics: metrics, hashing: hashing)
    }

    init(
        store: any AccountStore, options: AccountOptions, clock: Clock, log: Logger,
        metrics: any MetricsFactory = NOOPMetricsHandler.instance, hashing: HashingQueue,
        hasher: PasswordHasher? = nil
    ) {
        (self.store, self.hashing, self.clock) = (store, hashing, clock)
        self.hasher = hasher ?? PasswordHasher(parameters: options.scrypt)
        policy = Guarded(PasswordPolicy(minimumLength: options.minimumPasswordLength, siteNames: [Accounts.siteName]))
        rules = ThrottleRules(
            failuresPerAddress: options.failuresPerAddress, signUpsPerAddress: options.signUpsPerAddress)
        limits = SessionLimits(idle: options.sessionIdle, lifetime: options.sessionLifetime)
        events = EventLog(log, clock, metrics)
        refusedHashes = Counter(label: Metric.refusedHashes, factory: metrics)
        storeErrors = Counter(label: Metric.storeErrors, factory: metrics)
        cachedChecks = Counter(label: Metric.sessionChecks, dimensions: [("source", "cache")], factory: metrics)
        queriedChecks = Counter(label: Metric.sessionChecks, dimensions: [("source", "database")], factory: metrics)
    }

    /// The minimum number of code points in a new password.
    package var minimumPasswordLength: Int { policy.withLock { $0.minimumLength } }

    /// Sets the domains of the site. A new password must not be a domain, or a word from one.
    package func setDomains(_ domains: [String]) {
        let names = [Accounts.siteName] + domains
        policy.withLock { $0 = PasswordPolicy(minimumLength: $0.minimumLength, siteNames: names) }
    }

    /// Refuses all waiting and later requests for a hash. This is the first step of a graceful shutdown.
    package func refuseWork() { hashing.close() }

    package var waitingHashes: Int { hashing.waiting }

    /// Returns the reason accounts are unavailable, or nil if they are available. The result is cached for up to a
    /// second.
    package func unavailability() async -> String? {
        let now = clock.now()
        if let known = health.withLock({ $0 }), known.at == now { return known.reason }
        let reason = await checkHealth(at: now)
        health.withLock { $0 = (now, reason) }
        return reason
    }

    private func checkHealth(at now: UnixTime) async -> String? {
        guard (try? inFlight.begin()) != nil else { return "the server is shutting down" }
        defer { inFlight.end() }
        do throws(StoreError) {
            try await store.checkHealth(at: now)
            return nil
        } catch {
            _ = unavailable(error)
            guard case .unavailable(let reason) = error else { return "\(error)" }
            return reason
        }
    }

    /// Removes expired sessions, counts, known addresses and used challenges from the store. Call this method every few minutes.
    package func removeExpired() async {
        let now = clock.now()
        // Errors are logged, and the next call tries again.
        while (try? await inStore(await store.removeExpired(limits: limits, at: now, most: 1000))) ?? false {}
    }

    /// Refuses waiting and new requests, waits for requests in progress, and closes the store.
    package func close() async {
        inFlight.close()
        hashing.close()
        await inFlight.waitUntilIdle()
        await store.close()
    }
}
