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
    /// - Parameters:
    ///   - line: The line, from 1.
    ///   - column: The column in Unicode scalars, from 1.
    ///   - offset: The offset in bytes, from 0.
    public init(line: Int, column: Int, offset: Int) {
        (self.line, self.column, self.offset) = (line, column, offset)
    }

    package init(offset: Int, in text: [UInt8]) {
        let before = text[..<offset]
        let start = before.lastIndex { $0 == .lineFeed || $0 == .carriageReturn }.map { $0 + 1 } ?? 0
        let ends = before.indices.count { index in
            before[index] == .lineFeed || (before[index] == .carriageReturn && text[index + 1] != .lineFeed)
        }
        self.init(line: ends + 1, column: before[start...].count { $0 & 0xC0 != 0x80 } + 1, offset: offset)
    }

    public var description: String { "line \(line), column \(column)" }

    public static func < (one: SourceLocation, other: SourceLocation) -> Bool { one.offset < other.offset }

    /// Returns the line that contains this location, for display with a caret below the column.
    /// - Parameter bytes: The text.
    /// - Returns: The line without its ending, or "" if the location is outside the text. Invalid UTF-8 becomes U+FFFD.
    public func line(in bytes: [UInt8]) -> String {
        guard offset >= 0, offset <= bytes.count else { return "" }
        let isEnd = { (byte: UInt8) in byte == .lineFeed || byte == .carriageReturn }
        let start = bytes[..<offset].lastIndex(where: isEnd).map { $0 + 1 } ?? 0
        let end = bytes[offset...].firstIndex(where: isEnd) ?? bytes.count
        return String(decoding: bytes[start..<end], as: UTF8.self)
    }
}
