public import Platform

/// How failures and sign-ups slow down what follows them. docs/accounts.md explains the rules and what they cost a
/// password guesser.
///
/// Every attempt is counted before its password is hashed, so that attempts at the same time cannot exceed the limits.
/// A refused attempt is not counted, and an attempt that comes to no result is refunded: neither prolongs a wait.
public struct ThrottleRules: Sendable, Equatable {
    /// The failures of one address with one account that cause no wait.
    public static let freeFailures = 5
    /// The longest wait in seconds between two attempts of one address with one account; before it come 1, 2, 4, …
    public static let longestDelay: UnixTime = 60
    /// The failures in a row of one address with one account after which the address is refused for a window; also the
    /// failures per window of an account, from unknown addresses, above which each of these addresses has to space its
    /// attempts (NIST SP 800-63B-4 §3.2.2 limits consecutive failures to 100).
    public static let ceiling = 100
    /// The seconds after which an address's failures with an account are forgotten, and in which an empty bucket is
    /// full again.
    public static let window: UnixTime = 3600
    /// The longest spacing in seconds between two attempts of one unknown address with an account under attack.
    public static let longestSpacing: UnixTime = 86_400
    /// The seconds for which an address is known to an account after a sign-in from there.
    public static let acquaintance: UnixTime = 90 * 86_400
    /// A count that was written more than this many seconds ahead predates a step back of the clock, and is forgotten.
    public static let clockTolerance: UnixTime = 60

    /// What one attempt adds to a bucket: each second then gives back a whole number of parts.
    static let partsOfAttempt = window
    /// The highest level of an account: at this level, the spacing is the longest.
    static let fullLevel = 2 * UnixTime(ceiling) * partsOfAttempt
    /// Above this level, refunds do not lower an account's level: attempts that were counted at the highest level did
    /// not raise it, so their refunds would lower it for nothing.
    static let refundableLevel = fullLevel - 10 * partsOfAttempt

    /// The failures that one address may have at once; as many are given back steadily over a window.
    public let failuresPerAddress: Int
    /// The sign-ups that one address may have at once; as many are given back steadily over a window.
    public let signUpsPerAddress: Int

    /// - Parameters:
    ///   - failuresPerAddress: 1 to 1,000,000; other values are brought into that range.
    ///   - signUpsPerAddress: 1 to 1,000,000; other values are brought into that range.
    public init(failuresPerAddress: Int, signUpsPerAddress: Int) {
        self.failuresPerAddress = min(max(failuresPerAddress, 1), 1_000_000)
        self.signUpsPerAddress = min(max(signUpsPerAddress, 1), 1_000_000)
    }

    /// Returns the seconds between an address's last attempt with an account and its next one.
    ///
    /// - Parameter failures: the attempts that were counted in a row.
    public static func delay(after failures: Int) -> UnixTime {
        if failures < freeFailures { return 0 }
        if failures >= ceiling { return window }
        return min(longestDelay, 1 << UnixTime(min(failures - freeFailures, 30)))
    }

    /// Returns the seconds between two attempts of one unknown address with an account: 0 up to the ceiling, then in
    /// proportion to the excess. Where many addresses guess, the level settles where all of them together come to the
    /// ceiling per window.
    ///
    /// - Parameter level: the account's level, in parts of an attempt.
    static func spacing(atLevel level: Int64) -> UnixTime {
        let calm = UnixTime(ceiling) * partsOfAttempt
        return max(level - calm, 0) * longestSpacing / (fullLevel - calm)
    }
}
