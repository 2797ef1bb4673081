/// The dates in HTTP fields (RFC 9110 §5.6.7): written as IMF-fixdate, parsed in all three formats.
package enum HTTPDate {
    /// The length of an IMF-fixdate in bytes.
    package static let length = 29

    /// The Unix times that a four-digit year can express, 0000-01-01 to 9999-12-31.
    package static let expressible: ClosedRange<Int64> = -62_167_219_200...253_402_300_799

    static let weekdays: StaticString = "SunMonTueWedThuFriSat"
    static let months: StaticString = "JanFebMarAprMayJunJulAugSepOctNovDec"

    /// Writes a time as an IMF-fixdate, such as `Sun, 06 Nov 1994 08:49:37 GMT`.
    /// - Parameters:
    ///   - seconds: seconds since 1970-01-01T00:00:00Z, clamped to ``expressible``.
    ///   - buffer: a buffer of at least ``length`` bytes; the first ``length`` bytes are overwritten.
    package static func write(_ seconds: Int64, into buffer: UnsafeMutableBufferPointer<UInt8>) {
        precondition(buffer.count >= length, "An HTTP date requires a buffer of at least 29 bytes")
        let time = CalendarTime(unixTime: min(max(seconds, expressible.lowerBound), expressible.upperBound))
        unsafe copy(weekdays, time.weekday, to: buffer, at: 0)
        unsafe buffer[3] = UInt8(ascii: ",")
        unsafe buffer[4] = UInt8(ascii: " ")
        unsafe writePair(time.day, to: buffer, at: 5)
        unsafe buffer[7] = UInt8(ascii: " ")
        unsafe copy(months, time.month - 1, to: buffer, at: 8)
        unsafe buffer[11] = UInt8(ascii: " ")
        unsafe writePair(time.year / 100, to: buffer, at: 12)
        unsafe writePair(time.year % 100, to: buffer, at: 14)
        unsafe buffer[16] = UInt8(ascii: " ")
        unsafe writePair(time.secondOfDay / 3600, to: buffer, at: 17)
        unsafe buffer[19] = UInt8(ascii: ":")
        unsafe writePair(time.secondOfDay / 60 % 60, to: buffer, at: 20)
        unsafe buffer[22] = UInt8(ascii: ":")
        unsafe writePair(time.secondOfDay % 60, to: buffer, at: 23)
        unsafe buffer[25] = UInt8(ascii: " ")
        unsafe copy("GMT", 0, to: buffer, at: 26)
    }

    /// Returns a time as an IMF-fixdate of ``length`` bytes.
    /// - Parameter seconds: seconds since 1970-01-01T00:00:00Z, clamped to ``expressible``.
    package static func bytes(_ seconds: Int64) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: length) { buffer, count in
            unsafe write(seconds, into: buffer)
            count = length
        }
    }

    /// Copies the three-letter name at `index`.
    private static func copy(
        _ names: StaticString, _ index: Int, to buffer: UnsafeMutableBufferPointer<UInt8>, at offset: Int
    ) {
        for letter in 0..<3 {
            unsafe buffer[offset + letter] = unsafe names.utf8Start[index * 3 + letter]
        }
    }

    private static func writePair(_ number: Int, to buffer: UnsafeMutableBufferPointer<UInt8>, at offset: Int) {
        unsafe buffer[offset] = 0x30 + UInt8(number / 10)
        unsafe buffer[offset + 1] = 0x30 + UInt8(number % 10)
    }
}
