import FuzzSupport
import MotivatorHTTP
import MotivatorPlatform

/// A date that is read must be the one that the C library makes of the same second, and be read again as written.
func checkDate(_ value: FieldBytes) {
    let now: Int64 = 1_700_000_000
    guard let seconds = HTTPDate.parse(value, now: now) else { return }
    // A leap second at the end of the last year is the second after it.
    require(
        seconds <= HTTPDate.expressible.upperBound + 1 && seconds >= HTTPDate.expressible.lowerBound, "no such year")
    guard HTTPDate.expressible.contains(seconds) else { return }
    let written = HTTPDate.bytes(seconds)
    let again = written.withFieldBytes { HTTPDate.parse($0, now: now) }
    require(again == seconds, "a written date is another one")
    var time = time_t(seconds)
    var parts = tm()
    require(gmtime_r(&time, &parts) != nil, "the C library does not know the time")
    require(number(written, 5..<7) == Int(parts.tm_mday), "another day")
    require(number(written, 12..<16) == Int(parts.tm_year) + 1900, "another year")
    require(number(written, 17..<19) == Int(parts.tm_hour), "another hour")
    require(number(written, 20..<22) == Int(parts.tm_min), "another minute")
    require(number(written, 23..<25) == Int(parts.tm_sec), "another second")
    let weekdays = Array("SunMonTueWedThuFriSat".utf8)
    let weekday = Int(parts.tm_wday) * 3
    require(written[0..<3] == weekdays[weekday..<weekday + 3], "another weekday")
    // The preferred form is what was read, unless it was one of the obsolete ones or a leap second.
    if value.count == HTTPDate.length, value[3] == UInt8(ascii: ","), value[23] != UInt8(ascii: "6") {
        require(value.elementsEqual(written), "a date has a second spelling")
    }
}

private func number(_ bytes: [UInt8], _ range: Range<Int>) -> Int? {
    Int(String(decoding: bytes[range], as: UTF8.self))
}
