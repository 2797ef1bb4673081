public import Platform

/// The limits for failures and sign-ups. docs/accounts.md explains the rules and what they cost a password guesser.
///
/// Every attempt is counted before its password is hashed, so that attempts at the same time cannot exceed the limits.
/// A refused attempt is not counted, and an attempt without a result is refunded. Neither prolongs a wait.
public struct ThrottleRules: Sendable, Equatable {
    /// The failures of one address with one account that cause no wait.
    public static let freeFailures = 5
    /// The longest wait in seconds between two attempts of one address with one account. The waits are 1, 2, 4, …
    public static let longestDelay: UnixTime = 60
    /// The failures in a row of one address with one account after which the address is refused for a window. Also the
    /// failures per window of an account, from unknown addresses, above which each of these addresses has to space its
    /// attempts. NIST SP 800-63B-4 §3.2.2 limits consecutive failures to 100.
    public static let ceiling = 100
    /// The seconds after which an address's failures with an account are reset, and in which an empty bucket fills up.
    public static let window: UnixTime = 3600
    /// The longest spacing in seconds between two attempts of one unknown address with an account under attack.
    public static let longestSpacing: UnixTime = 86_400
    /// The seconds for which an address is known to an account after a sign-in from there.
    public static let knownAddressLifetime: UnixTime = 90 * 86_400
    /// A count that was written more than this many seconds ahead of the clock is dropped: the clock was set back.
    public static let clockTolerance: UnixTime = 60

    /// The parts that one attempt adds to a bucket. Each second then refunds a whole number of parts.
    static let partsOfAttempt = window
    /// The highest level of an account: at this level, the spacing is the longest.
    static let fullLevel = 2 * UnixTime(ceiling) * partsOfAttempt
    /// Above this level, refunds do not lower an account's level: attempts at the highest level did not raise it.
    static let refundableLevel = fullLevel - 10 * partsOfAttempt

    /// The failures that one address may have at once. They are refunded evenly over a window.
    public let failuresPerAddress: Int
    /// The sign-ups that one address may have at once. They are refunded evenly over a window.
    public let signUpsPerAddress: Int

    /// - Parameters:
    ///   - failuresPerAddress: limited to 1 to 1,000,000.
    ///   - signUpsPerAddress: limited to 1 to 1,000,000.
    public init(failuresPerAddress: Int, signUpsPerAddress: Int) {
        self.failuresPerAddress = min(max(failuresPerAddress, 1), 1_000_000)
        self.signUpsPerAddress = min(max(signUpsPerAddress, 1), 1_000_000)
    }

    /// Returns the seconds between an address's last attempt with an account and its next one.
    ///
    /// - Parameter failures: the number of attempts counted in a row.
    public static func delay(after failures: Int) -> UnixTime {
        if failures < freeFailures { return 0 }
        if failures >= ceiling { return window }
        return min(longestDelay, 1 << UnixTime(min(failures - freeFailures, 30)))
    }

    /// Returns the seconds between two attempts of one unknown address with an account: 0 up to the ceiling, then in
    /// proportion to the excess. When many addresses guess, the level settles where their attempts reach the ceiling.
    ///
    /// - Parameter level: the account's level, in parts of an attempt.
    static func spacing(atLevel level: Int64) -> UnixTime {
        let calm = UnixTime(ceiling) * partsOfAttempt
        return max(level - calm, 0) * longestSpacing / (fullLevel - calm)
    }
}
