import Logging
import Platform

/// Reports why accounts are unavailable: at most one line per second, because every request may meet the same fault.
struct FaultLog: Sendable {
    private let log: RateLimitedLogger

    init(_ log: Logger, _ clock: Clock) {
        self.log = RateLimitedLogger(log, clock)
    }

    /// - Parameter reason: what went wrong; it is put on one line.
    func report(_ reason: String) {
        log.write(.error, "accounts are unavailable: \(reason.quoted)")
    }
}

/// Writes a line for each event of an account: who signed in, what failed, and why.
///
/// A line names the account by its number, or "unknown". It never has a password, a token or a user name: after a
/// failure, what was typed as the user name may be a password.
struct EventLog: Sendable {
    /// What a client wants to do with an account.
    enum Action: String, Sendable {
        case signUp = "sign-up"
        case signIn = "sign-in"
        case passwordChange = "password change"
        case deletion = "account deletion"
    }

    /// Why an action was refused.
    enum Reason: String, Sendable, CaseIterable {
        case unknownName = "unknown user name"
        case wrongPassword = "wrong password"
        case nameTaken = "user name taken"
        /// The address or the account has made too many attempts.
        case throttled = "too many attempts"
        /// The hashing queue is full, or the client has gone.
        case busy = "hashing queue full"
    }

    /// The lines per second for each reason: clients control how many refusals there are.
    static let linesPerSecond = 10

    private let log: Logger
    private let refusals: [Reason: RateLimitedLogger]

    init(_ log: Logger, _ clock: Clock) {
        self.log = log
        refusals = Dictionary(
            uniqueKeysWithValues: Reason.allCases.map {
                ($0, RateLimitedLogger(log, clock, linesPerSecond: Self.linesPerSecond))
            })
    }

    /// Reports what was done; the hash before it bounds how often this happens.
    func succeeded(_ action: Action, account: Int64) {
        log.info("\(action.rawValue) succeeded", metadata: ["account": "\(account)"])
    }

    /// Reports what was refused.
    ///
    /// - Parameter account: the account's number; nil if there is no such account, or it was not looked up.
    func refused(_ action: Action, account: Int64?, _ reason: Reason) {
        refusals[reason]?.write(
            .notice, "\(action.rawValue) refused",
            ["account": "\(account.map { "\($0)" } ?? "unknown")", "reason": "\(reason.rawValue)"])
    }

    /// Whether `refused` would write a line now.
    func isDue(_ reason: Reason) -> Bool { refusals[reason]?.isDue ?? false }
}
