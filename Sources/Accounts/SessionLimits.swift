package import MotivatorPlatform

/// The lifetimes of sessions.
package struct SessionLimits: Sendable, Equatable {
    /// The maximum number of seconds since the last use.
    package let idle: UnixTime
    /// The maximum number of seconds since the sign-in.
    package let lifetime: UnixTime
    /// The minimum number of seconds between two recorded uses of a session. The interval limits writes to the store.
    package static let touchInterval: UnixTime = 60

    package init(idle: UnixTime, lifetime: UnixTime) {
        (self.idle, self.lifetime) = (idle, lifetime)
    }

    /// Returns whether a session has expired. A session with future times has expired: the clock was set back, and the
    /// session would last too long.
    package func isOver(began: UnixTime, used: UnixTime, at now: UnixTime) -> Bool {
        now - used >= idle || now - began >= lifetime || used - now >= lifetime
    }
}
