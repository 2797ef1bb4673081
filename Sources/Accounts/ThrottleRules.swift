public import Platform

/// How failures slow down what comes after them.
///
/// Every attempt is counted before its password is hashed, so that attempts at the same time cannot be more than are
/// allowed; a refused attempt is not counted and one that is given up is taken back, so that neither prolongs a wait.
/// At an address from which somebody has signed in to an account, failures with it elsewhere do not count.
public struct ThrottleRules: Sendable, Equatable {
    /// The failures with one account that cost no waiting.
    public static let freeFailures = 5
    /// The longest wait in seconds between two attempts with one account; the waits before it are 1, 2, 4 and so on.
    public static let longestDelay: UnixTime = 60
    /// The failures in a row after which attempts are refused until the window has passed (NIST SP 800-63B-4 §3.2.2).
    public static let ceiling = 100
    /// The seconds after the last counted attempt in which an account's failures are forgotten, and in which the empty
    /// bucket of an address is full again.
    public static let window: UnixTime = 3600
    /// The seconds for which an address is known to an account after somebody signed in from there.
    public static let acquaintance: UnixTime = 90 * 86_400
    /// A count that was written further ahead than these seconds is from before the clock was set back, and is
    /// forgotten.
    public static let clockTolerance: UnixTime = 60

    /// The failures that one address may have at once; as many are forgiven steadily over the window.
    public let failuresPerAddress: Int

    /// - Parameter failuresPerAddress: 1 to 1,000,000; other values are brought into that range.
    public init(failuresPerAddress: Int) {
        self.failuresPerAddress = min(max(failuresPerAddress, 1), 1_000_000)
    }

    /// How long an account's attempts have to be apart.
    ///
    /// - Parameter failures: how many attempts were counted in a row.
    /// - Returns: the seconds between the last of them and the next.
    public static func delay(after failures: Int) -> UnixTime {
        if failures < freeFailures { return 0 }
        if failures >= ceiling { return window }
        return min(longestDelay, 1 << UnixTime(min(failures - freeFailures, 30)))
    }
}
