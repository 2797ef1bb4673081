import Platform

/// A location in a text: where a value begins or where something is wrong.
public struct SourceLocation: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// The line, counted from 1; LF, CR LF and a CR alone end a line.
    public let line: Int
    /// The column, counted in Unicode scalars from 1. Bytes that are no UTF-8 are not counted.
    public let column: Int
    /// The offset in bytes, counted from 0.
    public let offset: Int

    /// - Parameters:
    ///   - line: the line, from 1.
    ///   - column: the column in Unicode scalars, from 1.
    ///   - offset: the offset in bytes, from 0.
    public init(line: Int, column: Int, offset: Int) {
        self.line = line
        self.column = column
        self.offset = offset
    }

    public var description: String { "line \(line), column \(column)" }

    public static func < (one: SourceLocation, other: SourceLocation) -> Bool { one.offset < other.offset }

    /// The line of the text that holds this location, for a display with a caret under the column.
    ///
    /// - Parameter bytes: the text that the location is in; a location outside of it has an empty line.
    /// - Returns: the line without its end; bytes that are no UTF-8 are shown as U+FFFD.
    public func line(in bytes: [UInt8]) -> String {
        guard offset >= 0, offset <= bytes.count else { return "" }
        let isEnd = { (byte: UInt8) in byte == .lineFeed || byte == .carriageReturn }
        let start = bytes[..<offset].lastIndex(where: isEnd).map { $0 + 1 } ?? 0
        let end = bytes[offset...].firstIndex(where: isEnd) ?? bytes.count
        return String(decoding: bytes[start..<end], as: UTF8.self)
    }
}
