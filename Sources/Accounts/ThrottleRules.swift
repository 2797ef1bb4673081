package import MotivatorPlatform

/// The limits for failures and sign-ups. docs/accounts.md explains the rules and their cost for a password guesser.
///
/// Every attempt is counted before its password is hashed, so that concurrent attempts cannot exceed the limits. A
/// refused attempt is not counted, and an attempt without a result is refunded. Neither prolongs a wait.
package struct ThrottleRules: Sendable, Equatable {
    /// The number of failures of one address with one account that cause no wait.
    package static let freeFailures = 5
    /// The longest wait in seconds between two attempts of one address with one account. The waits are 1, 2, 4, …
    package static let longestDelay: UnixTime = 60
    /// The number of consecutive failures of an address with an account after which it is refused for a window.
    ///
    /// It is also the number of failures per window from unknown addresses above which an account delays unknown
    /// addresses. NIST SP 800-63B-4 §3.2.2 limits consecutive failures to 100.
    package static let ceiling = 100
    /// The seconds after which an address's failures with an account are reset, and in which a full bucket is refunded.
    package static let window: UnixTime = 3600
    /// The longest delay in seconds between two attempts of an unknown address with an account under attack.
    package static let longestSpacing: UnixTime = 86_400
    /// The seconds for which an address is known to an account after a sign-in from it.
    package static let knownAddressLifetime: UnixTime = 90 * 86_400
    /// The tolerance in seconds for counts from the future. Later counts are dropped, because the clock was set back.
    package static let clockTolerance: UnixTime = 60

    /// The number of parts that one attempt adds to a bucket, so that each second refunds a whole number of parts.
    static let partsOfAttempt = window
    /// The highest level of an account, at which the spacing is the longest.
    static let fullLevel = 2 * UnixTime(ceiling) * partsOfAttempt
    /// The level above which refunds do not lower an account's level, because attempts at the highest level do not
    /// raise it.
    package static let refundableLevel = fullLevel - 10 * partsOfAttempt

    /// The maximum number of failures of one address. They are refunded evenly over a window.
    package let failuresPerAddress: Int
    /// The maximum number of sign-ups of one address. They are refunded evenly over a window.
    package let signUpsPerAddress: Int

    /// - Parameters:
    ///   - failuresPerAddress: the number of failures, clamped to 1 to 1,000,000.
    ///   - signUpsPerAddress: the number of sign-ups, clamped to 1 to 1,000,000.
    package init(failuresPerAddress: Int, signUpsPerAddress: Int) {
        self.failuresPerAddress = min(max(failuresPerAddress, 1), 1_000_000)
        self.signUpsPerAddress = min(max(signUpsPerAddress, 1), 1_000_000)
    }

    /// Returns the minimum number of seconds between an address's last and next attempts with an account.
    ///
    /// - Parameter failures: the number of consecutive attempts.
    package static func delay(after failures: Int) -> UnixTime {
        if failures < freeFailures { return 0 }
        if failures >= ceiling { return window }
        return min(longestDelay, 1 << UnixTime(min(failures - freeFailures, 30)))
    }

    /// Returns the minimum number of seconds between two attempts of an unknown address with an account.
    ///
    /// The interval is 0 up to the ceiling, and above it proportional to the excess. If many addresses guess, the level
    /// settles where their attempts per window equal the ceiling.
    ///
    /// - Parameter level: the account's level, in parts of an attempt.
    package static func spacing(atLevel level: Int64) -> UnixTime {
        let calm = UnixTime(ceiling) * partsOfAttempt
        return max(level - calm, 0) * longestSpacing / (fullLevel - calm)
    }
}
