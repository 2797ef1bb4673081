import MotivatorPlatform
import Testing

@testable import AssociatedDomains
@testable import AssociationChecker
@testable import SourceJSON

@Suite("Reports in other formats") struct ReportWriterTests {
    private typealias Found = AssociationChecker.Issue

    /// An issue with any words.
    private struct Words: CatalogIssue {
        static let title = ""
        static let examples: [Words] = []
        var row = HTTPIssue.refused(404)
        let problem: String
        let fix: String
        var entry: CatalogEntry { CatalogEntry(row.entry.diagnostic, problem: problem, fix: fix) }
    }

    private let location = SourceJSON.SourceLocation(line: 2, column: 3, offset: 4)

    private func issue(
        _ issue: HTTPIssue, _ effect: Effect, in subject: String = "site.json",
        at location: SourceJSON.SourceLocation? = nil
    ) -> Found {
        Found(
            Words(row: issue, problem: "a 100% <problem>", fix: "Use a: b, c"), in: subject, at: location, .all(effect))
    }

    private func writer(_ reports: Report...) -> ReportsForCI {
        ReportsForCI(reports, profiles: [.device], version: "1.2")
    }

    private func report(_ target: String, _ issues: [Found], fetches: [FileFetch] = []) -> Report {
        Report(target: target, issues: issues, fetches: fetches)
    }

    @Test("JUnit has a case for each code, and only errors are failures")
    func junit() {
        let issues = [
            issue(.refused(404), .denial, at: location), issue(.refused(404), .denial, in: "other.json"),
            issue(.redirect(status: 301, to: ""), .warning),
        ]
        let text = writer(report("a<b>&\"c\".json", issues)).junit
        let name = "\"a&lt;b&gt;&amp;&quot;c&quot;.json\""
        #expect(text.contains("<testsuite name=\(name) tests=\"2\" failures=\"1\" errors=\"0\" skipped=\"0\">"))
        #expect(text.contains("<testcase classname=\(name) name=\"http-status-refused\">"))
        #expect(text.contains("<failure type=\"http-status-refused\" message=\"A 100% &lt;problem&gt;.\">"))
        #expect(text.contains("error: site.json:2:3: A 100% &lt;problem&gt;. Use a: b, c."))
        #expect(text.contains("<system-out>warning: site.json: A 100% &lt;problem&gt;. Use a: b, c.</system-out>"))
        let empty = writer(report("good.json", [])).junit
        #expect(empty.contains("tests=\"1\" failures=\"0\""))
        #expect(empty.contains("<testcase classname=\"good.json\" name=\"associated\"/>"))
        #expect(writer(report("a", []), report("b", [])).junit.components(of: "<testsuite ").count == 3)
    }

    @Test("XML has no control characters, and line ends as references")
    func xml() {
        #expect(
            "a\u{1}\n\t\r\u{1F} \u{FFFE}\u{FFFF}é".escapedForXML
                == "a\u{FFFD}&#10;&#9;\u{FFFD}\u{FFFD} \u{FFFD}\u{FFFD}é")
    }

    @Test("GitHub's commands name the file, the line and the column")
    func github() throws {
        let text = "A 100%25 <problem>. Use a: b, c."
        let file = report("a,b:c.json", [issue(.refused(404), .denial, in: "a,b:c.json", at: location)])
        #expect(
            writer(file).github
                == "::error file=a%2Cb%3Ac.json,line=2,col=3,title=http-status-refused::\(text)\n")
        let whole = report(
            "a.json",
            [issue(.refused(404), .warning, in: "a.json"), issue(.redirect(status: 301, to: ""), .note, in: "x")])
        #expect(
            writer(whole).github
                == "::warning file=a.json,title=http-status-refused::\(text)\n"
                + "::notice file=a.json,title=http-redirect::x: \(text)\n")
        let odd = report("a\n%.json", [issue(.refused(404), .warning, in: "a\n%.json")])
        #expect(writer(odd).github == "::warning file=a%0A%25.json,title=http-status-refused::\(text)\n")
        let input = report("standard input", [issue(.refused(404), .denial, at: location)])
        #expect(writer(input).github == "::error title=http-status-refused::site.json: \(text)\n")
        let fetches = [FileFetch(path: .root, steps: [try SiteBuilder.missing(SiteBuilder.root)])]
        let site = report("example.com", [issue(.refused(404), .denial, at: location)], fetches: fetches)
        #expect(writer(site).github == "::error title=http-status-refused::site.json: \(text)\n")
    }

    @Test("SARIF has each rule once, and a location for each result")
    func sarif() throws {
        let issues = [
            issue(.refused(404), .denial, in: "a b.json", at: location),
            issue(.redirect(status: 301, to: ""), .warning, in: "a b.json"),
            issue(.redirect(status: 301, to: ""), .note, in: "c", at: location),
        ]
        let document = try JSONDocument(writer(report("a b.json", issues)).sarif.bytes())
        let run = try #require(document.root.object?["runs"]?.array?.first?.object)
        let driver = try #require(run["tool"]?.object?["driver"]?.object)
        #expect(driver["version"]?.string == "1.2")
        let rules = try #require(driver["rules"]?.array)
        #expect(rules.map { $0.object?["id"]?.string } == ["http-status-refused", "http-redirect"])
        let results = try #require(run["results"]?.array).compactMap(\.object)
        #expect(results.map { $0["ruleId"]?.string } == ["http-status-refused", "http-redirect", "http-redirect"])
        #expect(results.map { $0["level"]?.string } == ["error", "warning", "note"])
        let places = results.map { $0["locations"]?.array?.first?.object?["physicalLocation"]?.object }
        #expect(
            places.map { $0?["artifactLocation"]?.object?["uri"]?.string } == ["a%20b.json", "a%20b.json", "c"])
        #expect(places.map { $0?["region"] != nil } == [true, false, true])
        let site = try JSONDocument(writer(report("https://e.com/é", [issue(.refused(404), .denial)])).sarif.bytes())
        #expect(String(decoding: site.bytes, as: UTF8.self).contains("https://e.com/é"))
    }

    // MARK: - Text

    @Test("The caret is below the column, and a long line is truncated around it")
    func excerpt() {
        func excerpt(_ text: String, _ line: Int, _ column: Int, offset: Int = 0, width: Int = 40) -> [String] {
            ReportText.excerpt(
                of: Array(text.utf8), at: SourceJSON.SourceLocation(line: line, column: column, offset: offset),
                width: width
            )
        }
        #expect(excerpt("abc\n\tdéf\n", 2, 3, offset: 6) == ["2 |  déf", "  |   ^"])
        #expect(excerpt("日本x", 1, 3, offset: 6) == ["1 | 日本x", "  |     ^"])
        #expect(excerpt("ab", 1, 9, offset: 99) == ["1 | ab", "  |   ^"])
        let fits = String(repeating: "x", count: 34)
        #expect(excerpt(fits, 1, 1) == ["1 | \(fits)", "  | ^"])
        #expect(excerpt(fits + "y", 1, 1) == ["1 | \(fits)…", "  | ^"])
        #expect(
            excerpt("y" + fits, 1, 35, offset: 34) == ["1 | …\(fits)", "  | \(String(repeating: " ", count: 34))^"])
        let middle = String(repeating: " ", count: 18)
        #expect(excerpt(String(repeating: "x", count: 100), 1, 50, offset: 49) == ["1 | …\(fits)…", "  | \(middle)^"])
    }

    private func text(_ issues: [Found], _ profiles: [Profile] = [.device], isVerbose: Bool = false) -> [String] {
        var style = ReportText.Style()
        (style.width, style.isVerbose) = (400, isVerbose)
        let text = ReportText(report("site.json", issues), profiles: profiles, style: style).text
        return text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    @Test("Notes are hidden and counted, unless the text is verbose")
    func notes() {
        let (one, two) = (issue(.refused(404), .note), issue(.redirect(status: 301, to: ""), .note))
        #expect(text([one]).contains("1 note is hidden. Show it with --verbose."))
        #expect(text([one, two]).contains("2 notes are hidden. Show them with --verbose."))
        #expect(!text([one]).contains { $0.contains("explain CODE") })
        let verbose = text([one], isVerbose: true)
        #expect(verbose.contains("note[http-status-refused] A 100% <problem>."))
        #expect(!verbose.contains { $0.contains("hidden") } && verbose.contains { $0.hasPrefix("  Reason: ") })
        #expect(text([issue(.refused(404), .denial)]).contains { $0.contains("explain CODE") })
        #expect(!text([issue(.refused(404), .denial)]).contains { $0.hasPrefix("  Reason: ") })
    }

    @Test("An ignored error is hidden in text, and not an error in the other formats")
    func ignored() {
        let found = report("site.json", [issue(.refused(404), .denial)]).ignoring { _ in true }
        var style = ReportText.Style()
        style.width = 400
        let short = ReportText(found, profiles: [.device], style: style).text
        #expect(short.contains("1 ignored issue is hidden. Show it with --verbose."))
        #expect(!short.contains("[http-status-refused]"))
        style.isVerbose = true
        let verbose = ReportText(found, profiles: [.device], style: style).text
        #expect(verbose.contains("ignored error[http-status-refused] ") && !verbose.contains("hidden"))
        #expect(writer(found).junit.contains("failures=\"0\"") && !writer(found).junit.contains("<failure"))
        #expect(writer(found).github.hasPrefix("::notice "))
    }

    @Test("With two profiles, an issue of the second one is a note, and with three, it has its own severity")
    func secondProfile() {
        let issues = [Found(Words(problem: "a", fix: "b"), in: "c", SeverityByProfile(documented: .denial))]
        for (profiles, isError) in [([Profile.device, .documented], false), (Profile.allCases, true)] {
            let forCI = ReportsForCI([report("c", issues)], profiles: profiles, version: "1")
            #expect(forCI.github.hasPrefix(isError ? "::error " : "::notice "))
            #expect(forCI.junit.contains("failures=\"\(isError ? 1 : 0)\""))
            let lines = text(issues, profiles)
            #expect(lines.contains("documented error[http-status-refused] A.") == isError, "\(lines)")
            #expect(lines.contains("1 note is hidden. Show it with --verbose.") == !isError, "\(lines)")
        }
    }

    @Test("With more than two profiles, the most serious severity counts, and errors come before warnings")
    func allProfiles() {
        let issues = [
            Found(Words(row: .redirect(status: 301, to: ""), problem: "a", fix: "b"), in: "c", .all(.warning)),
            Found(Words(problem: "a", fix: "b"), in: "c", SeverityByProfile(device: .note, documented: .denial)),
        ]
        let forCI = ReportsForCI([report("c", issues)], profiles: Profile.allCases, version: "1")
        let errors = forCI.github.split(separator: "\n").filter { $0.hasPrefix("::error ") }
        #expect(forCI.junit.contains("failures=\"1\"") && errors.count == 1)
        #expect(errors.allSatisfy { $0.contains("title=http-status-refused::") })
        let heads = text(issues, Profile.allCases).filter { $0.hasSuffix("] A.") }
        #expect(heads == ["documented error[http-status-refused] A.", "warning[http-redirect] A."])
        #expect(issues[1].severity() == .error && issues[1].severity(in: [.device, .documented]) == .note)
    }

    @Test("A second conclusion follows only for another verdict, and with three profiles, all conclusions")
    func conclusions() {
        func count(_ profiles: [Profile], _ effects: SeverityByProfile) -> Int {
            let found = [Found(Words(problem: "a", fix: "b"), in: "c", effects)]
            return text(found, profiles).prefix { !$0.isEmpty }.count
        }
        var device = SeverityByProfile()
        device[.device] = .denial
        #expect(count([.device], device) == 1)
        #expect(count([.device, .documented], device) == 2)
        #expect(count([.device, .documented], .all(.denial)) == 1)
        #expect(count([.device, .documented, .ios9], .all(.denial)) == 3)
    }

    @Test("The severity in each profile is shown only if it differs")
    func deviation() {
        var device = SeverityByProfile()
        (device[.device], device[.documented]) = (.denial, .warning)
        let found = [Found(Words(problem: "a", fix: "b"), in: "c", device)]
        #expect(text(found, [.device, .documented]).contains("  in c (device: error, documented: warning)"))
        #expect(text(found, [.device, .ios8]).contains("  in c (device: error, ios8: no issue)"))
        #expect(text(found, [.device]).contains("  in c"))
        #expect(text([issue(.refused(404), .denial, at: location)], [.device, .ios8]).contains("  in site.json:2:3"))
    }

    @Test("Lines are wrapped at spaces, at 40 columns or more", arguments: [0, 40, 60])
    func wrapped(_ width: Int) {
        var style = ReportText.Style()
        style.width = width
        let long = Array(repeating: "word", count: 40).joined(separator: " ")
        let found = Found(Words(problem: long, fix: long), in: "a", .all(.denial))
        let lines = ReportText(report("a", [found]), profiles: [.device], style: style).text.split(separator: "\n")
        let most = max(width, 40)
        let wrapped = lines.filter { $0.contains("word word") }
        #expect("one two three".wrapped(to: 7) == ["one two", "three"], "a line may fill the width")
        #expect(wrapped.allSatisfy { $0.count <= most } && wrapped.contains { $0.count > most - 5 })
    }
}

extension String {
    fileprivate func components(of separator: String) -> [Substring] {
        split(separator: separator, omittingEmptySubsequences: false)
    }
}
