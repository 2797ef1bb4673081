/// UTF-16 or UTF-32, which some editors use to save files.
struct JSONEncoding {
    package let name: String
    private let unitSize: Int
    private let isLittleEndian: Bool
    private let markSize: Int

    /// The byte order marks. UTF-32 comes first, because its little-endian mark begins with the UTF-16 mark.
    private static let marks: [(mark: [UInt8], isLittleEndian: Bool)] = [
        ([0xFF, 0xFE, 0, 0], true), ([0, 0, 0xFE, 0xFF], false), ([0xFF, 0xFE], true), ([0xFE, 0xFF], false),
    ]

    /// Detects the encoding from its byte order mark, or from the zero bytes around an ASCII character (RFC 4627,
    /// section 3).
    init?(of bytes: [UInt8]) {
        for (mark, isLittleEndian) in Self.marks where bytes.starts(with: mark) {
            self.init(unitSize: mark.count, isLittleEndian: isLittleEndian, markSize: mark.count)
            return
        }
        guard bytes.count >= 4 else { return nil }
        switch (bytes[0] == 0, bytes[1] == 0, bytes[2] == 0, bytes[3] == 0) {
        case (true, true, true, false): self.init(unitSize: 4, isLittleEndian: false, markSize: 0)
        case (false, true, true, true): self.init(unitSize: 4, isLittleEndian: true, markSize: 0)
        case (true, false, true, false): self.init(unitSize: 2, isLittleEndian: false, markSize: 0)
        case (false, true, false, true): self.init(unitSize: 2, isLittleEndian: true, markSize: 0)
        default: return nil
        }
    }

    private init(unitSize: Int, isLittleEndian: Bool, markSize: Int) {
        (self.unitSize, self.isLittleEndian, self.markSize) = (unitSize, isLittleEndian, markSize)
        name = unitSize == 2 ? "UTF-16" : "UTF-32"
    }

    /// Returns the text in UTF-8 without its byte order mark. Invalid units become U+FFFD.
    package func utf8(of bytes: [UInt8]) -> [UInt8] {
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
