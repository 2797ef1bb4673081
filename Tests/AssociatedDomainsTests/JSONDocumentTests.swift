import MotivatorPlatform
import TestSupport
import Testing

@testable import SourceJSON

@Suite("The value of a JSON text")
struct JSONDocumentTests {
    private func read(_ text: String) throws -> JSONDocument { try JSONDocument(Array(text.utf8)) }

    @Test("Every value and key has its line, its column in scalars and its offset in bytes")
    func places() throws {
        let root = try #require(try read("{\r\n \"é😀\" : [ true,\n\r\"x\" ]\n, \"b\":{}}").root.object)
        #expect(
            root.members.map(\.keyLocation) == [
                SourceJSON.SourceLocation(line: 2, column: 2, offset: 4),
                SourceJSON.SourceLocation(line: 5, column: 3, offset: 32),
            ])
        let array = root.members[0].value
        #expect(array.location == SourceJSON.SourceLocation(line: 2, column: 9, offset: 15))
        #expect(
            array.array?.map(\.location) == [
                SourceJSON.SourceLocation(line: 2, column: 11, offset: 17),
                SourceJSON.SourceLocation(line: 4, column: 1, offset: 24),
            ])
        #expect(root.members[1].value.location == SourceJSON.SourceLocation(line: 5, column: 7, offset: 36))
    }

    @Test(
        "The location of an offset counts LF, CR LF and a lone CR as one line end each, and scalars as columns",
        arguments: [
            (0, 1, 1), (1, 1, 2), (2, 1, 2), (3, 2, 1), (5, 2, 2), (6, 3, 1), (7, 3, 2), (8, 4, 1),
        ])
    func offset(_ offset: Int, _ line: Int, _ column: Int) {
        let location = SourceJSON.SourceLocation(offset: offset, in: Array("a\r\né\rb\n".utf8))
        #expect(location == SourceJSON.SourceLocation(line: line, column: column, offset: offset))
    }

    @Test("Members keep their order, and a duplicate key is kept and reported with both locations")
    func duplicates() throws {
        let document = try read("{\"b\":1,\"a\":{\"x\":1,\"x\":2},\n\"b\":3,\"b\":4}")
        #expect(document.root.object?.members.map(\.key) == ["b", "a", "b", "b"])
        #expect(document.duplicateKeys.map(\.key) == ["x", "b", "b"])
        #expect(document.duplicateKeys.map(\.first.offset) == [12, 1, 1])
        #expect(
            document.duplicateKeys.map(\.second.description) == [
                "line 1, column 19", "line 2, column 1", "line 2, column 7",
            ])
    }

    @Test("Keys are compared scalar by scalar after their escapes (RFC 8259, 8.3)")
    func keys() throws {
        #expect(try read("{\"\\u0061\":1,\"a\":2}").duplicateKeys.count == 1)
        let composed = try read("{\"\u{E9}\":1,\"e\u{301}\":2}")
        #expect(composed.duplicateKeys.isEmpty)
        guard case .number("2")? = composed.root.object?["e\u{301}"]?.content else {
            Issue.record("the second spelling does not find the second member")
            return
        }
    }

    @Test(
        "Escapes are resolved (RFC 8259, 7)",
        arguments: [
            ("\\\"\\\\\\/\\b\\f\\n\\r\\t", "\"\\/\u{8}\u{C}\n\r\t"), ("\\u0041\\u00e9\\u20AC", "Aé€"),
            ("\\uD834\\uDD1E", "\u{1D11E}"), ("a\\u0000b", "a\0b"), ("é\\n日", "é\n日"), ("\\\\u0041", "\\u0041"),
            ("\\uDBFF\\uDFFF", "\u{10FFFF}"), ("\\uD800\\uDC00", "\u{10000}"), ("plain", "plain"), ("", ""),
        ])
    func escapes(written: String, text: String) throws {
        #expect(try read("\"\(written)\"").root.string == text)
    }

    @Test("A number is kept as it is written", arguments: ["0", "-0", "1e400", "12345678901234567890123", "1.50E+01"])
    func numbers(text: String) throws {
        guard case .number(text) = try read(" \(text) ").root.content else {
            Issue.record("\(text) is not preserved")
            return
        }
    }

    @Test("The words are themselves")
    func words() throws {
        let values = try #require(try read("[true,false,null]").root.array)
        #expect(values.map(\.kind) == [.boolean, .boolean, .null])
        #expect(values.map(\.boolean) == [true, false, nil])
    }

    @Test("512 nested arrays are parsed, 513 are not, and a million open brackets take no stack")
    func depth() throws {
        let nested = { (depth: Int) in
            [UInt8](repeating: 0x5B, count: depth) + [UInt8](repeating: 0x5D, count: depth)
        }
        #expect(throws: Never.self) { try JSONDocument(nested(512)) }
        let place = SourceJSON.SourceLocation(line: 1, column: 513, offset: 512)
        #expect(throws: JSONError.tooDeep(place, limit: 512)) { try JSONDocument(nested(513)) }
        #expect(throws: JSONError.tooDeep(place, limit: 512)) { try JSONDocument(nested(1_000_000)) }
        #expect(throws: JSONError.self) { try read(String(repeating: "{\"a\":", count: 100_000)) }
    }

    @Test("A text with many members, many escapes or one long string is read in one go")
    func large() throws {
        let members = (0..<20_000).map { "\"k\($0)\":0" }.joined(separator: ",")
        #expect(try read("{\(members)}").root.object?.members.count == 20_000)
        let escapes = String(repeating: "\\u00e9", count: 50_000)
        #expect(try read("\"\(escapes)\"").root.string?.unicodeScalars.count == 50_000)
        #expect(try read("\"\(String(repeating: "é", count: 200_000))\"").root.string?.utf8.count == 400_000)
    }

    /// A text with each kind of token. It does not end with a number, so that each proper prefix is incomplete.
    private static let sample = """
        {
          "webcredentials": { "apps": ["D3KQX62K1A.com.example.DemoApp", "D3KQX62K1A.com.example.DemoAdminApp"] },
          "é😀": [true, false, null, -0.5e+10, 12, {}, [], [[1]], "\\u00e9\\uD83D\\uDE00\\n\\"\\\\ // no comment, "],
          "applinks": { "details": [{ "components": [{ "/": "/*", "exclude": true }] }] }
        }
        """

    @Test("A valid text that is cut at any byte is reported as cut off, within the text")
    func prefixes() throws {
        let bytes = Array(Self.sample.utf8)
        #expect(throws: Never.self) { try JSONDocument(bytes) }
        for count in 1..<bytes.count {
            let fault = try #require(throws: JSONError.self) { try JSONDocument(Array(bytes[..<count])) }
            guard case .cutOff(let place, _, let opened) = fault else {
                Issue.record("\(count) bytes: \(fault)")
                continue
            }
            #expect(place.offset <= count && opened.offset < count && opened <= place)
        }
    }

    @Test(
        "A valid text with one changed byte is parsed or rejected, with a location in the text", arguments: [1, 2, 3])
    func mutations(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let sample = Array(Self.sample.utf8)
        for _ in 0..<1_000 {
            var bytes = sample
            bytes[Int.random(in: 0..<bytes.count, using: &generator)] = .random(in: 0...255, using: &generator)
            check(bytes)
        }
    }

    @Test("Random bytes and random tokens are parsed or rejected, with a location in the text", arguments: [4, 5, 6])
    func random(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let tokens = [
            "{", "}", "[", "]", ",", ":", "\"", "\"a\"", "\\", "\\u", "D800", "“", "”", "'", "1", "-", "0", ".", "e",
            "true",
            "nul", " ", "\n", "\r", "é", "/", "*", "#", "\u{A0}", "\0", "\u{FEFF}",
        ].map { Array($0.utf8) }
        for _ in 0..<2_000 {
            let count = Int.random(in: 0..<24, using: &generator)
            check((0..<count).map { _ in .random(in: 0...255, using: &generator) })
            check((0..<count).flatMap { _ in tokens.randomElement(using: &generator) ?? [] })
        }
    }

    private func check(_ bytes: [UInt8]) {
        do throws(JSONError) {
            let document = try JSONDocument(bytes)
            #expect(document.bytes == bytes)
            #expect(String(validating: bytes, as: UTF8.self) != nil)
            checkPlaces(document.root, in: bytes)
        } catch {
            let place = error.location
            #expect(place.offset <= bytes.count && place.line >= 1 && place.column >= 1, "\(error) in \(bytes)")
            #expect(!error.description.isEmpty)
            checkPlace(place, in: bytes)
        }
    }

    private func checkPlaces(_ value: JSONValue, in bytes: [UInt8]) {
        checkPlace(value.location, in: bytes)
        let first = bytes[value.location.offset]
        switch value.content {
        case .object(let object):
            #expect(first == UInt8(ascii: "{"))
            for member in object.members {
                checkPlace(member.keyLocation, in: bytes)
                #expect(bytes[member.keyLocation.offset] == UInt8(ascii: "\""))
                checkPlaces(member.value, in: bytes)
            }
        case .array(let elements):
            #expect(first == UInt8(ascii: "["))
            for element in elements { checkPlaces(element, in: bytes) }
        case .string: #expect(first == UInt8(ascii: "\""))
        case .number: #expect("-0123456789".utf8.contains(first))
        case .boolean(let truth): #expect(first == UInt8(ascii: truth ? "t" : "f"))
        case .null: #expect(first == UInt8(ascii: "n"))
        }
    }

    /// Computes the line and column a second time, in the simplest way, by splitting the text at line breaks.
    private func checkPlace(_ place: SourceJSON.SourceLocation, in bytes: [UInt8]) {
        let text = String(decoding: bytes[..<place.offset], as: UTF8.self).unicodeScalars
        guard !text.contains("\u{FFFD}"), !text.contains("\r") else { return }
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        let isRight = place.line == lines.count && place.column == (lines.last?.count ?? 0) + 1
        #expect(isRight, "\(place) in \(bytes)")
    }
}
