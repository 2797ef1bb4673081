import Testing

@testable import HTTPSClient
@testable import SourceJSON
@testable import UniversalLinks

@Suite("Why a URL did not match")
struct MatchingExplanationTests {
    private func entries(_ component: String, _ path: String) throws -> [UniversalLinks.Explanation] {
        let json = """
            {"substitutionVariables":{"food":["pizza","soup"]},\
            "details":[{"appID":"\(MatchingCase.app)","components":[\(component)]}]}
            """
        return try UniversalLinks(json: json).explain(try WebURL("https://example.com\(path)"))
    }

    @Test(
        "The sentence states what was expected, what was found, and where",
        arguments: [
            (
                "{\"/\":\"/buy/*\"}", "/buyer",
                "the path /buyer does not match /buy/*: after /buy, expected / or the end, found \"e\" at character 5"
            ),
            (
                "{\"/\":\"/buy\"}", "/bus",
                "the path /bus does not match /buy: after /bu, expected y, found \"s\" at character 4"
            ),
            (
                "{\"/\":\"/buy\"}", "/buyer",
                "the path /buyer does not match /buy: after /buy, expected the end, found \"e\" at character 5"
            ),
            (
                "{\"/\":\"/buy\"}", "/b",
                "the path /b does not match /buy: after /b, expected uy, found the end"
            ),
            (
                "{\"/\":\"/a?\"}", "/a",
                "the path /a does not match /a?: after /a, expected one more character, found the end"
            ),
            ("{\"/\":\"/a*c\"}", "/ab", "the path /ab does not match /a*c: expected c at the end"),
            (
                "{\"/\":\"/a*c/*\"}", "/abcd",
                "the path /abcd does not match /a*c/*: after /a*, expected c/, which does not occur from character 3 on"
            ),
            (
                "{\"/\":\"/$(digit)\"}", "/x",
                "the path /x does not match /$(digit): after /, expected a digit, found \"x\" at character 2"
            ),
            (
                "{\"/\":\"/$(lang)/a\"}", "/xx/a",
                "the path /xx/a does not match /$(lang)/a: after /, expected a code of $(lang), found \"x\" at character 2"
            ),
            (
                "{\"/\":\"/$(food)/a\"}", "/pizza/b",
                "the path /pizza/b does not match /$(food)/a: after /$(food)/, expected a, found \"b\" at character 8"
            ),
            (
                "{\"/\":\"/a/*$(food)*x\"}", "/a/bx",
                "the path /a/bx does not match /a/*$(food)*x: after /a/*, expected a value of $(food), "
                    + "which does not occur from character 4 on"
            ),
            ("{\"?\":\"a=?*\"}", "/", "the empty query does not match a=?*: expected a=, found the end"),
            (
                "{\"?\":{\"a\":\"?*\"}}", "/?b=1",
                "the query item a, which is absent and counts as \"\", does not match ?*: expected one more character, "
                    + "found the end"
            ),
            (
                "{\"?\":{\"a\":\"1\"}}", "/?a=2",
                "the query item a with the value 2 does not match 1: expected 1, found \"2\" at character 1"
            ),
            (
                "{\"#\":\"top\"}", "/#tip",
                "the fragment tip does not match top: after t, expected op, found \"i\" at character 2"
            ),
            (
                "{\"/\":\"/BUY\",\"caseSensitive\":false}", "/Bus",
                "the path /Bus does not match /BUY: after /BU, expected Y, found \"s\" at character 4"
            ),
            (
                "{\"/\":\"/BUY/*\"}", "/buy/1",
                "the path /buy/1 does not match /BUY/*: after /, expected BUY/, found \"b\" at character 2; "
                    + "only the letter case differs"
            ),
            (
                "{\"/\":\"/*Z\"}", "/az",
                "the path /az does not match /*Z: expected Z at the end; only the letter case differs"
            ),
            (
                "{\"/\":\"/$(food)/É\",\"percentEncoded\":false}", "/PIZZA/%C3%A9",
                "the path \"/PIZZA/é\" does not match \"/$(food)/É\": after /, expected a value of $(food), found \"P\" at "
                    + "character 2; only the letter case differs"
            ),
            (
                "{\"/\":\"/$(upper)\",\"?\":{\"a\":\"X\"}}", "/A?a=x",
                "the query item a with the value x does not match X: expected X, found \"x\" at character 1; "
                    + "only the letter case differs"
            ),
            (
                "{\"/\":\"/BUY\",\"#\":\"top\"}", "/buy",
                "the path /buy does not match /BUY: after /, expected BUY, found \"b\" at character 2"
            ),
            ("{\"/\":\"/buy/*\"}", "/buy/1", "the path /buy/1 matches /buy/*"),
            (
                "{\"/\":\"/buy/*\",\"?\":{\"a\":\"*\"},\"exclude\":true}", "/buy/1",
                "the path /buy/1 matches /buy/*, the query item a matches *, and the component excludes it"
            ),
            ("{}", "/", "the component matches every URL"),
        ])
    func sentence(component: String, path: String, sentence: String) throws {
        let entry = try #require(try entries(component, path).first)
        #expect(entry.sentence == sentence)
    }

    @Test("The parts are the keys that were compared, in the form in which they were compared")
    func parts() throws {
        let component = "{\"/\":\"a//**\",\"?\":{\"b\":\"é*\",\"c\":\"2\"},\"#\":\"x\",\"percentEncoded\":false}"
        let entry = try #require(try entries(component, "//a/%C3%89/?b=%C3%A9t%C3%A9&c=3#x").first)
        #expect(entry.outcome == .unmatched)
        #expect(entry.parts.map(\.key) == ["/", "?", "?"])
        #expect(entry.parts.map(\.item) == [nil, "b", "c"])
        #expect(entry.parts.map(\.pattern) == ["a//**", "é*", "2"])
        #expect(entry.parts.map(\.value) == ["/a/É", "été", "3"])
        #expect(entry.parts.map(\.matched) == [true, true, false])
        #expect(entry.parts.map(\.furthest) == [4, 3, 0])
    }

    @Test("Every tried component has its location and app, and components after the decision have no entry")
    func locations() throws {
        let all = try entries("{\"/\":\"/a\"},\n{\"/\":\"/b\"},{\"/\":\"/c\"}", "/b")
        #expect(all.map(\.outcome) == [.unmatched, .matched])
        #expect(all.map(\.component) == [0, 1] && all.map(\.detail) == [0, 0])
        #expect(all.map(\.location.line) == [1, 2] && all.map(\.app) == [MatchingCase.app, MatchingCase.app])
    }

    @Test("Without an app that opens the URL, the last entry is the rule that excludes it from the first such app")
    func excluded() throws {
        let details = ["A", "B", "C"].map { app in
            "{\"appID\":\"\(app)\",\"components\":[{\"/\":\"/\(app == "B" ? "b" : "a")\",\"exclude\":true}]}"
        }
        let links = try UniversalLinks(json: "{\"details\":[\(details.joined(separator: ","))]}")
        let all = links.explain(try WebURL("https://example.com/b"))
        #expect(all.map(\.app) == ["A", "C", "B"] && all.map(\.outcome) == [.unmatched, .unmatched, .blocked])
        let first = links.explain(try WebURL("https://example.com/a"))
        #expect(first.map(\.app) == ["B", "C", "A"] && first.map(\.outcome) == [.unmatched, .blocked, .blocked])
    }

    @Test("Invisible characters of a URL or a file are escaped, and long texts are cut")
    func control() throws {
        let sentence = try #require(
            try entries("{\"/\":\"/a\\u001B[2J\",\"percentEncoded\":false}", "/%1B[31m").first?.sentence)
        #expect(!sentence.unicodeScalars.contains("\u{1B}"))
        let long = try #require(
            try entries("{\"/\":\"/b\"}", "/" + String(repeating: "a", count: 9_000)).first?.sentence)
        #expect(long.utf8.count < 400)
    }
}
