import MotivatorPlatform

/// A location in text.
public struct SourceLocation: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// The line, from 1. LF, CR LF and a lone CR end a line.
    public let line: Int
    /// The column in Unicode scalars, from 1. Invalid bytes do not count.
    public let column: Int
    /// The offset in bytes, from 0.
    public let offset: Int

    /// Creates a location.
    public init(line: Int, column: Int, offset: Int) {
        (self.line, self.column, self.offset) = (line, column, offset)
    }

    /// The location of the first character.
    package static let start = SourceLocation(line: 1, column: 1, offset: 0)

    package init(offset: Int, in text: [UInt8]) {
        self = SourceLocation.start.advanced(to: offset, in: text)
    }

    /// Returns the location of a later offset in the same text.
    package func advanced(to wanted: Int, in text: [UInt8]) -> SourceLocation {
        var (line, column) = (line, column)
        for index in offset..<wanted {
            let byte = text[index]
            if byte == .lineFeed || byte == .carriageReturn {
                // CR LF is one line ending.
                let isFirstOfPair = byte == .carriageReturn && index + 1 < text.count && text[index + 1] == .lineFeed
                if !isFirstOfPair { (line, column) = (line + 1, 1) }
            } else if byte & 0xC0 != 0x80 {
                column += 1
            }
        }
        return SourceLocation(line: line, column: column, offset: wanted)
    }

    public var description: String { "line \(line), column \(column)" }

    public static func < (one: SourceLocation, other: SourceLocation) -> Bool { one.offset < other.offset }
}
