import Platform

extension JSONFault: ExplainedError {
    public var problem: String { "\(location): \(whatIsWrong)" }

    public var exitCode: ExitCode { .badInput }

    /// The problem without its location, for a display that shows the location in its own way.
    public var whatIsWrong: String {
        switch self {
        case .empty: "the file is empty"
        case .byteOrderMark: "the file begins with a byte order mark"
        case .otherEncoding(_, let name): "the file is in \(name), not in UTF-8"
        case .html: "the file is an HTML page, not JSON"
        case .richText: "the file is rich text (RTF), not JSON"
        case .invalidUTF8(_, let byte): "the byte 0x\(byte.hexadecimal) is no UTF-8"
        case .cutOff(_, let construct, let opened):
            "the file ends before the \(construct.rawValue) that begins at \(opened) is complete"
        case .extraContent(_, let found): "\(found.shown) follows after the end of the JSON value"
        case .tooDeep(_, let limit): "more than \(limit) objects and arrays are inside one another"
        case .trailingComma(_, let construct): "a comma follows the last value of the \(construct.rawValue)"
        case .missingComma(_, let next): "a comma is missing before the value or key that begins at \(next)"
        case .strayComma: "there is nothing in front of this comma"
        case .missingColon(_, let key): "the key \(key.excerpt) is not followed by a colon"
        case .missingValue(_, let key): "the key \(key.excerpt) has no value"
        case .mismatchedBracket(_, let found, let construct, let opened):
            "\(found.shown) cannot close the \(construct.rawValue) that begins at \(opened)"
        case .comment: "here is a comment, which JSON does not have"
        case .invisibleCharacter(_, let scalar): "here is the invisible character \(scalar.code)"
        case .unexpected(_, let found, let expected): "\(found.shown) stands where \(expected.rawValue) has to be"
        case .typographicQuote(_, let quote):
            "\(quote.shown) is a typographic quote, which neither opens nor closes a string"
        case .singleQuote: "here is a single quote, but JSON quotes with straight double quotes"
        case .unquotedKey(_, let key): "the key \(key.excerpt) is not in quotes"
        case .unclosedString: "the string that begins here is not closed on its line"
        case .controlCharacter(_, let scalar): "the control character \(scalar.code) stands inside a string"
        case .unknownEscape(_, let scalar): "a backslash and \(scalar.shown) is no escape of JSON"
        case .shortEscape: "\\u is not followed by four hexadecimal digits"
        case .loneSurrogate(_, let escape): "\(escape) is half of a surrogate pair, without its other half"
        case .unknownWord(_, let word): "\(word.excerpt) is not a JSON value"
        case .malformedNumber(_, let text, let mistake): "the number \(text.excerpt) \(mistake.rawValue)"
        }
    }

    public var remedy: String {
        switch self {
        case .empty: "Put a JSON object into the file, such as {\"webcredentials\":{\"apps\":[]}}"
        case .byteOrderMark: "Save the file as UTF-8 without a byte order mark"
        case .otherEncoding, .invalidUTF8: "Save the file as UTF-8"
        case .html: "Give the JSON file itself; an error page or a login page may have been saved in its location"
        case .richText: "Save the file as plain text"
        case .cutOff(_, .string, _):
            "Close the string with a straight quote, or take the whole file from its source again"
        case .cutOff(_, .object, _): "Close the object with \"}\", or take the whole file from its source again"
        case .cutOff(_, .array, _): "Close the array with \"]\", or take the whole file from its source again"
        case .cutOff: "Take the whole file from its source again"
        case .extraContent: "Remove everything after the first value"
        case .tooDeep: "Remove the needless brackets"
        case .trailingComma, .strayComma: "Remove the comma"
        case .missingComma: "Put a comma there"
        case .missingColon: "Put a colon and a value after the key"
        case .missingValue: "Put a value after the colon, or remove the key"
        case .mismatchedBracket(_, _, .object, _): "Close the object with \"}\" first, or remove the bracket"
        case .mismatchedBracket: "Close the array with \"]\" first, or remove the bracket"
        case .comment: "Remove the comment"
        case .invisibleCharacter: "Delete the character or type a plain space in its location"
        case .unexpected: "Correct or remove what stands there"
        case .typographicQuote: "Replace it with a straight quote (\"), and switch typographic quotes off in the editor"
        case .singleQuote: "Replace it with a straight double quote (\")"
        case .unquotedKey: "Put the key in straight double quotes"
        case .unclosedString: "Put a straight quote (\") where the string ends; a line break in a string is written \\n"
        case .controlCharacter(_, let scalar): "Remove it, or write it as \(scalar.escape)"
        case .unknownEscape: "Write a backslash as \\\\; the escapes are \\\" \\\\ \\/ \\b \\f \\n \\r \\t and \\uXXXX"
        case .shortEscape: "Write four hexadecimal digits after \\u, or a backslash as \\\\"
        case .loneSurrogate: "Write both halves of the pair, or the character itself"
        case .unknownWord: "Write true, false or null in lower-case letters, or put a text in straight double quotes"
        case .malformedNumber:
            "Write the number in decimal, such as 0, -1, 2.5 or 1e6, or put a text in straight double quotes"
        }
    }
}
