/// One field value as the request head hands it out: the bytes between the white space, in place in the receive buffer.
///
/// A value is read where it lies and nothing is copied, so it is good only while that buffer is neither moved nor
/// refilled. Whoever needs it longer copies it into an array. Optional white space around the value (RFC 9112 §5.1)
/// has been removed by then.
public typealias FieldBytes = UnsafeBufferPointer<UInt8>

extension UnsafeBufferPointer where Element == UInt8 {
    /// Whether the bytes are `lowercase`, letters compared without regard to case (RFC 9110 §5.6.2 and the fields that
    /// say so).
    ///
    /// Only A–Z fold. A byte above 0x7F is equal to itself alone, whatever a locale thinks of it.
    /// - Parameter lowercase: an ASCII literal without capital letters.
    public func equalsIgnoringCase(_ lowercase: StaticString) -> Bool {
        guard count == lowercase.utf8CodeUnitCount else { return false }
        let expected = lowercase.utf8Start
        for index in 0..<count where FieldSyntax.lowercased(self[index]) != expected[index] {
            return false
        }
        return true
    }

    /// The bytes of `range` without the optional white space at its two ends.
    func trimmed(_ range: Range<Int>) -> FieldBytes {
        var start = range.lowerBound
        var end = range.upperBound
        while start < end, FieldSyntax.isOptionalWhitespace(self[start]) {
            start += 1
        }
        while end > start, FieldSyntax.isOptionalWhitespace(self[end - 1]) {
            end -= 1
        }
        return extracting(start..<end)
    }

    /// Whether this is a token (RFC 9110 §5.6.2): at least one byte, all of them token bytes.
    var isToken: Bool {
        !isEmpty && allSatisfy(FieldSyntax.isTokenByte)
    }
}
