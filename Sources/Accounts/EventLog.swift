import Logging
import Platform

/// Writes a log line for each event of an account: who signed in, what failed, and why.
///
/// A line identifies the account by its number, or says "unknown". It never has a password, a token or a user name: a
/// user may have typed the password into the user name field.
struct EventLog: Sendable {
    /// An operation on an account.
    enum Action: String, Sendable {
        case signUp = "sign-up"
        case signIn = "sign-in"
        case passwordChange = "password change"
        case deletion = "account deletion"
    }

    /// Why an operation was refused.
    enum Reason: String, Sendable, CaseIterable {
        case unknownName = "unknown user name"
        case wrongPassword = "wrong password"
        case nameTaken = "user name taken"
        /// The address or the account has made too many attempts.
        case throttled = "too many attempts"
        /// The hashing queue is full, or the client has disconnected.
        case busy = "hashing queue full"
    }

    /// The maximum number of lines per second for each reason, because clients control the number of refusals.
    static let linesPerSecond = 10

    private let log: Logger
    private let refusals: [Reason: RateLimitedLogger]
    /// One line per second, because every request may meet the same fault.
    private let faults: RateLimitedLogger

    init(_ log: Logger, _ clock: Clock) {
        self.log = log
        refusals = Dictionary(
            uniqueKeysWithValues: Reason.allCases.map {
                ($0, RateLimitedLogger(log, clock, linesPerSecond: Self.linesPerSecond))
            })
        faults = RateLimitedLogger(log, clock, linesPerSecond: 1)
    }

    /// Reports a success. The hash before it limits how often this happens.
    func succeeded(_ action: Action, account: Int64) {
        log.info("\(action.rawValue) succeeded", metadata: ["account": "\(account)"])
    }

    /// Reports a refusal.
    ///
    /// - Parameter account: the account's number; nil if the account does not exist or was not looked up.
    func refused(_ action: Action, account: Int64?, _ reason: Reason) {
        refusals[reason]?.write(
            .notice, "\(action.rawValue) refused",
            ["account": "\(account.map { "\($0)" } ?? "unknown")", "reason": "\(reason.rawValue)"])
    }

    /// Reports why accounts are unavailable.
    ///
    /// - Parameter reason: the fault. It is quoted, so that it stays on one line.
    func unavailable(_ reason: String) {
        faults.write(.error, "accounts are unavailable: \(reason.quoted)")
    }

    /// Whether `refused` would write a line now.
    func isDue(_ reason: Reason) -> Bool { refusals[reason]?.isDue ?? false }
}
