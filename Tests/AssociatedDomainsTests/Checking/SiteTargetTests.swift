import Certificates
import MotivatorPlatform
import TestSupport
import Testing

@testable import AssociatedDomains
@testable import AssociationChecker
@testable import HTTPSClient

@Suite("The URLs of a site's files") struct SiteTargetTests {
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
        Case("Another port than that of the entry", "e.com:9999", ["webcredentials:e.com:8443"], asks: "e.com:9999"),
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

    @Test("The entries of the service determine host and port, in any order", arguments: cases)
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

    @Test("Each service is requested once for any number of entries")
    func bounded() throws {
        let entries = try (1...300).flatMap { port in
            try Service.allCases.map { try AssociatedDomain("\($0.rawValue):e.com:\(port + 8_000)") }
        }
        #expect(try SiteTarget.locate("e.com", entries: entries).files.count == 2)
    }

    static let coverage: [(target: String, entry: String, missing: String?, fix: String)] = [
        ("e.com:8443", "webcredentials:e.com:8443", nil, ""), ("e.com", "webcredentials:e.com:8443", nil, ""),
        ("e.com:443", "webcredentials:e.com", nil, ""), ("a.e.com:8443", "applinks:*.e.com:8443", nil, ""),
        (
            "e.com:8443", "webcredentials:e.com", "e.com:8443",
            "Add the entry webcredentials:e.com:8443, or check e.com."
        ),
        (
            "a.e.com:8443", "applinks:*.e.com:9443", "a.e.com:8443",
            "Add the entry applinks:a.e.com:8443, or check a.e.com:9443."
        ),
        (
            "localhost:8443", "webcredentials:e.com", "localhost:8443",
            "Add the entry webcredentials:localhost:8443?mode=developer."
        ),
        ("[::1]", "webcredentials:e.com", "[::1]", "Add the entry webcredentials:[::1]?mode=developer."),
        ("192.0.2.1", "webcredentials:e.com", "192.0.2.1", "Add the entry webcredentials:192.0.2.1?mode=developer."),
    ]

    @Test(
        "An entry covers a target at the port that the target names, and a fix is an accepted entry",
        arguments: coverage)
    func covers(_ target: String, _ entry: String, _ missing: String?, _ fix: String) throws {
        var request = CheckRequest()
        request.entries = [.init(entry)]
        let site = try SiteTarget.locate(target, entries: request.domains)
        let fetches = try site.files.map { file in
            FileFetch(path: file.path, steps: [try SiteBuilder.good(file.url.description)], entries: file.entries)
        }
        let report = Checker(request, at: 1_700_000_000).check(fetches: fetches, site: site.text, host: site.host)
        let issue = report.issues.first { $0.code == "entitlement-other-host" }
        #expect(issue?.message == missing.map { "No entry of the app covers \($0). The app lists \(entry)." })
        #expect(issue?.fix ?? "" == fix)
    }

    @Test("Each of two sites needs a file for the services of its entries")
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

    /// The URLs that a check requests from a server that redirects `/0` to `/1`, and so on.
    private func requested(
        _ entries: String..., redirects: Int, status: Int = 302, of path: FilePath? = nil,
        to target: @escaping @Sendable (Int) -> String = { "/\($0)" }
    ) throws -> (paths: [String], fetch: FileFetch) {
        let server = try HostileServer()
        let paths = Guarded<[String]>([])
        server.serve(20) { connection in
            let path = connection.request().split(separator: " ").dropFirst().first.map(String.init) ?? ""
            paths.withLock { $0.append(path) }
            let number = Int(path.dropFirst()) ?? 0
            let response =
                number < redirects
                ? "\(status) Found\r\nLocation: \(target(number + 1))\r\nContent-Length: 0"
                : "200 OK\r\nContent-Type: application/json\r\nContent-Length: 2"
            connection.send("HTTP/1.1 \(response)\r\n\r\n" + (number < redirects ? "" : "{}"))
            connection.closeNotify()
        }
        var options = Fetcher.Options()
        options.deadline = 600
        options.connectTo = [try Fetcher.ConnectTo("::127.0.0.1:\(server.address.port)")]
        let target =
            if let path {
                try SiteTarget.locate(path, "a.test")
            } else {
                try SiteTarget.locate("https://a.test/0", entries: entries.map { try AssociatedDomain($0) })
            }
        let verifier = try ChainVerifier(trust: [], at: Clock.system.now())
        let fetches = target.fetches(Fetcher(options), verifier: verifier)
        return (paths.withLock { $0 }, try #require(fetches.first))
    }

    @Test("An entry with a mode follows 10 redirects, and not 11", arguments: [10, 11])
    func redirectLimit(_ count: Int) throws {
        let (paths, fetch) = try requested("webcredentials:a.test?mode=developer", redirects: count)
        #expect(paths == (0...10).map { "/\($0)" })
        #expect(fetch.hasFile == (count == 10) && fetch.steps.count == 11)
        #expect((fetch.steps.last?.redirect == nil) == (count == 10))
        var request = CheckRequest()
        request.entries = [.init("webcredentials:a.test?mode=developer")]
        let report = Checker(request, at: Clock.system.now()).check(fetches: [fetch], site: "a.test", host: "a.test")
        #expect(report.issues.contains { $0.code == "http-redirect-loop" } == (count == 11))
    }

    @Test("Each redirect status is followed with a mode", arguments: [301, 302, 303, 307, 308])
    func redirectStatuses(_ status: Int) throws {
        let (paths, fetch) = try requested("webcredentials:a.test?mode=managed", redirects: 1, status: status)
        #expect(paths == ["/0", "/1"] && fetch.hasFile)
    }

    @Test("Without a mode, to http, or to a URL that was requested before, a redirect is not followed")
    func notFollowed() throws {
        #expect(try requested("webcredentials:a.test", redirects: 1).paths == ["/0"])
        let mixed = try requested("webcredentials:a.test?mode=developer", "applinks:a.test", redirects: 1)
        #expect(mixed.paths == ["/0"], "each entry must have a mode")
        let both = try requested("applinks:a.test?mode=developer", "applinks:a.test", redirects: 1)
        #expect(both.paths == ["/0"], "an entry without a mode takes precedence over the same entry with a mode")
        let developer = "webcredentials:a.test?mode=developer"
        #expect(try requested(developer, redirects: 1) { "http://a.test/\($0)" }.paths == ["/0"])
        #expect(try requested(developer, redirects: 1) { "https://a.test/\($0)" }.paths == ["/0", "/1"])
        #expect(try requested(developer, redirects: 1) { _ in "/0" }.paths == ["/0"])
        #expect(try requested(developer, redirects: 9) { $0 == 3 ? "/1" : "/\($0)" }.paths == ["/0", "/1", "/2"])
    }

    @Test("A redirect of the related origins is followed, as by browsers, but a redirect of assetlinks.json is not")
    func otherFiles() throws {
        #expect(try requested(redirects: 1, of: .relatedOrigins).paths == [FilePath.relatedOrigins.text, "/1"])
        #expect(try requested(redirects: 1, of: .assetLinks).paths == [FilePath.assetLinks.text])
        #expect(try requested(redirects: 1, of: .passkeyEndpoints).paths == [FilePath.passkeyEndpoints.text])
    }

    /// The paths that profiles request from a site with files at the given paths.
    private func requested(
        by profiles: Profile..., files: Set<FilePath>, entries: [String] = []
    ) throws -> [FilePath] {
        let server = try HostileServer()
        let paths = Guarded<[String]>([])
        let authority = try Authority.temporary(permitted: ["a.test"])
        var wishes = ServerTLS.Wishes()
        wishes.identity = try authority.issue(hosts: ["a.test"])
        server.serve(20, wishes) { connection in
            let path = connection.request().split(separator: " ").dropFirst().first.map(String.init) ?? ""
            paths.withLock { $0.append(path) }
            let exists = files.contains { $0.text == path }
            connection.send("HTTP/1.1 \(exists ? "200 OK" : "404 Not Found")\r\nContent-Length: 2\r\n\r\n{}")
            connection.closeNotify()
        }
        var options = Fetcher.Options()
        options.deadline = 600
        options.connectTo = [try Fetcher.ConnectTo("::127.0.0.1:\(server.address.port)")]
        let verifier = try ChainVerifier(trust: [authority.root], at: Clock.system.now())
        let target = try SiteTarget.locate("a.test", entries: entries.map { try AssociatedDomain($0) })
        let fetches = target.fetches(Fetcher(options), verifier: verifier, as: profiles, onlyIfTrusted: true)
        let requested = paths.withLock { $0 }
        #expect(fetches.map(\.path.text) == requested)
        return fetches.map(\.path)
    }

    @Test("A profile requests only its own paths, in order, until one has a file")
    func profilePaths() throws {
        #expect(try requested(by: .device, files: [.wellKnown, .root]) == [.wellKnown])
        #expect(try requested(by: .device, files: []) == [.wellKnown])
        #expect(try requested(by: .ios8, files: [.wellKnown]) == [.root])
        #expect(try requested(by: .device, .documented, files: [.wellKnown, .root]) == [.wellKnown])
        #expect(try requested(by: .device, .documented, files: []) == [.wellKnown, .root])
        #expect(try requested(by: .device, .ios8, files: [.wellKnown]) == [.wellKnown, .root])
        for profile in [Profile.documented, .ios9] {
            #expect(try requested(by: profile, files: [.wellKnown, .root]) == [.wellKnown])
            #expect(try requested(by: profile, files: [.root]) == [.wellKnown, .root])
            #expect(try requested(by: profile, files: []) == [.wellKnown, .root])
        }
    }

    @Test("The entries of two services can lead to two sites, and each site needs its own file")
    func twoSitesOfProfile() throws {
        let entries = ["webcredentials:a.test", "applinks:a.test:8443"]
        let both: [FilePath] = [.wellKnown, .wellKnown]
        #expect(try requested(by: .device, files: [.wellKnown], entries: entries) == both)
        #expect(try requested(by: .documented, files: [.wellKnown, .root], entries: entries) == both)
    }

    @Test("A URL is at a standard path only if a device requests exactly this URL")
    func standardPaths() throws {
        let cdn = "app-site-association.cdn-apple.com", network = "app-site-association.networking.apple"
        let cases: [(String, FilePath?)] = [
            ("https://e.com/.well-known/apple-app-site-association", .wellKnown),
            ("https://e.com/apple-app-site-association", .root),
            ("https://\(cdn)/a/v1/e.com", .wellKnown), ("https://\(network)/a/v1/e.com", .wellKnown),
            ("https://\(cdn)/a/v2/e.com", nil), ("https://e.com/a/v1/e.com", nil),
            ("https://e.com/.well-known/apple-app-site-association?a", nil),
            ("https://e.com/apple-app-site-association?", nil),
            ("https://e.com/.well-known/apple-app-site-association/", nil),
            ("https://e.com/apple-app-site-associations", nil), ("https://e.com/", nil),
        ]
        for (url, path) in cases { #expect(FilePath(readAt: try WebURL(url)) == path, "\(url)") }
    }

    static let ports: [(wanted: UInt16?, decides: UInt16?)] = [
        (nil, nil), (443, nil), (8443, 8443), (80, 80), (9000, 80),
    ]

    @Test("Of entries for several ports, the requested port decides, else the lowest, in any order", arguments: ports)
    func decidingPort(_ wanted: UInt16?, _ decides: UInt16?) throws {
        let entries = try ["", ":80", ":8443"].map { try AssociatedDomain("webcredentials:e.com\($0)") }
        for first in entries.indices {
            let rotated = Array(entries[first...] + entries[..<first])
            for order in [rotated, rotated.reversed()] {
                #expect(order.deciding(for: "e.com", port: wanted, service: nil).map(\.port) == [decides], "\(order)")
            }
        }
    }

    /// Two entries of a service that cover e.com. The first one decides.
    static let precedence: [(first: String, second: String)] = [
        ("applinks:e.com", "applinks:e.com?mode=developer"), ("applinks:e.com", "applinks:e.com?mode=managed"),
        ("applinks:e.com?mode=developer", "applinks:e.com:8443"),
        ("applinks:e.com?mode=developer", "applinks:*.e.com"), ("applinks:e.com:8443", "applinks:*.e.com"),
    ]

    @Test("Of two entries, the host decides, then the port, and then the mode, in any order", arguments: precedence)
    func decidingEntry(_ first: String, _ second: String) throws {
        let entries = [try AssociatedDomain(first), try AssociatedDomain(second)]
        for order in [entries, entries.reversed()] {
            #expect(order.deciding(for: "e.com", port: nil, service: .applinks) == [entries[0]], "\(order)")
        }
    }
}
