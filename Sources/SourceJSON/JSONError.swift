/// A JSON error with its location.
public enum JSONError: Error, Hashable, Sendable {
    /// A syntactic construct, as named in messages.
    public enum Construct: String, Sendable {
        case object, array, string, number, word, character
    }

    /// The token that the parser expected.
    public enum Expectation: String, Sendable {
        case value = "a value"
        case key = "a key in straight quotes"
        case colon = "a colon"
        case commaOrBrace = "a comma or \"}\""
        case commaOrBracket = "a comma or \"]\""
    }

    /// An error in a number.
    public enum NumberError: String, Sendable {
        case leadingZero = "begins with an unnecessary zero"
        case leadingPlus = "begins with a plus sign"
        case noDigitBeforePoint = "has no digit before the decimal point"
        case noDigitAfterPoint = "has no digit after the decimal point"
        case noDigitAfterMinus = "has no digit after the minus sign"
        case noDigitInExponent = "has no digit in the exponent"
        case notDecimal = "contains characters that are not allowed in a number"
    }

    // The text as a whole.

    /// The text contains only white space.
    case empty(SourceLocation)
    case byteOrderMark(SourceLocation)
    /// The text is in UTF-16 or UTF-32, according to its byte order mark or its zero bytes.
    case otherEncoding(SourceLocation, name: String)
    case html(SourceLocation)
    case richText(SourceLocation)
    case invalidUTF8(SourceLocation, byte: UInt8)
    /// The text ends before a value is complete.
    case cutOff(SourceLocation, inside: Construct, opened: SourceLocation)
    case extraContent(SourceLocation, found: Unicode.Scalar)
    case tooDeep(SourceLocation, limit: Int)

    // Punctuation.

    case trailingComma(SourceLocation, in: Construct)
    /// A missing comma, with the location after the previous value and the location of the next value.
    case missingComma(SourceLocation, next: SourceLocation)
    /// A comma without a value before it.
    case strayComma(SourceLocation)
    case missingColon(SourceLocation, key: String)
    case missingValue(SourceLocation, key: String)
    /// A closing bracket of the wrong kind.
    case mismatchedBracket(SourceLocation, found: Unicode.Scalar, inside: Construct, opened: SourceLocation)
    case comment(SourceLocation)
    case invisibleCharacter(SourceLocation, Unicode.Scalar)
    case unexpected(SourceLocation, found: Unicode.Scalar, expected: Expectation)

    // Strings.

    case typographicQuote(SourceLocation, Unicode.Scalar)
    case singleQuote(SourceLocation)
    case unquotedKey(SourceLocation, key: String)
    /// A string without a closing quote on its line.
    case unclosedString(SourceLocation)
    case controlCharacter(SourceLocation, Unicode.Scalar)
    case unknownEscape(SourceLocation, Unicode.Scalar)
    /// `\u` without four hexadecimal digits.
    case shortEscape(SourceLocation)
    case loneSurrogate(SourceLocation, escape: String)

    // Words and numbers.

    case unknownWord(SourceLocation, word: String)
    case malformedNumber(SourceLocation, text: String, NumberError)

    /// The location of the error.
    public var location: SourceLocation {
        switch self {
        case .empty(let location), .byteOrderMark(let location), .otherEncoding(let location, _), .html(let location),
            .richText(let location), .invalidUTF8(let location, _), .cutOff(let location, _, _),
            .extraContent(let location, _),
            .tooDeep(let location, _), .trailingComma(let location, _), .missingComma(let location, _),
            .strayComma(let location),
            .missingColon(let location, _), .missingValue(let location, _), .mismatchedBracket(let location, _, _, _),
            .comment(let location), .invisibleCharacter(let location, _), .unexpected(let location, _, _),
            .typographicQuote(let location, _), .singleQuote(let location), .unquotedKey(let location, _),
            .unclosedString(let location), .controlCharacter(let location, _), .unknownEscape(let location, _),
            .shortEscape(let location), .loneSurrogate(let location, _), .unknownWord(let location, _),
            .malformedNumber(let location, _, _):
            location
        }
    }
}
