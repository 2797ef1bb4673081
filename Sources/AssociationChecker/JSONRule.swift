import SourceJSON

/// The file is strict JSON (RFC 8259).
enum JSONRule: String, RuleGroup {
    case empty = "json-empty"
    case byteOrderMark = "json-byte-order-mark"
    case encoding = "json-encoding"
    case html = "json-html"
    case richText = "json-rich-text"
    case invalidUTF8 = "json-invalid-utf8"
    case cutOff = "json-cut-off"
    case extraContent = "json-extra-content"
    case tooDeep = "json-too-deep"
    case trailingComma = "json-trailing-comma"
    case missingComma = "json-missing-comma"
    case strayComma = "json-stray-comma"
    case missingColon = "json-missing-colon"
    case missingValue = "json-missing-value"
    case bracket = "json-bracket"
    case comment = "json-comment"
    case invisibleCharacter = "json-invisible-character"
    case unexpected = "json-unexpected"
    case typographicQuote = "json-typographic-quote"
    case singleQuote = "json-single-quote"
    case unquotedKey = "json-unquoted-key"
    case unclosedString = "json-unclosed-string"
    case controlCharacter = "json-control-character"
    case escape = "json-escape"
    case surrogate = "json-surrogate"
    case word = "json-word"
    case number = "json-number"
    case duplicateKey = "json-duplicate-key"

    package var entry: Rule.Entry {
        switch self {
        case .empty: denied("The file holds a JSON object.", "An empty file is no JSON.", "2")
        case .byteOrderMark:
            denied("No byte order mark stands in front of the text.", "A reader may refuse it as no JSON.", "8.1")
        case .encoding: denied("The text is in UTF-8.", "Other encodings are not JSON between systems.", "8.1")
        case .html:
            denied("The file is JSON, not an HTML page.", "Error and login pages are often sent with status 200.", "2")
        case .richText:
            denied("The file is JSON, not rich text.", "TextEdit saves RTF unless it is told to make plain text.", "2")
        case .invalidUTF8: denied("Every byte belongs to a character of UTF-8.", "A reader refuses others.", "8.1")
        case .cutOff: denied("The text is whole.", "What is not closed is no JSON.", "2")
        case .extraContent: denied("Nothing follows after the one value.", "JSON is one value.", "2")
        case .tooDeep:
            denied("Objects and arrays are not inside one another without end.", "Readers have a limit.", "9")
        case .trailingComma:
            denied("No comma follows the last member or element.", "JavaScript lets it pass, JSON does not.", "4")
        case .missingComma: denied("A comma stands between members and elements.", "JSON has no other sign.", "4")
        case .strayComma: denied("Something stands in front of each comma.", "An empty place is no value.", "4")
        case .missingColon: denied("A colon follows each key.", "Without it there is no member.", "4")
        case .missingValue: denied("A value follows each colon.", "Without it there is no member.", "4")
        case .bracket: denied("Brackets close what they opened.", "Objects and arrays do not overlap.", "2")
        case .comment: denied("There are no comments.", "JSON has none; components have the key comment.", "2")
        case .invisibleCharacter:
            denied("White space is space, tab and line ends.", "Others look alike and are refused.", "2")
        case .unexpected: denied("Only values, keys and signs stand in the text.", "Anything else is refused.", "2")
        case .typographicQuote:
            denied("Strings are in straight quotes.", "Editors put curved ones in their place by themselves.", "7")
        case .singleQuote: denied("Strings are in double quotes.", "Single ones are JavaScript, not JSON.", "7")
        case .unquotedKey: denied("Keys are in quotes.", "Bare ones are JavaScript, not JSON.", "4")
        case .unclosedString: denied("A string ends on its line.", "A line end inside has to be escaped.", "7")
        case .controlCharacter: denied("Control characters are escaped.", "JSON refuses them as they are.", "7")
        case .escape: denied("Escapes are those of JSON.", "Others have no meaning.", "7")
        case .surrogate: denied("Surrogates come in pairs.", "Half of one is no character.", "8.2")
        case .word: denied("The words are true, false and null.", "JSON has no others.", "3")
        case .number: denied("Numbers are decimal.", "JSON has one way to write them.", "6")
        case .duplicateKey:
            .init(
                "No key stands twice in an object.",
                because: "No document says which of the two a device takes; the other is lost without a word.",
                .all(.warning), .json("4"))
        }
    }

    private func denied(_ text: String, _ reason: String, _ section: String) -> Rule.Entry {
        .init(text, because: reason, .all(.denial), .json(section))
    }

    /// The rule that a fault breaks.
    init(_ fault: JSONFault) {
        self =
            switch fault {
            case .empty: .empty
            case .byteOrderMark: .byteOrderMark
            case .otherEncoding: .encoding
            case .html: .html
            case .richText: .richText
            case .invalidUTF8: .invalidUTF8
            case .cutOff: .cutOff
            case .extraContent: .extraContent
            case .tooDeep: .tooDeep
            case .trailingComma: .trailingComma
            case .missingComma: .missingComma
            case .strayComma: .strayComma
            case .missingColon: .missingColon
            case .missingValue: .missingValue
            case .mismatchedBracket: .bracket
            case .comment: .comment
            case .invisibleCharacter: .invisibleCharacter
            case .unexpected: .unexpected
            case .typographicQuote: .typographicQuote
            case .singleQuote: .singleQuote
            case .unquotedKey: .unquotedKey
            case .unclosedString: .unclosedString
            case .controlCharacter: .controlCharacter
            case .unknownEscape, .shortEscape: .escape
            case .loneSurrogate: .surrogate
            case .unknownWord: .word
            case .malformedNumber: .number
            }
    }
}
