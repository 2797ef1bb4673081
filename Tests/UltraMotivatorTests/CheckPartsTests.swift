import AssociatedDomains
import HTTPSClient
import MotivatorPlatform
import MotivatorServer
import Testing

@testable import AssociationChecker
@testable import UltraMotivator
@testable import WebChecker

@Suite("The parts of /check") struct CheckPartsTests {
    @Test("The caret of an excerpt is below the location, and on a phone's screen")
    func caret() throws {
        let line = "{\"\(String(repeating: "a", count: 400))\": 'x'}"
        var view = CheckView()
        view.add(Checker(CheckRequest(), at: 0).check(file: Array(line.utf8), name: "a file"))
        let issue = try #require(view.issues.first { $0.code == "json-single-quote" })
        let lines = try #require(issue.excerpt).split(separator: "\n").map { Array($0) }
        let caret = try #require(lines[1].firstIndex(of: "^"))
        #expect(lines[0][caret] == "'" && lines[0].count <= CheckView.excerptWidth)
    }

    @Test("The page shows 50 apps of a service and the number of the others, and folds more than 8")
    func apps() {
        for count in [8, 9, 50, 51] {
            let apps = (0..<count).map { "\"D3KQX62K1A.com.example.App\($0)\"" }.joined(separator: ",")
            let file = "{\"webcredentials\":{\"apps\":[\(apps)]}}"
            var view = CheckView()
            view.add(Checker(CheckRequest(), at: 0).check(file: Array(file.utf8), name: "a file"))
            #expect(view.services.map(\.apps.count) == [min(count, 50)])
            #expect(view.services.map(\.moreApps) == [count == 51 ? "and 1 more" : nil])
            #expect(view.foldsApps == (count > 8), "\(count) apps")
        }
    }

    @Test("The page shows 200 issues, and then the number of the others")
    func issues() {
        for count in [200, 201, 202] {
            let numbers = String(repeating: "1,", count: count)
            let file = "{\"webcredentials\":{\"apps\":[\(numbers)\"D3KQX62K1A.com.example.DemoApp\"]}}"
            var view = CheckView()
            view.add(Checker(CheckRequest(), at: 0).check(file: Array(file.utf8), name: "a file"))
            let sentence = [201: "1 more issue is not shown.", 202: "2 more issues are not shown."][count]
            #expect((view.moreIssues == nil) == (sentence == nil))
            #expect(view.moreIssues?.hasPrefix(sentence ?? "") != false, "\(view.moreIssues ?? "")")
            #expect(view.issues.first?.similar.count == 199 && view.foldedIssues.isEmpty)
        }
    }

    @Test("A form has at most 20 URL tests", arguments: [20, 21])
    func tests(_ count: Int) {
        var form = CheckForm { field in
            field == .file ? "{}" : field == .tests ? String(repeating: "#\n", count: count) : ""
        }
        let input = form.input()
        #expect((input != nil) == (count == 20) && (form.errors[.tests] != nil) == (count == 21))
    }

    @Test("A check that ends allows only one more check of its host")
    func endedCheck() throws {
        var form = CheckForm { $0 == .site ? "one.test" : "" }
        let parsed = form.input()
        let input = try #require(parsed)
        let sites = SiteFetches()
        let begun = (0...SiteFetches.checksPerHost).map { _ in sites.begin(input) }
        #expect(begun == [true, true, true, true, false])
        sites.end(input)
        let again = [sites.begin(input), sites.begin(input)]
        #expect(again == [true, false])
    }

    @Test(
        "The field of the home page distinguishes a site from a file",
        arguments: [
            ("example.com", true), (" https://example.com/a?b \n", true), ("localhost", true), ("localhost:8443", true),
            ("LOCALHOST:8443", true), ("https://localhost/x", true), ("[::1]:8443", true), ("127.0.0.1", true),
            ("{\"a\":\"b.c\"}", false), ("[1.5]", false), ("MIIB", false), ("localhostile", false), ("", false),
            ("data:application/vnd.a;base64,MIIB", false), ("data:;base64,MIIB", false), ("a.b c", false),
            (String(repeating: "a.", count: 4_096), false),
        ])
    func site(_ text: String, _ isSite: Bool) { #expect(CheckForm.isSite(text) == isSite) }

    @Test(
        "The file of a site applies to a URL of the site, and with an entry to a URL that the entry covers",
        arguments: [
            ("https://example.com/buy/1", nil, "matched"), ("https://other.test/buy/1", nil, "unmatched"),
            ("https://example.com:8443/buy/1", nil, "unmatched"),
            ("https://www.example.com/buy/1", "applinks:*.example.com", "matched"),
        ] as [(String, String?, String)])
    func host(_ text: String, _ entry: String?, _ outcome: String) throws {
        let detail = #"{"appIDs":["D3KQX62K1A.com.example.DemoApp"],"components":[{"/":"/buy/*"}]}"#
        let file = Array("{\"applinks\":{\"details\":[\(detail)]}}".utf8)
        let report = Checker(CheckRequest(), at: 0).check(file: file, name: "file")
        let entry = try entry.map { try AssociatedDomain($0) }
        let site = try SiteTarget.locate("example.com")
        let view = MatchView(try WebURL(text), app: nil, entry: entry, in: report, of: site)
        #expect(view.outcome == outcome)
        #expect(outcome == "matched" || view.sentence?.contains("has its own file") == true)
    }

    @Test("The URL of the form may have an international host")
    func internationalHost() throws {
        var form = CheckForm(url: "https://bücher.de/x")
        let input = form.input()
        #expect(input?.url?.host == "xn--bcher-kva.de")
    }

    @Test(
        "A data URL, which the page's script makes of a binary file, is decoded (RFC 2397)",
        arguments: [
            ("data:application/octet-stream;base64,MIIB", [0x30, 0x82, 0x01]), ("data:;base64,", []),
            ("data:text/plain,MIIB", nil), ("data:;base64,M", nil), ("data:;base64", nil),
        ] as [(String, [UInt8]?)])
    func dataURL(_ text: String, _ bytes: [UInt8]?) {
        #expect(CheckRun.content(ofDataURL: Array(text.utf8)) == bytes)
    }

    @Test("The value of a link is unchanged after its query is parsed")
    func query() throws {
        let value = "a b+c&d=e%f;g/h?i#j\u{1F98A}\u{301}\n"
        let encoded = PercentCoding.encode(value)
        #expect(encoded.utf8.allSatisfy { $0 < 0x7F && !" +&=;#".utf8.contains($0) })
        #expect(try FormContent(Array("q=\(encoded)".utf8))[.query] == value)
    }

    @Test(
        "A search finds the codes that contain all words, in any case",
        arguments: [
            ("Trailing COMMA", true), ("comma trailing", true), ("trailing commas of nothing", false), (" ", true),
            ("json-trailing-comma\u{1F98A}", false),
        ])
    func search(_ query: String, _ isFound: Bool) throws {
        let codes = Self.codes(Pages.shared.codes(query))
        #expect(codes.contains("json-trailing-comma") == isFound)
        #expect((codes.count == Diagnostic.all.count) == (query == " "))
    }

    @Test(
        "A search knows other words for a subject",
        arguments: [
            ("bom", "json-byte-order-mark"), ("AASA", "file-too-large"), ("provisioning", "entitlement-scheme"),
        ])
    func synonyms(_ word: String, _ code: String) throws {
        #expect(Self.codes(Pages.shared.codes(word)).contains(code))
    }

    @Test(
        "A search marks its words in the text, but not in tags and character references",
        arguments: [
            ("redirect", "<code>http-<mark>redirect</mark></code>", "id=\"http-redirect\""),
            ("Redirect LEAD", "No <mark>redirect</mark> <mark>lead</mark>s away", "<code>"),
            ("bom", "<mark>byte order mark</mark>", "id=\"json-byte-order-mark\""),
            ("quot", "<mark>quot</mark>e", "&quot;"), ("code", "<mark>code</mark>", "<code>"),
            ("ma comma", "-<mark>comma</mark>", "<summary>"), ("comma</", "No codes match", "comma&lt;/"),
        ])
    func marks(_ query: String, _ marked: String, _ unmarked: String) {
        let page = String(decoding: Pages.shared.codes(query), as: UTF8.self)
        #expect(page.contains(marked))
        #expect(page.contains(unmarked))
        for broken in ["<<mark>", "&<mark>", "<mark>ma</mark>", "=\"<mark>"] { #expect(!page.contains(broken)) }
    }

    @Test("The result of a search has a limited number of codes and bytes, and its work does not grow with the query")
    func searchIsBounded() throws {
        let pages = Pages.shared
        let found = pages.codes("a")
        #expect(Self.codes(found) == Diagnostic.all.prefix(CodeIndex.maximumResults).map(\.code))
        let text = String(decoding: found, as: UTF8.self)
        #expect(text.contains("\(Diagnostic.all.count) codes found. This page shows the first 50. Add a word."))
        #expect(found.count < 80_000)
        let words = Array(repeating: "a", count: 8)
        let many = pages.codes((words + ["missing"]).joined(separator: " "))
        #expect(Self.codes(many).count == CodeIndex.maximumResults, "the ninth word must not count")
    }

    /// Returns the codes on a page.
    private static func codes(_ page: [UInt8]) -> [String] {
        String(decoding: page, as: UTF8.self).matches(of: #/<dl class="facts" id="([^"]*)"/#)
            .map { String($0.output.1) }
    }

    @Test("Each code is listed once, below a title, where issues lead")
    func codes() throws {
        let content = Pages.shared.codes()
        #expect(Self.codes(content) == Diagnostic.all.map(\.code))
        #expect(Diagnostic.groups.allSatisfy { $0.title.first?.isUppercase == true })
        let page = String(decoding: content, as: UTF8.self)
        let ids = page.matches(of: #/ id="([^"]*)"/#).map { String($0.output.1) }
        #expect(Set(ids).count == ids.count)
        for rule in Diagnostic.all { #expect(ids.contains(rule.code)) }
    }
}
