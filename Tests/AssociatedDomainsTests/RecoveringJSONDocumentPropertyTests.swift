import AssociatedDomains
import Foundation
import TestSupport
import Testing

@testable import SourceJSON

@Suite("The recovering parser agrees with the strict parser")
struct RecoveringJSONDocumentPropertyTests {
    private static let samples =
        [
            """
            {
              "webcredentials": { "apps": ["D3KQX62K1A.com.example.DemoApp", "D3KQX62K1A.com.example.DemoAdminApp"] },
              "applinks": { "details": [{ "components": [{ "/": "/*", "exclude": true, "?": { "q": "?*" } }] }] }
            }
            """,
            "{\"é😀\": [true, false, null, -0.5e+10, 12, {}, [], [[1]], \"\\u00e9\\uD83D\\uDE00\\n\\\"\\\\ // no comment\"]}",
            "[\"say “hi”, then /* go\", \"it's\", {\"a\": [{\"b\": {\"c\": []}}], \"\": 0}]",
        ].map { Array($0.utf8) }

    private static let tokens =
        [
            "{", "}", "[", "]", ",", ":", "\"", "\"a\"", "\"a\":", "\\", "\\\"", "\\u", "\\uD800", "“", "”", "’", "'",
            "`",
            "1", "-", "0", ".", "e", "+", "=", ";", "(", ")", "true", "nul", "True", "key:", " ", "\t", "\n", "\r", "é",
            "/",
            "*", "#", "//", "/*", "*/", "\u{A0}", "\0", "\u{FEFF}", "<", "```",
        ].map { Array($0.utf8) } + [[0xFF], [0xE9], [0xE2, 0x82], [0xF0, 0x9F], [0xFF, 0xFE]]

    @Test("The first error is that of the strict parser, after any edits of a valid text", arguments: [1, 2, 3, 4])
    func edits(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<1_000 {
            var bytes = Self.samples.randomElement(using: &generator) ?? []
            for _ in 0..<Int.random(in: 0...4, using: &generator) { edit(&bytes, using: &generator) }
            check(bytes)
        }
    }

    @Test("The first error is that of the strict parser in random tokens", arguments: [5, 6, 7, 8])
    func random(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<1_000 {
            let count = Int.random(in: 0..<40, using: &generator)
            check((0..<count).flatMap { _ in Self.tokens.randomElement(using: &generator) ?? [] })
        }
    }

    @Test("The first error is that of the strict parser in a valid text that is cut at any byte", arguments: samples)
    func prefixes(sample: [UInt8]) {
        for count in 0...sample.count { check(Array(sample[..<count])) }
    }

    private func edit(_ bytes: inout [UInt8], using generator: inout SeededGenerator) {
        guard !bytes.isEmpty else { return }
        let index = Int.random(in: 0..<bytes.count, using: &generator)
        let end = min(bytes.count, index + Int.random(in: 1...12, using: &generator))
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: bytes.remove(at: index)
        case 1: bytes[index] = .random(in: 0...255, using: &generator)
        case 2: bytes.insert(contentsOf: Self.tokens.randomElement(using: &generator) ?? [], at: index)
        default: bytes.removeSubrange(index..<end)
        }
    }

    private func check(_ bytes: [UInt8], sourceLocation: Testing.SourceLocation = #_sourceLocation) {
        let text = String(decoding: bytes, as: UTF8.self).debugDescription
        let json = RecoveringJSONDocument(bytes)
        do throws(JSONError) {
            let document = try JSONDocument(bytes)
            let isSame =
                json.errors.isEmpty && json.isComplete && json.text == bytes
                && json.root.map(RecoveringJSONDocumentTests.written)
                    == RecoveringJSONDocumentTests.written(document.root)
                && json.duplicateKeys == document.duplicateKeys
            #expect(isSame, "\(text)", sourceLocation: sourceLocation)
        } catch {
            #expect(json.errors.first == error, "\(text)", sourceLocation: sourceLocation)
        }
        let places = json.errors.map(\.location)
        let isInOrder = zip(places.dropFirst(), places.dropFirst(2)).allSatisfy { $0 <= $1 }
        #expect(
            isInOrder && places.allSatisfy { $0.offset <= json.text.count }, "\(text)", sourceLocation: sourceLocation)
        #expect(json.errors.count <= RecoveringJSONDocument.maximumErrors, "\(text)", sourceLocation: sourceLocation)
    }

    /// Without a limit on repeated parsing, many of these texts would take minutes.
    @Test(
        "A large text that repeats one error is parsed in bounded time",
        arguments: [
            "[", "{", "]", "[}", "{]", "\"", "“", "'", "`x", "'x'x", "\"”", "\"”,", "\"a\"", "\"a", "a\n", "\"\n",
            "\"a\n",
            "/*", "/*\n", "//\n", "#\n", " \n", "\n", "\u{A0}", ",", ":", "\\", "\\\"", "\\u", "\"\\uD800", "1 ", "-",
            "x ",
            "{\"a", "[\"a\":", "\"a\":", "{\"a\",", "(", "{a", "é", "\u{FEFF}", "\"x\" ", "\"x\"y", "[\"a, ", "\"\"",
            "”x",
        ])
    func great(piece: String) {
        for prefix in ["", "[\"", "{\"a\":"] {
            let bytes = Array(prefix.utf8) + Array(String(repeating: piece, count: 5_000).utf8)
            let json = RecoveringJSONDocument(bytes)
            let limit = RecoveringJSONDocument.maximumErrors + RecoveringJSONDocument.maximumQuotes
            #expect(!json.errors.isEmpty && json.errors.count <= limit)
            #expect(json.errors.count(where: { !$0.isTypographicQuote }) <= RecoveringJSONDocument.maximumErrors)
        }
    }

    @Test(
        "The broken files in the corpus have one error each, and keep their details",
        .enabled(if: corpus != nil, "ASSOCIATION_CORPUS names the folder"),
        arguments: [
            ("015", "8:18 typographicQuote"), ("049", "1:1 empty"), ("051", "17:5 trailingComma"),
            ("074", "12:6 missingComma"), ("102", "10:5 cutOff"), ("121", "6:16 unclosedString"),
        ])
    func files(number: String, fault: String) throws {
        let json = RecoveringJSONDocument(try Self.file(number + ".json"))
        #expect(RecoveringJSONDocumentTests.list(json.errors) == fault)
        let applinks = json.root?.object?["applinks"]?.object
        #expect((applinks?["details"]?.array ?? []).isEmpty == (number == "049"))
    }

    private static let corpus = ProcessInfo.processInfo.environment["ASSOCIATION_CORPUS"]

    private static func file(_ name: String) throws -> [UInt8] {
        try Array(Data(contentsOf: URL(filePath: "\(corpus ?? "")/\(name)")))
    }
}
