package import MotivatorPlatform

/// The limits for failures and sign-ups. docs/accounts.md explains the rules and their cost for an attacker.
///
/// Every attempt is counted before its password is hashed, so concurrent attempts cannot exceed the limits. A refused
/// attempt is not counted, and an attempt without a result is refunded. Neither prolongs a wait.
package struct ThrottleRules: Sendable, Equatable {
    /// The number of failures allowed without a wait, per address and account.
    package static let freeFailures = 5
    /// The longest wait in seconds between two attempts from one address on one account, below `ceiling`. The waits
    /// start at 1 second and double.
    package static let longestDelay: UnixTime = 60
    /// The number of consecutive failures on an account after which an address must wait for one window.
    ///
    /// Unknown addresses must also wait if together they cause more failures on an account per window than this number.
    /// NIST SP 800-63B-4 §3.2.2 limits consecutive failures to 100.
    package static let ceiling = 100
    /// The time in seconds after which an address's failures on an account are reset. An empty bucket refills in the
    /// same time.
    package static let window: UnixTime = 3600
    /// The longest delay in seconds between two attempts from an unknown address on an account under attack.
    package static let longestSpacing: UnixTime = 86_400
    /// The time in seconds that an address remains known to an account after a sign-in.
    package static let knownAddressLifetime: UnixTime = 90 * 86_400
    /// The tolerance in seconds for counts with future times. Counts beyond the tolerance are dropped: the clock was
    /// set back.
    package static let clockTolerance: UnixTime = 60

    /// The number of parts that one attempt adds to a bucket. With this number, each second refunds a whole number of
    /// parts.
    static let partsOfAttempt = window
    /// The highest level of an account. At this level, the spacing is the longest.
    static let fullLevel = 2 * UnixTime(ceiling) * partsOfAttempt
    /// The highest level that refunds can lower. Attempts at `fullLevel` do not raise the level, so their refunds must
    /// not lower it.
    package static let refundableLevel = fullLevel - 10 * partsOfAttempt

    /// The maximum number of failures from one address. The bucket refills evenly over a window.
    package let failuresPerAddress: Int
    /// The maximum number of sign-ups from one address. The bucket refills evenly over a window.
    package let signUpsPerAddress: Int

    /// - Parameters:
    ///   - failuresPerAddress: the number of failures, clamped to the range from 1 to 1,000,000.
    ///   - signUpsPerAddress: the number of sign-ups, clamped to the range from 1 to 1,000,000.
    package init(failuresPerAddress: Int, signUpsPerAddress: Int) {
        self.failuresPerAddress = min(max(failuresPerAddress, 1), 1_000_000)
        self.signUpsPerAddress = min(max(signUpsPerAddress, 1), 1_000_000)
    }

    /// Returns the minimum number of seconds between an address's last attempt and its next attempt on an account.
    package static func delay(after failures: Int) -> UnixTime {
        if failures < freeFailures { return 0 }
        if failures >= ceiling { return window }
        return min(longestDelay, 1 << UnixTime(min(failures - freeFailures, 30)))
    }

    /// Returns the minimum number of seconds between two attempts from an unknown address on an account.
    ///
    /// The interval is 0 up to the ceiling. Above the ceiling, it is proportional to the excess. If many addresses
    /// guess, the level stabilizes when their attempts per window equal the ceiling.
    /// - Parameter level: the account's level, in parts of an attempt.
    package static func spacing(atLevel level: Int64) -> UnixTime {
        let calm = UnixTime(ceiling) * partsOfAttempt
        return max(level - calm, 0) * longestSpacing / (fullLevel - calm)
    }
}
