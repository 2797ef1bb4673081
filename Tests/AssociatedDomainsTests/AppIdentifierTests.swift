import AssociatedDomains
import MotivatorPlatform
import Testing

@Suite("Application identifiers")
struct AppIdentifierTests {
    private static let grammar = "Apple, Supporting associated domains: <prefix>.<bundle identifier>"

    struct Refusal: CustomTestStringConvertible {
        let text: String
        let error: AppIdentifier.Malformed
        let why: String
        var testDescription: String { "\(text.debugDescription) is refused: \(why)" }

        init(_ text: String, _ error: AppIdentifier.Malformed, _ why: String) {
            (self.text, self.error, self.why) = (text, error, why)
        }
    }

    @Test(
        "Well-formed identifiers are split at the dot after the tenth character",
        arguments: [
            ("D3KQX62K1A", "com.example.DemoApp", "Apple, Shared Web Credentials Reference"),
            ("D3KQX62K1A", "com.example.DemoAdminApp", "Apple, Shared Web Credentials Reference"),
            ("ABCDE12345", "com.example.app", "Apple, Supporting associated domains"),
            ("0000000000", "a", "the shortest bundle identifier"),
            ("ZZZZZZZZZZ", "ai.my-app.AI-Trainer", "CFBundleIdentifier: hyphens"),
            ("9XW8U7UU4W", "com.256arts.x2", "a label that begins with a digit"),
            ("9XW8U7UU4W", "-", "CFBundleIdentifier names the characters only"),
            ("YOURTEAMID", "com.example.app", "well-formed, whatever it looks like"),
            ("XXXXXXXXXX", "com.example.app", "well-formed, whatever it looks like"),
        ])
    func wellFormed(prefix: String, bundle: String, source: String) throws {
        let identifier = try AppIdentifier("\(prefix).\(bundle)")
        #expect(identifier.prefix == prefix, "\(source)")
        #expect(identifier.bundleIdentifier == bundle, "\(source)")
        #expect(identifier.description == "\(prefix).\(bundle)", "\(source)")
    }

    @Test(
        "A placeholder is recognized, and the identifier of a real app is not",
        arguments: [
            ("XXXXXXXXXX.com.example.app", true), ("YOURTEAMID.com.example.app", true),
            ("ABCDE12345.com.example.app", true), ("0000000000.com.example.app", true),
            ("1234567890.com.example.app", true), ("D3KQX62K1A.your.bundle.id", true),
            ("D3KQX62K1A.com.yourcompany.shop", true), ("D3KQX62K1A.com.Your-Company.shop", true),
            ("D3KQX62K1A.com.example.DemoApp", false), ("9XW8U7UU4W.com.256arts.x2", false),
            ("D3KQX62K1A.com.tellyour.story", false), ("XXXX9XX8XX.com.example.app", false),
        ])
    func placeholder(text: String, looks: Bool) throws {
        #expect(try AppIdentifier(text).looksLikePlaceholder == looks)
    }

    @Test("Each kind of malformed text has its own error", arguments: refusals)
    func malformed(_ refusal: Refusal) {
        #expect(throws: refusal.error) { try AppIdentifier(refusal.text) }
        #expect(!refusal.error.problem.hasSuffix(".") && !refusal.error.fix.hasSuffix("."))
        #expect(refusal.error.exitCode == .badInput)
    }

    private static let refusals: [Refusal] = [
        Refusal("", .empty, "nothing there"),
        Refusal(" D3KQX62K1A.a", .surroundingSpace(" D3KQX62K1A.a"), "associated-domains.md: leading space"),
        Refusal("D3KQX62K1A.a ", .surroundingSpace("D3KQX62K1A.a "), "associated-domains.md: trailing space"),
        Refusal("D3KQX62K1A.a\n", .surroundingSpace("D3KQX62K1A.a\n"), "a line break is white space"),
        Refusal("D3KQX62K1A.a\u{A0}", .surroundingSpace("D3KQX62K1A.a\u{A0}"), "so is a no-break space"),
        Refusal("D3KQX62K1A.*", .wildcard("D3KQX62K1A.*"), "associated-domains.md: no wildcards"),
        Refusal("D3KQX62K1A.com.*", .wildcard("D3KQX62K1A.com.*"), "associated-domains.md: no wildcards"),
        Refusal("*.com.example", .wildcard("*.com.example"), "associated-domains.md: no wildcards"),
        Refusal("TEAMID.com.example", .placeholder("TEAMID.com.example"), "the word of many tutorials"),
        Refusal("TEAM_ID.com.example", .placeholder("TEAM_ID.com.example"), "the same with an underscore"),
        Refusal("<TEAM>.com.example", .placeholder("<TEAM>.com.example"), "angle brackets"),
        Refusal("$(AppIdentifierPrefix)com.a", .placeholder("$(AppIdentifierPrefix)com.a"), "a variable of Xcode"),
        Refusal("{{TEAM}}.com.example", .placeholder("{{TEAM}}.com.example"), "a variable of a template"),
        Refusal("D3KQX62K1A.a]", .bundleCharacter("D3KQX62K1A.a]", "]", position: 13), "a bracket alone is a slip"),
        Refusal("XXX.com.example", .placeholder("XXX.com.example"), "only X"),
        Refusal("appid_placeholder", .placeholder("appid_placeholder"), "found in a real file"),
        Refusal("D3KQX62K1A", .noDot("D3KQX62K1A"), grammar),
        Refusal("com.example.app", .noPrefix("com.example.app"), grammar),
        Refusal("ABCDEFGH.a", .prefixLength("ABCDEFGH.a", length: 8), "associated-domains.md: prefix of 8"),
        Refusal("ABCDEFGHI.a", .prefixLength("ABCDEFGHI.a", length: 9), "associated-domains.md: prefix of 9"),
        Refusal("ABCDEFGHIJK.a", .prefixLength("ABCDEFGHIJK.a", length: 11), "the dot is not at index 10"),
        Refusal("V123.com.test", .prefixLength("V123.com.test", length: 4), "the dot is not at index 10"),
        Refusal(".com.example.a", .prefixLength(".com.example.a", length: 0), "no prefix at all"),
        Refusal("d3kqx62k1a.a", .lowerCasePrefix("d3kqx62k1a.a"), "A-Z and 0-9"),
        Refusal("D3KQX62K1a.a", .lowerCasePrefix("D3KQX62K1a.a"), "A-Z and 0-9"),
        Refusal("D3KQX-2K1A.a", .prefixCharacter("D3KQX-2K1A.a", "-", position: 6), "A-Z and 0-9"),
        Refusal("ÄBCDE12345.a", .prefixCharacter("ÄBCDE12345.a", "Ä", position: 1), "A-Z of ASCII"),
        Refusal("D3KQX62K1A.", .noBundleIdentifier("D3KQX62K1A."), grammar),
        Refusal("D3KQX62K1A..com", .emptyLabel("D3KQX62K1A..com", position: 12), "no empty label"),
        Refusal("D3KQX62K1A.com..b", .emptyLabel("D3KQX62K1A.com..b", position: 16), "no empty label"),
        Refusal("D3KQX62K1A.com.", .emptyLabel("D3KQX62K1A.com.", position: 15), "no empty label"),
        Refusal("D3KQX62K1A.a_b", .bundleCharacter("D3KQX62K1A.a_b", "_", position: 13), "letters, digits, -, ."),
        Refusal("D3KQX62K1A.a b", .bundleCharacter("D3KQX62K1A.a b", " ", position: 13), "letters, digits, -, ."),
        Refusal("D3KQX62K1A.a/b", .bundleCharacter("D3KQX62K1A.a/b", "/", position: 13), "letters, digits, -, ."),
        Refusal("D3KQX62K1A.ä", .bundleCharacter("D3KQX62K1A.ä", "ä", position: 12), "letters of ASCII"),
        Refusal(
            "D3KQX62K1A.a\u{200B}b", .bundleCharacter("D3KQX62K1A.a\u{200B}b", "\u{200B}", position: 13),
            "what a web page leaves behind"),
        Refusal("D3KQX62K1A.a\0b", .bundleCharacter("D3KQX62K1A.a\0b", "\0", position: 13), "no control character"),
    ]

    @Test("A message shows what cannot be seen, and stays on one line of reasonable length")
    func message() {
        let invisible = AppIdentifier.Malformed.bundleCharacter("D3KQX62K1A.a\u{200B}b", "\u{200B}", position: 13)
        #expect(invisible.problem.contains("U+200B at character 13"))
        let long = AppIdentifier.Malformed.noDot(String(repeating: "x\n", count: 5000))
        #expect(long.problem.utf8.count < 300 && !long.problem.contains("\n"))
    }
}
