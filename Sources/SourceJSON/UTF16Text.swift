/// Text in UTF-16, which some editors use to save files.
enum UTF16Text {
    /// Returns UTF-16 text in UTF-8 without its byte order mark, or nil for text in another encoding.
    ///
    /// The mark, or the zero bytes of two ASCII characters (RFC 4627, section 3), show the encoding. Invalid units
    /// become U+FFFD.
    static func utf8(of bytes: [UInt8]) -> [UInt8]? {
        let isLittleEndian: Bool
        switch bytes.prefix(4).map({ $0 == 0 }) {
        case [false, true, false, true]: isLittleEndian = true
        case [true, false, true, false]: isLittleEndian = false
        case _:
            guard bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) else { return nil }
            isLittleEndian = bytes[0] == 0xFF
        }
        let units = stride(from: 0, to: bytes.count, by: 2).map { index -> UInt16 in
            guard index + 1 < bytes.count else { return 0xFFFD }
            let (first, second) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
            return isLittleEndian ? second << 8 | first : first << 8 | second
        }
        return Array(String(decoding: units.drop { $0 == 0xFEFF }, as: UTF16.self).utf8)
    }
}
