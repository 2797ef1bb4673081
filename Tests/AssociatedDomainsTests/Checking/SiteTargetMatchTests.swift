import AssociatedDomains
import Testing

@testable import AssociationChecker
@testable import HTTPSClient

@Suite("The URLs that a site's file applies to")
struct SiteTargetMatchTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let name: String
        let target: String
        let url: String
        /// The error message, or nil for a URL on the site.
        let sentence: String?
        var testDescription: String { "\(name): \(url) at \(target)" }

        init(_ name: String, _ target: String, _ url: String, _ sentence: String?) {
            (self.name, self.target, self.url, self.sentence) = (name, target, url, sentence)
        }
    }

    private static let other = "other.com has its own file, and the file of e.com does not apply to it"

    static let cases: [Case] = [
        Case("the same host", "e.com", "https://e.com/x", nil),
        Case("the same in other letters", "E.com", "https://e.COM/x", nil),
        Case("the port of the scheme", "e.com:443", "https://e.com/x", nil),
        Case("http is opened by the same file", "e.com", "http://e.com:80/x", nil),
        Case("another host", "e.com", "https://other.com/x", other),
        Case("another host, for the file's URL", "https://e.com/files/aasa", "https://other.com/x", other),
        Case(
            "another port", "e.com", "https://e.com:8443/x",
            "e.com:8443 has its own file, and the file of e.com does not apply to it"),
        Case("the target's port", "e.com:8443", "https://e.com:8443/x", nil),
        Case(
            "not the target's port", "e.com:8443", "https://e.com/x",
            "e.com has its own file, and the file of e.com:8443 does not apply to it"),
        Case(
            "a subdomain", "e.com", "https://www.e.com/x",
            "www.e.com has its own file, and the file of e.com does not apply to it, unless the app's entry is "
                + "applinks:*.e.com"),
        Case(
            "an ending that is no subdomain", "e.com", "https://othere.com/x",
            "othere.com has its own file, and the file of e.com does not apply to it"),
        Case(
            "an address", "[::1]:8443", "https://[::1]/",
            "[::1] has its own file, and the file of [::1]:8443 does not apply to it"),
        Case("the CDN has the file of another", "https://cdn.example/a/v1/e.com", "https://e.com/x", nil),
        Case("the CDN, with a port", "https://cdn.example/a/v1/e.com:8443", "https://e.com:8443/x", nil),
        Case(
            "another host than that in the CDN's path", "https://cdn.example/a/v1/e.com", "https://other.com/x", other),
        Case("a path of the CDN that names no host", "https://cdn.example/a/v1/", "https://other.com/x", nil),
    ]

    @Test(
        "A URL of another host or port has its own file (Apple, Supporting associated domains)", arguments: cases)
    func foreign(_ test: Case) throws {
        #expect(try SiteTarget.locate(test.target).foreignSentence(on: WebURL(test.url)) == test.sentence)
    }

    @Test(
        "The message about an unlisted app names the most similar listed app",
        arguments: [
            ("D3KQX62K1A.com.example.DemoApp", nil),
            ("D3KQX62K1A.com.example.demoapp", "app-other-case"),
            ("Z9Z9Z9Z9Z9.com.example.DemoApp", "app-other-prefix"),
            ("D3KQX62K1A.com.example.Clip", "app-listed-elsewhere"),
            ("D3KQX62K1A.com.example.None", "app-not-listed"),
        ])
    func refusal(app: String, code: String?) throws {
        let text = """
            {"applinks":{"details":[{"appID":"d3kqx62k1a.com.example.DemoApp","paths":["*"]}]},
            "appclips":{"apps":["D3KQX62K1A.com.example.Clip"]}}
            """
        let report = Checker(CheckRequest(), at: 0).check(file: Array(text.utf8), name: "file")
        let issue = try #require(report.file).refusal(of: AppIdentifier(app), for: .applinks)
        #expect(issue?.code == code)
        #expect(code == nil || issue?.message.contains(app) == true)
    }
}
