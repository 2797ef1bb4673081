import HTTPTypes
import MotivatorHTTP
import MotivatorPlatform
import MotivatorTLS
import TestSupport
import Testing

@testable import MotivatorServer

/// Handlers that write their responses themselves.
@Suite("Responses that handlers write", .serialized) struct ResponseWriterTests {
    private let outcomes = Mailbox<String>()

    /// Creates a site whose handler for `/` calls a closure with its connection, and then returns 200.
    private func router(_ body: @escaping @Sendable (RequestConnection, Request) async -> Void) -> Router {
        let held = Held()
        held.gate.open()
        return Router.serving { site in
            site.route(
                .get, "/",
                to: ClosureHandler { request in
                    if let connection = request.connection { await body(connection, request) }
                    return Response(.ok)
                })
            site.route(.get, "/held", to: held)
        }
    }

    private func responses(_ live: Live, route: String) async -> [String: UInt64] {
        let (counts, routes, _) = await live.server.counts()
        guard let number = routes.firstIndex(of: route) else { return [:] }
        return Dictionary(uniqueKeysWithValues: counts.responses(route: number).map { ($0.statusClass, $0.count) })
    }

    @Test("The client gets the written bytes and nothing else, and the connection closes", arguments: Way.all)
    func written(_ way: Way) async throws {
        let outcomes = outcomes
        let router = router { connection, _ in
            for part in ["HTTP/1.1 203 Own\r\nContent-Length: 5\r\n\r\nhe", "llo"] {
                outcomes.put("\(await connection.write(Array(part.utf8)))")
            }
        }
        try await Live.run(way.poller, router) { live in
            let wire = try await live.connect(isSecure: way.isSecure)
            // The second request arrives after the last response.
            try await wire.send(TestRequest().bytes + TestRequest().bytes)
            let (responses, ending) = try await wire.rest()
            #expect(responses == [TestResponse(status: 203, fields: [.length(5)], content: Array("hello".utf8))])
            #expect(ending == .orderly)
            #expect(outcomes.values == ["true", "true"])
            #expect(await self.responses(live, route: "/") == ["2xx": 1])
        }
    }

    @Test("The log has the handler's status and the number of written bytes", arguments: Way.all)
    func logged(_ way: Way) async throws {
        let scratch = try TemporaryDirectory()
        let sink = try LogSink(path: scratch.file("log"), format: .text)
        let router = router { connection, _ in
            for part in ["HTTP/1.1 203 Own\r\n", "Content-Length: 0\r\n\r\n"] {
                _ = await connection.write(Array(part.utf8))
            }
        }
        try await Live.run(way.poller, router, accessLog: AccessLogOptions(sink: sink, format: .text)) { live in
            let wire = try await live.connect(isSecure: way.isSecure)
            try await wire.send(TestRequest().bytes)
            _ = try await wire.rest()
        }
        let lines = try scratch.text(of: "log").split(separator: "\n")
        #expect(lines.count == 1 && lines[0].contains(" GET / 200 bytes=39 in=38 "))
    }

    @Test("A write waits until the socket has taken the bytes", arguments: Way.all)
    func backpressure(_ way: Way) async throws {
        let (count, part) = (128, [UInt8](repeating: 7, count: 64 << 10))
        let outcomes = outcomes
        let router = router { connection, _ in
            _ = await connection.write(Array("HTTP/1.1 200 OK\r\nContent-Length: \(count * part.count)\r\n\r\n".utf8))
            for number in 0..<count where await connection.write(part) { outcomes.put("\(number)") }
        }
        try await Live.run(way.poller, router) { live in
            let lazy = try await live.connect(Wire.Wishes(isSecure: way.isSecure, receiveBuffer: 8 << 10))
            try await lazy.send(TestRequest().bytes)
            try await outcomes.first { $0 == "0" }
            // Uses the same loop and handler threads, long enough for all parts.
            let other = try await live.connect(isSecure: way.isSecure)
            for _ in 0..<count { _ = try await other.ask(TestRequest("GET", "/held")) }
            #expect(outcomes.values.count < count * 3 / 4, "the system may buffer 4 MB, and the server one part")
            #expect(try await lazy.response().content.count == count * part.count)
        }
    }

    // Without its fix, the connection stalled after about 100 parts: the socket became writable between two attempts to
    // send, and no event followed.
    @Test("A client that reads slowly gets every part", arguments: Way.all)
    func slowReader(_ way: Way) async throws {
        let (count, part) = (1_000, [UInt8](repeating: 7, count: 60 << 10))
        let router = router { connection, _ in
            _ = await connection.write(Array("HTTP/1.1 200 OK\r\nContent-Length: \(count * part.count)\r\n\r\n".utf8))
            for _ in 0..<count where await connection.write(part) {}
        }
        try await Live.run(way.poller, router) { live in
            let slow = try await live.connect(Wire.Wishes(isSecure: way.isSecure, receiveBuffer: 8 << 10))
            try await slow.send(TestRequest().bytes)
            #expect(try await slow.response().content.count == count * part.count)
        }
    }

    @Test("A write that waits returns false when the connection ends", arguments: Way.all)
    func abandoned(_ way: Way) async throws {
        let outcomes = outcomes
        let router = router { connection, _ in
            while await connection.write([UInt8](repeating: 7, count: 64 << 10)) { outcomes.put("written") }
            outcomes.put("ended")
        }
        try await Live.run(way.poller, router, { $0.drainTimeout = 100 }) { live in
            let lazy = try await live.connect(Wire.Wishes(isSecure: way.isSecure, receiveBuffer: 8 << 10))
            try await lazy.send(TestRequest().bytes)
            try await outcomes.first { $0 == "written" }
            await live.server.stop()
            try await outcomes.first { $0 == "ended" }
        }
    }

    @Test("After its request, a writer has no effect on the connection", arguments: Way.all)
    func late(_ way: Way) async throws {
        let (writers, held) = (Mailbox<RequestConnection>(), Held())
        let router = Router.serving { site in
            site.route(
                .get, "/first",
                to: ClosureHandler { request in
                    if let connection = request.connection { writers.put(connection) }
                    return Response(.ok, type: "text/plain", text: "first")
                })
            site.route(.get, "/held", to: held)
        }
        try await Live.run(way.poller, router) { live in
            let wire = try await live.connect(isSecure: way.isSecure)
            #expect(try await wire.ask(TestRequest("GET", "/first")).text == "first")
            try await wire.send(TestRequest("GET", "/held").bytes)
            try await held.entered.first { _ in true }
            let late = try await writers.first { _ in true }
            #expect(await !late.write(Array("injected".utf8)))
            late.stall(status: 299)
            late.reset()
            #expect(await late.tls() == nil)
            held.gate.open()
            #expect(try await wire.response().text == "held /held")
            #expect(try await wire.ask(TestRequest("GET", "/first")).text == "first")
        }
    }

    @Test("A reset on purpose reaches the client as a reset, and is counted without a status", arguments: Way.all)
    func reset(_ way: Way) async throws {
        let router = router { connection, _ in
            _ = await connection.write(Array("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhe".utf8))
            connection.reset()
        }
        try await Live.run(way.poller, router, { $0.connections = 4 }) { live in
            let wishes = Wire.Wishes(isSecure: way.isSecure)
            let wire = try await live.connect(wishes)
            try await wire.send(TestRequest().bytes)
            let trouble = await #expect(throws: WireTrouble.self) { try await wire.response() }
            guard case .ended(.reset, _) = trouble else {
                Issue.record("\(String(describing: trouble))")
                return
            }
            #expect(await responses(live, route: "/") == ["none": 1])
            try await live.waitForSlot(wishes)
        }
    }

    /// What ends the connection of a client that waits for the server.
    enum End: CaseIterable { case byte, reset, stop, handler }

    @Test("A stalled response ends with the client, the server or the handler", arguments: Way.all, End.allCases)
    func stalled(_ way: Way, _ end: End) async throws {
        let outcomes = outcomes
        let router = router { connection, _ in
            _ = await connection.write(Array("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhe".utf8))
            connection.stall(status: 404)
            _ = await connection.tls()
            outcomes.put("stalled")
            if end == .handler { return outcomes.put("returned") }
            do { try await Task.sleep(for: .seconds(86_400)) } catch { outcomes.put("cancelled") }
        }
        // No deadline applies to a stalled connection.
        try await Live.run(
            way.poller, router,
            {
                ($0.connections, $0.idleTimeout, $0.drainTimeout) = (4, 600_000, 60_000)
                $0.lingerTimeout = 100
            }
        ) { live in
            let wishes = Wire.Wishes(isSecure: way.isSecure)
            let wire = try await live.connect(wishes)
            try await wire.send(TestRequest().bytes)
            try await outcomes.first { $0 == "stalled" }
            if end != .handler { #expect(await responses(live, route: "/") == ["4xx": 1]) }
            switch end {
            case .handler: #expect(try await wire.hears())
            case .byte: try await wire.send("G")
            case .reset: try await wire.reset()
            case .stop: await live.server.stop()
            }
            try await outcomes.first { $0 == (end == .handler ? "returned" : "cancelled") }
            if end != .stop { try await live.waitForSlot(wishes) }
            #expect(await responses(live, route: "/") == ["4xx": 1], "the response must be counted once")
        }
    }

    @Test("A handler knows the client's address, and the TLS session if there is one", arguments: Way.all)
    func peer(_ way: Way) async throws {
        let outcomes = outcomes
        let router = router { connection, request in
            outcomes.put(request.peer.address.host)
            outcomes.put(request.peer.tlsVersion ?? "none")
            outcomes.put(request.peer.serverName ?? "none")
            let tls = await connection.tls()
            outcomes.put(tls?.version ?? "none")
            outcomes.put(tls?.serverName ?? "none")
        }
        try await Live.run(way.poller, router) { live in
            _ = try await live.connect(isSecure: way.isSecure).ask(TestRequest())
            let session = way.isSecure ? ["TLSv1.3", "example.test"] : ["none", "none"]
            #expect(outcomes.values == ["127.0.0.1"] + session + session)
        }
    }
}

extension TestResponse.Field {
    fileprivate static func length(_ count: Int) -> Self { Self(name: "content-length", value: "\(count)") }
}
