import HTTPTypes
import MotivatorHTTP
import MotivatorPlatform
import MotivatorServer
import Testing

@testable import UltraMotivator
@testable import WebChecker

@Suite("The page /check") struct CheckPageTests {
    private static let app = "D3KQX62K1A.com.example.DemoApp"
    private static let good = #"{"webcredentials":{"apps":["\#(app)"]}}"#
    private static let links =
        #"{"applinks":{"details":[{"appIDs":["\#(app)"],"components":[{"/":"/no/*","exclude":true},{"/":"/buy/*"}]}]}}"#

    private static func page(allowsFetch: Bool = false) throws -> CheckPage {
        CheckPage(
            pages: Pages.shared, queues: CheckPage.Queues(), allowsFetch: allowsFetch, roots: [],
            clock: Clock { 1_800_000_000 }, version: "1.2.3")
    }

    private static func send(
        _ fields: [(String, String)], to page: CheckPage, lines: String = "", type: String? = nil
    ) async throws -> (response: Response, text: String) {
        let pairs = fields.map { "\($0.0)=\(encoded($0.1))" }
        return try await send(content: Array(pairs.joined(separator: "&").utf8), to: page, lines: lines, type: type)
    }

    private static func send(
        content: [UInt8], to page: CheckPage, lines: String = "", type: String? = nil
    ) async throws -> (response: Response, text: String) {
        let type = type ?? "application/x-www-form-urlencoded"
        let head = try Bench.head(
            "POST", "/check", host: "one.test",
            fields: "Content-Type: \(type)\r\nAccept: text/html\r\nContent-Length: \(content.count)\r\n\(lines)")
        let address = try #require(SocketAddress("127.0.0.1", port: 1))
        let response = await page.check(Request(head: head, content: content, peer: Peer(address: address)))
        // Opportunities for line breaks are not part of the text.
        return (response, String(decoding: response.content, as: UTF8.self).replacing(/<\/?(?:wbr|bdi)>/, with: ""))
    }

    private static func encoded(_ text: String) -> String {
        text.utf8.map { byte in
            let digits = String(byte, radix: 16)
            return "%" + (digits.utf8.count < 2 ? "0" : "") + digits
        }.joined()
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let fields: [(String, String)]
        let status: Int
        let has: [String]
        let lacks: [String]

        init(_ name: String, _ fields: [(String, String)], _ status: Int = 200, has: [String], lacks: [String] = []) {
            testDescription = name
            (self.fields, self.status, self.has, self.lacks) = (fields, status, has, lacks)
        }
    }

    static let cases: [Case] = [
        Case(
            "A good file is associated, and its services are named", [("file", good)],
            has: [#"<strong class="associated">associated</strong>"#, "passwords and passkeys", "<code>\(app)</code>"],
            lacks: [#"<strong class="error">error<"#]),
        Case(
            "A fault has code, line, caret, fix and source (RFC 8259 §4)", [("file", "{\n  \"a\": 1,\n}")],
            has: [
                "/check/codes#json-trailing-comma", "<p>Line 2, column 9: A comma", "Remove the comma.",
                "RFC 8259, section 4",
                ">-   &quot;a&quot;: 1,</del><ins class=\"accepted\">+   &quot;a&quot;: 1</ins></pre>",
            ], lacks: ["|         ^</pre>"]),
        Case(
            "A fault without a change has an excerpt with a caret", [("file", "{\"a\": 1")],
            has: ["1 | {&quot;a&quot;: 1\n  |        ^</pre>"], lacks: ["class=\"change\""]),
        Case(
            "A URL test that fails is an error, and a URL opens the browser for a reason",
            [
                ("file", links), ("tests", "https://example.com/no/1 → app\r\nhttps://example.com/buy/1 → app"),
                ("url", "https://example.com/no/1"), ("entitlement", "webcredentials:example.com"),
            ],
            has: [
                "#links-test-failed", "/no/1 does not open in the app", "The browser opens https://example.com/no/1",
                "the entry webcredentials:example.com is for",
                "Add the entry applinks:example.com",
            ]),
        Case(
            "At most 20 URL tests run", [("file", links), ("tests", String(repeating: "#\n", count: 21))], 422,
            has: ["URL tests: The text has more than 20 lines.", #"id="tests-error""#]),
        Case(
            "Lines that end with CR LF, as a form sends them, count one byte each (WHATWG HTML)",
            [("file", good + String(repeating: "\r\n", count: 70_000))],
            has: [#"<strong class="associated">associated</strong>"#],
            lacks: ["file-too-large", "file-nearly-too-large"]),
        Case(
            "An entry or an app has at most 4,096 bytes",
            [("app", String(repeating: "a", count: 4_097)), ("entitlement", String(repeating: "b", count: 4_096))],
            422, has: ["The text has 4097 bytes. Enter at most 4096 bytes.", "bbbb"], lacks: ["aaaa"]),
        Case(
            "A file has at most 192 KiB as text", [("file", String(repeating: "a", count: (192 << 10) + 1))],
            422, has: ["Association file: The text has 196609 bytes.</a>", "Enter at most 196608 bytes."],
            lacks: ["aaaa"]),
        Case(
            "A file beyond 131,072 bytes is told so", [("file", good + String(repeating: " ", count: 131_072))],
            has: ["#file-too-large", #"<strong class="denied">denied</strong>"#]),
        Case(
            "An entry alone: what it means", [("entitlement", "applinks:*.example.com")],
            has: ["every subdomain of example.com", "Apple&#39;s CDN", ">accepted<"], lacks: [">associated<"]),
        Case(
            "An entry with two modes and a port",
            [("entitlement", "applinks:example.com:8443?mode=developer+managed")],
            has: [
                "<dd>8443</dd>", "https://example.com:8443/.well-known/apple-app-site-association",
                "the device itself, if managed and in developer mode; other devices ignore the entry",
            ]),
        Case(
            "An entry for managed devices", [("entitlement", "applinks:example.com?mode=managed")],
            has: ["the device itself, if managed; other devices ignore the entry"]),
        Case(
            "An entry for developers", [("entitlement", "applinks:example.com?mode=developer")],
            has: ["the device itself, in developer mode; other devices ignore the entry"]),
        Case(
            "An entry alone: why a device drops it", [("entitlement", "https://example.com/")],
            has: ["#entitlement-scheme", ">dropped<"]),
        Case(
            "An entry with a space at its end is not repaired", [("entitlement", "applinks:example.com ")],
            has: ["#entitlement-form", ">dropped<"]),
        Case(
            "An entry and a URL of another host",
            [("entitlement", "applinks:example.com"), ("url", "https://www.example.com/")],
            has: ["#entitlement-other-host", ">does not cover the URL<"], lacks: [">dropped<"]),
        Case(
            "An app alone: the file that it needs", [("app", " \(app) ")],
            has: ["D3KQX62K1A", "&quot;webcredentials&quot;: {"]),
        Case(
            "An app and an entry: the file that the service of the entry needs",
            [("app", app), ("entitlement", "applinks:*.example.com")],
            has: ["&quot;appIDs&quot;: [&quot;\(app)&quot;]"], lacks: ["&quot;webcredentials"]),
        Case(
            "An app that is none is refused beside its field", [("app", "com.example.DemoApp")], 422,
            has: [
                #"id="app-error""#, #"aria-describedby="app-error app-hint""#, "has no App ID prefix", "<title>Error: ",
            ]),
        Case(
            "A URL alone: its parts", [("url", "https://example.com:8443/buy?a=b#c")],
            has: ["<dd>/buy</dd>", "<dd>a=b</dd>", "applinks:example.com:8443", "paste the file too"]),
        Case("A URL that is none", [("url", "example.com")], 422, has: [#"id="url-error""#]),
        Case(
            "A matched URL, with each rule tried", [("file", links), ("url", "https://example.com/buy/1")],
            has: [
                "<span class=\"matched\">\(app) opens https://example.com/buy/1</span>", "detail 1, rule 1",
                "detail 1, rule 2", "<h3>No issues</h3>", #"<strong class="associated">associated</strong>"#,
            ], lacks: ["banner associated"]),
        Case(
            "A rule of an app that the entry does not associate has no effect",
            [
                ("file", links), ("url", "https://example.com/buy/1"), ("app", app),
                ("entitlement", "webcredentials:example.com"),
            ],
            has: [
                #"<div class="banner denied""#, "A rule matches, but the browser opens https://example.com/buy/1.",
                "Apps in the file (not associated)",
            ], lacks: ["banner matched", "banner unmatched"]),
        Case(
            "Issues with the same code share a card, and the profiles have names",
            [("file", #"{"webcredentials":{"apps":["a","b","c"]}}"#)],
            has: ["<summary>Show 2 more with this code</summary>", "iOS 14 and later"], lacks: ["<code>device</code>"]),
        Case("The home page's field accepts a file", [("target", good)], has: [#"<strong class="associated">"#]),
        Case(
            "The home page's field accepts a site, which needs --allow-fetch", [("target", " example.com\r\n")], 403,
            has: ["motivator association check example.com", "--allow-fetch"]),
        Case("After a result, the form is folded", [("file", good)], has: ["<summary>Change the input"]),
        Case(
            "A blocked URL", [("file", links), ("url", "https://example.com/no/1")],
            has: [
                "<span class=\"blocked\">The browser opens https://example.com/no/1</span>",
                "At line 1, column",
            ], lacks: ["rule 2", "banner associated"]),
        Case(
            "An unmatched URL of an app that the file does not name",
            [("file", links), ("url", "https://example.com/buy/1"), ("app", "A1B2C3D4E5.com.example.Other")],
            has: ["banner denied", "The browser opens https://example.com/buy/1.", "A1B2C3D4E5.com.example.Other"]),
        Case(
            "A URL and a file that no device reads", [("file", links + ","), ("url", "https://example.com/buy/1")],
            has: ["No rule can be tried"]),
        Case(
            "A URL and a file without universal links", [("file", good), ("url", "https://example.com/buy/1")],
            has: ["no universal links"]),
        Case(
            "A signed file as PEM", [("file", "-----BEGIN CMS-----\nMIIB\n-----END CMS-----\n")],
            has: ["#file-pem", "cannot be pasted"]),
        Case(
            "All errors are shown at once",
            [
                ("file", String(repeating: "a", count: (192 << 10) + 1)), ("app", "x"), ("url", "example.com"),
                ("tests", String(repeating: "#\n", count: 21)),
            ], 422,
            has: ["Association file: The text", "URL tests: The text", #"id="app-error""#, #"id="url-error""#]),
        Case("Nothing filled in", [("file", " \r\n"), ("app", "")], 422, has: ["The form is empty"]),
        Case(
            "Hosts are not asked without the flag, be the field empty or not", [("site", "")], 403,
            has: ["--allow-fetch"]),
        Case("A field twice", [("app", "a"), ("app", "b")], 400, has: ["twice"]),
    ]

    @Test("Each field has a result alone, and all fields have one together", arguments: cases)
    func answers(_ example: Case) async throws {
        let (response, text) = try await Self.send(example.fields, to: Self.page())
        #expect(response.status.code == example.status)
        for part in example.has { #expect(text.contains(part), "\(part) is not in:\n\(text)") }
        for part in example.lacks { #expect(!text.contains(part), "\(part) is in:\n\(text)") }
        #expect(response.fields[.cacheControl] == "no-store")
    }

    @Test("The field for a site exists only with --allow-fetch, and its site is then checked")
    func site() async throws {
        #expect(try !String(decoding: Self.page().blank, as: UTF8.self).contains(#"name="site""#))
        #expect(try String(decoding: Self.page(allowsFetch: true).blank, as: UTF8.self).contains(#"name="site""#))
        let both = try await Self.send([("site", "one.test"), ("file", "{}")], to: Self.page(allowsFetch: true))
        #expect(both.response.status == .unprocessableContent && both.text.contains("not both"))
        let home = try await Self.send([("target", "http://one.test/")], to: Self.page(allowsFetch: true))
        #expect(home.response.status == .unprocessableContent && home.text.contains(#"id="site-error""#))
        #expect(try String(decoding: Self.page().blank, as: UTF8.self).contains("motivator association check example"))
        let plain = try await Self.send([("site", "http://one.test/")], to: Self.page(allowsFetch: true))
        #expect(plain.response.status == .unprocessableContent && plain.text.contains(#"id="site-error""#))
    }

    @Test("A page of another site cannot send the form, and other media types are refused")
    func refusals() async throws {
        let page = try Self.page()
        let foreign = try await Self.send([("file", "{}")], to: page, lines: "Sec-Fetch-Site: cross-site\r\n")
        #expect(foreign.response.status == .forbidden)
        let json = try await Self.send([("file", "{}")], to: page, type: "application/json")
        #expect(json.response.status == .unsupportedMediaType)
    }

    @Test("Bytes that are not text are refused, and the message explains how to check a signed file")
    func binary() async throws {
        let (response, text) = try await Self.send(content: Array("file=%30%82%FF".utf8), to: Self.page())
        #expect(response.status == .badRequest)
        #expect(text.contains("motivator association check"))
    }

    static let hostile = [
        "\"><script>alert(1)</script>", "</textarea><script>", "' onfocus='alert(1)", "</pre><b>", "{{file}}",
        "{{{file}}}",
        "\"\u{301} onfocus=alert(1) x=\"\u{301}", "<\u{338}b>", "&\u{301}lt;", "\u{202E}evil", "\0\u{1B}[31m",
        "\u{FFFE}",
    ]

    @Test("Every input is shown as text", arguments: hostile)
    func escaping(_ text: String) async throws {
        let file =
            #"{"webcredentials":{"apps":["\#(text)"]},"applinks":{"details":[{"appID":"\#(text)","paths":["\#(text)"]}]}}"#
        let plain = try await Self.send(
            [("file", "{}"), ("app", "x"), ("url", "x"), ("entitlement", "x")], to: Self.page())
        let odd = [
            [("file", file), ("url", "https://example.com/a"), ("entitlement", text)], [("file", text)],
            [("file", "{"), ("app", text), ("url", text), ("entitlement", text)],
        ]
        for fields in odd {
            let (_, page) = try await Self.send(fields, to: Self.page())
            // Compares scalars, as a browser does. In Swift, a quote and a following mark are a single character.
            let scalars = page.unicodeScalars.map(\.value)
            for (one, next) in zip(scalars, scalars.dropFirst()) {
                #expect(![0x301, 0x338].contains(next) || ![0x22, 0x26, 0x3C].contains(one), "a mark follows markup")
            }
            #expect(page.ranges(of: "<script").count == 1, "the page must have only its own script")
            #expect(!page.contains("<b>") && !page.contains("' onfocus"))
            let result = page.prefix(upTo: page.firstRange(of: "<form method")?.lowerBound ?? page.endIndex)
            #expect(!result.unicodeScalars.contains { $0 == "\u{202E}" || $0 == "\0" || $0 == "\u{1B}" })
        }
        #expect(plain.text.contains("<textarea"))
    }

    @Test("A user name with a combining mark after its quote stays in its attribute")
    func userName() throws {
        var form = FormPage.signIn(at: "/signin")
        form.fill(.username, "\"\u{301} autofocus onfocus=alert(1) x=\"\u{301}")
        form.finish()
        let page = String(decoding: Pages.shared.form(form, status: .ok).content, as: UTF8.self)
        #expect(page.utf8.count > 500)
        #expect(page.contains("&quot;\u{301} autofocus"))
    }

    @Test("A file with many issues shows 200, and the page states the limit")
    func many() async throws {
        let numbers = String(repeating: "1,", count: 5_000) + "1"
        let (response, text) = try await Self.send(
            [("file", #"{"webcredentials":{"apps":[\#(numbers)]}}"#)], to: Self.page())
        #expect(response.status == .ok)
        #expect(text.contains("<summary>Show \(CheckView.maximumIssues - 1) more with this code</summary>"))
        #expect(text.contains("more issues are not shown"))
    }

    @Test("Of many tried rules, the last ones are shown, and the first of these names the app")
    func tried() async throws {
        let count = MatchView.maximumTrials + 1
        let rules = (0..<count).map { #"{"/":"/\#($0)"}"# }.joined(separator: ",")
        let file = #"{"applinks":{"details":[{"appIDs":["\#(Self.app)"],"components":[\#(rules)]}]}}"#
        let (_, text) = try await Self.send(
            [("file", file), ("url", "https://example.com/\(count - 1)")], to: Self.page())
        #expect(text.contains("Only the last \(count - 1) rules are shown."))
        let first = try #require(text.firstRange(of: "detail 1, rule 2 ("))
        #expect(!text.contains("detail 1, rule 1 (") && text[..<first.lowerBound].suffix(200).contains(Self.app))
    }

    @Test("Rules that need too much work are undecided")
    func work() async throws {
        let rules = (0..<15).map { #"{"/":"/*\#(String(repeating: "?", count: 1_900 + $0))xb*"}"# }.joined(
            separator: ",")
        let file = #"{"applinks":{"details":[{"appIDs":["\#(Self.app)"],"components":[\#(rules)]}]}}"#
        let url = "https://example.com/xb" + String(repeating: "a", count: 16_000)
        let (response, text) = try await Self.send([("file", file), ("url", url)], to: Self.page())
        #expect(response.status == .ok)
        #expect(text.contains("undecided"))
    }
}
