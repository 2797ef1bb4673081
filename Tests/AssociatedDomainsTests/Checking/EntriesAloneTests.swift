import Testing

@testable import AssociatedDomains
@testable import AssociationChecker
@testable import HTTPSClient

@Suite("Entries without a file") struct EntriesAloneTests {
    static let cases: [(entry: String, domain: String?, verdict: Verdict, codes: [String])] = [
        ("webcredentials:example.com", nil, .associated, []),
        ("webcredentials:example.com", "example.com", .associated, []),
        ("webcredentials:example.com", "www.example.com", .denied, ["entitlement-other-host"]),
        ("https://example.com", nil, .denied, ["entitlement-scheme"]),
        ("https://example.com", "example.com", .denied, ["entitlement-scheme"]),
        ("{\"webcredentials\":[]}", nil, .denied, ["entitlement-form"]),
    ]

    @Test("The app's entries are checked without the site (Apple, Associated Domains Entitlement)", arguments: cases)
    func alone(_ entry: String, _ domain: String?, _ verdict: Verdict, _ codes: [String]) {
        var request = CheckRequest()
        request.entries = [CheckRequest.Entry(entry, source: "the entry")]
        request.domain = domain
        let report = Checker(request, at: 1_800_000_000).checkEntries(name: "the entry")
        #expect(report.verdict(.documented) == verdict)
        #expect(report.issues.map(\.code) == codes)
        #expect(report.file == nil)
    }

    @Test(
        "A site has at most the remaining time, and at least a second", arguments: [(3, 3), (0, 1), (-5, 1), (99, 15)])
    func time(_ left: Int, _ deadline: Int) {
        #expect(Fetcher().limited(to: left).options.deadline == deadline)
    }
}
