/// A change of a text that follows a fix and needs no choice.
package struct TextEdit: Sendable, Hashable {
    /// The bytes to replace.
    package let range: Range<Int>
    package let replacement: String

    package init(_ range: Range<Int>, _ replacement: String) {
        (self.range, self.replacement) = (range, replacement)
    }

    package func applied(to text: [UInt8]) -> [UInt8] {
        text[..<range.lowerBound] + Array(replacement.utf8) + text[range.upperBound...]
    }
}
