import SourceJSON

/// The line of a location, with a caret below the location. A long line is truncated around the location.
struct Excerpt {
    /// The maximum number of characters in the line. A longer line would make the page scroll sideways.
    private static let width = 64
    /// The maximum number of characters before the location. More characters would push the caret off a phone's screen.
    private static let front = 12
    /// The maximum number of bytes read on each side of the location, because a line can be very long.
    private static let reach = 256

    let text: String

    init(_ text: [UInt8], at location: SourceLocation) {
        let offset = min(max(location.offset, 0), text.count)
        let isEnd = { (byte: UInt8) in byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") }
        let window = max(offset - Self.reach, 0)..<min(offset + Self.reach, text.count)
        let lineStart = text[window.lowerBound..<offset].lastIndex(where: isEnd).map { $0 + 1 }
        let lineEnd = text[offset..<window.upperBound].firstIndex(where: isEnd)
        var before = Excerpt.characters(text[(lineStart ?? window.lowerBound)..<offset])
        var after = Excerpt.characters(text[offset..<(lineEnd ?? window.upperBound)])
        var isCut = (
            front: lineStart == nil && window.lowerBound > 0, back: lineEnd == nil && window.upperBound < text.count
        )
        if before.count > Self.front {
            before = before.suffix(Self.front)
            isCut.front = true
        }
        if after.count > Self.width - before.count {
            after = after.prefix(Self.width - before.count)
            isCut.back = true
        }
        let margin = "\(location.line) | "
        let front = isCut.front ? "…" : ""
        let indent = String(repeating: " ", count: margin.count + front.count + before.count)
        self.text = "\(margin)\(front)\(String(before))\(String(after))\(isCut.back ? "…" : "")\n\(indent)^"
    }

    /// Decodes bytes into characters that are one column wide. Drops a partial character at the start.
    private static func characters(_ bytes: ArraySlice<UInt8>) -> ArraySlice<Character> {
        let whole = bytes.drop { $0 & 0xC0 == 0x80 }
        return Array(String(decoding: whole, as: UTF8.self).visible)[...]
    }
}
