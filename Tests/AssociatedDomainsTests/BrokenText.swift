import Testing

/// An invalid JSON text, its expected errors, and its recovered value.
struct BrokenText: CustomTestStringConvertible {
    let bytes: [UInt8]
    /// The line, column and name of each error, in order.
    let faults: String
    /// The recovered value as JSON, or nil if nothing is recovered.
    let value: String?
    let isComplete: Bool
    let source: String
    var testDescription: String { "\(source): \(String(decoding: bytes, as: UTF8.self).debugDescription)" }

    init(_ text: String, _ faults: String, _ value: String?, isComplete: Bool = true, _ source: String) {
        self.init(Array(text.utf8), faults, value, isComplete: isComplete, source)
    }

    init(_ bytes: [UInt8], _ faults: String, _ value: String?, isComplete: Bool = true, _ source: String) {
        (self.bytes, self.faults, self.value) = (bytes, faults, value)
        (self.isComplete, self.source) = (isComplete, source)
    }

    static let all =
        brackets + commas + colons + space + quotes + characters + words + wholes + endings + encodings
}

/// Texts that are not encoded in UTF-8.
extension BrokenText {
    private static func text(_ parts: [UInt8]...) -> [UInt8] { Array(parts.joined()) }

    static func units(_ text: String, mark: Bool, isLittle: Bool) -> [UInt8] {
        ((mark ? "\u{FEFF}" : "") + text).utf16.flatMap { unit in
            let bytes = [UInt8(unit & 0xFF), UInt8(unit >> 8)]
            return isLittle ? bytes : bytes.reversed()
        }
    }

    private static let encodings =
        [
            BrokenText(
                text(Array("[\"a".utf8), [0xE9, 0xE8], Array("b\", 1 2]".utf8)), "1:4 invalidUTF8, 1:9 missingComma",
                "[\"a\u{FFFD}b\",1,2]", "RFC 3629, 3: bytes in a row are one slip and no column"),
            BrokenText(text(Array("[1".utf8), [0xFF], Array(",2]".utf8)), "1:3 invalidUTF8", "[1,2]", "RFC 3629, 3"),
            BrokenText(text(Array("[\"a".utf8), [0xE2, 0x82]), "1:4 cutOff", "[\"a\u{FFFD}\"]", "RFC 3629, 4"),
            BrokenText(
                text(units("[1]", mark: true, isLittle: true), [0x20]),
                "1:1 otherEncoding, 1:4 extraContent", "[1]", isComplete: false, "RFC 2781: half a unit"),
            BrokenText([0xFF, 0xFE], "1:1 otherEncoding, 1:1 empty", nil, "RFC 2781"),
            BrokenText(
                units("<html>", mark: true, isLittle: true), "1:1 otherEncoding, 1:1 html", nil,
                isComplete: false, "RFC 8259, 8.1"),
        ]
        + [true, false].flatMap { isLittle in
            [true, false].map { mark in
                BrokenText(
                    units("{\"a\":\n \"é😀\" 1,}", mark: mark, isLittle: isLittle),
                    "1:1 otherEncoding, 2:6 missingComma, 2:8 trailingComma", "{\"a\":\"é😀\"}",
                    "RFC 8259, 8.1: \(isLittle ? "little" : "big")-endian, mark: \(mark)")
            }
        }
}
