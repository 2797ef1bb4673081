/// UTF-16 or UTF-32, which some editors use to save files.
struct JSONEncoding {
    private let unitSize: Int
    private let isLittleEndian: Bool
    private let markSize: Int

    var name: String { unitSize == 2 ? "UTF-16" : "UTF-32" }

    /// Detects the encoding from its byte order mark, or from the zero bytes around an ASCII character (RFC 4627,
    /// section 3).
    init?(of bytes: [UInt8]) {
        // UTF-32 comes first, because its little-endian mark begins with the UTF-16 mark.
        let marks: [(bytes: [UInt8], isLittleEndian: Bool)] = [
            ([0xFF, 0xFE, 0, 0], true), ([0, 0, 0xFE, 0xFF], false), ([0xFF, 0xFE], true), ([0xFE, 0xFF], false),
        ]
        if let mark = marks.first(where: { bytes.starts(with: $0.bytes) }) {
            (unitSize, isLittleEndian, markSize) = (mark.bytes.count, mark.isLittleEndian, mark.bytes.count)
            return
        }
        markSize = 0
        switch bytes.prefix(4).map({ $0 == 0 }) {
        case [true, true, true, false]: (unitSize, isLittleEndian) = (4, false)
        case [false, true, true, true]: (unitSize, isLittleEndian) = (4, true)
        case [true, false, true, false]: (unitSize, isLittleEndian) = (2, false)
        case [false, true, false, true]: (unitSize, isLittleEndian) = (2, true)
        case _: return nil
        }
    }

    /// Returns the text in UTF-8 without its byte order mark. Invalid units become U+FFFD.
    func utf8(of bytes: [UInt8]) -> [UInt8] {
        let units = stride(from: markSize, to: bytes.count, by: unitSize).map { unit(at: $0, in: bytes) }
        if unitSize == 2 {
            return Array(String(decoding: units.map(UInt16.init(truncatingIfNeeded:)), as: UTF16.self).utf8)
        }
        return Array(String(decoding: units, as: UTF32.self).utf8)
    }

    /// Returns the unit at an offset, or U+FFFD if the text ends inside it.
    private func unit(at offset: Int, in bytes: [UInt8]) -> UInt32 {
        guard offset + unitSize <= bytes.count else { return 0xFFFD }
        return (0..<unitSize).reduce(0) { value, index in
            value << 8 | UInt32(bytes[offset + (isLittleEndian ? unitSize - 1 - index : index)])
        }
    }
}
