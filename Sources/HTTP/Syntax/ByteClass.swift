/// A set of ASCII bytes, optionally with all bytes above 0x7F.
///
/// The compiler keeps the two masks in registers, so a test requires neither a table nor initialization.
struct ByteClass: Sendable {
    private let low: UInt64
    private let high: UInt64
    private let holdsHighBytes: Bool

    /// RFC 9110 §5.6.2: letters, digits and `!#$%&'*+-.^_`|~`.
    static let token = ByteClass(0x03FF_6CFA_0000_0000, 0x57FF_FFFF_C7FF_FFFE)
    /// The bytes of a request target: the visible ASCII that RFC 3986 allows in a path or query.
    static let target = ByteClass(0xAFFF_FFF2_0000_0000, 0x47FF_FFFE_87FF_FFFF)
    /// `target` without `%` and `?`.
    static let plainTarget = ByteClass(0x2FFF_FFD2_0000_0000, 0x47FF_FFFE_87FF_FFFF)
    /// RFC 9110 §5.5: HTAB, SP, visible ASCII and obs-text. A quoted string allows the same bytes (§5.6.4).
    static let value = ByteClass(0xFFFF_FFFF_0000_0200, 0x7FFF_FFFF_FFFF_FFFF, holdsHighBytes: true)
    /// RFC 9110 §8.8.3: the bytes between the quotes of an entity tag.
    static let entityTag = ByteClass(0xFFFF_FFFA_0000_0000, 0x7FFF_FFFF_FFFF_FFFF, holdsHighBytes: true)
    /// RFC 3986 §3.2.2: unreserved, sub-delims and `%`. The comma is excluded, because it joins repeated Host lines
    /// (RFC 9110 §5.3).
    static let regName = ByteClass(0x2BFF_6FF2_0000_0000, 0x47FF_FFFE_87FF_FFFE)
    static let hex = ByteClass(0x03FF_0000_0000_0000, 0x0000_007E_0000_007E)
    static let digit = ByteClass(0x03FF_0000_0000_0000, 0)
    /// RFC 9110 §5.6.3: SP and HTAB. Other Unicode white space, such as 0x85 or 0xA0, is not included.
    static let whitespace = ByteClass(0x0000_0001_0000_0200, 0)

    /// White space and commas, which separate the members of a list.
    static let listSeparator = ByteClass(0x0000_1001_0000_0200, 0)

    static let quote = UInt8(ascii: "\"")
    static let backslash = UInt8(ascii: "\\")
    static let comma = UInt8(ascii: ",")

    private init(_ low: UInt64, _ high: UInt64, holdsHighBytes: Bool = false) {
        (self.low, self.high, self.holdsHighBytes) = (low, high, holdsHighBytes)
    }

    /// Returns whether a byte belongs to a class.
    @inline(__always)
    static func has(_ byte: UInt8, _ bytes: ByteClass) -> Bool {
        let bits = byte < 0x40 ? bytes.low : bytes.high
        return byte < 0x80 ? bits >> UInt64(byte & 0x3F) & 1 == 1 : bytes.holdsHighBytes
    }

    @inline(__always)
    static func isWhitespace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    static func lowercased(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
}

extension FieldBytes {
    /// Returns whether every byte belongs to a class.
    @inline(__always)
    func all(_ classes: ByteClass) -> Bool {
        for byte in self where !ByteClass.has(byte, classes) { return false }
        return true
    }

    /// Whether the bytes form a token (RFC 9110 §5.6.2): one or more token bytes.
    var isToken: Bool { !isEmpty && all(.token) }

    /// Returns whether the bytes are exactly `text`.
    @inline(__always)
    package func isExactly(_ text: StaticString) -> Bool {
        guard count == text.utf8CodeUnitCount else { return false }
        // Both buffers are `count` bytes long.
        for index in 0..<count where unsafe buffer[index] != text.utf8Start[index] { return false }
        return true
    }

    /// Returns the index of the first byte in `range` that is outside a class, or the end of `range`.
    @inline(__always)
    func end(of classes: ByteClass, in range: Range<Int>) -> Int {
        // One check covers all bytes of the range. With `firstIndex` here and `elementsEqual` in `isEqual(to:)`, a
        // request would take 350 more instructions (1%).
        check(range)
        var index = range.lowerBound
        while index < range.upperBound, unsafe ByteClass.has(buffer[index], classes) { index &+= 1 }
        return index
    }

    /// The value as a decimal number; nil if it is empty, contains anything but digits, or exceeds `Int.max`.
    package var decimal: Int? {
        guard !isEmpty, all(ByteClass.digit) else { return nil }
        var number = 0
        for byte in self {
            let (tens, overflow) = number.multipliedReportingOverflow(by: 10)
            let (sum, carry) = tens.addingReportingOverflow(Int(byte & 0x0F))
            guard !overflow, !carry else { return nil }
            number = sum
        }
        return number
    }
}
