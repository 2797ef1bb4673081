/// The byte classes that field values are made of (RFC 9110 §5.6).
enum FieldSyntax {
    static let quote = UInt8(ascii: "\"")
    static let backslash = UInt8(ascii: "\\")
    static let comma = UInt8(ascii: ",")

    /// SP and HTAB and nothing else (RFC 9110 §5.6.3): 0x85, 0xA0, VT and FF are white space only to a Unicode library.
    static func isOptionalWhitespace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09
    }

    static func isDigit(_ byte: UInt8) -> Bool {
        byte &- 0x30 < 10
    }

    static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "!"), UInt8(ascii: "#"), UInt8(ascii: "$"),
            UInt8(ascii: "%"), UInt8(ascii: "&"), UInt8(ascii: "'"), UInt8(ascii: "*"), UInt8(ascii: "+"),
            UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "^"), UInt8(ascii: "_"), UInt8(ascii: "`"),
            UInt8(ascii: "|"), UInt8(ascii: "~"):
            true
        default: false
        }
    }

    /// What may stand between the quotes of an entity tag (RFC 9110 §8.8.3): no quote, no space, no control.
    static func isEntityTagByte(_ byte: UInt8) -> Bool {
        byte == 0x21 || (0x23...0x7E).contains(byte) || byte >= 0x80
    }

    /// What may stand, unescaped or after a backslash, between the quotes of a quoted string (RFC 9110 §5.6.4).
    static func isTextByte(_ byte: UInt8) -> Bool {
        byte == 0x09 || (0x20...0x7E).contains(byte) || byte >= 0x80
    }

    static func lowercased(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }

    /// Appends a number in decimal digits, without a `String` in between.
    /// - Parameter number: zero or more.
    static func appendDecimal(_ number: Int, to bytes: inout [UInt8]) {
        if number >= 10 {
            appendDecimal(number / 10, to: &bytes)
        }
        bytes.append(0x30 + UInt8(number % 10))
    }
}
