import Accounts
import Certificates
import HTTPTypes
import MotivatorHTTP
import MotivatorPlatform
import TestSupport
import Testing

@testable import MotivatorServer
@testable import UltraMotivator

@Suite("The admin listener") struct AdminTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let host: String
        let fields: String
        let isAllowed: Bool

        init(_ rule: String, _ host: String, _ isAllowed: Bool, _ fields: String = "") {
            testDescription = rule
            (self.host, self.fields, self.isAllowed) = (host, fields, isAllowed)
        }
    }

    private static let link = "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\n"

    static let cases = [
        Case("localhost", "localhost", true), Case("Host names have no case", "LOCALHOST:9090", true),
        Case("An IPv4 address", "127.0.0.1:9090", true), Case("An IPv6 address", "[::1]:9090", true),
        Case("Any name can resolve to this machine (DNS rebinding)", "evil.test:9090", false),
        Case("A name that begins like localhost", "localhost.evil.test", false),
        Case("A name that begins like an address", "127.0.0.1.evil.test", false),
        Case("The own origin", "localhost:9090", true, "Origin: http://localhost:9090\r\n"),
        Case("An origin has no case", "localhost:9090", true, "Origin: HTTP://LocalHost:9090\r\n"),
        Case("Another port", "localhost:9090", false, "Origin: http://localhost:8080\r\n"),
        Case("Another scheme", "localhost:9090", false, "Origin: https://localhost:9090\r\n"),
        Case("Another host", "localhost:9090", false, "Origin: http://127.0.0.1:9090\r\n"),
        Case("An origin that is not revealed", "localhost", false, "Origin: null\r\n"),
        Case("A page of the listener", "localhost", true, "Sec-Fetch-Site: same-origin\r\n"),
        Case("A typed address", "localhost", true, "Sec-Fetch-Site: none\r\n"),
        Case("Another site", "localhost", false, "Sec-Fetch-Site: cross-site\r\n"),
        Case("A sibling host", "localhost", false, "Sec-Fetch-Site: same-site\r\n"),
        Case("A link on another site", "localhost", true, link),
        Case(
            "A script of another site", "localhost", false,
            "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: no-cors\r\n"),
        Case("A link to another host", "evil.test", false, link),
    ]

    @Test("A page of another site cannot read the admin listener", arguments: cases)
    func permits(_ example: Case) async throws {
        let handler = ClosureHandler.admin { _ in Response(.ok) }
        let head = try Bench.head("GET", "/", host: example.host, fields: example.fields)
        let peer = Peer(address: try #require(SocketAddress("127.0.0.1", port: 1)))
        let response = await handler.respond(to: Request(head: head, content: [], peer: peer))
        #expect(response.status.code == (example.isAllowed ? 200 : 403))
    }

    @Test("The server is ready while accounts are available, and is alive without them")
    func readiness() async throws {
        let bench = try Bench()
        let time = Guarded<UnixTime>(1_800_000_000)
        let accounts = try bench.accounts(Clock { time.withLock { $0 } })
        let (_, identities) = try bench.demo(["one.test"]).load(port: 8443, now: 0)
        let page = MetricsPage(
            server: try HTTPServer(tls: [], plain: [], logger: RecordingLog.silent), accounts: accounts,
            identities: Guarded(identities), log: LogSink(descriptor: 2), registry: PrometheusRegistry(help: [:]))
        let router = ServerSnapshot.admin(accounts, page).router
        func get(_ path: String) async throws -> Reply {
            let head = try Bench.head("GET", path, host: "any.test")
            let peer = Peer(address: try #require(SocketAddress("127.0.0.1", port: 1)))
            guard case .handler(let handler, _, _) = router.decide(head) else { throw Bench.Trouble.noHead }
            return Reply(await handler.respond(to: Request(head: head, content: [], peer: peer)))
        }
        for path in ["/readyz", "/health", "/healthz"] {
            let reply = try await get(path)
            #expect(reply.status == 200 && reply.members == ["status": "ok"], "\(path)")
        }
        let lines = try await get("/metrics").text.split(separator: "\n").map(String.init)
        let expiry = try identities.identity(for: "one.test").certificate.notAfter
        for line in [
            "motivator_connections_open 0", "motivator_hashing_queue_length 0", "motivator_log_lines_lost_total 0",
            #"motivator_connections_total{outcome="refused"} 0"#,
            #"motivator_certificate_expiry_timestamp_seconds{host="one.test"} \#(expiry)"#,
        ] {
            #expect(lines.contains(line), "\(line)")
        }
        await accounts.close()
        time.withLock { $0 += 1 }
        for path in ["/readyz", "/health"] {
            let reply = try await get(path)
            #expect(reply.status == 503 && reply.members?["status"] == "unavailable", "\(path)")
            #expect(reply.members?["error"] == "Accounts are unavailable: the server is shutting down", "\(path)")
        }
        #expect(try await get("/healthz").status == 200)
    }
}
