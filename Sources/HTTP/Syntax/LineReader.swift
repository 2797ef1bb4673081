/// A reader for the lines of requests, responses and trailers (RFC 9112 §2.2, §5).
///
/// The caller passes all unconsumed bytes to each call. The reader remembers its position and searches each byte only
/// once, even if a line arrives byte by byte.
struct LineReader: Sendable {
    enum FieldStep {
        case needMore
        case field(name: Range<Int>, value: Range<Int>)
        /// The empty line after the fields, with the index of the next byte.
        case end(Int)
    }

    private var lineStart = 0
    private var searched = 0
    private var fieldsStart = 0
    private var fieldCount = 0

    /// Returns the index of the LF of the current line; nil if it has not arrived.
    @inline(__always)
    mutating func lineFeed(in bytes: FieldBytes) -> Int? {
        if searched < bytes.count, let found = bytes.first(0x0A, in: searched..<bytes.count) { return found }
        searched = bytes.count
        return nil
    }

    /// Returns the current line and moves to the next line.
    /// - Parameter lineFeed: the index of its LF.
    /// - Returns: the line without CRLF.
    /// - Throws: `bareLineFeed` if no CR precedes the LF.
    @inline(__always)
    mutating func take(upTo lineFeed: Int, in bytes: FieldBytes) throws(Rejection) -> Range<Int> {
        guard lineFeed > lineStart, bytes[lineFeed - 1] == 0x0D else { throw .bareLineFeed }
        let line = lineStart..<lineFeed - 1
        lineStart = lineFeed + 1
        searched = lineStart
        return line
    }

    /// Starts a section of field lines at the current line.
    mutating func startFields() {
        (fieldsStart, fieldCount) = (lineStart, 0)
    }

    /// Parses the next field line, or the empty line that ends the section.
    /// - Throws: `fieldsTooLarge`, `tooManyFieldLines`, `bareLineFeed`, or the first syntax error in the line.
    @inline(__always)
    mutating func nextField(in bytes: FieldBytes, _ limits: Limits) throws(Rejection) -> FieldStep {
        let end = lineFeed(in: bytes)
        // The empty line does not count toward the limit.
        guard (end.map { $0 + 1 } ?? bytes.count) - fieldsStart <= limits.fieldBytes + 2 else { throw .fieldsTooLarge }
        guard let end else { return .needMore }
        let line = try take(upTo: end, in: bytes)
        if line.isEmpty { return .end(lineStart) }
        guard fieldCount < limits.fieldLines else { throw .tooManyFieldLines }
        fieldCount += 1
        let (name, value) = try Self.split(bytes, line)
        return .field(name: name, value: value)
    }

    /// Consumes the lines before the current line, and adjusts all positions.
    /// - Returns: the number of bytes before the current line, which the caller must remove.
    mutating func consumeLines() -> Int {
        let count = lineStart
        (lineStart, searched, fieldsStart) = (0, searched - count, fieldsStart - count)
        return count
    }

    /// Splits `field-name ":" OWS field-value OWS` (RFC 9112 §5).
    @inline(__always)
    private static func split(
        _ bytes: FieldBytes, _ line: Range<Int>
    ) throws(Rejection) -> (name: Range<Int>, value: Range<Int>) {
        guard !ByteClass.isWhitespace(bytes[line.lowerBound]) else { throw .foldedFieldLine }
        let colon = bytes.end(of: ByteClass.token, in: line)
        guard colon < line.upperBound else { throw .malformedFieldLine }
        guard colon > line.lowerBound, bytes[colon] == UInt8(ascii: ":") else { throw .malformedFieldName }
        let value = bytes.trimmed(colon + 1..<line.upperBound)
        guard bytes.end(of: ByteClass.value, in: value) == value.upperBound else { throw .malformedFieldValue }
        return (line.lowerBound..<colon, value)
    }
}
