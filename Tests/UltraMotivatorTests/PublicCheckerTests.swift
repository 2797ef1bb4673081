import AssociatedDomains
import AssociationChecker
import Dispatch
import HTTPTypes
import MotivatorHTTP
import MotivatorPlatform
import MotivatorServer
import TestSupport
import Testing

@testable import HTTPSClient
@testable import UltraMotivator
@testable import WebChecker

@Suite("The public checker") struct PublicCheckerTests {
    private static func page(isPublic: Bool = true) throws -> CheckPage {
        CheckPage(
            pages: Pages.shared, queues: CheckPage.Queues(), allowsFetch: true, roots: [],
            clock: Clock { 1_800_000_000 }, version: "1.2.3", fetchesPublicOnly: isPublic)
    }

    private static func request(
        _ query: String, fields: String = "", from address: String = "127.0.0.1"
    ) throws -> Request {
        let head = try Bench.head("GET", "/check/badge.svg?\(query)", host: "one.test", fields: fields)
        let peer = Peer(address: try #require(SocketAddress(address, port: 1)))
        return Request(head: head, content: [], peer: peer)
    }

    private static func input(_ site: String, entry: String = "") throws -> CheckInput {
        var form = CheckForm { $0 == .site ? site : $0 == .entitlement ? entry : "" }
        let input = form.input()
        return try #require(input)
    }

    private static func fetches(_ content: String) throws -> [FileFetch] {
        let url = try WebURL("https://one.test/.well-known/apple-app-site-association")
        let response = FetchedResponse(
            status: 200, reason: "OK", fields: [("Content-Type", "application/json")], content: Array(content.utf8))
        let fetched = Fetched(
            request: FetchRequest(host: "one.test", target: url.requestTarget), address: nil, tls: nil,
            response: response, failure: nil, milliseconds: 1)
        return [FileFetch(path: .wellKnown, steps: [.init(url: url, fetched: fetched, chain: nil)])]
    }

    private static let image = "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Dest: image\r\n"

    @Test("Another site may show the badge of a public checker, but of no other server")
    func badge() async throws {
        let shown = await (try Self.page()).badge(try Self.request("site=127.0.0.1", fields: Self.image))
        let text = String(decoding: shown.content, as: UTF8.self)
        #expect(shown.status == .ok && text.contains("associated domains: denied"))
        #expect(shown.fields[.contentType] == "image/svg+xml")
        #expect(shown.fields[.cacheControl] == "public, max-age=60")
        #expect(shown.fields[.crossOriginResourcePolicy] == "cross-origin")
        let trusted = try Self.page(isPublic: false)
        let refused = await trusted.badge(try Self.request("site=127.0.0.1", fields: Self.image))
        #expect(refused.status == .forbidden)
        let empty = await (try Self.page()).badge(try Self.request("app=x"))
        #expect(empty.status == .unprocessableContent)
    }

    @Test("The badge of a check that may not run yet is an image, which caches keep only until then")
    func lateBadge() async throws {
        let page = try Self.page()
        let input = try Self.input("one.test")
        for _ in 0..<SiteFetches.checksPerHost { #expect(page.queues.sites.begin(input)) }
        let late = await page.badge(try Self.request("site=one.test", fields: Self.image))
        #expect(String(decoding: late.content, as: UTF8.self).contains("associated domains: unknown"))
        #expect(late.fields[.cacheControl] == "public, max-age=\(CheckRun.fetchDeadline)")
        #expect(late.status == .ok)
    }

    @Test("At most four checks of a host run at a time, for any path and entry")
    func perHost() throws {
        let sites = SiteFetches()
        let inputs = try ["one.test", "ONE.test", "one.test:443", "https://one.test/x"].map { try Self.input($0) }
        for input in inputs { #expect(sites.begin(input)) }
        #expect(!sites.begin(inputs[0]))
        #expect(sites.begin(try Self.input("two.test")))
        sites.end(inputs[1])
        #expect(sites.begin(inputs[0]))
    }

    @Test("A check that has ended no longer counts for its host")
    func ended() async throws {
        let page = try Self.page()
        let badge = await page.badge(try Self.request("site=127.0.0.1"))
        #expect(badge.status == .ok)
        let input = try Self.input("127.0.0.1")
        for _ in 0..<SiteFetches.checksPerHost { #expect(page.queues.sites.begin(input)) }
    }

    @Test("Checks of a site that wait for the turn of their client do not exclude other clients")
    func waitingChecks() async throws {
        let page = try Self.page()
        let queue = page.queues.fetches.value
        let gate = DispatchSemaphore(value: 0)
        queue.submit(for: try Self.request("").client, { gate.wait() }, refuse: { _ in })
        let waiting = (0..<SiteFetches.checksPerHost).map { _ in
            Task { await page.badge(try Self.request("site=127.0.0.1")) }
        }
        try await ProgressLimit.wait { queue.waiting == waiting.count }
        let other = await page.badge(try Self.request("site=127.0.0.1", from: "127.0.0.2"))
        #expect(String(decoding: other.content, as: UTF8.self).contains("associated domains: denied"))
        gate.signal()
        for check in waiting { _ = try await check.value }
    }

    @Test("A check reuses the responses of the same requests for 60 seconds")
    func reuse() throws {
        let time = Guarded(Duration.seconds(100))
        let sites = SiteFetches { time.withLock { $0 } }
        let input = try Self.input("one.test")
        #expect(sites.recent(input) == nil)
        sites.keep(try Self.fetches("{}"), of: input)
        time.withLock { $0 += .seconds(59) }
        #expect(sites.recent(input)?.count == 1)
        #expect(sites.recent(try Self.input("one.test", entry: "webcredentials:one.test?mode=developer")) == nil)
        time.withLock { $0 += .seconds(1) }
        #expect(sites.recent(input) == nil)
    }

    @Test("The kept responses are bounded in number and in size, and the oldest leave first")
    func bounds() throws {
        let time = Guarded(Duration.seconds(100))
        let sites = SiteFetches { time.withLock { $0 } }
        for number in 0...SiteFetches.capacity {
            time.withLock { $0 += .milliseconds(1) }
            sites.keep(try Self.fetches("{}"), of: try Self.input("a\(number).test"))
        }
        #expect(sites.recent(try Self.input("a0.test")) == nil)
        #expect(sites.recent(try Self.input("a1.test")) != nil)
        let large = try Self.input("large.test")
        sites.keep(try Self.fetches(String(repeating: " ", count: SiteFetches.maximumContent + 1)), of: large)
        #expect(sites.recent(large) == nil)
    }

    @Test(
        "No form of a private address, and no other port, is reachable",
        arguments: [
            "127.0.0.1", "localhost", "a.localhost", "[::1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]",
            "[64:ff9b::7f00:1]",
            "169.254.169.254", "10.0.0.1", "[fd00::1]", "[fe80::1]", "0.0.0.0", "[::]", "192.0.2.1:8443",
            "8.8.8.8:22", "8.8.8.8:8443",
        ])
    func unreachable(_ site: String) throws {
        let run = CheckRun(
            input: try Self.input(site), roots: [], now: 1_800_000_000, sites: SiteFetches())
        let report = try #require(run.report)
        #expect(report.fetches.count == 2)
        for step in report.fetches.flatMap(\.steps) {
            guard case .notPermitted = step.fetched.failure else {
                Issue.record("\(site): \(String(describing: step.fetched.failure))")
                continue
            }
            #expect(step.fetched.tls == nil && step.fetched.response == nil)
        }
    }

    @Test(
        "Spellings of an address that only some resolvers accept are refused",
        arguments: [
            // Decimal, hexadecimal, octal and short forms of inet_aton(3).
            "2130706433", "0", "4294967295", "0x7f000001", "0X7F.0.0.1", "0x7f.1", "127.0.0.0x1", "0177.0.0.1",
            "017700000001", "127.0.0.01", "127.1", "127.0.1", "127.0.0.1.", "one.test.",
            "[::ffff:127.1]", "[::ffff:0x7f.0.0.1]", "[::ffff:0177.0.0.1]", "[fe80::1%25lo]", "[127.0.0.1]",
        ])
    func spellings(_ site: String) {
        var form = CheckForm { $0 == .site ? site : "" }
        let input = form.input()
        #expect(input == nil)
    }

    static let pages: [(name: String, content: String, isShown: Bool)] = [
        ("an association file", #"{"applinks":{"secret":1,}}"#, true),
        ("an Android file", #"[{"relation":["secret"],}]"#, true),
        ("a page", "<html><p>secret \"applinks\"</p>", false),
        // Messages name the members of a JSON object, but not their values.
        ("JSON of another kind", #"{"a":"secret",}"#, false),
    ]

    @Test("The report shows parts of association files only", arguments: pages)
    func excerpts(name: String, content: String, isShown: Bool) throws {
        let fetches = try Self.fetches(content)
        for sites in [SiteFetches(), nil] {
            let run = CheckRun(
                input: try Self.input("one.test"), roots: [], now: 1_800_000_000, sites: sites, recent: fetches)
            let report = try #require(run.report)
            let view = run.view
            let shown = view.issues.flatMap { [$0.excerpt, $0.change?.before, $0.change?.after] }.compactMap(\.self)
            // The excerpt of a page has no place without the restriction either.
            if !name.hasPrefix("a page") || sites != nil {
                #expect(shown.contains { $0.contains("secret") } == (isShown || sites == nil), "\(name)")
            }
            let json = String(decoding: report.json(profiles: [.device], version: "1").bytes(), as: UTF8.self)
            if !isShown, sites != nil { #expect(!json.contains("secret"), "\(name): \(json)") }
        }
    }
}
