import HTTPTypes
import MotivatorHTTP
import MotivatorPlatform
import Testing

@testable import MotivatorServer

/// The maximum content size of a route, and the time at which its handler runs (docs/http.md, "Content").
@Suite("Content of routes", .serialized) struct ContentPolicyTests {
    private let router = Router.serving { site in
        let length = ClosureHandler { Response(.ok, type: "text/plain", text: "\($0.content.count)") }
        site.route(.post, "/dropped", to: length)
        site.route(.post, "/buffered", to: length, content: .buffered(limit: 5))
        site.route(
            .post, "/read",
            to: ClosureHandler { request in
                Response(.ok, type: "text/plain", text: await request.readContent().map { "\($0.count)" } ?? "none")
            }, content: .onDemand(limit: 5))
        site.route(.post, "/unread", to: ClosureHandler("not read"), content: .onDemand(limit: 1 << 20))
        site.route(.post, "/large", to: length, content: .buffered(limit: 1 << 20))
    }

    private func head(_ path: String, _ length: Int, _ fields: String = "") -> String {
        "POST \(path) HTTP/1.1\r\nHost: example.test\r\nContent-Length: \(length)\r\n\(fields)\r\n"
    }

    private static let tooLarge = "The content is larger than 5 bytes. Send less text or a smaller file.\n"

    struct Case: Sendable, CustomTestStringConvertible {
        let rule: String
        let path: String
        let content: String
        let status: Int
        let text: String

        var testDescription: String { "\(rule) (\(path))" }
    }

    @Test(
        "Content within and above the limit", arguments: Way.all,
        [
            Case(rule: "a route drops content by default", path: "/dropped", content: "hello!", status: 200, text: "0"),
            Case(rule: "content of the limit", path: "/buffered", content: "hello", status: 200, text: "5"),
            Case(rule: "a byte more", path: "/buffered", content: "hello!", status: 413, text: tooLarge),
            Case(rule: "content that the handler reads", path: "/read", content: "hello", status: 200, text: "5"),
            Case(rule: "no content for the handler to read", path: "/read", content: "", status: 200, text: "0"),
            Case(
                rule: "a byte more than the handler may read", path: "/read", content: "hello!", status: 413,
                text: tooLarge),
            Case(rule: "the handler does not read", path: "/unread", content: "hello!", status: 200, text: "not read"),
        ])
    func limits(_ way: Way, _ table: Case) async throws {
        try await Live.run(way.poller, router) { live in
            let wire = try await live.connect(isSecure: way.isSecure)
            let response = try await wire.ask(TestRequest("POST", table.path, content: table.content))
            #expect(response.status == table.status)
            #expect(response.text == table.text)
            #expect(response.closes == (table.status != 200))
            if table.status == 200 {
                #expect(try await wire.ask(TestRequest("POST", "/buffered", content: "abc")).text == "3")
            }
        }
    }

    @Test("413 does not wait for the content", arguments: Way.all, ["/buffered", "/read"])
    func immediate(_ way: Way, _ path: String) async throws {
        try await Live.run(way.poller, router) { live in
            let wire = try await live.connect(isSecure: way.isSecure)
            try await wire.send(head(path, 6))
            #expect(try await wire.response().status == 413)
        }
    }

    @Test(
        "A route that drops content responds before the content arrives", arguments: Way.all, ["/dropped", "/unread"])
    func early(_ way: Way, _ path: String) async throws {
        try await Live.run(way.poller, router) { live in
            let wire = try await live.connect(isSecure: way.isSecure)
            try await wire.send(head(path, 6))
            let response = try await wire.response()
            #expect(response.status == 200 && !response.closes)
            try await wire.send("hello!")
            #expect(try await wire.ask(TestRequest("POST", "/buffered", content: "abc")).text == "3")
        }
    }

    @Test("A handler that waits for malformed or missing content gets none", arguments: Way.all, [false, true])
    func failed(_ way: Way, _ ends: Bool) async throws {
        let outcome = Mailbox<String>()
        let router = Router.serving { site in
            site.route(
                .post, "/read",
                to: ClosureHandler { request in
                    outcome.put(await request.readContent() == nil ? "none" : "content")
                    return Response(.ok)
                }, content: .onDemand(limit: 5))
        }
        try await Live.run(way.poller, router) { live in
            let wire = try await live.connect(isSecure: way.isSecure)
            try await wire.send("POST /read HTTP/1.1\r\nHost: example.test\r\nTransfer-Encoding: chunked\r\n\r\n")
            if ends { try await wire.finish() } else { try await wire.send("x") }
            #expect(try await outcome.first { _ in true } == "none")
            if !ends {
                let (responses, _) = try await wire.rest()
                #expect(responses.map(\.status) == [400], "the server must ignore the handler's response")
            }
        }
    }

    @Test("A handler that reads the content again gets none", arguments: Way.all)
    func again(_ way: Way) async throws {
        let router = Router.serving { site in
            site.route(
                .post, "/twice",
                to: ClosureHandler { request in
                    let parts = [await request.readContent(), await request.readContent()]
                    let counts = parts.map { $0.map { "\($0.count)" } ?? "none" }
                    return Response(.ok, type: "text/plain", text: counts.joined(separator: ", "))
                }, content: .onDemand(limit: 5))
        }
        try await Live.run(way.poller, router) { live in
            let wire = try await live.connect(isSecure: way.isSecure)
            for _ in 0..<2 {
                #expect(try await wire.ask(TestRequest("POST", "/twice", content: "hello")).text == "5, none")
            }
        }
    }

    @Test("A client above its memory budget gets 503 and Retry-After; another client is served", arguments: Way.all)
    func budget(_ way: Way) async throws {
        try await Live.run(way.poller, router, { $0.bufferedBytesPerClient = 40_000 }) { live in
            let first = try await live.connect(isSecure: way.isSecure)
            try await first.send(head("/large", 40_001) + String(repeating: "x", count: 30_000))
            let second = try await live.connect(isSecure: way.isSecure)
            try await second.send(head("/large", 40_001) + String(repeating: "x", count: 30_000))
            // The last content to arrive exceeds the budget.
            _ = try await live.events.first { $0.contains("too much unfinished content") }
            let other = try await live.connect(Wire.Wishes(isSecure: way.isSecure, source: "127.0.0.2"))
            let content = String(repeating: "x", count: 30_000)
            #expect(try await other.ask(TestRequest("POST", "/large", content: content)).text == "30000")
        }
    }

    @Test("Content that a handler holds counts towards the memory budget", arguments: Way.all)
    func held(_ way: Way) async throws {
        let (started, released) = (Mailbox<Bool>(), Mailbox<Bool>())
        let handler = ClosureHandler { request in
            started.put(true)
            _ = try? await released.first { $0 }
            return Response(.ok, type: "text/plain", text: "\(request.content.count)")
        }
        let router = Router.serving { $0.route(.post, "/held", to: handler, content: .buffered(limit: 1 << 20)) }
        let request = TestRequest("POST", "/held", content: String(repeating: "x", count: 30_000))
        try await Live.run(way.poller, router, { $0.bufferedBytesPerClient = 40_000 }) { live in
            let first = try await live.connect(isSecure: way.isSecure)
            try await first.send(request.bytes)
            try await started.first { $0 }
            #expect(try await live.connect(isSecure: way.isSecure).ask(request).status == 503)
            released.put(true)
            #expect(try await first.response().text == "30000")
        }
    }

    @Test("Content of a client that disconnects no longer counts towards its memory budget", arguments: Way.all)
    func disconnected(_ way: Way) async throws {
        try await Live.run(way.poller, router, { $0.bufferedBytesPerClient = 40_000 }) { live in
            var wires: [Wire] = []
            for _ in 0..<2 {
                let wire = try await live.connect(isSecure: way.isSecure)
                try await wire.send(head("/large", 40_001) + String(repeating: "x", count: 30_000))
                wires.append(wire)
            }
            // The budget now includes at least 10,000 bytes from the accepted connection.
            try await live.events.first { $0.contains("too much unfinished content") }
            for wire in wires {
                try await wire.finish()
                _ = try await wire.rest()
            }
            let again = try await live.connect(isSecure: way.isSecure)
            let content = String(repeating: "x", count: 38_000)
            #expect(try await again.ask(TestRequest("POST", "/large", content: content)).text == "38000")
        }
    }

    @Test("A response above the budget that its client does not read ends the connection", arguments: Way.all)
    func unreadResponse(_ way: Way) async throws {
        let router = Router.serving { site in
            site.route(
                .get, "/large",
                to: ClosureHandler { _ in Response(.ok, content: [UInt8](repeating: 7, count: 32 << 20)) })
        }
        try await Live.run(way.poller, router, { $0.bufferedBytesPerClient = 1 << 20 }) { live in
            let lazy = try await live.connect(Wire.Wishes(isSecure: way.isSecure, receiveBuffer: 8 << 10))
            try await lazy.send(TestRequest("GET", "/large").bytes)
            try await live.events.first { $0.contains("too much unfinished content") }
            await #expect(throws: WireTrouble.self) { _ = try await lazy.response() }
        }
    }

    @Test("The response to content above the budget", arguments: Way.all)
    func budgetResponse(_ way: Way) async throws {
        try await Live.run(way.poller, router, { $0.bufferedBytesPerClient = 10_000 }) { live in
            let wire = try await live.connect(isSecure: way.isSecure)
            try await wire.send(head("/large", 20_000) + String(repeating: "x", count: 15_000))
            let response = try await wire.response()
            #expect(response.status == 503 && response.closes)
            #expect(response["retry-after"] == "10")
            // The budget for the rejected content is available again.
            let again = try await live.connect(isSecure: way.isSecure)
            let content = String(repeating: "x", count: 9_000)
            #expect(try await again.ask(TestRequest("POST", "/large", content: content)).text == "9000")
        }
    }

    @Test("Content above the budget that waits for its handler gets 503 in the accepted format", arguments: Way.all)
    func deferred(_ way: Way) async throws {
        let released = Mailbox<Bool>()
        let handler = ClosureHandler { request in
            _ = try? await released.first { $0 }
            return Response(.ok, type: "text/plain", text: "\(await request.readContent()?.count ?? 0)")
        }
        let router = Router.serving { $0.route(.post, "/later", to: handler, content: .onDemand(limit: 1 << 20)) }
        try await Live.run(way.poller, router, { $0.bufferedBytesPerClient = 10_000 }) { live in
            let wire = try await live.connect(isSecure: way.isSecure)
            try await wire.send(head("/later", 20_000, "Accept: text/html\r\n") + String(repeating: "x", count: 15_000))
            let response = try await wire.response()
            #expect(response.status == 503 && response.closes)
            #expect(response["retry-after"] == "10" && response["content-type"] == "text/html; charset=utf-8")
            released.put(true)
        }
    }

    @Test("An error has the format that the request accepts only if its head is valid", arguments: Way.all)
    func formats(_ way: Way) async throws {
        let time = LoopTime()
        try await Live.run(
            way.poller, router,
            {
                time.drive(&$0)
                $0.contentTimeout = DeadlineTests.deadline
            }
        ) { live in
            let html = "Accept: text/html\r\n"
            let requests = [
                (413, "text/html; charset=utf-8", head("/buffered", 6, html)),
                (408, "text/html; charset=utf-8", head("/buffered", 5, html) + "hell"),
                (413, "text/plain; charset=utf-8", head("/buffered", 6)),
                (400, "text/plain; charset=utf-8", head("/buffered", 5, html + "Bad field\r\n")),
            ]
            for (status, type, request) in requests {
                let wire = try await live.connect(isSecure: way.isSecure)
                // The previous request must not affect the response.
                let first = TestRequest("POST", "/dropped", fields: ["Accept: text/html"])
                #expect(try await wire.ask(first).status == 200)
                try await wire.send(request)
                try await time.expire { try await wire.hears(within: 100) }
                let response = try await wire.response()
                #expect(response.status == status)
                #expect(response["content-type"] == type, "\(status)")
            }
        }
    }

    @Test("An error response after a HEAD request has its content", arguments: Way.all)
    func afterHead(_ way: Way) async throws {
        try await Live.run(way.poller, router) { live in
            let wire = try await live.connect(isSecure: way.isSecure)
            #expect(try await wire.ask(TestRequest("HEAD", "/none")).status == 404)
            try await wire.send("BROKEN\r\n\r\n")
            let response = try await wire.response()
            #expect(response.status == 400 && !response.content.isEmpty)
        }
    }
}
