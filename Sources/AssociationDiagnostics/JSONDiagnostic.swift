/// Diagnostics about the JSON syntax of the file (RFC 8259). The parser writes the messages.
package enum JSONDiagnostic: String, DiagnosticGroup {
    case empty = "json-empty"
    case byteOrderMark = "json-byte-order-mark"
    case encoding = "json-encoding"
    case html = "json-html"
    case richText = "json-rich-text"
    case propertyList = "json-property-list"
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

    package var row: Diagnostic.Row {
        switch self {
        case .empty: denied("The file is not empty.", "An empty file is not JSON.", "2", "a file of 0 bytes")
        case .byteOrderMark:
            .init(
                "The text does not begin with a byte order mark.",
                because: "RFC 8259 allows a parser to ignore the mark, but does not require it. Some devices may not "
                    + "ignore the mark.", .all(.warning).unproven(in: .device, .ios9, .ios8), .json("8.1"),
                example: "the bytes EF BB BF before {")
        case .encoding:
            .init(
                "The text is in UTF-8.", because: "JSON sent over a network must be in UTF-8.",
                .all(.denial).unproven(in: .device, .ios9, .ios8), .json("8.1"), example: "a file in UTF-16")
        case .html:
            denied(
                "The file is JSON, not an HTML page.", "Servers often send error and login pages with status 200.",
                "2", "<!doctype html>")
        case .richText:
            denied(
                "The file is JSON, not rich text.", "TextEdit saves rich text (RTF) by default.", "2", #"{\rtf1\ansi"#)
        case .propertyList:
            .init(
                "The file is JSON, not a property list.",
                because: "Xcode stores entitlements in a property list. They belong in the app, not on the site.",
                .all(.denial), .supporting,
                message: "The file is a property list, not JSON.",
                fix: "Serve the JSON of the association file. To check entitlements, use --entitlements.",
                example: #"<?xml version="1.0"?><plist version="1.0">"#)
        case .invalidUTF8:
            denied("The text is valid UTF-8.", "Parsers reject invalid bytes.", "8.1", "a letter in Latin-1")
        case .cutOff:
            denied("The text is complete.", "An unclosed value is not valid JSON.", "2", #"{"webcredentials":{"#)
        case .extraContent:
            denied("Nothing follows the JSON value.", "A JSON text is exactly one value.", "2", "{} x")
        case .tooDeep:
            .init(
                "Objects and arrays are not nested too deeply.",
                because: "Parsers limit the nesting depth. The limit on devices is unknown.",
                .all(.denial).unproven(in: .device, .documented, .ios9, .ios8), .json("9"), example: "[[[[…]]]]")
        case .trailingComma:
            denied(
                "No comma follows the last value.", "JavaScript allows a trailing comma, but JSON does not.", "4",
                #"{"apps":["D3KQX62K1A.com.example.DemoApp",]}"#)
        case .missingComma:
            denied("Commas separate values.", "JSON has no other separator.", "4", #"["a" "b"]"#)
        case .strayComma: denied("A value precedes each comma.", "JSON has no empty values.", "4", "[,1]")
        case .missingColon:
            denied("A colon follows each key.", "JSON requires a colon between a key and its value.", "4", #"{"a" 1}"#)
        case .missingValue:
            denied("A value follows each colon.", "A key without a value is not valid JSON.", "4", #"{"a":}"#)
        case .bracket:
            denied(
                "Each closing bracket matches its opening bracket.", "Objects and arrays cannot overlap.", "2",
                "[{]}")
        case .comment:
            denied(
                "The file has no comments.", "JSON does not allow comments. A component can have the key \"comment\".",
                "2", "{ // why")
        case .invisibleCharacter:
            denied(
                "White space consists of spaces, tabs and line endings.", "Parsers reject other invisible characters.",
                "2", "a no-break space before a key")
        case .unexpected:
            denied("The text contains only values and punctuation.", "Parsers reject anything else.", "2", "{;}")
        case .typographicQuote:
            denied("Strings are in straight quotes.", "Some editors insert curly quotes automatically.", "7", "{“a”:1}")
        case .singleQuote:
            denied(
                "Strings are in double quotes.", "JavaScript allows single quotes, but JSON does not.", "7", "{'a':1}")
        case .unquotedKey:
            denied("Keys are in quotes.", "JavaScript allows keys without quotes, but JSON does not.", "4", "{a:1}")
        case .unclosedString:
            denied("A string ends on the line where it begins.", "Write a line break in a string as \\n.", "7", #"["a"#)
        case .controlCharacter:
            denied("Control characters are escaped.", "JSON forbids raw control characters.", "7", "a tab in a string")
        case .escape:
            denied("Each escape is valid in JSON.", "Parsers reject other escapes.", "7", #"["\x41"]"#)
        case .surrogate:
            denied("Surrogates occur in pairs.", "A lone surrogate is not a character.", "8.2", #"["\uD800"]"#)
        case .word:
            denied("Unquoted words are true, false or null.", "JSON has no other words.", "3", #"{"exclude":True}"#)
        case .number: denied("Numbers are decimal.", "JSON has no other notation for numbers.", "6", "[0x10]")
        case .duplicateKey:
            .init(
                "No key occurs twice in an object.",
                because: "A device silently uses only one of the values. Apple does not document which value.",
                .all(.warning), .json("4"),
                message: "The key {key} occurs twice. The first occurrence is at {first}.",
                fix: "Remove one of the two keys, or merge their values.", example: #"{"applinks":{},"applinks":{}}"#)
        }
    }

    private func denied(_ text: String, _ reason: String, _ section: String, _ example: String) -> Diagnostic.Row {
        .init(text, because: reason, .all(.denial), .json(section), example: example)
    }
}
