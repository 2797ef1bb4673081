import MotivatorHTTP
import MotivatorPlatform
import SourceJSON
import Testing

@testable import Inspector
@testable import MotivatorServer
@testable import UltraMotivator

/// The rules are in docs/inspector.md.
@Suite("The pages of the inspector") struct InspectorTests {
    private let router: Router
    private let lane: TrafficRecorder.Lane
    private let peer: Peer

    /// Records three requests and a failed handshake.
    init() throws {
        let inspector = try Inspector()
        var site = Site()
        inspector.addRoutes(to: &site)
        router = Router(fallback: site, servesEveryHost: true)
        let lane = inspector.recorder.makeLane()
        let address = try #require(SocketAddress("192.0.2.1", port: 1))
        let peer = Peer(address: address, tlsVersion: "TLSv1.3", serverName: "one.test")
        let requests = [("/first", 200), ("/style.css", 200), ("/second?token=s3cr3t", 304)]
        for (number, (target, status)) in requests.enumerated() {
            let head = try Bench.head("GET", target, host: "one.test", fields: "User-Agent: curl/8.5.0\r\n")
            lane.record(
                peer, head, time: Int64(number) * 1_000, duration: 7, status: status, bytes: 3, content: nil)
        }
        lane.record(failedHandshakeOf: peer, time: 9_000, reason: "unsupported protocol")
        (self.lane, self.peer) = (lane, peer)
    }

    private func get(_ target: String, host: String = "localhost") async throws -> Reply {
        let head = try Bench.head("GET", target, host: host)
        guard case .handler(let handler, let parameters, _) = router.decide(head) else { throw Bench.Trouble.noHead }
        return Reply(await handler.respond(to: Request(head: head, content: [], parameters: parameters, peer: peer)))
    }

    /// Returns the identifiers of the rows on a page, in order.
    private static func rows(_ reply: Reply) -> [String] {
        reply.text.matches(of: #/href="\/entries\/([^"]*)"/#).map { String($0.output.1) }
    }

    @Test("The list has the newest entry first, and no style sheets or pictures")
    func list() async throws {
        let reply = try await get("/")
        #expect(reply.status == 200 && reply["Content-Type"] == ["text/html; charset=utf-8"])
        #expect(reply["Cache-Control"] == ["no-store"])
        #expect(Self.rows(reply) == ["0-4", "0-3", "0-1"])
        #expect(reply.text.contains("data-cursor=\"4\""), "the script must continue after the last entry")
        for cell in ["status-2\">200<", "status-2\">304<", "status-5\">failed<"] {
            #expect(reply.text.contains(cell), "\(cell)")
        }
        #expect(reply.text.contains("token=(removed)") && !reply.text.contains("s3cr3t"))
    }

    @Test(
        "The filter selects the entries that contain all its words, in any case",
        arguments: [
            ("", ["0-4", "0-3", "0-1"]), ("SECOND%20304", ["0-3"]), ("second%20200", []), ("handshake", ["0-4"]),
            ("192.0.2.1", ["0-4", "0-3", "0-1"]), ("nothing", []),
        ] as [(String, [String])])
    func filter(_ query: String, _ rows: [String]) async throws {
        #expect(try await Self.rows(get("/?q=\(query)")) == rows)
    }

    @Test("The page of an entry has its properties, and its request without secrets")
    func detail() async throws {
        let request = try await get("/entries/0-3")
        #expect(request.status == 200 && request["Cache-Control"] == ["no-store"])
        #expect(request.text.contains("<th scope=\"row\">Status</th><td>304</td>"))
        #expect(request.text.contains("<th scope=\"row\">Duration</th><td>7 ms</td>"))
        #expect(request.text.contains("id=\"curl\"") && !request.text.contains("is truncated"))
        #expect(request.text.contains("token=(removed)") && !request.text.contains("s3cr3t"))
        let handshake = try await get("/entries/0-4")
        #expect(handshake.text.contains("<th scope=\"row\">Failure</th><td>unsupported protocol</td>"))
        #expect(!handshake.text.contains("id=\"curl\"") && !handshake.text.contains("Duration"))
        for id in ["0-5", "1-1", "0"] {
            let missing = try await get("/entries/\(id)")
            #expect(missing.status == 404 && missing.text.contains("no longer recorded"), "\(id)")
        }
    }

    @Test("The page of a long request says that the recorded request is truncated")
    func truncated() async throws {
        let value = String(repeating: "a", count: TrafficRecorder.headLimit)
        let head = try Bench.head("GET", "/", host: "one.test", fields: "X-Value: \(value)\r\n")
        lane.record(peer, head, time: 10_000, duration: 0, status: 200, bytes: 0, content: nil)
        #expect(try await get("/entries/0-5").text.contains("The recorded request is truncated."))
    }

    @Test("The downloads have the entries that the filter selects, and an HTTP archive has no failed handshakes")
    func downloads() async throws {
        func download(_ name: String, _ query: String) async throws -> JSONObject {
            let reply = try await get("/entries.\(name)\(query)")
            #expect(reply["Content-Disposition"] == ["attachment; filename=\"requests.\(name)\""])
            #expect(reply["Content-Type"] == ["application/json"] && reply["Cache-Control"] == ["no-store"])
            return try #require(try JSONDocument(reply.content).root.object)
        }
        for (query, expected) in [("", ["0-1", "0-2", "0-3", "0-4"]), ("?q=second", ["0-3"])] {
            let entries = try await download("json", query)["entries"]?.array ?? []
            #expect(entries.compactMap { $0.object?["id"]?.string } == expected)
        }
        for (query, expected) in [("", ["/first", "/style.css", "/second?token=(removed)"]), ("?q=FIRST", ["/first"])] {
            let entries = try await download("har", query)["log"]?.object?["entries"]?.array ?? []
            let urls = entries.compactMap { $0.object?["request"]?.object?["url"]?.string }
            #expect(urls == expected.map { "https://one.test" + $0 })
        }
    }

    @Test("The inspector refuses a request that is for another host")
    func otherHost() async throws {
        for target in ["/", "/events", "/entries/0-1", "/entries.json", "/entries.har"] {
            #expect(try await get(target, host: "evil.test").status == 403, "\(target)")
        }
    }
}
