import TestSupport
import Testing

@testable import HTTPSClient
@testable import UniversalLinks

@Suite("Matching: what holds for every pattern and URL")
struct MatchingPropertyTests {
    private static let app = MatchingCase.app
    private static let variables = ["v": ["a", "ab", "b1"], "w": ["a*b", "?1", ""], "s": ["/"]]
    private static let definitions = "{\"v\":[\"a\",\"ab\",\"b1\"],\"w\":[\"a*b\",\"?1\",\"\"],\"s\":[\"/\"]}"

    private func links(_ component: String) throws -> UniversalLinks {
        try UniversalLinks(
            json: """
                {"substitutionVariables":\(Self.definitions),\
                "details":[{"appID":"\(Self.app)","components":[\(component)]}]}
                """)
    }

    private func text(_ alphabet: [String], upTo count: Int, _ generator: inout SeededGenerator) -> String {
        (0..<Int.random(in: 0...count, using: &generator)).map { _ in
            alphabet[Int.random(in: alphabet.indices, using: &generator)]
        }.joined()
    }

    private static let pieces = ["a", "b", "1", "/", "*", "?", "$(digit)", "$(v)", "$(w)", "$(s)", "*", "a"]
    private static let letters = ["a", "b", "1", "/", "a", "b", "*"]

    @Test("A path agrees with a backtracking matcher", arguments: 0..<20)
    func path(seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        for _ in 0..<50 {
            let pattern = text(Self.pieces, upTo: 7, &generator)
            let links = try links("{\"/\":\"\(pattern)\"}")
            for _ in 0..<4 {
                let path = "/" + text(Self.letters, upTo: 8, &generator)
                let expected = MatchingReference.matches(path: path, pattern: pattern, variables: Self.variables)
                let found = links.match(try WebURL("https://example.com\(path)")).outcome == .matched
                #expect(found == expected, "\(pattern) with \(path), seed \(seed)")
            }
        }
    }

    @Test("A query agrees with a backtracking matcher", arguments: 0..<20)
    func query(seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(1000 + seed))
        for _ in 0..<50 {
            let pattern = text(Self.pieces, upTo: 7, &generator)
            let links = try links("{\"?\":\"\(pattern)\"}")
            for _ in 0..<4 {
                let query = text(Self.letters, upTo: 8, &generator)
                let expected = MatchingReference.matches(query: query, pattern: pattern, variables: Self.variables)
                let found = links.match(try WebURL("https://example.com/?\(query)")).outcome == .matched
                #expect(found == expected, "\(pattern) with \(query), seed \(seed)")
            }
        }
    }

    @Test("A URL that is built from a pattern matches it", arguments: 0..<15)
    func built(seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(2000 + seed))
        for _ in 0..<50 {
            var (pattern, path) = ("/", "/")
            for _ in 0..<Int.random(in: 1...12, using: &generator) {
                // Letters around each piece prevent normalization across its boundaries.
                let (piece, value) = self.piece(&generator)
                pattern += "x\(piece)x"
                path += "x\(value)x"
            }
            let match = try links("{\"/\":\"\(pattern)\"}").match(try WebURL("https://example.com\(path)"))
            #expect(match.outcome == .matched, "\(pattern) with \(path), seed \(seed)")
        }
    }

    @Test("A short value that begins later can end before a long value that begins earlier")
    func firstEnd() throws {
        let long = String(repeating: "l", count: 66) + "qz" + String(repeating: "l", count: 10)
        let json = """
            {"substitutionVariables":{"v":["\(long)","q"]},\
            "details":[{"appID":"A","components":[{"/":"/*$(v)*z*"}]}]}
            """
        let links = try UniversalLinks(json: json)
        #expect(links.match(try WebURL("https://example.com/\(long)")).outcome == .matched)
        #expect(links.match(try WebURL("https://example.com/\(long.dropLast(11))")).outcome == .unmatched)
    }

    private func piece(_ generator: inout SeededGenerator) -> (String, String) {
        switch Int.random(in: 0...6, using: &generator) {
        case 0: ("*", text(["a", "-", "c/d"], upTo: 6, &generator))
        case 1: ("?", ["a", "/", "~"].randomElement(using: &generator) ?? "")
        case 2: ("$(digit)", String(Int.random(in: 0...9, using: &generator)))
        case 3: ("$(lang)", ["de", "en", "enm", "fra"].randomElement(using: &generator) ?? "")
        case 4: ("$(region)", ["DE", "GB"].randomElement(using: &generator) ?? "")
        case 5: ("$(v)", Self.variables["v"]?.randomElement(using: &generator) ?? "")
        case _: ("buy", "buy")
        }
    }

    @Test("Without case, it does not count whether the pattern or the URL is in upper case", arguments: 0..<20)
    func folding(seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(3000 + seed))
        let alphabet = ["a", "B", "é", "Ö", "ß", "ẞ", "ſ", "K", "σ", "Σ", "ς", "ı", "İ", "Ж", "ж", "ǅ", "1"]
        for _ in 0..<60 {
            let one = text(alphabet, upTo: 3, &generator)
            let other = Bool.random(using: &generator) ? one.uppercased() : text(alphabet, upTo: 3, &generator)
            #expect(try matchesWithoutCase(one, other) == matchesWithoutCase(other, one), "\(one) and \(other)")
            #expect(try matchesWithoutCase(one, one), "\(one)")
        }
    }

    private func matchesWithoutCase(_ pattern: String, _ path: String) throws -> Bool {
        let links = try links("{\"/\":\"/\(pattern)\",\"caseSensitive\":false,\"percentEncoded\":false}")
        return links.match(try WebURL("https://example.com/\(path)")).outcome == .matched
    }

    @Test(
        "Letters of two cases are the same without case, and one scalar is never two",
        arguments: [
            ("a", "A", true), ("é", "É", true), ("ж", "Ж", true), ("σ", "Σ", true), ("ς", "Σ", true), ("ſ", "s", true),
            ("\u{212A}", "k", true), ("ǆ", "ǅ", true), ("𐐨", "𐐀", true), ("ß", "ẞ", true), ("ß", "ss", false),
            ("ﬁ", "fi", false), ("ı", "i", false), ("İ", "i", false), ("e\u{301}", "é", false), ("a", "b", false),
        ])
    func caseFolding(one: String, other: String, same: Bool) throws {
        #expect(try matchesWithoutCase(one, other) == same)
        #expect(try matchesWithoutCase(other, one) == same)
    }

    @Test("A path that is normalized stays as it is, and matches what it matched before", arguments: 0..<20)
    func normalization(seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(4000 + seed))
        let never = try links("{\"/\":\"/never\"}")
        for _ in 0..<50 {
            let path = "/" + text(["a", "b", "/", "/", "*", "*"], upTo: 12, &generator)
            let once = try #require(never.explain(try WebURL("https://example.com\(path)")).first?.parts.first?.value)
            let twice = never.explain(try WebURL("https://example.com\(once)")).first?.parts.first?.value
            #expect(once == twice, "\(path)")
            let pattern = text(Self.pieces, upTo: 6, &generator)
            let links = try links("{\"/\":\"\(pattern)\"}")
            #expect(
                links.match(try WebURL("https://example.com\(path)")).outcome
                    == links.match(try WebURL("https://example.com\(once)")).outcome, "\(pattern) with \(path)")
        }
    }

    @Test("Several apps and details: the last entry of the explanation decides", arguments: 0..<30)
    func explanation(seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(5000 + seed))
        for _ in 0..<20 {
            let details = (0..<Int.random(in: 1...4, using: &generator)).map { _ in
                let apps = (0..<Int.random(in: 1...2, using: &generator)).map { _ in
                    ["\"A\"", "\"B\"", "\"C\""].randomElement(using: &generator) ?? ""
                }
                let components = (0..<Int.random(in: 0...3, using: &generator)).map { _ in
                    let pattern = ["/a", "/b*", "/?*", "*", "/$(v)"].randomElement(using: &generator) ?? ""
                    return "{\"/\":\"\(pattern)\",\"exclude\":\(Bool.random(using: &generator))}"
                }
                return "{\"appIDs\":[\(apps.joined(separator: ","))],"
                    + "\"components\":[\(components.joined(separator: ","))]}"
            }
            let json = """
                {"substitutionVariables":\(Self.definitions),"details":[\(details.joined(separator: ","))]}
                """
            let links = try UniversalLinks(json: json)
            let url = try WebURL("https://example.com/" + text(["a", "b"], upTo: 2, &generator))
            for app in [nil, "A", "B", "C"] {
                let match = links.match(url, app: app)
                let last = links.explain(url, app: app).last
                #expect((last?.outcome ?? .unmatched) == match.outcome, "\(json) \(url)")
                guard match.outcome != .unmatched else { continue }
                #expect(last?.app == match.app && last?.location == match.location, "\(json) \(url)")
            }
            #expect(try isFirst(links.match(url), of: links, url), "\(json) \(url)")
        }
    }

    /// Returns whether the decision for all apps follows from the decisions for each app.
    private func isFirst(_ match: UniversalLinks.Match, of links: UniversalLinks, _ url: WebURL) throws -> Bool {
        let each = links.apps.map { links.match(url, app: $0.identifier) }
        let decisive = each.first { $0.outcome == .matched } ?? each.first { $0.outcome == .blocked }
        return decisive.map { $0 == match } ?? (match.outcome == .unmatched)
    }
}
