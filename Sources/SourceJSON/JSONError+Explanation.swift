public import MotivatorPlatform

extension JSONError: ExplainedError {
    public var problem: String { "\(location): \(whatIsWrong)" }

    public var exitCode: ExitCode { .badInput }

    /// The problem without its location.
    public var whatIsWrong: String {
        switch self {
        case .empty: "the file is empty"
        case .byteOrderMark: "the file begins with a byte order mark"
        case .otherEncoding(_, let name): "the file is in \(name), not in UTF-8"
        case .html: "the file is an HTML page, not JSON"
        case .richText: "the file is rich text (RTF), not JSON"
        case .invalidUTF8(_, let byte): "the byte 0x\(byte.hexadecimal) is not valid UTF-8"
        case .cutOff(_, let construct, let opened):
            "the file ends inside the \(construct.rawValue) that begins at \(opened)"
        case .extraContent(_, let found): "\(found.shown) follows the end of the JSON value"
        case .tooDeep(_, let limit): "objects and arrays are nested more than \(limit) levels deep"
        case .trailingComma(_, let construct): "a comma follows the last value of the \(construct.rawValue)"
        case .missingComma(_, let next): "a comma is missing before the value or key that begins at \(next)"
        case .strayComma: "no value precedes this comma"
        case .missingColon(_, let key): "the key \(key.excerpt) is not followed by a colon"
        case .missingValue(_, let key): "the key \(key.excerpt) has no value"
        case .mismatchedBracket(_, let found, let construct, let opened):
            "\(found.shown) cannot close the \(construct.rawValue) that begins at \(opened)"
        case .comment: "JSON does not allow comments"
        case .invisibleCharacter(_, let scalar): "JSON does not allow the invisible character \(scalar.code)"
        case .unexpected(_, let found, let expected): "expected \(expected.rawValue), found \(found.shown)"
        case .typographicQuote(_, let quote):
            "\(quote.shown) is a typographic quote, which neither opens nor closes a string"
        case .singleQuote: "JSON strings require straight double quotes, not single quotes"
        case .unquotedKey(_, let key): "the key \(key.excerpt) is not in quotes"
        case .unclosedString: "the string that begins here has no closing quote on its line"
        case .controlCharacter(_, let scalar): "a string contains the control character \(scalar.code)"
        case .unknownEscape(_, let scalar): "a backslash followed by \(scalar.shown) is not a JSON escape"
        case .shortEscape: "\\u is not followed by four hexadecimal digits"
        case .loneSurrogate(_, let escape): "\(escape) is half of a surrogate pair without the other half"
        case .unknownWord(_, let word): "\(word.excerpt) is not a JSON value"
        case .malformedNumber(_, let text, let problem): "the number \(text.excerpt) \(problem.rawValue)"
        }
    }

    public var fix: String {
        switch self {
        case .empty: "Put a JSON object into the file, such as {\"webcredentials\":{\"apps\":[]}}"
        case .byteOrderMark: "Save the file as UTF-8 without a byte order mark"
        case .otherEncoding, .invalidUTF8: "Save the file as UTF-8"
        case .html: "Use the JSON file; an error page or a login page may have been saved instead"
        case .richText: "Save the file as plain text"
        case .cutOff(_, .string, _):
            "Close the string with a straight quote, or use the complete file"
        case .cutOff(_, .object, _): "Close the object with \"}\", or use the complete file"
        case .cutOff(_, .array, _): "Close the array with \"]\", or use the complete file"
        case .cutOff: "Use the complete file"
        case .extraContent: "Remove everything after the first value"
        case .tooDeep: "Remove unnecessary brackets"
        case .trailingComma, .strayComma: "Remove the comma"
        case .missingComma: "Add a comma"
        case .missingColon: "Add a colon and a value after the key"
        case .missingValue: "Add a value after the colon, or remove the key"
        case .mismatchedBracket(_, _, .object, _): "Close the object with \"}\" first, or remove the bracket"
        case .mismatchedBracket: "Close the array with \"]\" first, or remove the bracket"
        case .comment: "Remove the comment"
        case .invisibleCharacter: "Delete the character, or replace it with a plain space"
        case .unexpected: "Correct or remove this text"
        case .typographicQuote: "Replace it with a straight quote (\"), and turn off typographic quotes in the editor"
        case .singleQuote: "Replace it with a straight double quote (\")"
        case .unquotedKey: "Put the key in straight double quotes"
        case .unclosedString:
            "Add a straight quote (\") at the end of the string; write a line break in a string as \\n"
        case .controlCharacter(_, let scalar): "Remove it, or write it as \(scalar.escape)"
        case .unknownEscape: "Write a backslash as \\\\; JSON escapes are \\\" \\\\ \\/ \\b \\f \\n \\r \\t and \\uXXXX"
        case .shortEscape: "Write four hexadecimal digits after \\u, or a backslash as \\\\"
        case .loneSurrogate: "Write both halves of the pair, or the character itself"
        case .unknownWord: "Write true, false or null in lower case, and put other text in straight double quotes"
        case .malformedNumber:
            "Write a decimal number, such as 0, -1, 2.5 or 1e6, or put the text in straight double quotes"
        }
    }
}
