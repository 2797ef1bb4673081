import MotivatorPlatform
import Testing

@testable import AssociatedDomains
@testable import AssociationChecker
@testable import HTTPSClient
@testable import motivator

@Suite("The domains of an app") struct AppDomainsTests {
    @Test("Each host of the entitlement is checked once, for the requested service")
    func sites() {
        var request = CheckRequest()
        request.entries = [
            "webcredentials:example.com", "applinks:example.com", "applinks:*.example.org", "webcredentials:example",
            "webcredentials:example.net:8443",
        ].map { .init($0) }
        #expect(AppDomains.sites(request) == ["example.com", "example.org", "example.net:8443"])
        request.service = .applinks
        #expect(AppDomains.sites(request) == ["example.com", "example.org"])
    }

    @Test("The worst domain comes first, with its first issue and its fix")
    func table() throws {
        let reports = try [
            SiteBuilder.site("", "", []), SiteBuilder.broken("", "", "") { try SiteBuilder.step($0, status: 503) },
            SiteBuilder.broken("", "", "") { try SiteBuilder.missing($0) },
        ].map { (name: "", report: try $0.report()) }
        var request = CheckRequest()
        request.entries = [.init("applinks:$(DOMAIN)"), .init("applinks:example.com")]
        let lines = AppDomains.table(reports, request, .device, isColored: false).split(separator: "\n")
        let starts = lines.filter { !$0.hasPrefix(" ") }.map { $0.prefix { $0 != " " } }
        #expect(starts == ["dropped", "denied", "retry", "associated"])
        #expect(lines.contains { $0.contains("Fix: ") })
    }

    @Test("An international name is converted, in a target and in the fix for an entry")
    func internationalNames() throws {
        #expect(try SiteTarget.locate("München.de").host == "xn--mnchen-3ya.de")
        #expect(try SiteTarget.locate("https://例え.テスト/").host == "xn--r8jz45g.xn--zckzah")
        let entry = "applinks:*.münchen.de?mode=developer"
        let error = #expect(throws: AssociatedDomain.Malformed.self) { try AssociatedDomain(entry) }
        #expect(error?.fix == "Write \"applinks:*.xn--mnchen-3ya.de?mode=developer\"")
    }

    @Test("A target may be an IPv6 address without brackets, and the fix for a wildcard is its host")
    func otherForms() throws {
        let site = try SiteTarget.locate("::1")
        #expect(site.host == "::1" && site.files.first?.url.authority == "[::1]")
        let error = #expect(throws: ExplainedFailure.self) { try SiteTarget.locate("*.example.com") }
        #expect(error?.problem == "\"*.example.com\" is a wildcard, not a site")
        #expect(error?.fix.hasPrefix("Enter \"example.com\", which serves its file") == true)
    }

    @Test("A name below localhost is this machine")
    func localhost() throws {
        let found = try NameLookup.system.resolve("a.b.localhost", 80).get()
        #expect(!found.isEmpty && found.allSatisfy(\.isLoopback))
    }

    @Test("An issue without an effect in the requested profile is only a note for CI")
    func otherProfile() {
        var request = CheckRequest()
        request.entries = [.init("webcredentials:example.com?mode=Developer")]
        let report = Checker(request, at: 0).checkEntries(name: "entry")
        let device = ReportsForCI([report], profiles: [.device, .documented], version: "1").github
        #expect(device.contains("title=entitlement-mode-case") && !device.contains("::warning"))
        #expect(ReportsForCI([report], profiles: [.documented], version: "1").github.contains("::warning"))
    }
}
