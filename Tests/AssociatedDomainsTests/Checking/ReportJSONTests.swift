import MotivatorPlatform
import Testing

@testable import AssociatedDomains
@testable import AssociationChecker
@testable import HTTPSClient
@testable import SourceJSON

/// The fields of a report for other programs (`report-schema.json`).
@Suite("Reports as JSON") struct ReportJSONTests {
    private func object(_ report: Report, _ profiles: [Profile] = [.device]) throws -> JSONObject {
        try #require(try JSONDocument(report.json(profiles: profiles, version: "1.2").bytes()).root.object)
    }

    private func number(_ value: JSONValue?) -> String? {
        if case .number(let text)? = value?.content { text } else { nil }
    }

    private func texts(_ value: JSONValue?) -> [String]? { value?.array?.compactMap(\.string) }

    private func report(_ text: String) -> Report {
        Checker(CheckRequest(), at: 0).check(file: Array(text.utf8), name: "site.json")
    }

    @Test("A report is ok if every profile associates and no URL test failed; the first profile has the conclusion")
    func verdicts() throws {
        let found = report(credentials(demoApp))
        #expect(try object(found)["ok"]?.boolean == true)
        let both = try object(found, [.documented, .ios8])
        #expect(both["ok"]?.boolean == false)
        #expect(both["profile"]?.string == "documented" && both["version"]?.string == "1.2")
        #expect(both["conclusion"]?.string == found.conclusion(.documented))
        let verdicts = try #require(both["verdicts"]?.object)
        #expect(verdicts.members.map(\.key) == ["documented", "ios8"])
        #expect(verdicts.members.map(\.value.string) == ["associated", "denied"])
        let failed = try object(LinkTestCases.report(LinkTestCases.file, "https://example.com/help → app"))
        #expect(failed["ok"]?.boolean == false)
        #expect(failed["verdicts"]?.object?["device"]?.string == "associated")
    }

    @Test("An issue has its severity in each requested profile, and of three profiles, the most serious one decides")
    func issue() throws {
        let location = SourceJSON.SourceLocation(line: 2, column: 3, offset: 4)
        let effects = SeverityByProfile(device: .warning, documented: .denial, ios8: .retry)
        let open = effects.unproven(in: .documented)
        let found = Report(
            target: "a",
            issues: [AssociationChecker.Issue(HTTPIssue.refused(404), in: "site.json", at: location, open)])
        let root = try object(found, [.ios9, .device, .documented])
        #expect(texts(root["unproven"]) == ["documented"])
        let issue = try #require(root["issues"]?.array?.first?.object)
        #expect(issue["code"]?.string == "http-status-refused" && issue["severity"]?.string == "error")
        #expect(texts(issue["profiles"]) == ["device", "documented"])
        #expect(issue["severities"]?.object?.members.map(\.key) == ["device", "documented"])
        #expect(issue["severities"]?.object?.members.map(\.value.string) == ["warning", "error"])
        let place = try #require(issue["location"]?.object)
        #expect(place["file"]?.string == "site.json" && number(place["line"]) == "2" && number(place["column"]) == "3")
        #expect(issue["ignored"] == nil && issue["hint"] == nil && issue["replacement"] == nil)
        let ignored = try object(found.ignoring { _ in true }, [.device])
        #expect(ignored["issues"]?.array?.first?.object?["ignored"]?.boolean == true)
    }

    @Test("A fetch has the status and the target of a redirect, or the error of the connection")
    func fetches() throws {
        let steps = [
            try SiteBuilder.step(SiteBuilder.wellKnown, status: 302, [("Location", "/real")]),
            try SiteBuilder.step("https://example.com/real", SiteBuilder.json, Array("{}".utf8)),
            try SiteBuilder.step(SiteBuilder.root, status: nil, failure: .refused(SiteBuilder.publicAddress)),
        ]
        let found = Report(target: "a", issues: [], fetches: [FileFetch(path: .wellKnown, steps: steps)])
        let fetches = try #require(try object(found)["fetches"]?.array).compactMap(\.object)
        #expect(fetches.compactMap { $0["url"]?.string } == steps.map(\.url.description))
        #expect(fetches.map { number($0["status"]) } == ["302", "200", nil])
        #expect(fetches.map { $0["location"]?.string } == ["/real", nil, nil])
        #expect(fetches.map { $0["content_type"]?.string } == [nil, "application/json", nil])
        #expect(fetches.map { number($0["bytes"]) } == ["0", "2", nil])
        #expect(fetches.map { $0["error"]?.kind } == [.null, .null, .string])
    }

    @Test("The services of Apple's file and the relations of an Android file have each app once")
    func apps() throws {
        let apple = try object(report(credentials(demoApp, demoApp)))
        #expect(texts(apple["services"]?.object?["webcredentials"]?.object?["apps"]) == [demoApp])
        #expect(apple["relations"] == nil)
        let android = try object(report("[\(AssetLinksCases.statement()),\(AssetLinksCases.statement())]"))
        let relations = try #require(android["relations"]?.object)
        #expect(relations.members.map(\.key) == [AssetLinksCases.passwords, AssetLinksCases.links])
        #expect(texts(relations[AssetLinksCases.links]) == ["com.example.app=\(AssetLinksCases.print)"])
        #expect(android["services"]?.object?.members.isEmpty == true)
    }
}
