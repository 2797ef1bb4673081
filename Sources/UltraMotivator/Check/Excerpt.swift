import SourceJSON

/// The line of a place with a caret below it; of a long line, what is around the place.
struct Excerpt {
    /// Characters that are shown, so that a page as wide as this site's need not be scrolled.
    private static let width = 64
    /// Of them in front of the place at the most, so that a phone shows the caret.
    private static let front = 24
    /// Bytes in front of the place and behind it that are looked at, however long the line is: each issue has an excerpt.
    private static let reach = 256

    let text: String

    /// - Parameters:
    ///   - text: the text that the place is in.
    ///   - place: the place.
    init(_ text: [UInt8], at place: SourceLocation) {
        let offset = min(max(place.offset, 0), text.count)
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
        let margin = "\(place.line) | "
        let front = isCut.front ? "…" : ""
        let indent = String(repeating: " ", count: margin.count + front.count + before.count)
        self.text = "\(margin)\(front)\(String(before))\(String(after))\(isCut.back ? "…" : "")\n\(indent)^"
    }

    /// The bytes as characters that each take a column; half a character at a cut is left out.
    private static func characters(_ bytes: ArraySlice<UInt8>) -> ArraySlice<Character> {
        let whole = bytes.drop { $0 & 0xC0 == 0x80 }
        return Array(String(decoding: whole, as: UTF8.self).visible)[...]
    }
}
