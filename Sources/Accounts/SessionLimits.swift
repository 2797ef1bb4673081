public import Platform

/// When sessions are over.
public struct SessionLimits: Sendable, Equatable {
    /// The seconds since the last use.
    public let idle: UnixTime
    /// The seconds since the beginning.
    public let lifetime: UnixTime
    /// The seconds within which the use of a session is written down once: a look-up should rarely be a write.
    public static let touchInterval: UnixTime = 60

    /// - Parameters:
    ///   - idle: the seconds since the last use.
    ///   - lifetime: the seconds since the beginning.
    public init(idle: UnixTime, lifetime: UnixTime) {
        (self.idle, self.lifetime) = (idle, lifetime)
    }
}
