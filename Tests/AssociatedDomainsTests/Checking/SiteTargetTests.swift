import MotivatorPlatform
import Testing

@testable import AssociatedDomains
@testable import AssociationChecker
@testable import HTTPSClient

@Suite("Where a site is asked") struct SiteTargetTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let target: String
        let entries: [String]
        let service: Service?
        /// The hosts, with their ports, that receive requests for both paths.
        let asked: [String]

        init(_ name: String, _ target: String, _ entries: [String], _ service: Service? = nil, asks asked: String...) {
            testDescription = name
            self.target = target
            self.entries = entries
            self.service = service
            self.asked = asked
        }
    }

    /// Targets with their entries. Each service has separate entries (Apple, Associated Domains Entitlement).
    static let cases = [
        Case("A domain alone", "example.com", [], asks: "example.com"),
        Case(
            "The port of another service's entry", "e.com", ["applinks:e.com:9999", "webcredentials:e.com"],
            .webcredentials, asks: "e.com"),
        Case(
            "The port of the service's entry", "e.com", ["webcredentials:e.com", "applinks:e.com:9999"],
            .applinks, asks: "e.com:9999"),
        Case(
            "Two services at two ports", "e.com", ["applinks:e.com:9999", "webcredentials:e.com"],
            asks: "e.com", "e.com:9999"),
        Case("Two services at one place", "e.com", ["applinks:e.com", "webcredentials:e.com:443"], asks: "e.com"),
        Case(
            "Two ports of one service, the usual one last", "e.com",
            ["webcredentials:e.com:9999", "webcredentials:e.com"],
            asks: "e.com"),
        Case(
            "Two ports of one service, the higher one first", "e.com",
            ["webcredentials:e.com:9999", "webcredentials:e.com:8443"],
            asks: "e.com:8443"),
        Case("A port that the target names", "e.com:9999", ["webcredentials:e.com"], asks: "e.com:9999"),
        Case(
            "Another service's entry names the subdomain", "www.e.com",
            ["applinks:www.e.com", "webcredentials:*.e.com"],
            .webcredentials, asks: "e.com"),
        Case(
            "A wildcard of one service, the host of another", "www.e.com",
            ["applinks:www.e.com", "webcredentials:*.e.com"],
            asks: "e.com", "www.e.com"),
        Case(
            "A wildcard beside the host, of one service", "www.e.com",
            ["webcredentials:*.e.com", "webcredentials:www.e.com"],
            asks: "www.e.com"),
        Case("Two wildcards", "a.b.e.com", ["webcredentials:*.e.com", "webcredentials:*.b.e.com"], asks: "b.e.com"),
        Case("Entries of other hosts", "e.com", ["webcredentials:f.com:8443"], asks: "e.com"),
        Case("An address", "[::1]:8443", ["webcredentials:[::1]:8443?mode=developer"], asks: "[::1]:8443"),
    ]

    @Test("The entries of the service choose host and port, in whatever order they stand", arguments: cases)
    func places(_ check: Case) throws {
        let entries = try check.entries.map { try AssociatedDomain($0) }
        for entries in [entries, entries.reversed()] {
            let target = try SiteTarget.locate(check.target, entries: entries, service: check.service)
            let urls = check.asked.flatMap { site in
                [FilePath.wellKnown, .root].map { "https://\(site)\($0.text)" }
            }
            #expect(target.files.map(\.url.description) == urls)
        }
    }

    @Test("However many entries there are, each service is asked for once")
    func bounded() throws {
        let entries = try (1...2_000).flatMap { port in
            try Service.allCases.map { try AssociatedDomain("\($0.rawValue):e.com:\(port + 8_000)") }
        }
        #expect(try SiteTarget.locate("e.com", entries: entries).files.count == 2)
    }

    @Test("Each of two sites has to have its file, for the services of its own entries")
    func twoSites() throws {
        let (credentials, links) = (
            try AssociatedDomain("webcredentials:e.com"), try AssociatedDomain("applinks:e.com:9999")
        )
        var request = CheckRequest()
        request.entries = [.init("\(credentials)"), .init("\(links)")]
        let path = FilePath.wellKnown.text
        func report(_ other: [FileFetch.Step]) throws -> Report {
            let fetches = [
                FileFetch(
                    path: .given, steps: [try SiteBuilder.good("https://e.com\(path)")], entries: [credentials]),
                FileFetch(path: .given, steps: other, entries: [links]),
            ]
            return Checker(request, at: 1_700_000_000).check(fetches: fetches, site: "e.com", host: "e.com")
        }
        let file = "{\"applinks\":{\"details\":[{\"appIDs\":[\"\(demoApp)\"],\"components\":[{\"/\":\"*\"}]}]}}"
        #expect(try report([SiteBuilder.good("https://e.com:9999\(path)", file)]).verdict(.device) == .associated)
        #expect(try report([SiteBuilder.good("https://e.com:9999\(path)")]).verdict(.device) == .denied)
        #expect(try report([SiteBuilder.missing("https://e.com:9999\(path)")]).verdict(.device) == .denied)
    }
}
