import MotivatorHTTP
import MotivatorPlatform
import Testing

@testable import Faults
@testable import MotivatorServer
@testable import UltraMotivator

@Suite("The paths for testing clients") struct FaultPathTests {
    private func get(_ target: String) async throws -> Reply {
        var site = Site()
        FaultPaths.addRoutes(to: &site, hosts: ["one.test", "localhost", "expired.faults.one.test"])
        let head = try Bench.head("GET", target, host: "one.test")
        let peer = Peer(address: try #require(SocketAddress("192.0.2.1", port: 50_000)))
        var router = Router(fallback: site)
        router.add(site, for: "one.test")
        switch router.decide(head) {
        case .handler(let handler, let parameters, _):
            return Reply(
                await handler.respond(to: Request(head: head, content: [], parameters: parameters, peer: peer)))
        case .response(let response): return Reply(response)
        case .representation, .file: throw Bench.Trouble.noHead
        }
    }

    /// Returns the target of `/redirect-to` for a URL, or nil if the server refuses the URL.
    private func redirect(to url: String) async throws -> String? {
        let coded = url.utf8.map { byte in
            let digits = String(byte, radix: 16)
            return "%" + (digits.count == 1 ? "0" : "") + digits
        }.joined()
        let reply = try await get("/redirect-to?url=\(coded)")
        #expect([302, 400].contains(reply.status) && reply["Location"].isEmpty == (reply.status == 400))
        return reply["Location"].first
    }

    @Test(
        "A value out of range is refused",
        arguments: [
            ("a status from 200 to 599", ["199", "600", "101", "x", "2%3000", "-200"].map { "/status/" + $0 }),
            ("seconds from 0 to 30", ["31", "-1", "1.5", "x"].map { "/delay/" + $0 }),
            ("a number from 1 to 20", ["0", "21", "x"].map { "/redirect/" + $0 }),
            ("a number from 0 to 1048576", ["-1", "1048577", "x"].map { "/bytes/" + $0 }),
            (
                "bytes from 1 to 1000 and seconds from 0 to 30",
                ["bytes=0", "bytes=1001", "seconds=31", "seconds=-1", "bytes=x", "bytes=+5", "seconds=-0"].map {
                    "/drip?" + $0
                }
            ),
        ])
    func range(_ words: String, _ targets: [String]) async throws {
        for target in targets {
            let reply = try await get(target)
            #expect(reply.status == 400 && reply.text == "The request needs \(words).\n", "\(target)")
        }
    }

    @Test(
        "A path without its value does not exist",
        arguments: ["/status", "/status/", "/delay", "/redirect", "/bytes", "/status/200/more"])
    func noValue(_ target: String) async throws { #expect(try await get(target).status == 404) }

    @Test(
        "A status whose response has no content is sent without content",
        arguments: [(204, 0), (205, 0), (304, 0), (206, 26)])
    func noContent(_ status: Int, _ count: Int) async throws {
        let reply = try await get("/status/\(status)")
        #expect(
            reply.status == status && reply.text.utf8.count == count && reply["Content-Type"].isEmpty == (count == 0))
    }

    @Test(
        "A status has the field that it requires",
        arguments: [
            (300, nil), (301, "Location"), (302, "Location"), (303, "Location"), (304, nil), (305, nil),
            (307, "Location"), (308, "Location"), (401, "WWW-Authenticate"), (403, nil), (405, "Allow"),
            (407, "Proxy-Authenticate"),
        ] as [(Int, String?)])
    func requiredField(_ status: Int, _ field: String?) async throws {
        let reply = try await get("/status/\(status)")
        #expect(reply.status == status)
        #expect(reply["Location"] == (field == "Location" ? ["/anything"] : []))
        #expect(reply["WWW-Authenticate"] == (field == "WWW-Authenticate" ? ["Basic realm=\"test\""] : []))
        #expect(reply["Allow"] == (field == "Allow" ? ["GET, HEAD"] : []))
        #expect(reply["Proxy-Authenticate"].count == (field == "Proxy-Authenticate" ? 1 : 0))
    }

    @Test("Redirects count down to /anything")
    func redirects() async throws {
        for (count, target) in [(20, "/redirect/19"), (2, "/redirect/1"), (1, "/anything")] {
            let reply = try await get("/redirect/\(count)")
            #expect(reply.status == 302 && reply["Location"] == [target])
        }
    }

    @Test(
        "A redirect to this server is allowed",
        arguments: [
            "/", "/anything?a=b", "/status/418", "https://one.test/path", "http://one.test:8080/path",
            "https://LOCALHOST:8443/", "https://expired.faults.one.test/",
        ])
    func allowed(_ url: String) async throws { #expect(try await redirect(to: url) == url) }

    @Test(
        "A redirect to another host is refused",
        arguments: [
            "", "path", "//example.com/", "/\\example.com/", "\\\\example.com/", "https://example.com/",
            "http://example.com/", "https:example.com", "ftp://localhost/", "javascript:alert(1)",
            "https://one.test.example.com/", "https://one.test@example.com/", "https://one.test:1@example.com/",
            "https://one.test\\@example.com/", "https://one.test:8443x@example.com/", "https://example.com/one.test",
            "https://example.com#one.test", "/a\r\nX-Test: 1", "/a b", "/ü",
        ])
    func refused(_ url: String) async throws { #expect(try await redirect(to: url) == nil) }

    @Test("A redirect without a target is refused")
    func noTarget() async throws { #expect(try await get("/redirect-to").status == 400) }

    @Test("Random bytes have the requested number")
    func bytes() async throws {
        for count in [0, 1, 1 << 20] {
            let reply = try await get("/bytes/\(count)")
            #expect(reply.status == 200 && reply.content.count == count)
            #expect(reply["Content-Type"] == ["application/octet-stream"])
        }
        #expect(try await get("/bytes/32").content != get("/bytes/32").content)
    }
}
