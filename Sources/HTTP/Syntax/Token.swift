/// A set of bytes, of which those below 0x80 are single bits and those above all in it or all out of it.
///
/// Two constants in registers: nothing is looked up, and nothing is set up at the first use.
struct ByteClass: Sendable {
    private let low: UInt64
    private let high: UInt64
    private let holdsHighBytes: Bool

    /// RFC 9110 §5.6.2: letters, digits and `!#$%&'*+-.^_`|~`.
    static let token = ByteClass(0x03FF_6CFA_0000_0000, 0x57FF_FFFF_C7FF_FFFE)
    /// What a request target may hold here: visible ASCII but `#` and `\`.
    static let target = ByteClass(0xFFFF_FFF6_0000_0000, 0x7FFF_FFFF_EFFF_FFFF)
    /// The same without `%` and `?`.
    static let plainTarget = ByteClass(0x7FFF_FFD6_0000_0000, 0x7FFF_FFFF_EFFF_FFFF)
    /// RFC 9110 §5.5: HTAB, SP, visible ASCII and obs-text.
    static let value = ByteClass(0xFFFF_FFFF_0000_0200, 0x7FFF_FFFF_FFFF_FFFF, holdsHighBytes: true)
    /// RFC 3986 §3.2.2: unreserved, sub-delims and `%`.
    static let regName = ByteClass(0x2BFF_7FF2_0000_0000, 0x47FF_FFFE_87FF_FFFE)
    static let hex = ByteClass(0x03FF_0000_0000_0000, 0x0000_007E_0000_007E)
    static let digit = ByteClass(0x03FF_0000_0000_0000, 0)

    private init(_ low: UInt64, _ high: UInt64, holdsHighBytes: Bool = false) {
        self.low = low
        self.high = high
        self.holdsHighBytes = holdsHighBytes
    }

    /// Whether the byte belongs to the class.
    @inline(__always)
    static func has(_ byte: UInt8, _ bytes: ByteClass) -> Bool {
        let bits = byte < 0x40 ? bytes.low : bytes.high
        return byte < 0x80 ? bits >> UInt64(byte & 0x3F) & 1 == 1 : bytes.holdsHighBytes
    }
}

extension FieldBytes {
    /// Whether every byte belongs to the class.
    @inline(__always)
    func all(_ classes: ByteClass) -> Bool {
        for byte in self where !ByteClass.has(byte, classes) { return false }
        return true
    }

    /// Whether the bytes are exactly `text`.
    @inline(__always)
    public func isExactly(_ text: StaticString) -> Bool {
        guard count == text.utf8CodeUnitCount else { return false }
        // Both have `count` bytes.
        for index in 0..<count where unsafe buffer[index] != text.utf8Start[index] { return false }
        return true
    }

    /// The index of the first byte in a range that is outside of the class; the end of the range when there is none.
    @inline(__always)
    func end(of classes: ByteClass, in range: Range<Int>) -> Int {
        // One check for all bytes of the range.
        check(range)
        var index = range.lowerBound
        while index < range.upperBound, unsafe ByteClass.has(buffer[index], classes) { index &+= 1 }
        return index
    }

    /// The part from one position up to another.
    @inline(__always)
    public func part(_ range: Range<Int>) -> FieldBytes {
        extracting(range)
    }

    /// The number that the bytes write in decimal digits and nothing else; nil when it is none or does not fit.
    public var decimal: Int? {
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
