import HTTPTypes
import MotivatorHTTP
import MotivatorPlatform
import Testing

@testable import MotivatorServer

/// Connections from a trusted proxy begin with a PROXY protocol header (docs/http.md, "Behind a proxy").
@Suite("Behind a trusted proxy", .serialized) struct ProxyConnectionTests {
    private static let proxy: [UInt8] = [127, 0, 0, 1]

    private let router = Router.serving { site in
        site.route(
            .get, "/client", to: ClosureHandler { Response(.ok, type: "text/plain", text: $0.peer.address.description) }
        )
    }

    private func header(_ command: UInt8, _ source: [UInt8] = [192, 0, 2, 7]) -> [UInt8] {
        let signature: [UInt8] = [0x0D, 0x0A, 0x0D, 0x0A, 0x00, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A]
        return signature + [0x20 | command, 0x11, 0, 12] + source + [192, 0, 2, 1, 0x30, 0x39, 0x01, 0xBB]
    }

    private func run(_ poller: PollerKind, connections: Int = 64, _ body: (Live) async throws -> Void) async throws {
        try await Live.run(
            poller, router, { ($0.trustedProxies, $0.connections) = ([Self.proxy], connections) }, body)
    }

    @Test("The header names the client; the request follows in the same bytes", arguments: PollerKind.allCases)
    func client(_ poller: PollerKind) async throws {
        try await run(poller) { live in
            let wire = try await live.connect()
            try await wire.send(header(1) + TestRequest("GET", "/client").bytes)
            #expect(try await wire.response().text == "192.0.2.7:12345")
        }
    }

    @Test("The header may arrive byte by byte", arguments: PollerKind.allCases)
    func bytewise(_ poller: PollerKind) async throws {
        try await run(poller) { live in
            let wire = try await live.connect()
            for byte in header(1) { try await wire.send([byte]) }
            #expect(try await wire.ask(TestRequest("GET", "/client")).text == "192.0.2.7:12345")
        }
    }

    @Test("The header precedes the TLS handshake", arguments: PollerKind.allCases)
    func secure(_ poller: PollerKind) async throws {
        try await run(poller) { live in
            let wire = try await live.connect(Wire.Wishes(isSecure: true, preamble: header(1)))
            #expect(try await wire.ask(TestRequest("GET", "/client")).text == "192.0.2.7:12345")
        }
    }

    @Test("A proxy that sends no complete header is disconnected", arguments: Way.all)
    func silent(_ way: Way) async throws {
        // The handshake deadline applies to both TLS and plain HTTP.
        let time = LoopTime()
        try await Live.run(
            way.poller, router,
            {
                time.drive(&$0)
                ($0.trustedProxies, $0.handshakeTimeout) = ([Self.proxy], DeadlineTests.deadline)
            }
        ) { live in
            for preamble in [[], Array(header(1).dropLast())] {
                let wishes = Wire.Wishes(preamble: preamble)
                let wire = try await way.isSecure ? live.connectRaw(preamble: preamble) : live.connect(wishes)
                try await time.expire { try await wire.hears(within: 100) }
                #expect(try await wire.rest().responses.isEmpty)
            }
            #expect(live.events.values.isEmpty, "a health check that only connects must not be logged")
        }
    }

    @Test("LOCAL keeps the proxy's own address", arguments: PollerKind.allCases)
    func local(_ poller: PollerKind) async throws {
        try await run(poller) { live in
            let wire = try await live.connect()
            try await wire.send(header(0) + TestRequest("GET", "/client").bytes)
            #expect(try await wire.response().text.hasPrefix("127.0.0.1:"))
        }
    }

    @Test(
        "Without a header, a trusted proxy is disconnected, and the log has the reason", arguments: PollerKind.allCases)
    func missing(_ poller: PollerKind) async throws {
        try await run(poller) { live in
            let wire = try await live.connect()
            try await wire.send(TestRequest("GET", "/client").bytes)
            #expect(try await wire.rest().responses.isEmpty)
            try await live.events.first { $0.contains("trusted proxy 127.0.0.1 closed") && $0.contains("version 2") }
        }
    }

    @Test("A header from any other address is not a request", arguments: PollerKind.allCases)
    func untrusted(_ poller: PollerKind) async throws {
        try await run(poller) { live in
            let wire = try await live.connect(Wire.Wishes(source: "127.0.0.2"))
            try await wire.send(header(1) + TestRequest("GET", "/client").bytes)
            #expect(try await wire.rest().responses.map(\.status) == [400])
        }
    }

    @Test("The connections of a proxy count for its clients", arguments: PollerKind.allCases)
    func limits(_ poller: PollerKind) async throws {
        // Two connections are allowed per client, and more than two for the proxy.
        try await run(poller, connections: 8) { live in
            var wires: [Wire] = []
            for client in UInt8(1)...2 {
                for _ in 0..<2 {
                    let wire = try await live.connect()
                    try await wire.send(header(1, [192, 0, 2, client]) + TestRequest("GET", "/client").bytes)
                    #expect(try await wire.response().text == "192.0.2.\(client):12345")
                    wires.append(wire)
                }
            }
            // Tries twice, because the end of a refused connection must not reduce the client's count.
            for _ in 0..<2 {
                let third = try await live.connect()
                try await third.send(header(1, [192, 0, 2, 1]) + TestRequest("GET", "/client").bytes)
                #expect(try await third.rest().responses.isEmpty)
            }
            try await live.events.first { $0.hasPrefix("warning: connection from 192.0.2.1 refused: ") }
            #expect(await live.server.counts().counts.refusedConnections == 2)
            for wire in wires { #expect(try await wire.ask(TestRequest("GET", "/client")).status == 200) }
        }
    }

    @Test("A connection that has ended no longer counts for its client", arguments: PollerKind.allCases)
    func ended(_ poller: PollerKind) async throws {
        // Two concurrent connections are allowed per client.
        try await run(poller, connections: 8) { live in
            for _ in 0..<4 {
                let wire = try await live.connect()
                let request = TestRequest("GET", "/client", fields: ["Connection: close"])
                try await wire.send(header(1, [192, 0, 2, 1]) + request.bytes)
                #expect(try await wire.rest().responses.map(\.status) == [200])
            }
        }
    }

    @Test(
        "Near the limit, the client with the most connections loses its oldest idle one, not the proxy",
        arguments: PollerKind.allCases)
    func eviction(_ poller: PollerKind) async throws {
        try await run(poller, connections: 32) { live in
            // The oldest connection belongs to a client with fewer connections.
            var others = [try await open(live, 2)]
            let oldest = try await open(live, 1)
            for number in UInt8(0)..<28 { others.append(try await open(live, number < 7 ? 1 : 2 + number % 4)) }
            let next = try await open(live, 6)
            let (responses, ending) = try await oldest.rest()
            #expect(responses.isEmpty && ending == .orderly)
            for wire in others + [next] { #expect(try await wire.ask(TestRequest("GET", "/client")).status == 200) }
        }
    }

    @Test(
        "Near the limit, a client loses an unfinished handshake before an older idle connection",
        arguments: PollerKind.allCases)
    func handshakeEviction(_ poller: PollerKind) async throws {
        try await run(poller, connections: 32) { live in
            var others = [try await open(live, 1)]
            let unfinished = try await live.connectRaw()
            try await unfinished.send(header(1, [192, 0, 2, 1]))
            for number in UInt8(0)..<28 { others.append(try await open(live, number < 6 ? 1 : 2 + number % 4)) }
            others.append(try await open(live, 6))
            #expect(try await unfinished.rest().responses.isEmpty)
            for wire in others { #expect(try await wire.ask(TestRequest("GET", "/client")).status == 200) }
        }
    }

    /// Opens a connection for a client, sends a request, and waits for the response.
    private func open(_ live: Live, _ client: UInt8) async throws -> Wire {
        let wire = try await live.connect()
        try await wire.send(header(1, [192, 0, 2, client]) + TestRequest("GET", "/client").bytes)
        _ = try await wire.response()
        return wire
    }
}
