@testable import AssociationChecker

/// Association files with URL tests (`docs/associated-domains.md`, "URL tests").
enum LinkTestCases {
    static let all: [CheckCase] = [
        test(
            "comments, both arrows, and both places",
            """
            # shop
            https://example.com/buy/42 → app
              https://example.com/buy/secret -> browser   # excluded

            https://example.com/help → browser
            """, []),
        test("only comments", "# nothing\n\n\t # indented\n", []),
        test("a URL with a fragment and CR LF", "https://example.com/buy/1#x → app\r\n", []),
        test("an arrow in the URL", "https://example.com/buy/1->2 → app", []),
        test("an app that must not open", "https://example.com/buy/42 → browser", ["links-test-failed"]),
        test("no rule", "https://example.com/help → app", ["links-test-failed"]),
        test("another scheme", "myapp://buy → browser", ["links-test-malformed"]),
        test("no arrow", "https://example.com/buy/42 app", ["links-test-malformed"]),
        test("another place", "https://example.com/buy/42 → Safari", ["links-test-malformed"]),
        test(
            "a file that no device reads", "https://example.com/buy/42 → app", ["json-html"],
            file: "<!doctype html>", "DDDD"),
        test(
            "other hosts than that of the domain",
            """
            https://example.com:443/buy/1 → app
            https://other.test/buy/1 → browser
            https://example.com:8443/buy/1 → browser
            """, [], domain: "example.com"),
        test(
            "an app on another host", "https://other.test/buy/1 → app", ["links-test-failed"], domain: "example.com"),
        test("any host without a domain", "https://other.test/buy/1 → app", []),
        test(
            "hosts of the entries",
            """
            https://www.example.com/buy/1 → app
            https://other.test/buy/1 → browser
            """, ["service-not-in-version"], entry: "applinks:www.example.com"),
        test("an international host", "https://bücher.de/buy/1 → app", [], domain: "xn--bcher-kva.de"),
    ]

    static let file = #"""
        {"applinks":{"details":[{"appIDs":["\#(demoApp)"],
        "components":[{"/":"/buy/secret","exclude":true},
        {"/":"/buy/*"}]}]}}
        """#

    private static func test(
        _ name: String, _ tests: String, _ codes: Set<String>, file: String = file, _ verdicts: String = "AAAD",
        domain: String? = nil, entry: String? = nil
    ) -> CheckCase {
        CheckCase(name: name, verdicts: verdicts, codes: codes.union(["signature-missing"])) {
            report(file, tests, domain: domain, entry: entry)
        }
    }

    static func report(_ file: String, _ tests: String, domain: String? = nil, entry: String? = nil) -> Report {
        var request = CheckRequest()
        request.domain = domain
        request.entries = [entry].compactMap(\.self).map { CheckRequest.Entry($0) }
        request.linkTests = LinkTests(Array(tests.utf8), name: "links.tests")
        return Checker(request, at: 0).check(file: Array(file.utf8), name: "site.json")
    }
}
