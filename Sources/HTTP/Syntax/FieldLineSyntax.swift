/// The syntax of a field line, the same in a head and in trailers.
enum FieldLineSyntax {
    /// Splits a line without its CRLF.
    ///
    /// - Returns: where the name and the value without the white space around it stand in `bytes`.
    @inline(__always)
    static func split(
        _ bytes: FieldBytes, _ line: Range<Int>
    ) throws(Rejection) -> (name: Range<Int>, value: Range<Int>) {
        let first = bytes[line.lowerBound]
        guard first != 0x20, first != 0x09 else { throw .foldedFieldLine }
        let colon = bytes.end(of: ByteClass.token, in: line)
        guard colon < line.upperBound else { throw .malformedFieldLine }
        guard colon > line.lowerBound, bytes[colon] == UInt8(ascii: ":") else { throw .malformedFieldName }
        var low = colon + 1
        var high = line.upperBound
        while low < high, bytes[low] == 0x20 || bytes[low] == 0x09 { low += 1 }
        while high > low, bytes[high - 1] == 0x20 || bytes[high - 1] == 0x09 { high -= 1 }
        guard bytes.end(of: ByteClass.value, in: low..<high) == high else { throw .malformedFieldValue }
        return (line.lowerBound..<colon, low..<high)
    }
}
