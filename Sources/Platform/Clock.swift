import Dispatch

/// A time in seconds since 1970-01-01T00:00:00Z, as in HTTP dates, certificates and logs.
public typealias UnixTime = Int64

/// The source of the current time. Tests use a simulated clock.
public struct Clock: Sendable {
    private let read: @Sendable () -> UnixTime
    /// Returns the current time in milliseconds since 1970-01-01T00:00:00Z.
    package let milliseconds: @Sendable () -> Int64

    /// - Parameter read: returns the seconds since 1970-01-01T00:00:00Z.
    public init(_ read: @escaping @Sendable () -> UnixTime) {
        self.read = read
        milliseconds = {
            let time = read()
            let product = time.multipliedReportingOverflow(by: 1_000)
            return product.overflow ? (time < 0 ? .min : .max) : product.partialValue
        }
    }

    private init(milliseconds: @escaping @Sendable () -> Int64) {
        read = { Self.seconds(milliseconds()) }
        self.milliseconds = milliseconds
    }

    /// The system clock.
    public static let system = Clock(milliseconds: {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
    })

    /// Returns the current time in seconds since 1970-01-01T00:00:00Z.
    public func now() -> UnixTime { read() }

    /// Converts a time in milliseconds to seconds, rounded down.
    package static func seconds(_ milliseconds: Int64) -> UnixTime {
        milliseconds / 1_000 - (milliseconds % 1_000 < 0 ? 1 : 0)
    }
}

/// Times in the format of RFC 3339.
package enum Timestamp {
    /// Formats a time, such as `2026-01-31T09:05:00Z`.
    package static func text(_ time: UnixTime) -> String {
        var seconds = time_t(time)
        var parts = unsafe tm()
        unsafe gmtime_r(&seconds, &parts)
        func padded(_ number: Int32, _ width: Int = 2) -> String {
            let digits = String(number)
            return String(repeating: "0", count: max(width - digits.count, 0)) + digits
        }
        let date = unsafe "\(padded(parts.tm_year + 1900, 4))-\(padded(parts.tm_mon + 1))-\(padded(parts.tm_mday))"
        return unsafe "\(date)T\(padded(parts.tm_hour)):\(padded(parts.tm_min)):\(padded(parts.tm_sec))Z"
    }

    /// Parses a time.
    /// - Parameter text: a UTC time such as `2015-10-01T00:00:00Z`, or a date, which means midnight.
    /// - Returns: the seconds since 1970-01-01T00:00:00Z; nil for any other text, such as `2015-02-30`.
    package static func parse(_ text: String) -> UnixTime? {
        let full = text.utf8.count == 10 ? text + "T00:00:00Z" : text
        let numbers = full.split { !$0.isNumber }.compactMap { Int32($0) }
        guard full.utf8.count == 20, numbers.count == 6 else { return nil }
        var parts = unsafe tm()
        unsafe (parts.tm_year, parts.tm_mon, parts.tm_mday) = (numbers[0] - 1900, numbers[1] - 1, numbers[2])
        unsafe (parts.tm_hour, parts.tm_min, parts.tm_sec) = (numbers[3], numbers[4], numbers[5])
        let time = unsafe UnixTime(timegm(&parts))
        // For an invalid date or another format, the formatted result differs from the input.
        return self.text(time) == full ? time : nil
    }
}

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
