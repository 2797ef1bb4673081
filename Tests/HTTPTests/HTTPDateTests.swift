import MotivatorHTTP
import TestSupport
import Testing

@Suite("HTTP dates")
struct HTTPDateTests {
    typealias Writing = Row<Int64, String>
    typealias Reading = Row<String, Int64?>

    /// 2026-01-01T00:00:00Z
    static let now: Int64 = 1_767_225_600

    @Test(
        "A time is written as an IMF-fixdate",
        arguments: [
            Writing("the RFC's example", "§5.6.7", 784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
            Writing("the epoch", "§5.6.7", 0, "Thu, 01 Jan 1970 00:00:00 GMT"),
            Writing("the second before the epoch", "§5.6.7", -1, "Wed, 31 Dec 1969 23:59:59 GMT"),
            Writing("a leap day", "§5.6.7", 951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"),
            Writing("the day after a leap day", "§5.6.7", 951_868_800, "Wed, 01 Mar 2000 00:00:00 GMT"),
            Writing("a century without a leap day", "§5.6.7", 4_107_542_400, "Mon, 01 Mar 2100 00:00:00 GMT"),
            Writing("the end of 32 bits", "§5.6.7", 2_147_483_648, "Tue, 19 Jan 2038 03:14:08 GMT"),
            Writing("the last second of four digits", "§5.6.7", 253_402_300_799, "Fri, 31 Dec 9999 23:59:59 GMT"),
            Writing("a later time is written as the last", "§5.6.7", .max, "Fri, 31 Dec 9999 23:59:59 GMT"),
            Writing("the first second of four digits", "§5.6.7", -62_167_219_200, "Sat, 01 Jan 0000 00:00:00 GMT"),
            Writing("an earlier time is written as the first", "§5.6.7", .min, "Sat, 01 Jan 0000 00:00:00 GMT"),
        ])
    func writes(_ row: Writing) {
        #expect(text(HTTPDate.bytes(row.input)) == row.expected)
    }

    @Test(
        "A date is read in each of the three forms",
        arguments: [
            Reading("IMF-fixdate", "§5.6.7", "Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777),
            Reading("RFC 850", "§5.6.7", "Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
            Reading("asctime", "§5.6.7", "Sun Nov  6 08:49:37 1994", 784_111_777),
            Reading("asctime with two digits of day", "§5.6.7", "Wed Nov 16 08:49:37 1994", 784_975_777),
            Reading("asctime with a zero before the day", "§5.6.7", "Sun Nov 06 08:49:37 1994", 784_111_777),
            Reading("every long weekday: Monday", "§5.6.7", "Monday, 07-Nov-94 08:49:37 GMT", 784_198_177),
            Reading("every long weekday: Tuesday", "§5.6.7", "Tuesday, 08-Nov-94 08:49:37 GMT", 784_284_577),
            Reading("every long weekday: Wednesday", "§5.6.7", "Wednesday, 09-Nov-94 08:49:37 GMT", 784_370_977),
            Reading("every long weekday: Thursday", "§5.6.7", "Thursday, 10-Nov-94 08:49:37 GMT", 784_457_377),
            Reading("every long weekday: Friday", "§5.6.7", "Friday, 11-Nov-94 08:49:37 GMT", 784_543_777),
            Reading("every long weekday: Saturday", "§5.6.7", "Saturday, 12-Nov-94 08:49:37 GMT", 784_630_177),
            Reading("before the epoch", "§5.6.7", "Wed, 31 Dec 1969 23:59:59 GMT", -1),
            Reading("leap day of a 400th year", "§5.6.7", "Tue, 29 Feb 2000 00:00:00 GMT", 951_782_400),
            Reading("leap second at the end of a day", "§5.6.7", "Sat, 31 Dec 2016 23:59:60 GMT", 1_483_228_800),
        ])
    func reads(_ row: Reading) {
        #expect(withField(row.input) { HTTPDate.parse($0, now: Self.now) } == row.expected)
    }

    @Test(
        "Text that only resembles a date is refused",
        arguments: [
            "", "S", "Sun", "Sun,", "Sun ", "0", "-1", "784111777",
            "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 UTC", "Sun, 06 Nov 1994 08:49:37 gmt",
            "Sun, 06 Nov 1994 08:49:37 +0000", "Sun, 06 Nov 1994 08:49:37 GMT ", " Sun, 06 Nov 1994 08:49:37 GMT",
            "Sun, 06 Nov 1994 08:49:37 GMT, Sun, 06 Nov 1994 08:49:37 GMT", "Sun,06 Nov 1994 08:49:37 GMT",
            "Sun, 6 Nov 1994 08:49:37 GMT", "Sun,  6 Nov 1994 08:49:37 GMT", "Sun, 06 nov 1994 08:49:37 GMT",
            "sun, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 94 08:49:37 GMT", "Sun, 06 Nov 01994 08:49:37 GMT",
            "Sun, 06 Nov 1994 8:49:37 GMT", "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:60:37 GMT",
            "Sun, 06 Nov 1994 08:49:60 GMT", "Sun, 06 Nov 1994 23:59:61 GMT", "Sun, 06 Nov 1994 08:49 GMT",
            "Sun, 06 Nov 1994 08:59:60 GMT",
            "Mon, 06 Nov 1994 08:49:37 GMT", "Xxx, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Xxx 1994 08:49:37 GMT",
            "Mon, 00 Nov 1994 08:49:37 GMT", "Thu, 31 Nov 1994 08:49:37 GMT", "Sun, 32 Dec 1994 08:49:37 GMT",
            "Wed, 29 Feb 1995 00:00:00 GMT", "Mon, 29 Feb 2100 00:00:00 GMT", "Sun, +6 Nov 1994 08:49:37 GMT",
            "Sun, 06\u{A0}Nov 1994 08:49:37 GMT", "Sun, 06\tNov 1994 08:49:37 GMT",
            "Sun, 06-Nov-1994 08:49:37 GMT", "Sun, 06-Nov-94 08:49:37 GMT", "Sunday, 06 Nov 94 08:49:37 GMT",
            "Sunday, 06-Nov-1994 08:49:37 GMT", "Sunday, 6-Nov-94 08:49:37 GMT", "Monday, 06-Nov-94 08:49:37 GMT",
            "Sunsday, 06-Nov-94 08:49:37 GMT", "SUNDAY, 06-Nov-94 08:49:37 GMT",
            "Sun Nov 6 08:49:37 1994", "Sun Nov  6 08:49:37 94", "Sun Nov  6 08:49:37 1994 GMT",
            "Sun Nov  06 08:49:37 1994", "Mon Nov  0 08:49:37 1994", "Mon Nov  6 08:49:37 1994",
        ])
    func refuses(_ value: String) {
        #expect(withField(value) { HTTPDate.parse($0, now: Self.now) } == nil)
    }

    @Test(
        "A year of two digits is the latest that is not more than 50 years ahead",
        arguments: [
            // Relative to 2026-01-01T00:00:00Z.
            Reading("50 years ahead to the second", "§5.6.7", "Wednesday, 01-Jan-76 00:00:00 GMT", 3_345_062_400),
            Reading("50 years and a second ahead is past", "§5.6.7", "Thursday, 01-Jan-76 00:00:01 GMT", 189_302_401),
            Reading("49 years ahead", "§5.6.7", "Tuesday, 01-Jan-75 00:00:00 GMT", 3_313_526_400),
            Reading("the next year", "§5.6.7", "Friday, 01-Jan-27 00:00:00 GMT", 1_798_761_600),
            Reading("52 years ahead is 48 years past", "§5.6.7", "Sunday, 01-Jan-78 00:00:00 GMT", 252_460_800),
            Reading("the weekday is that of the year chosen", "§5.6.7", "Thursday, 01-Jan-70 00:00:00 GMT", nil),
        ])
    func choosesTheCentury(_ row: Reading) {
        #expect(withField(row.input) { HTTPDate.parse($0, now: Self.now) } == row.expected)
    }

    @Test("At the end of a century, a small year is one of the next")
    func choosesTheNextCentury() {
        // The current time is 1999-12-31T23:59:59Z.
        let time = withField("Saturday, 01-Jan-00 00:00:00 GMT") { HTTPDate.parse($0, now: 946_684_799) }
        #expect(time == 946_684_800)
    }

    @Test(
        "With a clock outside the calendar, a year of two digits is read for the nearest time that a date can express",
        arguments: [(Int64.min, -62_329_792_223), (Int64.max, 253_239_727_777)] as [(Int64, Int64)])
    func clockOutsideTheCalendar(_ now: Int64, _ expected: Int64) {
        let time = withField("Sunday, 06-Nov-94 08:49:37 GMT") { HTTPDate.parse($0, now: now) }
        #expect(time == expected)
    }

    @Test("Every time from 1970 to 2400 is read back from each form")
    func roundTrips() throws {
        var generator = SeededGenerator(seed: 0x5EED)
        let end: Int64 = 13_569_465_600
        var times = (0..<20_000).map { _ in Int64.random(in: 0..<end, using: &generator) }
        // Both sides of every midnight at the end of February and of the year.
        for day in 0..<Int64(end / 86_400) where day % 365 < 62 {
            times += [day * 86_400, day * 86_400 + 86_399]
        }
        for time in times {
            let bytes = HTTPDate.bytes(time)
            let fixdate = text(bytes)
            let read = bytes.withFieldBytes { HTTPDate.parse($0, now: 0) }
            guard read == time else {
                Issue.record("\(time) was written as \(fixdate) and read as \(String(describing: read))")
                return
            }
            let words = fixdate.split(separator: " ").map(String.init)
            let asctime = "\(words[0].dropLast()) \(words[2]) \(words[1]) \(words[4]) \(words[3])"
            guard withField(asctime, { HTTPDate.parse($0, now: 0) }) == time else {
                Issue.record("\(time) was not read from \(asctime)")
                return
            }
        }
    }

    @Test("Days follow each other without a gap, and weekdays with them")
    func countsDays() {
        let names = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
        let lengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        var (year, month, day) = (1970, 0, 1)
        // 2000 is a leap year, and 2100 is not.
        for number in 0..<48_000 {
            let written = HTTPDate.bytes(Int64(number) * 86_400)
            let digits = [day / 10, day % 10, year / 1000, year / 100 % 10, year / 10 % 10, year % 10]
            let places = [5, 6, 12, 13, 14, 15]
            let isRight = zip(digits, places).allSatisfy { written[$1] == UInt8(0x30 + $0) }
            guard isRight, written.starts(with: Array(names[number % 7].utf8)) else {
                Issue.record("day \(number) is \(year)-\(month + 1)-\(day) but was written as \(text(written))")
                return
            }
            let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
            day += 1
            if day > lengths[month] + (month == 1 && isLeap ? 1 : 0) {
                (month, day) = (month + 1, 1)
            }
            if month == 12 {
                (year, month) = (year + 1, 0)
            }
        }
    }
}
