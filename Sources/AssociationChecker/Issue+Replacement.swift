import AssociatedDomains
import MotivatorPlatform
public import SourceJSON

extension Issue {
    /// The change of one place in the subject's text that follows the fix and needs no choice.
    public struct Replacement: Sendable, Hashable {
        /// The first replaced character.
        public let start: SourceLocation
        /// The location after the last replaced character.
        public let end: SourceLocation
        /// The new text.
        public let text: String
        /// The line before the change, truncated around it. Nil if the change affects several lines.
        package let before: String?
        package let after: String?

        /// The maximum number of bytes of the line that are shown on each side of the change.
        private static let reach = 48

        init(_ edit: TextEdit, in text: [UInt8]) {
            start = SourceLocation(offset: edit.range.lowerBound, in: text)
            end = SourceLocation(offset: edit.range.upperBound, in: text)
            self.text = edit.replacement
            let isInside = { (byte: UInt8) in byte != .lineFeed && byte != .carriageReturn }
            let front = text[..<edit.range.lowerBound].suffix(Self.reach + 1).reversed().prefix(while: isInside)
            let back = text[edit.range.upperBound...].prefix(Self.reach + 1).prefix(while: isInside)
            let isOnOneLine = start.line == end.line
            let head = (front.count > Self.reach ? "…" : "") + Self.text(front.prefix(Self.reach).reversed())
            let tail = Self.text(back.prefix(Self.reach)) + (back.count > Self.reach ? "…" : "")
            let old = String(decoding: text[edit.range], as: UTF8.self)
            before = isOnOneLine ? head + old + tail : nil
            after = isOnOneLine ? head + edit.replacement + tail : nil
        }

        package func applied(to bytes: [UInt8]) -> [UInt8] {
            TextEdit(start.offset..<end.offset, text).applied(to: bytes)
        }

        /// Decodes bytes without characters that are cut.
        private static func text(_ bytes: some Sequence<UInt8>) -> String {
            String(decoding: Array(bytes), as: UTF8.self).replacing("\u{FFFD}", with: "")
        }
    }
}
