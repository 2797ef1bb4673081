import Testing

@testable import SourceJSON

@Suite("The grammar of JSON, RFC 8259")
struct JSONGrammarTests {
    struct Case: CustomTestStringConvertible {
        let section: String
        let bytes: [UInt8]
        var testDescription: String {
            "RFC 8259, \(section): \(String(decoding: bytes, as: UTF8.self).debugDescription)"
        }
    }

    @Test("A text that follows the grammar is read", arguments: valid + validBytes)
    func reads(_ test: Case) throws {
        #expect(throws: Never.self) { try JSONDocument(test.bytes) }
    }

    @Test("A text that violates the grammar is rejected", arguments: invalid + invalidBytes)
    func refuses(_ test: Case) {
        #expect(throws: JSONError.self) { try JSONDocument(test.bytes) }
    }

    @Test("A text that follows the grammar is read inside of any white space too", arguments: valid)
    func readsInSpace(_ test: Case) throws {
        let space = Array(" \t\r\n".utf8)
        #expect(throws: Never.self) { try JSONDocument(space + test.bytes + space) }
    }

    @Test("A text that violates the grammar is rejected inside an array too", arguments: invalid)
    func refusesInArray(_ test: Case) {
        // An empty text and values separated by commas are invalid alone, but valid inside an array.
        guard !["", " ", "\n", "1,2", "1,0"].contains(String(decoding: test.bytes, as: UTF8.self)) else { return }
        #expect(throws: JSONError.self) { try JSONDocument([0x5B] + test.bytes + [0x5D]) }
    }

    private static func cases(_ table: [(String, [String])]) -> [Case] {
        table.flatMap { section, texts in texts.map { Case(section: section, bytes: Array($0.utf8)) } }
    }

    private static let valid = cases([
        ("2: any value is a text", ["null", "true", "false", "0", "-1", "\"\"", "\"a\"", "[]", "{}"]),
        ("2: white space", ["[ ]", "{ }", "[\n]", "[\t1\r,\n2 ]", "{ \"a\" : 1 , \"b\" : 2 }", "{\r\n\"a\":1\r\n}"]),
        (
            "4: objects",
            [
                "{\"a\":1}", "{\"\":0}", "{\"a\":{\"a\":{}}}", "{\"a\":[],\"b\":{}}", "{\"a\\u0000b\":1}",
                "{\"a\":1,\"a\":2}",
                "{\"a b\":null}", "{\"é\":1,\"e\u{301}\":2}", "{\"/\":\"/*\",\"?\":{\"q\":\"?*\"}}",
            ]
        ),
        (
            "5: arrays",
            [
                "[1]", "[1,2]", "[[]]", "[[],[]]", "[[[[[]]]]]", "[1,\"a\",true,null,{},[]]", "[\"\"]", "[null,null]",
            ]
        ),
        (
            "6: numbers",
            [
                "-0", "0.0", "-0.0", "1", "12345678901234567890123", "0.1", "1.5", "10.01", "1e1", "1E1", "1e+1",
                "1e-1",
                "1E+01", "0e0", "0E-0", "-1.5e-10", "1e400", "-1e-400", "0.000000000000000000000000000001", "100",
                "9007199254740993",
            ]
        ),
        (
            "7: strings",
            [
                "\"\\\"\"", "\"\\\\\"", "\"\\/\"", "\"\\b\\f\\n\\r\\t\"", "\"/\"", "\"'\"", "\"“”‘’\"",
                "\"// no comment\"",
                "\"\\u0000\"", "\"\\u001f\"", "\"\\uABCD\"", "\"\\uabcd\"", "\"\\uD83D\\uDE00\"", "\"\\ud83d\\ude00\"",
                "\"\\\\u0000\"", "\"\\\\\\\"\"", "\"\u{7F}\"", "\"\u{80}\"", "\"\u{A0}\"", "\"\u{2028}\u{2029}\"",
                "\"\u{FEFF}\"", "\"\u{FFFF}\"", "\"\u{10FFFF}\"", "\"😀\"", "\"日本語\"", "\"\\uFFFF\"",
                "\"\\uDBFF\\uDFFF\"",
                "\"[1,}\"", "\"<html>\"", "\"a,]\"",
            ]
        ),
    ])

    private static let validBytes = [
        Case(section: "8.1: two bytes", bytes: [0x22, 0xC2, 0x80, 0x22]),
        Case(section: "8.1: three bytes, the first", bytes: [0x22, 0xE0, 0xA0, 0x80, 0x22]),
        Case(section: "8.1: the last before the surrogates", bytes: [0x22, 0xED, 0x9F, 0xBF, 0x22]),
        Case(section: "8.1: the first after the surrogates", bytes: [0x22, 0xEE, 0x80, 0x80, 0x22]),
        Case(section: "8.1: four bytes, the first", bytes: [0x22, 0xF0, 0x90, 0x80, 0x80, 0x22]),
        Case(section: "8.1: four bytes, the last", bytes: [0x22, 0xF4, 0x8F, 0xBF, 0xBF, 0x22]),
    ]

    private static let invalid = cases([
        (
            "2: one value",
            ["", " ", "\n", "1 2", "1,2", "{}{}", "[][]", "[]]", "{}}", "\"a\"\"b\"", "true false", "null,"]
        ),
        (
            "2: white space",
            ["\u{B}1", "\u{C}1", "\u{A0}1", "\u{2003}1", "\u{3000}1", "1\u{85}", "//x\n1", "/**/1", "#\n1"]
        ),
        (
            "3: names",
            ["True", "FALSE", "Null", "nil", "none", "tru", "truee", "nulll", "undefined", "t", "falsefalse"]
        ),
        (
            "4: objects",
            [
                "{", "}", "{\"a\"", "{\"a\":", "{\"a\":1", "{\"a\":1,", "{\"a\":1,}", "{,}", "{\"a\"}", "{\"a\",1}",
                "{\"a\":1 \"b\":2}", "{\"a\"::1}", "{:1}", "{a:1}", "{'a':1}", "{1:1}", "{null:1}", "{[]:1}", "{{}:1}",
                "{\"a\":1]", "{\"a\":}", "{\"a\":,\"b\":1}", "{\"a\" \"b\"}", "{\"a\"=1}", "{\"a\":1;\"b\":2}",
                "{\"a\":1,,\"b\":2}",
                "{\"a\":1,\"b\"}", "{\"a\":1:2}", "{\"a\":b}", "{\"a\":'b'}", "{...}",
            ]
        ),
        (
            "5: arrays",
            [
                "[", "]", "[1", "[1,", "[1,]", "[,]", "[,1]", "[1,,2]", "[1 2]", "[1:2]", "[1;2]", "[1}", "[}", "[[]",
                "[1],",
                "[\"a\":1]", "[a]", "[1,2,,]", "[\"a\",\n", "[*]", "(1)",
            ]
        ),
        (
            "6: numbers",
            [
                "+1", "01", "-01", "00", "1.", ".1", "-.1", "1.e1", "1e", "1e+", "1E-", "1e1.5", "1.2.3", "0x1", "1_0",
                "1,0",
                "--1", "-", "-a", "+", "1a", "0e", "1-1", "1+1", "Infinity", "-Infinity", "NaN", "-NaN", "１", "1f",
                "0b1", "1e٣",
            ]
        ),
        (
            "7: strings",
            [
                "\"", "\"a", "a\"", "'a'", "`a`", "“a”", "\"a\nb\"", "\"a\rb\"", "\"a\tb\"", "\"\u{0}\"", "\"\u{1F}\"",
                "\"\\\"",
                "\"\\a\"", "\"\\x41\"", "\"\\0\"", "\"\\'\"", "\"\\U0041\"", "\"\\u\"", "\"\\u1\"", "\"\\u12\"",
                "\"\\u123\"",
                "\"\\u123g\"", "\"\\u{41}\"", "\"\\u 041\"", "\"\\u-041\"", "\"\\\n\"", "\"\\é\"", "\\u0022a\\u0022",
            ]
        ),
        (
            "8.2: a lone surrogate is unpredictable",
            [
                "\"\\uD800\"", "\"\\uDFFF\"", "\"\\uDC00\\uD800\"", "\"\\uD800\\uD800\"", "\"\\uD800\\u0041\"",
                "\"\\uD800\\\"",
                "\"\\uD83D\\\\uDE00\"",
            ]
        ),
        ("8.1: no byte order mark", ["\u{FEFF}1", "\u{FEFF}{}", "\u{FEFF}"]),
    ])

    private static let invalidBytes = [
        Case(section: "8.1: UTF-16", bytes: [0xFF, 0xFE, 0x31, 0]),
        Case(section: "8.1: UTF-32", bytes: [0, 0, 0xFE, 0xFF, 0, 0, 0, 0x31]),
        Case(section: "8.1: Latin-1", bytes: [0x22, 0xE9, 0x22]),
        Case(section: "8.1: a continuation byte alone", bytes: [0x22, 0x80, 0x22]),
        Case(section: "8.1: an overlong slash", bytes: [0x22, 0xC0, 0xAF, 0x22]),
        Case(section: "8.1: an overlong slash of three bytes", bytes: [0x22, 0xE0, 0x80, 0xAF, 0x22]),
        Case(section: "8.1: an overlong slash of four bytes", bytes: [0x22, 0xF0, 0x80, 0x80, 0xAF, 0x22]),
        Case(section: "8.1: an encoded surrogate", bytes: [0x22, 0xED, 0xA0, 0x80, 0x22]),
        Case(section: "8.1: above U+10FFFF", bytes: [0x22, 0xF4, 0x90, 0x80, 0x80, 0x22]),
        Case(section: "8.1: a first byte that is never used", bytes: [0x22, 0xF5, 0x80, 0x80, 0x80, 0x22]),
        Case(section: "8.1: too short", bytes: [0x22, 0xE2, 0x82, 0x22]),
        Case(section: "8.1: too short for four", bytes: [0x22, 0xF0, 0x9F, 0x98, 0x22]),
        Case(section: "2: a zero byte at the end", bytes: [0x31, 0]),
        Case(section: "3: a byte outside of a string", bytes: [0x5B, 0xFF, 0x5D]),
    ]
}
