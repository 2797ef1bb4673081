import CoreMetrics
import Logging
import MotivatorPlatform

/// A log and metrics of account operations, with their successes and refusals.
///
/// A line contains the account's number or "unknown". It never contains passwords or tokens. It also never contains
/// user names, because users sometimes type a password in that field.
struct EventLog: Sendable {
    enum Action: String, Sendable {
        case signUp = "sign-up"
        case signIn = "sign-in"
        case passwordChange = "password change"
        case deletion = "account deletion"
        case confirmation
        case passkeyAddition = "passkey addition"
        case passkeyRemoval = "passkey removal"
        case passkeySignIn = "passkey sign-in"
    }

    enum Reason: String, Sendable, CaseIterable {
        case unknownName = "unknown user name"
        case wrongPassword = "wrong password"
        case nameTaken = "user name taken"
        /// The address or the account has made too many attempts.
        case throttled = "too many attempts"
        /// The hashing queue is full, or the client has disconnected.
        case busy = "hashing queue full"
    }

    /// The maximum number of lines per second for each reason. Otherwise, clients could flood the log with refusals.
    static let linesPerSecond = 10

    private let log: Logger
    private let metrics: any MetricsFactory
    private let refusals: [Reason: RateLimitedLogger]
    private let passkeyRefusals: RateLimitedLogger
    /// The log for errors. It writes at most one line per second, because every request may cause the same error.
    private let faults: RateLimitedLogger

    init(_ log: Logger, _ clock: Clock, _ metrics: any MetricsFactory = NOOPMetricsHandler.instance) {
        (self.log, self.metrics) = (log, metrics)
        refusals = Dictionary(
            uniqueKeysWithValues: Reason.allCases.map {
                ($0, RateLimitedLogger(log, clock, linesPerSecond: Self.linesPerSecond))
            })
        passkeyRefusals = RateLimitedLogger(log, clock, linesPerSecond: Self.linesPerSecond)
        faults = RateLimitedLogger(log, clock, linesPerSecond: 1)
    }

    /// Logs a success. Password hashing, or a durable write of a ceremony, limits the rate of successes.
    func succeeded(_ action: Action, account: Int64) {
        count(action, "success")
        log.info("\(action.rawValue) succeeded", metadata: ["account": "\(account)"])
    }

    /// Logs a refusal.
    /// - Parameter account: the account's number; nil if the account does not exist or was not looked up.
    func refused(_ action: Action, account: Int64?, _ reason: Reason) {
        count(action, reason.rawValue)
        write(refusals[reason], action, account, reason.rawValue)
    }

    /// Logs that an operation on passkeys was refused.
    /// - Parameter code: the code of the API, never input.
    func refused(_ action: Action, account: Int64?, code: String) {
        count(action, code)
        write(passkeyRefusals, action, account, code)
    }

    private func write(_ log: RateLimitedLogger?, _ action: Action, _ account: Int64?, _ reason: String) {
        log?.write(
            .notice, "\(action.rawValue) refused",
            ["account": "\(account.map { "\($0)" } ?? "unknown")", "reason": "\(reason)"])
    }

    private func count(_ action: Action, _ outcome: String) {
        Counter(
            label: Accounts.Metric.operations, dimensions: [("operation", action.rawValue), ("outcome", outcome)],
            factory: metrics
        ).increment()
    }

    /// Logs why accounts are unavailable. Quoting keeps the reason on one line.
    func unavailable(_ reason: String) {
        faults.write(.error, "accounts are unavailable: \(reason.quoted)")
    }

    /// Returns whether `refused` would write a line now.
    func isDue(_ reason: Reason) -> Bool { refusals[reason]?.isDue ?? false }
}
