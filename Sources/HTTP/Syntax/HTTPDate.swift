#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The dates in HTTP fields (RFC 9110 §5.6.7): written as IMF-fixdate, parsed in all three formats.
package enum HTTPDate {
    /// The Unix times that a four-digit year can express, 0000-01-01 to 9999-12-31.
    package static let expressible: ClosedRange<Int64> = -62_167_219_200...253_402_300_799

    private static let weekdays: [StaticString] = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    /// The rest of each weekday's long name.
    private static let weekdayEnds: [StaticString] = ["day", "day", "sday", "nesday", "rsday", "day", "urday"]
    private static let months: [StaticString] = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// Returns a time as an IMF-fixdate, such as `Sun, 06 Nov 1994 08:49:37 GMT`.
    /// - Parameter seconds: seconds since 1970-01-01T00:00:00Z, clamped to ``expressible``.
    package static func bytes(_ seconds: Int64) -> [UInt8] {
        let time = unsafe parts(seconds)
        func pair(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let year = unsafe time.tm_year + 1900
        let date = unsafe "\(pair(time.tm_mday)) \(months[Int(time.tm_mon)]) \(pair(year / 100))\(pair(year % 100))"
        let clock = unsafe "\(pair(time.tm_hour)):\(pair(time.tm_min)):\(pair(time.tm_sec))"
        return unsafe Array("\(weekdays[Int(time.tm_wday)]), \(date) \(clock) GMT".utf8)
    }

    private static func parts(_ seconds: Int64) -> tm {
        var time = time_t(min(max(seconds, expressible.lowerBound), expressible.upperBound))
        var parts = unsafe tm()
        unsafe gmtime_r(&time, &parts)
        return unsafe parts
    }

    // MARK: - Parsing

    /// Parses a date in one of the three formats of RFC 9110 §5.6.7: IMF-fixdate, RFC 850 and asctime.
    ///
    /// The parser is strict. Names are case-sensitive, and spaces must match the grammar. The day must exist and match
    /// the weekday (RFC 5322 §3.3). A leap second is accepted only as 23:59:60 and means the second after 23:59:59. A
    /// two-digit year means the latest matching year that is at most 50 years after `now`.
    /// - Parameter value: the field value without surrounding white space.
    /// - Returns: seconds since 1970-01-01T00:00:00Z; nil if the value is not a valid HTTP date. Callers ignore such a
    ///   field (§13.1.3, §13.1.4).
    package static func parse(_ value: FieldBytes, now: Int64) -> Int64? {
        guard value.count > 3 else { return nil }
        var cursor = FieldCursor(value)
        guard let weekday = takeName(weekdays, &cursor) else { return nil }
        switch value[3] {
        // IMF-fixdate, such as `Sun, 06 Nov 1994 08:49:37 GMT`.
        case UInt8(ascii: ","):
            guard cursor.take(", "), let day = cursor.takeNumber(digits: 2), cursor.take(" "),
                let month = takeName(months, &cursor), cursor.take(" "),
                let year = cursor.takeNumber(digits: 4), cursor.take(" "),
                let second = takeTimeOfDay(&cursor), cursor.take(" GMT"), cursor.isAtEnd
            else { return nil }
            return time(year, month, day, second, weekday: weekday)
        // asctime, such as `Sun Nov  6 08:49:37 1994`.
        case UInt8(ascii: " "):
            guard cursor.take(" "), let month = takeName(months, &cursor), cursor.take(" "),
                let day = cursor.take(" ") ? cursor.takeNumber(digits: 1) : cursor.takeNumber(digits: 2),
                cursor.take(" "), let second = takeTimeOfDay(&cursor),
                cursor.take(" "), let year = cursor.takeNumber(digits: 4), cursor.isAtEnd
            else { return nil }
            return time(year, month, day, second, weekday: weekday)
        // RFC 850, such as `Sunday, 06-Nov-94 08:49:37 GMT`.
        default:
            guard cursor.take(weekdayEnds[weekday]), cursor.take(", "),
                let day = cursor.takeNumber(digits: 2), cursor.take("-"),
                let month = takeName(months, &cursor), cursor.take("-"),
                let year = cursor.takeNumber(digits: 2), cursor.take(" "),
                let second = takeTimeOfDay(&cursor), cursor.take(" GMT"), cursor.isAtEnd
            else { return nil }
            return time(fullYear(year, month, day, second, now: now), month, day, second, weekday: weekday)
        }
    }

    /// Returns the latest year that ends with two digits and puts the date at most 50 years after `now`.
    ///
    /// The RFC specifies 50 years, so the limit is the same day and time 50 years later.
    private static func fullYear(_ digits: Int, _ month: Int, _ day: Int, _ second: Int, now: Int64) -> Int {
        let limit = unsafe parts(now)
        let year = unsafe Int(limit.tm_year) + 1950
        let candidate = year - year % 100 + digits
        let secondOfDay = unsafe Int(limit.tm_hour * 3600 + limit.tm_min * 60 + limit.tm_sec)
        let isLater =
            unsafe (candidate, month, day, second) > (year, Int(limit.tm_mon), Int(limit.tm_mday), secondOfDay)
        return isLater ? candidate - 100 : candidate
    }

    /// Returns the seconds since 1970-01-01T00:00:00Z; nil if the day does not exist or is another weekday.
    /// - Parameter month: 0 for January.
    private static func time(_ year: Int, _ month: Int, _ day: Int, _ second: Int, weekday: Int) -> Int64? {
        var parts = unsafe tm()
        unsafe (parts.tm_year, parts.tm_mon, parts.tm_mday) = (Int32(year - 1900), Int32(month), Int32(day))
        let midnight = unsafe Int64(timegm(&parts))
        // The function replaces a day that does not exist.
        return unsafe parts.tm_mday == day && parts.tm_wday == weekday ? midnight + Int64(second) : nil
    }

    private static func takeName(_ names: [StaticString], _ cursor: inout FieldCursor) -> Int? {
        names.firstIndex { cursor.take($0) }
    }

    /// Consumes `hh:mm:ss` and returns the second of the day.
    private static func takeTimeOfDay(_ cursor: inout FieldCursor) -> Int? {
        guard let hour = cursor.takeNumber(digits: 2), cursor.take(":"),
            let minute = cursor.takeNumber(digits: 2), cursor.take(":"),
            let second = cursor.takeNumber(digits: 2), hour < 24, minute < 60
        else { return nil }
        guard second < 60 || (hour == 23 && minute == 59 && second == 60) else { return nil }
        return hour * 3600 + minute * 60 + second
    }
}
