package import AssociationDiagnostics
public import MotivatorPlatform

/// A JSON error with its location. Each case is a row of the diagnostic catalog, with its texts in `entry`.
public enum JSONError: ExplainedError, Hashable, Sendable {
    /// A syntactic construct, as named in messages.
    public enum Construct: String, Sendable { case object, array, string, number, word, character }

    /// The token that the parser expected.
    public enum Expectation: String, Sendable {
        case value = "a value"
        case key = "a key in straight quotes"
        case colon = "a colon"
        case commaOrBrace = "a comma or \"}\""
        case commaOrBracket = "a comma or \"]\""
    }

    // The text as a whole.

    case empty(SourceLocation)
    case byteOrderMark(SourceLocation)
    /// The text is in UTF-16, according to its byte order mark or its zero bytes.
    case otherEncoding(SourceLocation)
    /// Markup or a warning instead of JSON, or before it. The text is what precedes the JSON.
    case html(SourceLocation, before: String? = nil)
    case richText(SourceLocation)
    case invalidUTF8(SourceLocation, byte: UInt8)
    case cutOff(SourceLocation, inside: Construct, opened: SourceLocation)
    case extraContent(SourceLocation, found: Unicode.Scalar)
    case tooDeep(SourceLocation, limit: Int)

    // Punctuation.

    case trailingComma(SourceLocation, in: Construct)
    /// A missing comma, with the location after the previous value and the location of the next value.
    case missingComma(SourceLocation, next: SourceLocation)
    case strayComma(SourceLocation)
    case missingColon(SourceLocation, key: String)
    case missingValue(SourceLocation, key: String)
    case mismatchedBracket(SourceLocation, found: Unicode.Scalar, inside: Construct, opened: SourceLocation)
    case comment(SourceLocation)
    case invisibleCharacter(SourceLocation, Unicode.Scalar)
    case unexpected(SourceLocation, found: Unicode.Scalar, expected: Expectation)

    // Strings.

    case typographicQuote(SourceLocation, Unicode.Scalar)
    case singleQuote(SourceLocation)
    case unquotedKey(SourceLocation, key: String)
    case unclosedString(SourceLocation)
    case controlCharacter(SourceLocation, Unicode.Scalar)
    case unknownEscape(SourceLocation, Unicode.Scalar)
    case shortEscape(SourceLocation)
    case loneSurrogate(SourceLocation, escape: String)

    // Words and numbers.

    case unknownWord(SourceLocation, word: String)
    case malformedNumber(SourceLocation, text: String)

    // Problems that the grammar allows, or that the parser does not recognize. The reader of a file reports them.

    case duplicateKey(JSONDocument.DuplicateKey)
    case propertyList(SourceLocation)
    case yaml(SourceLocation)

    /// The location of the error.
    public var location: SourceLocation {
        switch self {
        case .empty(let location), .byteOrderMark(let location), .otherEncoding(let location), .html(let location, _),
            .richText(let location), .invalidUTF8(let location, _), .cutOff(let location, _, _),
            .extraContent(let location, _), .tooDeep(let location, _), .trailingComma(let location, _),
            .missingComma(let location, _), .strayComma(let location), .missingColon(let location, _),
            .missingValue(let location, _), .mismatchedBracket(let location, _, _, _), .comment(let location),
            .invisibleCharacter(let location, _), .unexpected(let location, _, _), .typographicQuote(let location, _),
            .singleQuote(let location), .unquotedKey(let location, _), .unclosedString(let location),
            .controlCharacter(let location, _), .unknownEscape(let location, _), .shortEscape(let location),
            .loneSurrogate(let location, _), .unknownWord(let location, _), .malformedNumber(let location, _),
            .propertyList(let location), .yaml(let location):
            location
        case .duplicateKey(let key): key.second
        }
    }

    public var problem: String { "\(location): \(entry.problem)" }
    public var fix: String { entry.fix }
    public var exitCode: ExitCode { .badInput }

    /// Whether the parser replaced a value in the text with another value.
    package var replacesValue: Bool {
        if case .unknownWord = self { return true }
        if case .malformedNumber = self { return true }
        return false
    }

    package var isTypographicQuote: Bool { if case .typographicQuote = self { true } else { false } }

    /// Whether binary data can cause this error.
    package var mayBeBinary: Bool {
        if case .unexpected = self { return true }
        if case .invalidUTF8 = self { return true }
        return replacesValue
    }
}

// MARK: - Catalog

extension JSONError: CatalogIssue {
    /// Most examples are this file with a mistake.
    private static let good = #"{"webcredentials":{"apps":["D3KQX62K1A.com.example.DemoApp"]}}"#

    package static let examples: [JSONError] = [
        .empty(.start), .byteOrderMark(.start), .otherEncoding(.start), .html(.start),
        .richText(.start), .propertyList(.start), .yaml(.start), .invalidUTF8(.start, byte: 0xE9),
        .cutOff(.start, inside: .object, opened: .start), .extraContent(.start, found: "x"),
        .tooDeep(.start, limit: JSONDocument.maximumDepth), .trailingComma(.start, in: .array),
        .missingComma(.start, next: .start), .strayComma(.start), .missingColon(.start, key: "a"),
        .missingValue(.start, key: "a"),
        .mismatchedBracket(.start, found: "}", inside: .array, opened: .start), .comment(.start),
        .invisibleCharacter(.start, "\u{A0}"), .unexpected(.start, found: "x", expected: .value),
        .typographicQuote(.start, "“"), .singleQuote(.start), .unquotedKey(.start, key: "a"),
        .unclosedString(.start), .controlCharacter(.start, "\t"), .unknownEscape(.start, "x"),
        .loneSurrogate(.start, escape: "\\uD800"), .unknownWord(.start, word: "True"),
        .malformedNumber(.start, text: "0x10"),
        .duplicateKey(JSONDocument.DuplicateKey(key: "a", first: .start, second: .start)),
    ]

    package var entry: CatalogEntry {
        switch self {
        case .empty:
            denied(
                "json-empty", "The file is not empty.", "An empty file is not JSON.", "2", "a file of 0 bytes",
                problem: "the file is empty",
                fix: #"Write the association file, such as {"webcredentials":{"apps":["PREFIX.BUNDLE-ID"]}}"#)
        case .byteOrderMark:
            .init(
                "json-byte-order-mark", "The text does not begin with a byte order mark.",
                because: "RFC 8259 allows a parser to ignore the mark, but does not require it. Some devices may not "
                    + "ignore the mark.", .all(.warning).unproven(in: .device, .ios9, .ios8), .json("8.1"),
                example: "the bytes EF BB BF before {", fixed: Self.good,
                problem: "the file begins with a byte order mark",
                fix: "Save the file as UTF-8 without a byte order mark")
        case .otherEncoding:
            .init(
                "json-encoding", "The text is in UTF-8.", because: "JSON sent over a network must be in UTF-8.",
                .all(.denial).unproven(in: .device, .ios9, .ios8), .json("8.1"), example: "a file in UTF-16",
                fixed: Self.good, problem: "the file is in UTF-16, not in UTF-8", fix: "Save the file as UTF-8")
        case .html(_, let text):
            denied(
                "json-html", "The file is JSON, not an HTML page, and begins with the JSON.",
                "Servers often send error and login pages with status 200. A script may print a warning first.", "2",
                "<!doctype html><title>Not found</title>",
                problem: text.map { "text precedes the JSON: \($0.excerpt)" } ?? "the file is an HTML page, not JSON",
                fix: text != nil
                    ? "Remove this text. If PHP prints it, correct its cause, and set display_errors to Off"
                    : "Use the JSON file; this may be an error page or a login page")
        case .richText:
            denied(
                "json-rich-text", "The file is JSON, not rich text.", "TextEdit saves rich text (RTF) by default.", "2",
                #"{\rtf1\ansi {"webcredentials":{}}}"#, problem: "the file is rich text (RTF), not JSON",
                fix: "Save the file as plain text")
        case .propertyList:
            .init(
                "json-property-list", "The file is JSON, not a property list.",
                because: "Xcode stores entitlements in a property list. They belong in the app, not on the site.",
                .all(.denial), .supporting, example: #"<?xml version="1.0"?><plist version="1.0">"#, fixed: Self.good,
                problem: "the file is a property list, not JSON",
                fix: "Serve the JSON of the association file. To check entitlements, use --entitlements")
        case .yaml:
            denied(
                "json-yaml", "The file is JSON, not YAML.", "Devices do not read YAML.", "2",
                "webcredentials:↵  apps:↵    - D3KQX62K1A.com.example.DemoApp", problem: "the file is YAML, not JSON",
                fix: "Convert the file to JSON, and serve the JSON")
        case .invalidUTF8(_, let byte):
            denied(
                "json-invalid-utf8", "The text is valid UTF-8.", "Parsers reject invalid bytes.", "8.1",
                "a letter in Latin-1", problem: "the byte 0x\(byte.hexadecimal) is not valid UTF-8",
                fix: "Save the file as UTF-8")
        case .cutOff(_, let construct, let opened):
            denied(
                "json-cut-off", "The text is complete.", "An unclosed value is not valid JSON.", "2",
                #"{"webcredentials":{"apps":["D3KQX62K1A.com.example.DemoApp"]"#,
                problem: "the file ends inside the \(construct.rawValue) that begins at \(opened)",
                fix: construct.closing.map { "\($0), or use the complete file" } ?? "Use the complete file")
        case .extraContent(let location, let found):
            denied(
                "json-extra-content", "Nothing follows the JSON value.", "A JSON text is exactly one value.", "2",
                Self.good + " x",
                problem: "{[".unicodeScalars.contains(found)
                    ? "a second JSON document begins at \(location)"
                    : "\(found.shown) follows the end of the JSON value",
                fix: "{[".unicodeScalars.contains(found)
                    ? "Move the content of the second document into the first one, or remove one of the documents"
                    : found == ","
                        ? "If more members follow, remove the bracket before the comma; otherwise, remove the comma"
                        : found == ":"
                            ? "Put the whole content in braces: {…}" : "Remove everything after the first value")
        case .tooDeep(_, let limit):
            .init(
                "json-too-deep", "Objects and arrays are not nested too deeply.",
                because: "Parsers limit the nesting depth. The limit on devices is unknown.",
                .all(.denial).unproven(in: .device, .documented, .ios9, .ios8), .json("9"), example: "[[[[…]]]]",
                fixed: Self.good, problem: "objects and arrays are nested more than \(limit) levels deep",
                fix: "Remove unnecessary brackets")
        case .trailingComma(_, let construct):
            denied(
                "json-trailing-comma", "No comma follows the last value.",
                "JavaScript allows a trailing comma, but JSON does not.", "4",
                #"{"webcredentials":{"apps":["D3KQX62K1A.com.example.DemoApp",]}}"#,
                problem: "a comma follows the last value of the \(construct.rawValue)", fix: "Remove the comma")
        case .missingComma(_, let next):
            denied(
                "json-missing-comma", "Commas separate values.", "JSON has no other separator.", "4",
                #"{"webcredentials":{"apps":["D3KQX62K1A.com.example.A" "D3KQX62K1A.com.example.B"]}}"#,
                fixed: #"{"webcredentials":{"apps":["D3KQX62K1A.com.example.A","D3KQX62K1A.com.example.B"]}}"#,
                problem: "a comma is missing before the value or key that begins at \(next)", fix: "Add a comma")
        case .strayComma:
            denied(
                "json-stray-comma", "A value precedes each comma.", "JSON has no empty values.", "4",
                #"{,"webcredentials":{"apps":["D3KQX62K1A.com.example.DemoApp"]}}"#,
                problem: "no value precedes this comma", fix: "Remove the comma")
        case .missingColon(_, let key):
            denied(
                "json-missing-colon", "A colon follows each key.", "JSON requires a colon between a key and its value.",
                "4", #"{"webcredentials" {"apps":["D3KQX62K1A.com.example.DemoApp"]}}"#,
                problem: "the key \(key.excerpt) is not followed by a colon",
                fix: "Add a colon and a value after the key")
        case .missingValue(_, let key):
            denied(
                "json-missing-value", "A value follows each colon.", "A key without a value is not valid JSON.", "4",
                #"{"webcredentials":}"#, problem: "the key \(key.excerpt) has no value",
                fix: "Add a value after the colon, or remove the key")
        case .mismatchedBracket(_, let found, let construct, let opened):
            denied(
                "json-bracket", "Each closing bracket matches its opening bracket.",
                "Objects and arrays cannot overlap.", "2",
                #"{"webcredentials":{"apps":["D3KQX62K1A.com.example.DemoApp"}}"#,
                problem: "\(found.shown) cannot close the \(construct.rawValue) that begins at \(opened)",
                fix: "Close the \(construct == .object ? "object with \"}\"" : "array with \"]\"") first, "
                    + "or remove the bracket")
        case .comment:
            denied(
                "json-comment", "The file has no comments.",
                "JSON does not allow comments. A component can have the key \"comment\".", "2",
                #"{/* why */"webcredentials":{"apps":["D3KQX62K1A.com.example.DemoApp"]}}"#,
                problem: "JSON does not allow comments", fix: "Remove the comment")
        case .invisibleCharacter(_, let scalar):
            denied(
                "json-invisible-character", "White space consists of spaces, tabs and line endings.",
                "Parsers reject other invisible characters.", "2", "a no-break space before a key",
                problem: "JSON does not allow the invisible character \(scalar.code)",
                fix: "Delete the character, or replace it with a plain space")
        case .unexpected(_, let found, let expected):
            denied(
                "json-unexpected", "The text contains only values and punctuation.", "Parsers reject anything else.",
                "2", #"{"webcredentials":{"apps":["D3KQX62K1A.com.example.DemoApp"]};}"#,
                problem: "expected \(expected.rawValue), found \(found.shown)", fix: "Correct or remove this text")
        case .typographicQuote(_, let quote):
            denied(
                "json-typographic-quote", "Strings are in straight quotes.",
                "Some editors insert curly quotes automatically.", "7",
                #"{“webcredentials”:{"apps":["D3KQX62K1A.com.example.DemoApp"]}}"#,
                problem: "\(quote.shown) is a typographic quote, which neither opens nor closes a string",
                fix: "Replace it with a straight quote (\"), and turn off typographic quotes in the editor")
        case .singleQuote:
            denied(
                "json-single-quote", "Strings are in double quotes.",
                "JavaScript allows single quotes, but JSON does not.", "7",
                #"{'webcredentials':{"apps":["D3KQX62K1A.com.example.DemoApp"]}}"#,
                problem: "JSON strings require straight double quotes, not single quotes",
                fix: "Replace it with a straight double quote (\")")
        case .unquotedKey(_, let key):
            denied(
                "json-unquoted-key", "Keys are in quotes.", "JavaScript allows keys without quotes, but JSON does not.",
                "4", #"{webcredentials:{"apps":["D3KQX62K1A.com.example.DemoApp"]}}"#,
                problem: "the key \(key.excerpt) is not in quotes", fix: "Put the key in straight double quotes")
        case .unclosedString:
            denied(
                "json-unclosed-string", "A string ends on the line where it begins.",
                "Write a line break in a string as \\n.", "7",
                #"{"webcredentials":{"apps":["D3KQX62K1A.com.example.DemoApp↵]}}"#,
                problem: "the string that begins here has no closing quote on its line",
                fix: "Add a straight quote (\") at the end of the string; write a line break in a string as \\n")
        case .controlCharacter(_, let scalar):
            denied(
                "json-control-character", "Control characters are escaped.", "JSON forbids raw control characters.",
                "7", "a tab in a string", fixed: "\\t instead of the tab",
                problem: "a string contains the control character \(scalar.code)",
                fix: "Remove it, or write it as \(scalar.escape)")
        case .unknownEscape(_, let scalar):
            escape(
                "a backslash followed by \(scalar.shown) is not a JSON escape",
                "Write a backslash as \\\\; JSON escapes are \\\" \\\\ \\/ \\b \\f \\n \\r \\t and \\uXXXX")
        case .shortEscape:
            escape(
                "\\u is not followed by four hexadecimal digits",
                "Write four hexadecimal digits after \\u, or a backslash as \\\\")
        case .loneSurrogate(_, let escape):
            denied(
                "json-surrogate", "Surrogates occur in pairs.", "A lone surrogate is not a character.", "8.2",
                #"{"webcredentials":{"apps":["D3KQX62K1A.com.example.DemoApp"],"comment":"\uD83D"}}"#,
                fixed: #"{"webcredentials":{"apps":["D3KQX62K1A.com.example.DemoApp"],"comment":"\uD83D\uDE80"}}"#,
                problem: "\(escape) is half of a surrogate pair without the other half",
                fix: "Write both halves of the pair, or the character itself")
        case .unknownWord(let location, let word):
            denied(
                "json-word", "Unquoted words are true, false or null.", "JSON has no other words.", "3",
                #"{"webcredentials":{"apps":["D3KQX62K1A.com.example.DemoApp"],"debug":True}}"#,
                fixed: #"{"webcredentials":{"apps":["D3KQX62K1A.com.example.DemoApp"],"debug":true}}"#,
                problem: "\(word.excerpt) is not a JSON value",
                fix: word.hasPrefix("HTTP")
                    ? "If the status is 200, remove the head of the response, for example with curl without -i. "
                        + "Otherwise, the content is not the file: check the host itself instead of a file"
                    : location.offset == 0 && !["true", "false", "null"].contains(word.lowercased())
                        ? "Use only the JSON, from its first brace to its last one"
                        : "Write true, false or null in lower case, and put other text in straight double quotes")
        case .malformedNumber(_, let text):
            denied(
                "json-number", "Numbers are decimal.", "JSON has no other notation for numbers.", "6",
                #"{"webcredentials":{"apps":["D3KQX62K1A.com.example.DemoApp"],"version":0x10}}"#,
                fixed: #"{"webcredentials":{"apps":["D3KQX62K1A.com.example.DemoApp"],"version":16}}"#,
                problem: "\(text.excerpt) is not a JSON number",
                fix: "Write a decimal number, such as 0, -1, 2.5 or 1e6, or put the text in straight double quotes")
        case .duplicateKey(let key):
            .init(
                "json-duplicate-key", "No key occurs twice in an object.",
                because: "A device silently uses only one of the values. Apple does not document which value.",
                .all(.warning), .json("4"),
                example: #"{"webcredentials":{"apps":["D3KQX62K1A.com.example.DemoApp"],"apps":[]}}"#,
                fixed: Self.good,
                problem: "the key \(key.key.excerpt) occurs twice. The first occurrence is at \(key.first)",
                fix: "Remove one of the two keys, or merge their values")
        }
    }

    private func escape(_ problem: String, _ fix: String) -> CatalogEntry {
        denied(
            "json-escape", "Each escape is valid in JSON.", "Parsers reject other escapes.", "7",
            #"{"webcredentials":{"apps":["D3KQX62K1A.com.example.DemoApp"],"comment":"C:\apps"}}"#,
            fixed: #"{"webcredentials":{"apps":["D3KQX62K1A.com.example.DemoApp"],"comment":"C:\\apps"}}"#,
            problem: problem, fix: fix)
    }

    private func denied(
        _ code: String, _ rule: String, _ reason: String, _ section: String, _ example: String,
        fixed: String = good, problem: String, fix: String
    ) -> CatalogEntry {
        .init(
            code, rule, because: reason, .all(.denial), .json(section), example: example, fixed: fixed,
            problem: problem, fix: fix)
    }
}

extension JSONError.Construct {
    /// The instruction to close the construct, or nil if nothing closes it.
    fileprivate var closing: String? {
        switch self {
        case .object: "Close the object with \"}\""
        case .array: "Close the array with \"]\""
        case .string: "Close the string with a straight quote"
        case .number, .word, .character: nil
        }
    }
}
