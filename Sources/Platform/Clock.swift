import Dispatch

/// The time of day in whole seconds, as the HTTP date, certificates and logs need it.
public typealias UnixTime = Int64

/// Where the current time comes from; tests give their own.
public struct Clock: Sendable {
    private let read: @Sendable () -> UnixTime

    /// - Parameter read: answers the seconds since 1970-01-01T00:00:00Z.
    public init(_ read: @escaping @Sendable () -> UnixTime) {
        self.read = read
    }

    /// The machine's clock.
    public static let system = Clock { UnixTime(time(nil)) }

    /// The current time in seconds since 1970-01-01T00:00:00Z.
    public func now() -> UnixTime { read() }
}

/// The time from a clock that never goes back.
package enum MonotonicTime {
    /// The time since the machine started.
    package static var now: Duration { .nanoseconds(Int64(clamping: DispatchTime.now().uptimeNanoseconds)) }
}

extension Duration {
    /// The seconds, rounded up.
    package var wholeSeconds: Int {
        Int(clamping: components.seconds) + (components.attoseconds > 0 ? 1 : 0)
    }
}
