import HTTPTypes
import MotivatorHTTP
import MotivatorPlatform
import MotivatorTLS
import Testing

@testable import MotivatorServer

/// The connections that a running server closes to free slots (docs/http.md, "Connections").
@Suite("Evicted connections", .serialized) struct EvictionTests {
    private let held = Held()
    private let router: Router

    init() {
        let held = held
        router = Router.serving { site in
            site.serve(.text("ready"), at: "/ready")
            site.route(.get, "/held/{client}/{number}", to: held)
            site.route(
                .post, "/echo", to: ClosureHandler { Response(.ok, content: $0.content) },
                content: .buffered(limit: 1 << 10))
        }
    }

    private func connect(_ live: Live, _ way: Way, client: Int) async throws -> Wire {
        try await live.connect(Wire.Wishes(isSecure: way.isSecure, source: "127.0.0.\(client)"))
    }

    /// Opens two connections per client, and sends a request on each.
    private func openIdle(_ live: Live, _ way: Way, _ count: Int) async throws -> [Wire] {
        var wires: [Wire] = []
        for number in 0..<count {
            let wire = try await connect(live, way, client: 10 + number / 2)
            #expect(try await isServed(wire))
            wires.append(wire)
        }
        return wires
    }

    /// Opens a connection with a running handler.
    private func openHeld(_ live: Live, _ way: Way, client: Int, number: Int = 0) async throws -> Wire {
        let wire = try await connect(live, way, client: client)
        let target = "/held/\(client)/\(number)"
        try await wire.send(TestRequest("GET", target).bytes)
        try await held.entered.first { $0 == target }
        return wire
    }

    private func isServed(_ wire: Wire) async throws -> Bool {
        try await wire.ask(TestRequest("GET", "/ready")).status == 200
    }

    @Test("A client loses its idle connection, then its oldest transfer", arguments: Way.all)
    func order(_ way: Way) async throws {
        // Four connections per client. The sixteenth connection is the first that causes an eviction.
        try await Live.run(way.poller, router, { $0.connections = 16 }) { live in
            let head = try await connect(live, way, client: 1)
            try await head.send("GET /ready HTTP/1.1\r\n")
            let running = try await openHeld(live, way, client: 1)
            let content = try await connect(live, way, client: 1)
            try await content.send("POST /echo HTTP/1.1\r\nHost: example.test\r\nContent-Length: 5\r\n\r\nhell")
            let idle = try await connect(live, way, client: 1)
            #expect(try await isServed(idle))
            var others = try await openIdle(live, way, 11)
            for (evicted, client) in [(idle, 8), (head, 9)] {
                others.append(try await connect(live, way, client: client))
                let (responses, ending) = try await evicted.rest()
                #expect(responses.isEmpty && ending == .orderly)
            }
            try await content.send("o")
            #expect(try await content.response().text == "hello")
            held.gate.open()
            #expect(try await running.response().text == "held /held/1/0")
            for wire in others { #expect(try await isServed(wire)) }
        }
    }

    @Test("A client with running handlers keeps them, even if it has the most connections", arguments: Way.all)
    func handlers(_ way: Way) async throws {
        try await Live.run(way.poller, router, { $0.connections = 16 }) { live in
            var running: [Wire] = []
            for number in 0..<4 { running.append(try await openHeld(live, way, client: 1, number: number)) }
            let others = try await openIdle(live, way, 11)
            // The first one fills the server. The second one evicts a client with two connections.
            let new = [try await connect(live, way, client: 8), try await connect(live, way, client: 9)]
            for wire in new { #expect(try await isServed(wire)) }
            held.gate.open()
            for wire in running { #expect(try await wire.response().status == 200) }
            var closed = 0
            for wire in others where (try? await isServed(wire)) != true { closed += 1 }
            #expect(closed == 1)
        }
    }

    @Test("A full server refuses a client, unless it can close an idle connection", arguments: Way.all)
    func full(_ way: Way) async throws {
        // One connection per client.
        try await Live.run(way.poller, router, { $0.connections = 4 }) { live in
            var running: [Wire] = []
            for client in 1...4 { running.append(try await openHeld(live, way, client: client)) }
            await #expect(throws: WireTrouble.self) { _ = try await isServed(connect(live, way, client: 5)) }
            try await live.events.first {
                $0 == "warning: connection from 127.0.0.5 refused: 4 connections are open, "
                    + "the limits are 4 in total and 1 per client"
            }
            let counts = await live.server.counts().counts
            #expect(counts.acceptedConnections == 4 && counts.refusedConnections == 1)
            held.gate.open()
            for wire in running { #expect(try await wire.response().status == 200) }
            #expect(try await isServed(connect(live, way, client: 6)))
        }
    }

    @Test(
        "A handshake that needs memory closes no connection of a client with fewer connections",
        arguments: PollerKind.allCases)
    func handshakes(_ poller: PollerKind) async throws {
        let way = Way(poller: poller, isSecure: true)
        // One client may use a quarter, which is enough for one handshake at a time.
        try await Live.run(poller, router, { $0.memory = 4 * (TLSSession.handshakeMemory + 1_000) }) { live in
            let idle = try await connect(live, way, client: 1)
            #expect(try await isServed(idle))
            var running: [Wire] = []
            for number in 0..<6 { running.append(try await openHeld(live, way, client: 2, number: number)) }
            await #expect(throws: WireTrouble.self) { _ = try await isServed(connect(live, way, client: 2)) }
            #expect(try await isServed(idle))
            held.gate.open()
            for wire in running { #expect(try await wire.response().status == 200) }
        }
    }
}
