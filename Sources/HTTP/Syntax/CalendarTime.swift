/// A time in the proleptic Gregorian calendar in UTC.
struct CalendarTime: Comparable {
    var year: Int
    /// 1–12.
    var month: Int
    /// 1–31.
    var day: Int
    /// 0–86,399, or 86,400 for a leap second at the end of the day.
    var secondOfDay: Int

    init(year: Int, month: Int, day: Int, secondOfDay: Int) {
        (self.year, self.month, self.day, self.secondOfDay) = (year, month, day, secondOfDay)
    }

    /// - Parameter seconds: seconds since 1970-01-01T00:00:00Z without leap seconds. The earliest year is 0.
    init(unixTime seconds: Int64) {
        let (days, secondOfDay) = Self.split(seconds)
        // If the year starts on March 1, the leap day comes last. One formula then gives the length of each month, and
        // every 400-year era has 146,097 days.
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        self.secondOfDay = secondOfDay
    }

    /// Whether the date exists in the calendar.
    var isOnCalendar: Bool {
        (1...12).contains(month) && day >= 1 && day <= Self.days(inMonth: month, of: year)
    }

    /// The number of seconds since 1970-01-01T00:00:00Z.
    var unixTime: Int64 {
        Int64(daysSince1970) * 86_400 + Int64(secondOfDay)
    }

    /// The day of the week, from 0 (Sunday) to 6 (Saturday).
    var weekday: Int {
        let remainder = (daysSince1970 + 4) % 7
        return remainder < 0 ? remainder + 7 : remainder
    }

    static func < (left: CalendarTime, right: CalendarTime) -> Bool {
        (left.year, left.month, left.day, left.secondOfDay) < (right.year, right.month, right.day, right.secondOfDay)
    }

    private var daysSince1970: Int {
        let shiftedYear = month <= 2 ? year - 1 : year
        let era = (shiftedYear >= 0 ? shiftedYear : shiftedYear - 399) / 400
        let yearOfEra = shiftedYear - era * 400
        let shiftedMonth = month > 2 ? month - 3 : month + 9
        let dayOfYear = (153 * shiftedMonth + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }

    private static func split(_ seconds: Int64) -> (days: Int, secondOfDay: Int) {
        let (days, rest) = seconds.quotientAndRemainder(dividingBy: 86_400)
        return rest < 0 ? (Int(days) - 1, Int(rest) + 86_400) : (Int(days), Int(rest))
    }

    private static func days(inMonth month: Int, of year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}
