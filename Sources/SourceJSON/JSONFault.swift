/// Why a text is not JSON, with the place of the fault.
public enum JSONFault: Error, Hashable, Sendable {
    /// What a text was in when it ended.
    public enum Construct: String, Sendable {
        case object, array, string, number, word, character
    }

    /// What had to follow.
    public enum Expectation: String, Sendable {
        case value = "a value"
        case key = "a key in straight quotes"
        case colon = "a colon"
        case commaOrBrace = "a comma or \"}\""
        case commaOrBracket = "a comma or \"]\""
    }

    /// What is wrong with a number.
    public enum NumberMistake: String, Sendable {
        case leadingZero = "begins with a needless zero"
        case leadingPlus = "begins with a plus sign"
        case noDigitBeforePoint = "has no digit before the point"
        case noDigitAfterPoint = "has no digit after the point"
        case noDigitAfterMinus = "has no digit after the minus sign"
        case noDigitInExponent = "has no digit in the exponent"
        case notDecimal = "has characters that a number cannot have"
    }

    // The text as a whole.

    /// Nothing but white space.
    case empty(TextPlace)
    case byteOrderMark(TextPlace)
    /// UTF-16 or UTF-32, by its byte order mark or its zero bytes.
    case otherEncoding(TextPlace, name: String)
    case html(TextPlace)
    case richText(TextPlace)
    case invalidUTF8(TextPlace, byte: UInt8)
    /// The text ends inside of something: it may be the beginning of a valid one.
    case cutOff(TextPlace, inside: Construct, opened: TextPlace)
    case extraContent(TextPlace, found: Unicode.Scalar)
    case tooDeep(TextPlace, limit: Int)

    // Punctuation.

    case trailingComma(TextPlace, in: Construct)
    /// The place right after the value that the comma has to follow, and the place of what comes next.
    case missingComma(TextPlace, next: TextPlace)
    /// A comma with nothing in front of it.
    case strayComma(TextPlace)
    case missingColon(TextPlace, key: String)
    case missingValue(TextPlace, key: String)
    /// A bracket that closes what another kind opened.
    case mismatchedBracket(TextPlace, found: Unicode.Scalar, inside: Construct, opened: TextPlace)
    case comment(TextPlace)
    case invisibleCharacter(TextPlace, Unicode.Scalar)
    case unexpected(TextPlace, found: Unicode.Scalar, expected: Expectation)

    // Strings.

    case typographicQuote(TextPlace, Unicode.Scalar)
    case singleQuote(TextPlace)
    case unquotedKey(TextPlace, key: String)
    /// A string that goes on to the end of its line.
    case unclosedString(TextPlace)
    case controlCharacter(TextPlace, Unicode.Scalar)
    case unknownEscape(TextPlace, Unicode.Scalar)
    /// `\u` without four hexadecimal digits.
    case shortEscape(TextPlace)
    case loneSurrogate(TextPlace, escape: String)

    // Words and numbers.

    case unknownWord(TextPlace, word: String)
    case malformedNumber(TextPlace, text: String, NumberMistake)

    /// Where the fault stands.
    public var place: TextPlace {
        switch self {
        case .empty(let place), .byteOrderMark(let place), .otherEncoding(let place, _), .html(let place),
            .richText(let place), .invalidUTF8(let place, _), .cutOff(let place, _, _), .extraContent(let place, _),
            .tooDeep(let place, _), .trailingComma(let place, _), .missingComma(let place, _), .strayComma(let place),
            .missingColon(let place, _), .missingValue(let place, _), .mismatchedBracket(let place, _, _, _),
            .comment(let place), .invisibleCharacter(let place, _), .unexpected(let place, _, _),
            .typographicQuote(let place, _), .singleQuote(let place), .unquotedKey(let place, _),
            .unclosedString(let place), .controlCharacter(let place, _), .unknownEscape(let place, _),
            .shortEscape(let place), .loneSurrogate(let place, _), .unknownWord(let place, _),
            .malformedNumber(let place, _, _):
            place
        }
    }
}
