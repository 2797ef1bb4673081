import TestSupport
import Testing

@testable import HTTPSClient
@testable import UniversalLinks

@Suite("The shortcuts of matching change no result")
struct PatternShortcutTests {
    private func text(_ alphabet: [String], upTo count: Int, _ generator: inout SeededGenerator) -> String {
        (0..<Int.random(in: 0...count, using: &generator)).map { _ in
            alphabet[Int.random(in: alphabet.indices, using: &generator)]
        }.joined()
    }

    @Test("A pair set contains the pairs of each part of the text", arguments: 0..<20)
    func pairs(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(6000 + seed))
        for _ in 0..<100 {
            let whole = (0..<Int.random(in: 0...40, using: &generator)).map { _ in
                UInt32.random(in: Bool.random(using: &generator) ? 0x61...0x64 : 0...0x10_FFFF, using: &generator)
            }
            let start = Int.random(in: 0...whole.count, using: &generator)
            let end = Int.random(in: start...whole.count, using: &generator)
            for part in [whole[start..<end], whole[..<start], whole[start...]] {
                #expect(PairSet(part).isSubset(of: PairSet(whole)))
            }
        }
    }

    @Test("An empty pair set is a subset of every other, and most different texts have different pairs")
    func tellsApart() {
        let path = PairSet("/shop/42".unicodeScalars.map(\.value)[...])
        #expect(PairSet().isSubset(of: path))
        #expect(PairSet([0x2F][...]).isSubset(of: PairSet()))
        let others = ["/help/", "/about", "/terms", "/login", "/en/ca", "/items"].map {
            PairSet($0.unicodeScalars.map(\.value)[...])
        }
        #expect(others.filter { $0.isSubset(of: path) }.isEmpty)
    }

    @Test("Texts of the same length share their pairs")
    func severalTexts() {
        let both = PairSet("/shop/SHOP".unicodeScalars.map(\.value), length: 5)
        for mixed in ["/shop", "/SHOP", "/sHoP", "/ShOp"] {
            let isShared = PairSet(mixed.unicodeScalars.map(\.value)).isSubset(of: both)
            #expect(isShared, "\(mixed)")
        }
        #expect(!PairSet("pS".unicodeScalars.map(\.value)).isSubset(of: both))
    }

    private static let pieces = [
        "a", "b", "/", "*", "?", "B", "é", "%C3", "1", "$(digit)", "$(v)", "$(lang)", "ab", "-", "//", "**",
    ]
    private static let letters = ["a", "b", "/", "B", "é", "1", "x", "de", "-", "*", "ab"]

    @Test("The gate rejects no rule that matches", arguments: 0..<12)
    func gate(seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(7000 + seed))
        for _ in 0..<60 {
            let pattern = text(Self.pieces, upTo: 6, &generator)
            let flags =
                "\"caseSensitive\":\(Bool.random(using: &generator)),"
                + "\"percentEncoded\":\(Bool.random(using: &generator))"
            let links = try UniversalLinks(
                json: """
                    {"substitutionVariables":{"v":["a","B?","/"]},"details":[{"appID":"A","components":\
                    [{"/":"\(pattern)",\(flags)}]}]}
                    """)
            for _ in 0..<6 {
                let url = try WebURL("https://example.com/" + text(Self.letters, upTo: 6, &generator))
                // The explanation compares the URL with each pattern and does not use the gate.
                let compared = links.explain(url).last?.outcome
                #expect(links.match(url).outcome == compared, "\(pattern) \(flags) \(url), seed \(seed)")
            }
        }
    }

    private static let signs = [
        "N", "O", "T", "n", "o", "t", "NOT", "NOT ", " ", "a", "Z", "0", "/", "//", "-", "_", "*", "?", "(", ")", "$",
        "$(",
        "$(lang)", "$(v)", "$(food)", "www", "www.", ".", "com", "id=", "?id=", "#", "%", "%41", "é", "\\", ":", "://",
        "&",
        "=", "{", "\u{0}", "\u{301}", "İ",
    ]

    @Test("The shortcut for plain patterns hides no issue", arguments: 0..<40)
    func plain(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(8000 + seed))
        var plain = 0
        for number in 0..<500 {
            // Half of the patterns contain only characters that occur in plain patterns. Other random patterns are
            // rarely plain.
            let signs = number.isMultiple(of: 2) ? Self.signs : Array(Self.signs[..<26])
            let pattern = text(signs, upTo: 5, &generator)
            for part in [URLPart.path, .query, .fragment] {
                let atoms = PatternAtom.atoms(of: pattern, part: part, names: ["v"])
                guard PatternLint.isPlain(pattern, part) else { continue }
                plain += 1
                for (percentEncoded, prefix) in [(true, "NOT "), (true, nil), (false, ""), (false, nil)] {
                    let lint = PatternLint(
                        pattern, atoms: atoms, part: part, percentEncoded: percentEncoded, legacyPrefix: prefix,
                        host: "example.com", foreign: ForeignSyntax(pattern), variables: nil)
                    #expect(lint.kinds.isEmpty, "\(pattern) in \(part), seed \(seed)")
                }
            }
        }
        #expect(plain > 50)
    }

    @Test("A long pattern, and a pattern after the first 500 of other languages, is not translated")
    func bounded() throws {
        func translated(_ json: String) throws -> Int {
            try UniversalLinks(json: json).issues.count { issue in
                if case .foreignSyntax = issue.kind { true } else { false }
            }
        }
        for pattern in ["[a-b", "[^", "[a", "(|", "|", "{a", "\\\\d-", "/:a(", "<a", ".*(", ",/"] {
            for count in [250 / pattern.count, 30_000] {
                let text = "/(" + String(repeating: pattern, count: count)
                let count = try translated(#"{"details":[{"appID":"A","components":[{"/":"\#(text)"}]}]}"#)
                #expect(count <= (text.utf8.count <= 256 ? 1 : 0), "\(text.prefix(9))")
            }
        }
        let paths = (0..<600).map { "\"/{x}/\($0)\"" }.joined(separator: ",")
        #expect(try translated(#"{"details":[{"appID":"A","paths":[\#(paths)]}]}"#) == 500)
    }
}
