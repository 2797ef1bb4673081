/// The classes of bytes that RFC 9110 and RFC 3986 name, one table look-up each.
enum ByteClass {
    static let token: UInt8 = 1 << 0
    static let target: UInt8 = 1 << 1
    static let value: UInt8 = 1 << 2
    static let regName: UInt8 = 1 << 3
    static let hex: UInt8 = 1 << 4
    static let digit: UInt8 = 1 << 5

    private static let table: [UInt8] = (0...255).map { (code: Int) -> UInt8 in
        let byte = UInt8(code)
        var classes: UInt8 = 0
        let isDigit = byte >= 0x30 && byte <= 0x39
        let isAlpha = (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7A
        if isDigit || isAlpha || "!#$%&'*+-.^_`|~".utf8.contains(byte) { classes |= token }
        if byte > 0x20 && byte < 0x7F && byte != UInt8(ascii: "#") && byte != UInt8(ascii: "\\") { classes |= target }
        if byte == 0x09 || (byte >= 0x20 && byte != 0x7F) { classes |= value }
        if isDigit || isAlpha || "-._~!$&'()*+,;=%".utf8.contains(byte) { classes |= regName }
        if isDigit || ((byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x66) { classes |= hex }
        if isDigit { classes |= digit }
        return classes
    }

    /// Whether the byte belongs to any of the classes.
    @inline(__always)
    static func has(_ byte: UInt8, _ classes: UInt8) -> Bool {
        // The table has 256 entries, one for each value of the index's type.
        table.withUnsafeBufferPointer { $0[Int(byte)] } & classes != 0
    }
}

extension FieldBytes {
    /// Whether every byte belongs to the class.
    @inline(__always)
    func all(_ classes: UInt8) -> Bool {
        for byte in self where !ByteClass.has(byte, classes) { return false }
        return true
    }

    /// Whether the bytes are exactly `text`.
    @inline(__always)
    public func isExactly(_ text: StaticString) -> Bool {
        guard count == text.utf8CodeUnitCount else { return false }
        for index in 0..<count where self[index] != text.utf8Start[index] { return false }
        return true
    }

    /// The part from one position up to another.
    @inline(__always)
    public func part(_ range: Range<Int>) -> FieldBytes {
        FieldBytes(rebasing: self[range])
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
