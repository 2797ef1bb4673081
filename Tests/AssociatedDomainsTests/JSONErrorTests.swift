import MotivatorPlatform
import Testing

@testable import SourceJSON

@Suite("JSON errors have a name, a location and a fix")
struct JSONFaultTests {
    struct Case: CustomTestStringConvertible {
        let bytes: [UInt8]
        let line: Int
        let column: Int
        let name: String
        let source: String
        var testDescription: String {
            "\(name) (\(source)): \(String(decoding: bytes, as: UTF8.self).debugDescription)"
        }

        init(_ text: String, _ line: Int, _ column: Int, _ name: String, _ source: String) {
            self.init(Array(text.utf8), line, column, name, source)
        }

        init(_ bytes: [UInt8], _ line: Int, _ column: Int, _ name: String, _ source: String) {
            (self.bytes, self.line, self.column, self.name, self.source) = (bytes, line, column, name, source)
        }
    }

    @Test("Each error is the expected one, at its line and column", arguments: whole + punctuation + strings + rest)
    func fault(_ test: Case) {
        let fault = #expect(throws: JSONError.self) { try JSONDocument(test.bytes) }
        guard let fault else { return }
        #expect(Mirror(reflecting: fault).children.first?.label == test.name)
        #expect(fault.location.line == test.line)
        #expect(fault.location.column == test.column)
        #expect(fault.problem.hasPrefix("line \(test.line), column \(test.column): "))
        #expect(!fault.fix.isEmpty && !fault.fix.hasSuffix("."))
        #expect(fault.problem.utf8.count < 400 && !fault.problem.contains("\n"))
    }

    private static let whole: [Case] = [
        Case("", 1, 1, "empty", "RFC 8259, 2: JSON-text = ws value ws"),
        Case(" \n\t\r\n", 1, 1, "empty", "RFC 8259, 2"),
        Case("\u{FEFF}{}", 1, 1, "byteOrderMark", "RFC 8259, 8.1"),
        Case([0xFF, 0xFE, 0x7B, 0, 0x7D, 0], 1, 1, "otherEncoding", "RFC 8259, 8.1: UTF-16LE with a mark"),
        Case([0xFE, 0xFF, 0, 0x7B, 0, 0x7D], 1, 1, "otherEncoding", "RFC 8259, 8.1: UTF-16BE with a mark"),
        Case([0x7B, 0, 0x7D, 0], 1, 1, "otherEncoding", "RFC 4627, 3: UTF-16LE"),
        Case([0, 0x7B, 0, 0x7D], 1, 1, "otherEncoding", "RFC 4627, 3: UTF-16BE"),
        Case("<!DOCTYPE html>", 1, 1, "html", "an error page saved as the file"),
        Case("\n  <html>", 2, 3, "html", "an error page saved as the file"),
        Case("{\\rtf1\\ansi {}}", 1, 1, "richText", "a file saved by TextEdit"),
        Case("{", 1, 2, "cutOff", "RFC 8259, 4"),
        Case("{\"a\": [1, 2\n}\n", 2, 1, "mismatchedBracket", "RFC 8259, 5"),
        Case("{\n  \"a\": [\n    1\n  ]\n\n\n", 4, 4, "cutOff", "RFC 8259, 4: the place is where the content ends"),
        Case("[tru", 1, 5, "cutOff", "RFC 8259, 3"),
        Case("[-", 1, 3, "cutOff", "RFC 8259, 6"),
        Case("[1.", 1, 4, "cutOff", "RFC 8259, 6"),
        Case("[\"ab", 1, 5, "cutOff", "RFC 8259, 7"),
        Case("[\"\\u12", 1, 7, "cutOff", "RFC 8259, 7"),
        Case(Array("[\"".utf8) + [0xE2, 0x82], 1, 3, "cutOff", "RFC 3629, 4"),
        Case("{} {}", 1, 4, "extraContent", "RFC 8259, 2"),
        Case("{}\n}", 2, 1, "extraContent", "RFC 8259, 2"),
        Case("{},\n[]", 2, 1, "extraContent", "RFC 8259, 2"),
        Case("{}, 1", 1, 3, "extraContent", "RFC 8259, 2"),
        Case([0x7B, 0x7D, 0], 1, 3, "extraContent", "RFC 8259, 2"),
        Case(String(repeating: "[", count: 513), 1, 513, "tooDeep", "JSONDocument.maximumDepth"),
    ]

    private static let punctuation: [Case] = [
        Case("{\"a\":1,}", 1, 7, "trailingComma", "RFC 8259, 4"),
        Case("[1,\n 2,\n]", 2, 3, "trailingComma", "RFC 8259, 5"),
        Case("{\n\"a\": {}\n\"b\": {}}", 2, 8, "missingComma", "RFC 8259, 4"),
        Case("[\"a\" \"b\"]", 1, 5, "missingComma", "RFC 8259, 5"),
        Case("[1 [2]]", 1, 3, "missingComma", "RFC 8259, 5"),
        Case(
            "[\"say “hi”\"\n\"b\"]", 1, 12, "missingComma", "RFC 8259, 5: the typographic quotes are part of the text"),
        Case("[“a\"]", 1, 2, "typographicQuote", "RFC 8259, 7"),
        Case("[\"say “hi”\", 5 6]", 1, 15, "missingComma", "RFC 8259, 5: the string before is complete"),
        Case("[1,,2]", 1, 4, "strayComma", "RFC 8259, 5"),
        Case("[,1]", 1, 2, "strayComma", "RFC 8259, 5"),
        Case("{,\"a\":1}", 1, 2, "strayComma", "RFC 8259, 4"),
        Case("{\"a\":1,,\"b\":2}", 1, 8, "strayComma", "RFC 8259, 4"),
        Case("{\"a\" 1}", 1, 5, "missingColon", "RFC 8259, 4"),
        Case("{\"a\"}", 1, 5, "missingColon", "RFC 8259, 4"),
        Case("{\"a\", \"b\"}", 1, 5, "missingColon", "RFC 8259, 4"),
        Case("{\"a\": }", 1, 6, "missingValue", "RFC 8259, 4"),
        Case("{\"a\":, \"b\": 1}", 1, 6, "missingValue", "RFC 8259, 4"),
        Case("{\"a\": [1}", 1, 9, "mismatchedBracket", "RFC 8259, 5"),
        Case("[{\"a\": 1]", 1, 9, "mismatchedBracket", "RFC 8259, 4"),
        Case("{]", 1, 2, "mismatchedBracket", "RFC 8259, 4"),
        Case("[}", 1, 2, "mismatchedBracket", "RFC 8259, 5"),
        Case("{ // apps\n}", 1, 3, "comment", "RFC 8259, 2: white space has no comments"),
        Case("{\"a\": /* x */ 1}", 1, 7, "comment", "RFC 8259, 2"),
        Case("{}\n# end", 2, 1, "comment", "RFC 8259, 2"),
        Case("{\u{A0}\"a\": 1}", 1, 2, "invisibleCharacter", "RFC 8259, 2: a no-break space is no white space"),
        Case("{\"é\": \u{200B}1}", 1, 7, "invisibleCharacter", "RFC 8259, 2: a zero width space is no white space"),
        Case("[1\u{FEFF}]", 1, 3, "invisibleCharacter", "RFC 8259, 2"),
        Case("[\u{2028}]", 1, 2, "invisibleCharacter", "RFC 8259, 2"),
        Case("[;]", 1, 2, "unexpected", "RFC 8259, 3"),
        Case("{[]: 1}", 1, 2, "unexpected", "RFC 8259, 4"),
        Case("[1 ; 2]", 1, 4, "unexpected", "RFC 8259, 5"),
        Case("}", 1, 1, "unexpected", "RFC 8259, 2"),
        Case("é", 1, 1, "unexpected", "RFC 8259, 3"),
        Case("[/]", 1, 2, "unexpected", "RFC 8259, 3"),
    ]

    private static let strings: [Case] = [
        Case("{“a”: 1}", 1, 2, "typographicQuote", "RFC 8259, 7: a quotation mark is U+0022"),
        Case("{\"a\": ”b”}", 1, 7, "typographicQuote", "RFC 8259, 7"),
        Case("{\"a\": ‘b’}", 1, 7, "typographicQuote", "RFC 8259, 7"),
        Case("{\"a\": „b“}", 1, 7, "typographicQuote", "RFC 8259, 7: the German opening quote"),
        Case("{\n  \"ä\": \"/app/*”\n}", 2, 15, "typographicQuote", "RFC 8259, 7: the closing quote alone"),
        Case("{\"a”: \"b\"}", 1, 4, "typographicQuote", "RFC 8259, 7: the closing quote of a key alone"),
        Case("{\"a\": [\"b”]}", 1, 10, "typographicQuote", "RFC 8259, 7: at the end of a text of one line"),
        Case("{\"a\": \"b”, \"c\": \"d\"}", 1, 9, "typographicQuote", "RFC 8259, 7: the string runs to the next one"),
        Case("{'a': 1}", 1, 2, "singleQuote", "RFC 8259, 7"),
        Case("['a']", 1, 2, "singleQuote", "RFC 8259, 7"),
        Case("{a: 1}", 1, 2, "unquotedKey", "RFC 8259, 4: a name is a string"),
        Case("{\"a\": 1, b: 2}", 1, 10, "unquotedKey", "RFC 8259, 4"),
        Case("{1: 1}", 1, 2, "unquotedKey", "RFC 8259, 4"),
        Case("{\n  \"a\": \"b,\n  \"c\": 1}", 2, 8, "unclosedString", "RFC 8259, 7: U+000A is escaped"),
        Case("[\"a\r\"]", 1, 2, "unclosedString", "RFC 8259, 7: U+000D is escaped"),
        Case("[\"a\tb\"]", 1, 4, "controlCharacter", "RFC 8259, 7: U+0009 is escaped"),
        Case("[\"\0\"]", 1, 3, "controlCharacter", "RFC 8259, 7"),
        Case("[\"\u{1F}\"]", 1, 3, "controlCharacter", "RFC 8259, 7"),
        Case("[\"€\\x\"]", 1, 4, "unknownEscape", "RFC 8259, 7"),
        Case("[\"\\é\"]", 1, 3, "unknownEscape", "RFC 8259, 7"),
        Case("[\"\\'\"]", 1, 3, "unknownEscape", "RFC 8259, 7"),
        Case("[\"\\u00G0\"]", 1, 3, "shortEscape", "RFC 8259, 7"),
        Case("[\"\\u123\"]", 1, 3, "shortEscape", "RFC 8259, 7"),
        Case("[\"\\uD800\"]", 1, 3, "loneSurrogate", "RFC 8259, 8.2"),
        Case("[\"a\\uDC00\"]", 1, 4, "loneSurrogate", "RFC 8259, 8.2"),
        Case("[\"\\uD800\\uD800\"]", 1, 3, "loneSurrogate", "RFC 8259, 8.2"),
        Case("[\"\\uD83Dx\"]", 1, 3, "loneSurrogate", "RFC 8259, 8.2"),
        Case("[\"\\uD83D\\n\"]", 1, 3, "loneSurrogate", "RFC 8259, 8.2"),
        Case(Array("[\"é".utf8) + [0xFF, 0x22, 0x5D], 1, 4, "invalidUTF8", "RFC 3629, 1"),
        Case(Array("[\"".utf8) + [0x80, 0x22, 0x5D], 1, 3, "invalidUTF8", "RFC 3629, 3"),
        Case(Array("[\"".utf8) + [0xC0, 0xAF, 0x22], 1, 3, "invalidUTF8", "RFC 3629, 3: overlong"),
        Case(Array("[\"".utf8) + [0xE0, 0x80, 0xAF, 0x22], 1, 3, "invalidUTF8", "RFC 3629, 3: overlong, three bytes"),
        Case(Array("[\"".utf8) + [0xF0, 0x80, 0x80, 0xAF], 1, 3, "invalidUTF8", "RFC 3629, 3: overlong, four bytes"),
        Case(Array("[\"".utf8) + [0xE9, 0x22, 0x5D], 1, 3, "invalidUTF8", "RFC 3629, 3: Latin-1"),
        Case(Array("[\"".utf8) + [0xED, 0xA0, 0x80], 1, 3, "invalidUTF8", "RFC 3629, 3: a surrogate"),
        Case(Array("[\"".utf8) + [0xF4, 0x90, 0x80, 0x80], 1, 3, "invalidUTF8", "RFC 3629, 3: above U+10FFFF"),
        Case(Array("[\"".utf8) + [0xC3, 0x22, 0x5D], 1, 3, "invalidUTF8", "RFC 3629, 3: too short"),
        Case([0x7B, 0x7D, 0xFF], 1, 3, "invalidUTF8", "RFC 3629, 1"),
    ]

    private static let rest: [Case] = [
        Case("[True]", 1, 2, "unknownWord", "RFC 8259, 3: names are in lower case"),
        Case("[nul]", 1, 2, "unknownWord", "RFC 8259, 3"),
        Case("[undefined]", 1, 2, "unknownWord", "RFC 8259, 3"),
        Case("[NaN]", 1, 2, "unknownWord", "RFC 8259, 6"),
        Case("{\"a\": yes}", 1, 7, "unknownWord", "RFC 8259, 3"),
        Case("hello", 1, 1, "unknownWord", "RFC 8259, 3"),
        Case("[01]", 1, 2, "malformedNumber", "RFC 8259, 6: leading zero"),
        Case("[-01]", 1, 2, "malformedNumber", "RFC 8259, 6: leading zero"),
        Case("[+1]", 1, 2, "malformedNumber", "RFC 8259, 6: plus"),
        Case("[.5]", 1, 2, "malformedNumber", "RFC 8259, 6: int is not optional"),
        Case("[1.]", 1, 2, "malformedNumber", "RFC 8259, 6: frac has a digit"),
        Case("[1e]", 1, 2, "malformedNumber", "RFC 8259, 6: exp has a digit"),
        Case("[-]", 1, 2, "malformedNumber", "RFC 8259, 6: a minus alone"),
        Case("[0x1F]", 1, 2, "malformedNumber", "RFC 8259, 6: no hexadecimal"),
        Case("[1_000]", 1, 2, "malformedNumber", "RFC 8259, 6"),
        Case("[-Infinity]", 1, 2, "malformedNumber", "RFC 8259, 6"),
        Case("\r\n\r[\n\"é\", 0x1]", 4, 6, "malformedNumber", "CR LF, CR and LF each end one line"),
    ]

    @Test(
        "The error of a number quotes the whole number (RFC 8259, 6)",
        arguments: [
            "01", "-00.5", "+1", ".5", "-.5", "1.", "1.e5", "-x", "1e", "1E+.5", "0x1F", "1.2.3", "1_000", "1e5.5",
        ])
    func number(text: String) {
        let place = SourceJSON.SourceLocation(line: 1, column: 2, offset: 1)
        #expect(throws: JSONError.malformedNumber(place, text: text)) {
            try JSONDocument(Array("[\(text)]".utf8))
        }
    }

    @Test(
        "The error of a truncated text names the open element and its start",
        arguments: [
            ("[{\"a\":1", JSONError.Construct.object, 2), ("{\"a\":[1,", .array, 6), ("[\"a", .string, 2),
            ("[1, -", .number, 5), ("[fal", .word, 2), ("{\"a\"", .object, 1),
        ])
    func cutOff(text: String, construct: JSONError.Construct, column: Int) throws {
        let fault = try #require(throws: JSONError.self) { try JSONDocument(Array(text.utf8)) }
        guard case .cutOff(_, construct, let opened) = fault else {
            Issue.record("\(fault)")
            return
        }
        #expect(opened.column == column)
    }

    @Test("A byte of Latin-1 is named itself, not the byte after it")
    func latin() {
        let place = SourceJSON.SourceLocation(line: 1, column: 3, offset: 2)
        #expect(throws: JSONError.invalidUTF8(place, byte: 0xE9)) {
            try JSONDocument(Array("[\"".utf8) + [0xE9, 0x22, 0x5D])
        }
    }

    @Test("The column of a fault counts scalars")
    func column() throws {
        let fault = try #require(throws: JSONError.self) { try JSONDocument(Array("{\r\n  \"é\": 'x'\n}".utf8)) }
        #expect(fault.location == SourceJSON.SourceLocation(line: 2, column: 8, offset: 11))
    }
}
