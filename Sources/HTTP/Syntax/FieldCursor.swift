/// A position in a field value.
///
/// If a `take` method returns false or nil, the position is unspecified, and the caller rejects the whole value.
struct FieldCursor {
    let bytes: FieldBytes
    private(set) var index = 0

    init(_ bytes: FieldBytes) {
        self.bytes = bytes
    }

    var isAtEnd: Bool { index == bytes.count }

    /// The byte at the position; nil at the end.
    var current: UInt8? { index < bytes.count ? bytes[index] : nil }

    mutating func take(_ byte: UInt8) -> Bool {
        guard current == byte else { return false }
        index += 1
        return true
    }

    /// Consumes an ASCII literal. The comparison is case-sensitive.
    mutating func take(_ text: StaticString) -> Bool {
        let count = text.utf8CodeUnitCount
        guard bytes.count - index >= count, bytes.part(index..<index + count).isExactly(text) else {
            return false
        }
        index += count
        return true
    }

    mutating func takeAny(_ count: Int) -> FieldBytes? {
        guard bytes.count - index >= count else { return nil }
        index += count
        return bytes.part(index - count..<index)
    }

    mutating func takeNumber(digits count: Int) -> Int? {
        takeAny(count)?.decimal
    }

    /// Consumes the bytes, possibly none, before the first byte outside a class.
    mutating func take(while bytesOfClass: ByteClass) -> FieldBytes {
        let start = index
        index = bytes.end(of: bytesOfClass, in: index..<bytes.count)
        return bytes.part(start..<index)
    }

    mutating func skipOptionalWhitespace() {
        _ = take(while: .whitespace)
    }

    /// Consumes a quoted string (RFC 9110 §5.6.4).
    /// - Returns: the bytes between the quotes, with their escapes.
    mutating func takeQuotedString() -> FieldBytes? {
        guard take(ByteClass.quote) else { return nil }
        let start = index
        while let byte = current {
            if byte == ByteClass.quote {
                index += 1
                return bytes.part(start..<index - 1)
            }
            if byte == ByteClass.backslash { index += 1 }
            guard let text = current, ByteClass.has(text, .value) else { return nil }
            index += 1
        }
        return nil
    }
}
