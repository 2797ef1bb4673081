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

/// Times as logs and people read them (RFC 3339).
public enum Timestamp {
    /// - Parameter time: seconds since 1970-01-01T00:00:00Z.
    /// - Returns: such as `2026-01-31T09:05:00Z`.
    public static func text(_ time: UnixTime) -> String {
        var seconds = time_t(time)
        var parts = unsafe tm()
        unsafe gmtime_r(&seconds, &parts)
        func padded(_ number: Int32, _ width: Int) -> String {
            let digits = String(number)
            return String(repeating: "0", count: max(width - digits.count, 0)) + digits
        }
        let date =
            unsafe "\(padded(parts.tm_year + 1900, 4))-\(padded(parts.tm_mon + 1, 2))-\(padded(parts.tm_mday, 2))"
        return unsafe "\(date)T\(padded(parts.tm_hour, 2)):\(padded(parts.tm_min, 2)):\(padded(parts.tm_sec, 2))Z"
    }
}

extension Timestamp {
    /// Reads a time.
    ///
    /// - Parameter text: a date with time in UTC such as `2015-10-01T00:00:00Z`, or a date alone, which is its midnight.
    /// - Returns: seconds since 1970-01-01T00:00:00Z; nil for anything else, such as the 30th of February.
    public static func parse(_ text: String) -> UnixTime? {
        let full = text.utf8.count == 10 ? text + "T00:00:00Z" : text
        let bytes = Array(full.utf8)
        guard bytes.count == 20 else { return nil }
        func number(_ range: Range<Int>) -> Int32? { Int32(String(decoding: bytes[range], as: UTF8.self)) }
        guard let year = number(0..<4), let month = number(5..<7), let day = number(8..<10),
            let hour = number(11..<13), let minute = number(14..<16), let second = number(17..<19)
        else { return nil }
        var parts = unsafe tm()
        unsafe (parts.tm_year, parts.tm_mon, parts.tm_mday) = (year - 1900, month - 1, day)
        unsafe (parts.tm_hour, parts.tm_min, parts.tm_sec) = (hour, minute, second)
        let time = unsafe UnixTime(timegm(&parts))
        // What is no date, or is spelt otherwise, does not come back as it was written.
        return self.text(time) == full ? time : nil
    }
}
