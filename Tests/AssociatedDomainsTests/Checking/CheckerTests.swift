import HTTPSClient
import Testing

@testable import AssociatedDomains
@testable import AssociationChecker
@testable import SharedWebCredentials
@testable import SourceJSON

@Suite("The checker") struct CheckerTests {
    @Test("A file gets the verdict of each profile, and its issues", arguments: FileCases.all)
    func file(_ check: CheckCase) throws { try check.verify() }

    @Test("The rules of applinks get the verdict of each profile, and their issues", arguments: LinkCases.all)
    func links(_ check: CheckCase) throws { try check.verify() }

    @Test("A signed file gets the verdict of each profile, and its issues", arguments: SignatureCases.all)
    func signature(_ check: CheckCase) throws { try check.verify() }

    @Test("An entitlement is evaluated for the host", arguments: EntitlementCases.all)
    func entitlement(_ check: CheckCase) throws { try check.verify() }

    @Test("Each row of the entitlement table has its verdicts", arguments: EntitlementCases.table)
    func entitlementTable(_ entry: String, _ verdicts: String, _ code: String) {
        var request = CheckRequest()
        request.entries = [.init(entry)]
        let report = Checker(request, at: 0).checkEntries(name: "entry")
        let found = [Profile.device, .documented].map { report.verdict($0).rawValue.prefix(1).uppercased() }.joined()
        #expect(found == verdicts)
        #expect(report.issues.contains { $0.code == code }, "\(report.issues.map(\.code))")
    }

    @Test("The fix for many domains names the service of the entries")
    func manyDomains() throws {
        for service in [Service.applinks, .webcredentials] {
            var request = CheckRequest()
            request.entries = (1...31).map { .init("\(service.rawValue):a\($0).example.com") }
            let issues = Checker(request, at: 0).checkEntries(name: "entries").issues
            let issue = try #require(issues.first { $0.code == "entitlement-many-domains" })
            #expect(issue.fix.contains("\(service.rawValue):*.example.com") == (service == .applinks))
        }
    }

    @Test("A site gets the verdict of each profile", arguments: SiteCases.all)
    func site(_ check: CheckCase) throws { try check.verify() }

    @Test("A file for Android gets its verdict and its issues", arguments: AssetLinksCases.all)
    func assetLinks(_ check: CheckCase) throws { try check.verify() }

    @Test("The forms of a page get their issues", arguments: PageCases.all)
    func page(_ check: CheckCase) throws { try check.verify() }

    @Test("The conclusion about a page is what a device does with its forms", arguments: PageCases.conclusions)
    func pageConclusion(_ name: String, _ html: String, _ conclusion: String) {
        let report = PageLint.report(Array(html.utf8), name: "page.html", url: nil)
        #expect(report.conclusion(.device) == "iPhones \(conclusion)", "\(name)")
    }

    @Test("An issue of a page names the value, and its fix the corrected value", arguments: PageCases.texts)
    func pageTexts(_ html: String, _ problem: String, _ fix: String) throws {
        let issues = PageLint.report(Array(html.utf8), name: "page.html", url: nil).issues
        #expect(issues.count == 1)
        #expect(issues[0].message.lowercased().contains(problem.lowercased()) && issues[0].fix.hasPrefix(fix))
    }

    @Test(
        "The fix of an issue contains the corrected value",
        arguments: [
            ("applinks:example.com?developer", "Write \"applinks:example.com?mode=developer\""),
            ("applinks:example.com?Mode=managed", "Write \"applinks:example.com?mode=managed\""),
            ("applinks:example.com?a=b", "Write \"applinks:example.com\""),
        ])
    func corrected(_ entry: String, _ fix: String) throws {
        var request = CheckRequest()
        request.entries = [.init(entry)]
        let issue = try #require(Checker(request, at: 0).checkEntries(name: "").issues.first)
        #expect(issue.fix.hasPrefix(fix), "\(issue.fix)")
    }

    @Test("The fix for an identifier without a prefix is the requested app, if it has this bundle identifier")
    func missingPrefix() throws {
        for (bundle, fix) in [("com.example.DemoApp", "Write \"\(demoApp)\"."), ("com.example.DemoApp2", "Add the")] {
            let file = Array(credentials(bundle).utf8)
            var request = CheckRequest()
            try CheckRequest.asking(demoApp)(&request)
            let issues = Checker(request, at: 0).check(file: file, name: "").issues
            let issue = try #require(issues.first { $0.code == "app-no-prefix" })
            #expect(issue.fix.hasPrefix(fix), "\(issue.fix)")
        }
    }

    @Test("URL tests pass or fail", arguments: LinkTestCases.all)
    func linkTests(_ check: CheckCase) throws { try check.verify() }

    @Test("The example of each row about forms has the issue, at its tag and with a fix")
    func pageExamples() throws {
        for row in PageIssue.examples.map(\.entry.diagnostic) where row.example.hasPrefix("<") {
            let html = Array("<!doctype html>\n<title>é</title> \(row.example)".utf8)
            let issue = try #require(PageLint.issues(in: html, name: "page", url: WebURL("https://e.test/")).first)
            #expect(issue.code == row.code && (issue.location?.line == 2) == (row.code != "form-missing"))
            #expect(issue.location.map { html[$0.offset] == UInt8(ascii: "<") && $0.column > 17 } ?? true)
        }
    }

    @Test("A lone new password for a host with a saved password names the host and the token")
    func savedPassword() throws {
        let html = Array("<form><input type=password autocomplete=new-password></form>".utf8)
        let issue = try #require(PageLint.issues(in: html, name: "p", url: nil, savedFor: "example.com").first)
        #expect(issue.message.contains("example.com") && issue.fix.contains("\"current-password\""))
    }

    @Test("An issue in a UTF-16 file has a location in the text of the report")
    func otherEncoding() throws {
        let text = #"{"webcredentials":{"apps":["short"]}}"#
        let bytes = text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        let report = Checker(CheckRequest(), trust: [], at: 0).check(file: bytes, name: "file")
        let issue = try #require(report.issues.first { $0.message.contains("short") })
        let place = try #require(issue.location)
        let shown = try #require(report.texts["file"])
        #expect(shown == Array(text.utf8))
        #expect(shown.dropFirst(place.offset).starts(with: #""short""#.utf8))
    }

    @Test("The fix for a file without a service names the requested service and app")
    func requestedService() throws {
        for text in ["", "{}", "[]"] {
            var request = CheckRequest()
            try CheckRequest.asking(demoApp, .appclips)(&request)
            let issue = Checker(request, at: 0).check(file: Array(text.utf8), name: "file").issues.first
            #expect(issue?.fix.contains("\"appclips\":{\"apps\":[\"\(demoApp)\"]}") == true, "\(issue?.fix ?? "")")
        }
    }

    @Test(
        "The fix keeps the apps of a file with the wrong structure",
        arguments: [
            (#"{"webcredentials":"\#(demoApp)"}"#, #"Write {"webcredentials":{"apps":["\#(demoApp)"]}}."#),
            (#"{"webcredentials":null}"#, #"Write {"webcredentials":{"apps":["PREFIX.BUNDLE-ID"]}}."#),
            (#""webcredentials":{"apps":["\#(demoApp)"]}"#, "Put the whole content in braces: {…}."),
            (
                #"module.exports = {"webcredentials":{}}"#,
                "Use only the JSON, from its first brace to its last one."
            ),
        ])
    func structure(text: String, fix: String) {
        let issues = Checker(CheckRequest(), at: 0).check(file: Array(text.utf8), name: "file").issues
        #expect(issues.first?.fix == fix, "\(issues.map(\.text))")
    }

    @Test("The prefix of an app is compared without regard to the case of ASCII letters only")
    func prefixCase() throws {
        let app = try AppIdentifier("SSABCDEFGH.com.x")
        #expect(app.isNamed(by: "ssABCDEFgH.com.x") && !app.isNamed(by: "ssABCDEFgH.com.X"))
        #expect(!app.isNamed(by: "ßABCDEFGH.com.x"))
    }

    @Test("The fix for an app that only another service lists adds the app to the apps of the service")
    func listedElsewhere() throws {
        var request = CheckRequest()
        try CheckRequest.asking(demoApp, .webcredentials)(&request)
        let text = "{\"appclips\":{\"apps\":[\"\(demoApp)\"]},\(credentials(demoApp + "X").dropFirst())"
        let issue = Checker(request, at: 0).check(file: Array(text.utf8), name: "file").issues.first
        #expect(issue?.code == "app-listed-elsewhere")
        #expect(issue?.fix == "Add \"\(demoApp)\" to the apps of webcredentials.")
    }

    @Test("The rules of another app open no URL for the requested app")
    func otherRules() throws {
        var request = CheckRequest()
        try CheckRequest.asking(demoApp, .applinks)(&request)
        let text =
            "{\"applinks\":{\"details\":[{\"appID\":\"D3KQX62K1A.com.example.Other\",\"paths\":[\"*\"]},"
            + "{\"appID\":\"\(demoApp)\",\"paths\":[\"NOT *\",\"/a\"]}]}}"
        let report = Checker(request, at: 0).check(file: Array(text.utf8), name: "file")
        #expect(report.verdict(.device) == .denied)
        #expect(report.denial(.device)?.code == "links-rule-unreachable")
    }

    @Test("A missing app is located at the list of apps")
    func listLocation() throws {
        var request = CheckRequest()
        try CheckRequest.asking(demoApp, .webcredentials)(&request)
        let text = credentials("D3KQX62K1A.com.example.Other")
        let issue = Checker(request, at: 0).check(file: Array(text.utf8), name: "file").issues.first
        #expect(issue?.code == "app-not-listed")
        let rest = text.utf8.dropFirst(try #require(issue?.location).offset)
        #expect(rest.starts(with: "[\"D3KQX62K1A.com.example.Other".utf8))
    }

    @Test("Typographic quotes are one issue with a count, and the rest of the file is still read")
    func typographicQuotes() throws {
        let apps = (0..<40).map { "D3KQX62K1A.com.example.App\($0)" } + ["short"]
        let text = credentials("x").replacing("\"x\"", with: apps.map { "“\($0)”" }.joined(separator: ","))
        let issues = Checker(CheckRequest(), at: 0).check(file: Array(text.utf8), name: "file").issues
        let quotes = issues.filter { $0.code == "json-typographic-quote" }
        #expect(quotes.count == 1 && quotes[0].more == 40)
        #expect(quotes.first?.message.hasSuffix("The file has 40 more.") == true)
        #expect(issues.contains { $0.message.contains("short") })
    }

    @Test("Placeholders are one issue with the number of the other apps")
    func placeholders() {
        let names = ["TEAMID.com.example.a", "TEAMID.com.example.b", "TEAMID.com.example.c"]
        for (count, more) in [(1, ""), (2, ", and so does 1 other app"), (3, ", and so do 2 other apps")] {
            let apps = names.prefix(count).map { "\"\($0)\"" }.joined(separator: ",")
            let file = "{\"webcredentials\":{\"apps\":[\(apps)]}}"
            let issues = Checker(CheckRequest(), at: 0).check(file: Array(file.utf8), name: "file").issues
            let found = issues.filter { $0.code == "app-placeholder" }
            #expect(found.map(\.message) == ["\"\(names[0])\" looks like a placeholder\(more)."])
            #expect(found.map(\.more) == [count - 1])
        }
    }

    @Test("The message about a large file has its size only if the whole file was read")
    func size() {
        for (count, size) in [(131_073, ""), (131_074, " (131074 bytes)")] {
            let file = [UInt8](repeating: 0x20, count: count)
            let issue = Checker(CheckRequest(), at: 0).check(file: file, name: "file").issues.first
            #expect(issue?.message == "The file is larger than 131072 bytes\(size).")
        }
    }

    @Test("The interpretation of an entry is reported once, and each issue has a subject")
    func once() {
        for host in ["example.com", nil] {
            var request = CheckRequest()
            request.entries = [.init("webcredentials:*.example.com"), .init(""), .init("  ")]
            request.domain = host
            let issues = Checker(request, at: 0).checkEntries(name: "entries").issues
            #expect(issues.count { $0.code == "entitlement-wildcard-root" } == 1)
            #expect(issues.allSatisfy { !$0.subject.allSatisfy(\.isWhitespace) })
        }
    }

    @Test("Every issue with an entry or URL of another site has a fix")
    func fixes() {
        var request = CheckRequest()
        request.entries = [.init("applinks:*.example.com"), .init("webcredentials:*.example.com")]
        request.domain = "www.example.com"
        let issues = Checker(request, at: 0).checkEntries(name: "entries").issues
        #expect(issues.contains { $0.code == "entitlement-file-elsewhere" })
        #expect(issues.contains { $0.code == "entitlement-wildcard-credentials" })
        #expect(issues.allSatisfy { !$0.fix.isEmpty })
    }

    @Test("Each code has a sentence, a reason, a dated source and a test case")
    func everyCode() {
        #expect(Set(Diagnostic.all.map(\.code)).count == Diagnostic.all.count)
        let cases =
            FileCases.all + LinkCases.all + EntitlementCases.all + SiteCases.all + SignatureCases.all
            + AssetLinksCases.all + PageCases.all + LinkTestCases.all
        let covered = Set(cases.flatMap(\.codes) + PasskeyCheckTests.cases.flatMap(\.codes))
        for row in Diagnostic.all {
            #expect(row.text.hasSuffix(".") && row.reason.hasSuffix("."), "\(row.code)")
            #expect(!row.effects.profiles.isEmpty, "\(row.code) has no effect")
            #expect(!row.example.isEmpty, "\(row.code) has no example")
            #expect(!row.source.title.isEmpty && row.source.date.contains("20"), "\(row.code) has no source or date")
            #expect(covered.contains(row.code), "\(row.code) has no case")
        }
        #expect(covered.isSubset(of: Diagnostic.all.map(\.code)))
    }
}
