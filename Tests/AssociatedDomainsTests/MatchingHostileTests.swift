import TestSupport
import Testing

@testable import HTTPSClient
@testable import UniversalLinks

@Suite("Matching: hostile files and URLs")
struct MatchingHostileTests {
    private static let app = MatchingCase.app

    private func url(_ path: String) throws -> WebURL { try WebURL("https://example.com/" + path) }

    private func repeated(_ text: String, bytes: Int) -> String {
        String(repeating: text, count: bytes / text.utf8.count)
    }

    @Test(
        "A pattern of 15 kB is compared with a URL of 2 kB in bounded work",
        arguments: [
            ("*a", ""), ("*a", "b"), ("*aa?", "b"), ("?*", "b"), ("*a$(digit)", ""), ("*$(alpha)", "1"),
            ("*$(lang)", ""), ("$(lang)", ""), ("*$($(alpha)", ""), ("$(", ""), ("/*", "b"), ("*/?", "b"),
        ])
    func longPattern(piece: String, end: String) throws {
        let pattern = repeated(piece, bytes: 15_000) + end
        let json = MatchingCase.details("[{\"/\":\"\(pattern)\"}]")
        let links = try UniversalLinks(json: json, workLimit: 3_125_000)
        // No pattern matches such a short text, and no pattern reaches the work limit.
        let url = try url(repeated("a", bytes: 2_000))
        #expect(links.match(url).outcome == .unmatched)
        #expect(links.explain(url).last?.outcome == .unmatched)
    }

    @Test(
        "A variable with many values is decided, or reported as undecided at its component",
        arguments: ["*", "", "/", "?"])
    func longVariable(glue: String) throws {
        let values = (1...300).map { "\"\(String(repeating: "a", count: $0))\"" }.joined(separator: ",")
        let pattern = repeated("$(v)\(glue)", bytes: 5_000) + "b"
        let json = """
            {"substitutionVariables":{"v":[\(values),"*a*a?","a*"]},\
            "details":[{"appID":"\(Self.app)","components":[{"/":"/c"},{"/":"\(pattern)"},{}]}]}
            """
        let links = try UniversalLinks(json: json, workLimit: 500_000)
        let url = try url(repeated("a", bytes: 2_000))
        let match = links.match(url)
        #expect(match.outcome == .undecided || (match.outcome == .matched && match.component == 2))
        #expect(match.outcome != .undecided || match.component == 1)
        #expect(links.explain(url).last?.outcome == match.outcome)
    }

    @Test("An evaluation that exceeds the limit of work is reported as undecided")
    func undecided() throws {
        let json = MatchingCase.details("[{\"/\":\"/*$(lang)*x\"},{}]")
        let long = try url(repeated("ab", bytes: 4_000))
        #expect(try UniversalLinks(json: json).match(long).outcome == .matched)
        let links = try UniversalLinks(json: json, workLimit: 100)
        #expect(links.match(long).outcome == .undecided)
        #expect(links.match(long).component == 0)
        let last = try #require(links.explain(long).last)
        #expect(last.outcome == .undecided && last.sentence.contains("stopped"))
    }

    @Test("A default that many components share is compared once")
    func sharedDefault() throws {
        let components = (1...400).map { "{\"#\":\"\($0)\"}" }.joined(separator: ",")
        let pattern = "*" + repeated("a", bytes: 600) + "b*"
        let json = """
            {"defaults":{"/":"\(pattern)","?":{"a":"\(pattern)"}},\
            "details":[{"appID":"\(Self.app)","components":[\(components)]}]}
            """
        // A comparison for each component would exceed the limit.
        let links = try UniversalLinks(json: json, workLimit: 1_500_000)
        let url = try url(repeated("a", bytes: 2_000))
        #expect(links.match(url).outcome == .unmatched)
        #expect(links.explain(url).count == 400)
    }

    @Test("Each of many apps and details is evaluated once")
    func manyApps() throws {
        let apps = (1...3_000).map { "\"APP\($0)\"" }.joined(separator: ",")
        let components = (1...1_500).map { "{\"/\":\"*\($0)\"}" }.joined(separator: ",")
        let links = try UniversalLinks(json: "{\"details\":[{\"appIDs\":[\(apps)],\"components\":[\(components)]}]}")
        #expect(links.apps.count == 3_000)
        let url = try url(repeated("a", bytes: 8_000))
        #expect(links.match(url).outcome == .unmatched)
        #expect(links.explain(url).count == 1_500)
    }

    @Test("Many details, queries and keys are evaluated", arguments: 0..<4)
    func many(kind: Int) throws {
        let body =
            switch kind {
            case 0: (0..<6_000).map { "{\"appID\":\"A\($0)\"}" }.joined(separator: ",")
            case 1: repeated("{},", bytes: 30_000) + "{}"
            case 2:
                "{\"appID\":\"A\",\"components\":[{\"?\":{"
                    + (0..<6_000).map { "\"a\($0)\":\"*\"" }.joined(separator: ",") + "}}]}"
            case _: "{\"appID\":\"A\",\"components\":[" + repeated("{},", bytes: 60_000) + "{}]}"
            }
        let links = try UniversalLinks(json: "{\"details\":[\(body)]}")
        let query = repeated("a&", bytes: 8_000)
        #expect(links.match(try url("?" + query)).outcome == (kind < 2 ? .unmatched : .matched))
        #expect(links.issues.count < 50_000)
    }

    @Test("Random patterns do not crash the process", arguments: 0..<10)
    func noise(seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        let alphabet = [
            "*", "?", "/", "$", "(", ")", "$(v)", "$(lang)", "a", "%", "%2F", "é", "😀", "\\\\", "\\u0000", "NOT ", "#",
        ]
        func noise() -> String {
            (0..<Int.random(in: 0...12, using: &generator)).map { _ in alphabet.randomElement(using: &generator) ?? "" }
                .joined()
        }
        for _ in 0..<30 {
            let json = """
                {"substitutionVariables":{"v":["\(noise())","\(noise())"],"\(noise())":[]},"details":[{"appID":"\(noise())",\
                "components":[{"/":"\(noise())","percentEncoded":\(Bool.random(using: &generator))},\
                {"?":"\(noise())"},{"?":{"\(noise())":"\(noise())"},"caseSensitive":false},{"#":"\(noise())"}]},\
                {"appID":"b","paths":["\(noise())","NOT \(noise())"]}]}
                """
            let links = try UniversalLinks(json: json)
            for address in ["https://example.com", "http://example.com/a/%C3%A9?a=b&&=#%FF", "https://[::1]:1//*?*#*"] {
                let url = try WebURL(address)
                let match = links.match(url)
                let entries = links.explain(url)
                #expect((entries.last?.outcome ?? .unmatched) == match.outcome, "\(json)")
            }
            let texts = links.issues.flatMap { [$0.problem, $0.fix] }
            #expect(!texts.contains { $0.contains("\n") || $0.contains("\0") || $0.utf8.count > 1_500 })
        }
    }
}
