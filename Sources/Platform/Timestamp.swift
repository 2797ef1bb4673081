/// Times as logs and people read them (RFC 3339).
public enum Timestamp {
    /// - Parameter time: seconds since 1970-01-01T00:00:00Z.
    /// - Returns: such as `2026-01-31T09:05:00Z`.
    public static func text(_ time: UnixTime) -> String {
        var seconds = time_t(time)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        func padded(_ number: Int32, _ width: Int) -> String {
            let digits = String(number)
            return String(repeating: "0", count: max(width - digits.count, 0)) + digits
        }
        let date = "\(padded(parts.tm_year + 1900, 4))-\(padded(parts.tm_mon + 1, 2))-\(padded(parts.tm_mday, 2))"
        return "\(date)T\(padded(parts.tm_hour, 2)):\(padded(parts.tm_min, 2)):\(padded(parts.tm_sec, 2))Z"
    }
}
