/// A place in a field value, moved forward by whoever reads the value.
///
/// A `take` that returns false or nil leaves the cursor where it was or inside what it could not read; the callers give
/// up the whole value then.
struct FieldCursor {
    let bytes: FieldBytes
    private(set) var index = 0

    init(_ bytes: FieldBytes) {
        self.bytes = bytes
    }

    var isAtEnd: Bool { index == bytes.count }

    /// The byte under the cursor, or nil at the end.
    var current: UInt8? { index < bytes.count ? bytes[index] : nil }

    mutating func take(_ byte: UInt8) -> Bool {
        guard current == byte else { return false }
        index += 1
        return true
    }

    /// Takes the bytes of an ASCII literal, in its exact case.
    mutating func take(_ text: StaticString) -> Bool {
        let count = text.utf8CodeUnitCount
        guard bytes.count - index >= count else { return false }
        let expected = unsafe text.utf8Start
        for offset in 0..<count where unsafe bytes[index + offset] != expected[offset] {
            return false
        }
        index += count
        return true
    }

    /// Takes `count` bytes, whatever they are.
    mutating func takeAny(_ count: Int) -> Bool {
        guard bytes.count - index >= count else { return false }
        index += count
        return true
    }

    /// Takes exactly `count` digits.
    mutating func takeNumber(digits count: Int) -> Int? {
        guard bytes.count - index >= count else { return nil }
        var number = 0
        for _ in 0..<count {
            guard FieldSyntax.isDigit(bytes[index]) else { return nil }
            number = number * 10 + Int(bytes[index] - 0x30)
            index += 1
        }
        return number
    }

    /// Takes bytes as long as `condition` holds, possibly none.
    mutating func take(while condition: (UInt8) -> Bool) -> FieldBytes {
        let start = index
        while index < bytes.count, condition(bytes[index]) {
            index += 1
        }
        return bytes.extracting(start..<index)
    }

    mutating func skipOptionalWhitespace() {
        _ = take(while: FieldSyntax.isOptionalWhitespace)
    }

    /// Takes a quoted string (RFC 9110 §5.6.4) and returns what stands between its quotes, escapes left as they are.
    mutating func takeQuotedString() -> FieldBytes? {
        guard take(FieldSyntax.quote) else { return nil }
        let start = index
        while let byte = current {
            if byte == FieldSyntax.quote {
                index += 1
                return bytes.extracting(start..<index - 1)
            }
            if byte == FieldSyntax.backslash {
                index += 1
            }
            guard let text = current, FieldSyntax.isTextByte(text) else { return nil }
            index += 1
        }
        return nil
    }
}
