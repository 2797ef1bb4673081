extension HTTPDate {
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
        switch value[3] {
        case UInt8(ascii: ","): return parseFixdate(value)
        case UInt8(ascii: " "): return parseAsctime(value)
        default: return parseRFC850(value, now: now)
        }
    }

    /// Parses an IMF-fixdate, such as `Sun, 06 Nov 1994 08:49:37 GMT`.
    private static func parseFixdate(_ value: FieldBytes) -> Int64? {
        var cursor = FieldCursor(value)
        guard let weekday = takeName(weekdays, &cursor), cursor.take(", "),
            let day = cursor.takeNumber(digits: 2), cursor.take(" "),
            let month = takeName(months, &cursor), cursor.take(" "),
            let year = cursor.takeNumber(digits: 4), cursor.take(" "),
            let secondOfDay = takeTimeOfDay(&cursor), cursor.take(" GMT"), cursor.isAtEnd
        else { return nil }
        let time = CalendarTime(year: year, month: month + 1, day: day, secondOfDay: secondOfDay)
        return checked(time, weekday: weekday)
    }

    /// Parses an RFC 850 date, such as `Sunday, 06-Nov-94 08:49:37 GMT`.
    private static func parseRFC850(_ value: FieldBytes, now: Int64) -> Int64? {
        var cursor = FieldCursor(value)
        guard let weekday = takeLongWeekday(&cursor), cursor.take(", "),
            let day = cursor.takeNumber(digits: 2), cursor.take("-"),
            let month = takeName(months, &cursor), cursor.take("-"),
            let year = cursor.takeNumber(digits: 2), cursor.take(" "),
            let secondOfDay = takeTimeOfDay(&cursor), cursor.take(" GMT"), cursor.isAtEnd
        else { return nil }
        var time = CalendarTime(year: year, month: month + 1, day: day, secondOfDay: secondOfDay)
        time.year = fullYear(of: time, now: now)
        return checked(time, weekday: weekday)
    }

    /// Parses an asctime date, such as `Sun Nov  6 08:49:37 1994`.
    private static func parseAsctime(_ value: FieldBytes) -> Int64? {
        var cursor = FieldCursor(value)
        guard let weekday = takeName(weekdays, &cursor), cursor.take(" "),
            let month = takeName(months, &cursor), cursor.take(" "),
            let day = cursor.take(" ") ? cursor.takeNumber(digits: 1) : cursor.takeNumber(digits: 2),
            cursor.take(" "), let secondOfDay = takeTimeOfDay(&cursor),
            cursor.take(" "), let year = cursor.takeNumber(digits: 4), cursor.isAtEnd
        else { return nil }
        let time = CalendarTime(year: year, month: month + 1, day: day, secondOfDay: secondOfDay)
        return checked(time, weekday: weekday)
    }

    /// Returns the latest year that ends with the digits of `time.year` and puts `time` at most 50 years after `now`.
    ///
    /// The RFC specifies 50 years, so the limit is the same day and time 50 years later.
    private static func fullYear(of time: CalendarTime, now: Int64) -> Int {
        var limit = CalendarTime(unixTime: min(max(now, expressible.lowerBound), expressible.upperBound))
        limit.year += 50
        var candidate = time
        candidate.year = limit.year - limit.year % 100 + time.year
        return candidate > limit ? candidate.year - 100 : candidate.year
    }

    private static func checked(_ time: CalendarTime, weekday: Int) -> Int64? {
        guard time.isOnCalendar, time.weekday == weekday else { return nil }
        return time.unixTime
    }

    /// Consumes a three-letter name and returns its index in `names`.
    private static func takeName(_ names: StaticString, _ cursor: inout FieldCursor) -> Int? {
        guard let name = cursor.takeAny(3) else { return nil }
        return (0..<names.utf8CodeUnitCount / 3).first { index in
            (0..<3).allSatisfy { unsafe name[$0] == names.utf8Start[index * 3 + $0] }
        }
    }

    private static func takeLongWeekday(_ cursor: inout FieldCursor) -> Int? {
        guard let weekday = takeName(weekdays, &cursor) else { return nil }
        let rest: StaticString
        switch weekday {
        case 2: rest = "sday"
        case 3: rest = "nesday"
        case 4: rest = "rsday"
        case 6: rest = "urday"
        default: rest = "day"
        }
        return cursor.take(rest) ? weekday : nil
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
