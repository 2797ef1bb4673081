import AssociatedDomains
import Foundation
import MotivatorPlatform
import Testing

@testable import AssociationChecker
@testable import HTTPSClient
@testable import UniversalLinks

/// Every row of the catalog shows an input before and after a person follows its fix, and the fix works.
///
/// `FixInput` makes a whole input of each example. `WRITE_FIXES=1` writes `docs/fixes.md`.
@Suite("A fix must work") struct FixTests {
    private static let document = URL(filePath: #filePath).appending(path: "../../../../docs/fixes.md").standardized
    private static let codes = Diagnostic.all.map(\.code)

    @Test("The example reports the issue first, and the fix removes it without a new issue", arguments: codes)
    func fix(_ code: String) throws {
        let row = try #require(Diagnostic.named(code))
        let input = FixInput.of(row)
        let (before, after) = (try input.report(row.example, false), try input.report(row.fixed, true))
        let issue = try #require(
            before.issues.first { $0.code == row.code }, "the example reports \(Self.codes(before))")
        let profile = try #require(Profile.allCases.first { issue.effects[$0] != nil })
        let severity = try #require(issue.severity(in: profile))
        let first = before.issues.first { $0.severity(in: profile) == severity }
        #expect(first?.code == row.code, "the first \(severity) of \(profile) is \(first?.line ?? "")")

        #expect(!after.issues.contains { $0.code == row.code }, "the fixed example still reports the code")
        for profile in Profile.allCases {
            let new = Self.codes(after, profile).subtracting(Self.codes(before, profile))
            #expect(new.isEmpty, "in \(profile), the fixed example newly reports \(new)")
            #expect(
                Self.rank(after.verdict(profile)) <= Self.rank(before.verdict(profile)),
                "in \(profile), the verdict becomes worse")
        }
        if severity == .error {
            #expect(after.verdict(profile) == .associated, "in \(profile), the fixed example is still denied")
        }
        guard let intent = row.intent else { return }
        let (url, opens) =
            switch intent {
            case .opens(let url): (url, true)
            case .excludes(let url): (url, false)
            }
        let match = try #require(after.file?.links).match(try WebURL(url))
        #expect((match.outcome == .matched) == opens, "\(url) is \(match.outcome)")
    }

    private static let warning =
        "<br />\n<b>Warning</b>:  Undefined variable $x in <b>a.php</b> on line <b>3</b><br />\n"

    private static func links(_ components: String) -> String {
        "{\"applinks\":{\"details\":[{\"appIDs\":[\"\(demoApp)\"],\"components\":\(components)}]}}"
    }

    private static let mistakes: [(text: String, code: String, fix: String)] = [
        ("{\"applinks\":\(credentials(demoApp))}", "service-nested", "Move \"webcredentials\" to the top level"),
        (
            "{\"apple-app-site-association\":\(credentials(demoApp))}", "service-nested",
            "Move \"webcredentials\" to the top level"
        ),
        ("\"{\\\"webcredentials\\\":{}}\"", "file-not-an-object", "Remove the quotes around the object"),
        (credentials(demoApp) + "\n" + credentials(demoApp), "json-extra-content", "content of the second document"),
        (credentials(demoApp) + ",\"appclips\":{}}", "json-extra-content", "remove the bracket before the comma"),
        (
            "{\"applinks\":{\"details\":{\"appIDs\":[\"\(demoApp)\"],\"components\":[]}}}", "links-value-of-wrong-kind",
            "Put it in an array"
        ),
        (
            "{\"applinks\":{\"details\":[{\"appIDs\":[\"\(demoApp)\"],\"components\":[\"/a\"]}]}}",
            "links-value-of-wrong-kind", "Write an object"
        ),
        (
            "{\"applinks\":{\"details\":[{\"appIDs\":[\"\(demoApp)\"],\"components\":[{\"exclude\":\"/b/*\"},{}]}]}}",
            "links-value-of-wrong-kind", "Write {\"/\":\"/b/*\",\"exclude\":true}."
        ),
        (
            "{\"applinks\":{\"details\":[[{\"appIDs\":[\"\(demoApp)\"],\"components\":[{}]}]]}}",
            "links-value-of-wrong-kind", "Remove the inner brackets"
        ),
        (
            "{\"applinks\":{\"details\":[{\"appIDs\":\"\(demoApp)\",\"components\":[{}]}]}}",
            "links-value-of-wrong-kind", "Put it in an array"
        ),
        (
            "{\"applinks\":{\"details\":[{\"appID\":[\"\(demoApp)\"],\"components\":[{}]}]}}",
            "links-value-of-wrong-kind", "Rename the key to \"appIDs\""
        ),
        (links(##"[{"/":"/a","#":"#top"}]"##), "links-leading-delimiter", ##"Write "#":"top"."##),
        (links(#"[{"/":"/a","?":"?id=*"}]"#), "links-leading-delimiter", #"Write "?":"id=*"."#),
        (links(##"[{"/":"/a","#":"#*"}]"##), "links-leading-delimiter", ##"Write "#":"?*"."##),
        (
            links(#"[{"/":"/$(food)"}],"substitutionVariables":{"food":["soup"]}"#), "links-unknown-variable",
            #"Move "substitutionVariables" out of the detail into "applinks", beside "details"."#
        ),
        (
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n" + credentials(demoApp), "json-word",
            "If the status is 200, remove the head of the response"
        ),
        (credentials("D3KQX62K1A/com.example.DemoApp"), "app-prefix-length", "a dot after the tenth character"),
        (credentials("\(demoApp), \(demoApp)2"), "app-malformed", "write one in each string"),
        (
            "[\(AssetLinksCases.statement(AssetLinksCases.app("com.a.b", "[\"SHA256: \(AssetLinksCases.print)\"]")))]",
            "assetlinks-fingerprint-malformed", "one in each string: [\"\(AssetLinksCases.print)\"]"
        ),
        (
            AssetLinksCases.statement() + "\n" + AssetLinksCases.statement(), "assetlinks-not-an-array",
            "Write [ before the first statement, ] after the last one"
        ),
        (warning + credentials(demoApp), "json-html", "Remove this text"),
        (
            "Warning: Undefined variable $x in a.php on line 3\n" + credentials(demoApp), "json-html",
            "Remove this text"
        ),
        ("\nNotice: Undefined index: x in a.php\n" + credentials(demoApp), "json-html", "Remove this text"),
        ("PHP Warning:  Undefined variable $x in a.php\n" + credentials(demoApp), "json-html", "Remove this text"),
        (warning + "<p>Not found</p>", "json-html", "Use the JSON file"),
    ]

    @Test("The first issue with a common mistake has the fix that its author needs", arguments: mistakes)
    func mistake(_ text: String, _ code: String, _ fix: String) throws {
        let issue = try #require(try CheckCase.file("", text, "", []).report().issues.first)
        #expect(issue.code == code && issue.fix.contains(fix), "\(issue.line) \(issue.fix)")
    }

    /// Returns the codes of the errors and warnings in a profile.
    private static func codes(_ report: Report, _ profile: Profile) -> Set<String> {
        Set(report.issues.filter { ($0.severity(in: profile) ?? .note) > .note }.map(\.code))
    }

    private static func codes(_ report: Report) -> [String] { report.issues.map(\.code) }

    private static func rank(_ verdict: Verdict) -> Int {
        switch verdict {
        case .associated: 0
        case .retry: 1
        case .denied: 2
        }
    }

    @Test("The documentation shows each example before and after its fix")
    func page() throws {
        var lines = [
            "# Fixes", "",
            "Each issue code has an example, and the same example after you follow the fix. A test checks every row.",
            "`motivator association explain CODE` prints the rule, its reason and its source.",
        ]
        for group in Diagnostic.groups {
            lines += ["", "## \(group.title)", "", "| code | before | after |", "|---|---|---|"]
            lines += group.diagnostics.map { "| `\($0.code)` | \(Self.cell($0.example)) | \(Self.cell($0.fixed)) |" }
        }
        let text = lines.joined(separator: "\n") + "\n"
        if ProcessInfo.processInfo.environment["WRITE_FIXES"] != nil {
            try Data(text.utf8).write(to: Self.document)
        }
        let written = try String(contentsOf: Self.document, encoding: .utf8)
        #expect(written == text, "docs/fixes.md is not current: run this test with WRITE_FIXES=1")
    }

    /// Returns an example as code in a table.
    private static func cell(_ text: String) -> String {
        text.isEmpty ? "" : "`\(text.replacing("|", with: "\\|"))`"
    }
}
