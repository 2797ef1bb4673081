import FuzzSupport
import MotivatorHTTP
import MotivatorPlatform

/// Checks that a parsed date matches the C library's date for the same second, and survives formatting and parsing.
func checkDate(_ value: FieldBytes) {
    let now: Int64 = 1_700_000_000
    guard let seconds = HTTPDate.parse(value, now: now) else { return }
    // A leap second at the end of the last year counts as the following second.
    require(
        seconds <= HTTPDate.expressible.upperBound + 1 && seconds >= HTTPDate.expressible.lowerBound, "an invalid year")
    guard HTTPDate.expressible.contains(seconds) else { return }
    let written = HTTPDate.bytes(seconds)
    let again = written.withFieldBytes { HTTPDate.parse($0, now: now) }
    require(again == seconds, "writing a date changes it")
    var time = time_t(seconds)
    var parts = tm()
    require(gmtime_r(&time, &parts) != nil, "the C library rejects the time")
    require(number(written, 5..<7) == Int(parts.tm_mday), "the days differ")
    require(number(written, 12..<16) == Int(parts.tm_year) + 1900, "the years differ")
    require(number(written, 17..<19) == Int(parts.tm_hour), "the hours differ")
    require(number(written, 20..<22) == Int(parts.tm_min), "the minutes differ")
    require(number(written, 23..<25) == Int(parts.tm_sec), "the seconds differ")
    let weekdays = Array("SunMonTueWedThuFriSat".utf8)
    let weekday = Int(parts.tm_wday) * 3
    require(written[0..<3] == weekdays[weekday..<weekday + 3], "the weekdays differ")
    // The preferred form matches the input, unless the input has an obsolete form or a leap second.
    if value.count == 29, value[3] == UInt8(ascii: ","), value[23] != UInt8(ascii: "6") {
        require(value.elementsEqual(written), "a date has two preferred forms")
    }
}

private func number(_ bytes: [UInt8], _ range: Range<Int>) -> Int? {
    Int(String(decoding: bytes[range], as: UTF8.self))
}
