package import AssociationDiagnostics
import MotivatorPlatform

extension JSONError {
    /// Returns the change of the text that follows the fix, if it is one edit, needs no choice and leaves fewer errors.
    package func edit(in text: [UInt8]) -> TextEdit? {
        let before = RecoveringJSONDocument(text).errors
        return candidates(in: text).first { edit in
            guard edit.range.upperBound <= text.count else { return false }
            let after = RecoveringJSONDocument(edit.applied(to: text)).errors
            guard after.count == before.count, after.count >= RecoveringJSONDocument.maximumErrors else {
                return after.count < before.count
            }
            // The parser stopped at the maximum, so the last error shows how far it got.
            return zip(before.suffix(1), after.suffix(1)).allSatisfy { $0.location < $1.location }
        }
    }

    private func candidates(in text: [UInt8]) -> [TextEdit] {
        let start = location.offset
        switch self {
        case .byteOrderMark: return [TextEdit(0..<3, "")]
        case .trailingComma: return [TextEdit(start..<start + 1, "")]
        case .strayComma:
            let end = text[start...].prefix { " \t\r\n,".utf8.contains($0) }.lastIndex(of: UInt8(ascii: ",")) ?? start
            let before = text[..<start].lastIndex { !" \t\r\n".utf8.contains($0) }
            let first = before.flatMap { text[$0] == UInt8(ascii: ",") ? $0 : nil } ?? start
            // Several commas in a row are one error. Before a closing bracket, the comma that precedes them is wrong too.
            return [TextEdit(start..<end + 1, ""), TextEdit(first..<end + 1, "")]
        case .missingComma: return [TextEdit(start..<start, ",")]
        case .unquotedKey(_, let key): return [TextEdit(start..<start + key.utf8.count, JSONText.quote(key))]
        case .unknownWord(_, let word):
            let lower = word.lowercased()
            return ["true", "false", "null"].contains(lower) ? [TextEdit(start..<start + word.utf8.count, lower)] : []
        case .invisibleCharacter(_, let scalar): return [TextEdit(start..<start + scalar.utf8.count, "")]
        case .comment:
            let rest = text[start...]
            let end =
                rest.starts(with: "/*".utf8) ? rest.dropFirst(2).firstRange(of: Array("*/".utf8))?.upperBound : nil
            return [TextEdit(start..<(end ?? rest.firstIndex(of: .lineFeed) ?? text.count), "")]
        case .singleQuote: return quotes("'", in: text)
        case .typographicQuote(_, let quote): return quotes(quote, in: text)
        case .empty, .otherEncoding, .html, .richText, .invalidUTF8, .cutOff, .extraContent, .tooDeep, .missingColon,
            .missingValue, .mismatchedBracket, .unexpected, .unclosedString, .controlCharacter, .unknownEscape,
            .shortEscape, .loneSurrogate, .malformedNumber, .duplicateKey, .propertyList, .yaml:
            return []
        }
    }

    /// Returns the edits that replace both quotes of a string on one line, or only this quote.
    private func quotes(_ quote: Unicode.Scalar, in text: [UInt8]) -> [TextEdit] {
        let inner = location.offset + quote.utf8.count
        let line = text[inner...].prefix { $0 != .lineFeed }
        let one = TextEdit(location.offset..<inner, "\"")
        let content = String(decoding: line, as: UTF8.self).unicodeScalars
        guard let end = content.firstIndex(where: { "'\"‘’“”„‟«»".unicodeScalars.contains($0) }) else { return [one] }
        let string = String(content[..<end])
        let upper = inner + string.utf8.count + content[end].utf8.count
        return [TextEdit(location.offset..<upper, "\"\(string)\""), one]
    }
}
