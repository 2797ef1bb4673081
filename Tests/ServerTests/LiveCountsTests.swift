import HTTPTypes
import MotivatorHTTP
import MotivatorPlatform
import MotivatorTLS
import Testing

@testable import MotivatorServer

/// The counts of a running server for its metrics.
@Suite("The counts of a running server", .serialized) struct LiveCountsTests {
    private let router = Router.serving { $0.serve(.text("ready"), at: "/ready") }

    /// Returns the number of handshakes for each outcome and version.
    private func handshakes(_ live: Live) async -> [String: UInt64] {
        let counts = await live.server.counts().counts
        var found: [String: UInt64] = [:]
        for version in [TLSVersion.tls13, .tls12, .outdated, nil] {
            for outcome in LoopCounts.Handshake.allCases {
                let count = counts.handshakes(outcome, version)
                if count > 0 { found["\(outcome) \(version.map { "\($0.name)" } ?? "unknown")"] = count }
            }
        }
        return found
    }

    @Test("A handshake counts once, by its outcome", arguments: PollerKind.allCases)
    func outcomes(_ poller: PollerKind) async throws {
        try await Live.run(poller, router) { live in
            #expect(try await live.connect(isSecure: true).ask(TestRequest("GET", "/ready")).status == 200)
            #expect(await handshakes(live) == ["full TLSv1.3": 1])
            let gone = try await live.connectRaw()
            try await gone.finish()
            _ = try await gone.rest()
            #expect(await handshakes(live) == ["full TLSv1.3": 1, "closed unknown": 1])
            let confused = try await live.connectRaw()
            try await confused.send([UInt8](repeating: 0, count: 100))
            _ = try await confused.rest()
            #expect(await handshakes(live) == ["full TLSv1.3": 1, "closed unknown": 1, "failed unknown": 1])
            // A client that sends plain HTTP gets a response instead.
            let plain = try await live.connectRaw()
            try await plain.send(TestRequest("GET", "/ready").bytes)
            _ = try await plain.rest()
            #expect(await handshakes(live) == ["full TLSv1.3": 1, "closed unknown": 1, "failed unknown": 1])
        }
    }

    @Test("A handshake that takes too long counts if the client has started it", arguments: PollerKind.allCases)
    func timeout(_ poller: PollerKind) async throws {
        let time = LoopTime()
        try await Live.run(
            poller, router,
            {
                time.drive(&$0)
                $0.handshakeTimeout = DeadlineTests.deadline
            }
        ) { live in
            let silent = try await live.connectRaw()
            let halfway = try await live.connectRaw(preamble: [0x16, 3, 1, 2, 0, 1])
            let later = try await live.connectRaw()
            try await later.send(TestRequest("GET", "/ready").bytes)
            // After this response, the loop has read the bytes of the earlier connection.
            _ = try await later.rest()
            for wire in [silent, halfway] {
                try await time.expire { try await wire.hears(within: 100) }
                _ = try await wire.rest()
            }
            #expect(await handshakes(live) == ["timeout unknown": 1])
        }
    }

    @Test(
        "An alert is a failed handshake only before the first request", arguments: PollerKind.allCases, [false, true])
    func alert(_ poller: PollerKind, _ asksFirst: Bool) async throws {
        try await Live.run(poller, router) { live in
            let wire = try await live.connect(isSecure: true)
            if asksFirst { #expect(try await wire.ask(TestRequest("GET", "/ready")).status == 200) }
            try await wire.sendAlert()
            _ = try? await wire.rest()
            // The server has closed the connection, so the loop has processed the alert.
            try await live.waitUntilEmpty()
            let failed: [String: UInt64] = asksFirst ? [:] : ["failed TLSv1.3": 1]
            #expect(await handshakes(live) == failed.merging(["full TLSv1.3": 1]) { $1 })
            #expect(live.events.values.contains { $0.contains("TLS handshake") } == !asksFirst)
        }
    }

    @Test("Connections are counted as accepted or refused, and as open until they end", arguments: Way.all)
    func connections(_ way: Way) async throws {
        try await Live.run(way.poller, router, { $0.connections = 8 }) { live in
            var wires: [Wire] = []
            for _ in 0..<2 {
                wires.append(try await live.connect(isSecure: way.isSecure))
                #expect(try await wires[wires.count - 1].ask(TestRequest("GET", "/ready")).status == 200)
            }
            await #expect(throws: WireTrouble.self) {
                try await live.connect(isSecure: way.isSecure).ask(TestRequest("GET", "/ready"))
            }
            let (counts, _, open) = await live.server.counts()
            #expect(counts.acceptedConnections == 2 && counts.refusedConnections == 1 && open == 2)
            for wire in wires { try await wire.reset() }
            try await live.waitUntilEmpty()
        }
    }

    /// Returns the number of responses for each route and status class.
    private func responses(_ live: Live) async -> [String: UInt64] {
        let (counts, routes, _) = await live.server.counts()
        let found = routes.enumerated().flatMap { number, route in
            counts.responses(route: number).map { ("\(route) \($0.statusClass)", $0.count) }
        }
        return Dictionary(uniqueKeysWithValues: found)
    }

    @Test("A response counts for its route, or for the reason why there is none", arguments: Way.all)
    func routes(_ way: Way) async throws {
        let router = Router.serving { site in
            site.route(.get, "/users/{name}", to: ClosureHandler("user"))
            site.route(.post, "/content", to: ClosureHandler("content"), content: .buffered(limit: 5))
        }
        try await Live.run(way.poller, router) { live in
            let wire = try await live.connect(isSecure: way.isSecure)
            let requests = [
                TestRequest("GET", "/users/ann"), TestRequest("GET", "/users/bob"), TestRequest("PUT", "/users/bob"),
                TestRequest("GET", "/none"), TestRequest("POST", "/none"), TestRequest("GET", "/", host: "other.test"),
                TestRequest("OPTIONS", "*"), TestRequest("POST", "/content", content: "hello"),
                TestRequest("POST", "/content", content: "hello!"),
            ]
            for request in requests { _ = try await wire.ask(request) }
            #expect(
                await responses(live) == [
                    "/users/{name} 2xx": 2, "/users/{name} 4xx": 1, "no route 4xx": 2, "no site 4xx": 1,
                    "no site 2xx": 1, "/content 2xx": 1, "rejected 4xx": 1,
                ])
        }
    }

    @Test("After a reload, a route keeps its counts", arguments: PollerKind.allCases)
    func reload(_ poller: PollerKind) async throws {
        func router(_ paths: [String]) -> Router {
            Router.serving { site in for path in paths { site.serve(.text(path), at: path) } }
        }
        try await Live.run(poller, router(["/a", "/b"])) { live in
            let wire = try await live.connect()
            for path in ["/a", "/b"] { _ = try await wire.ask(TestRequest("GET", path)) }
            live.server.reload(try Live.snapshot(router(["/c", "/b", "/a"])))
            for path in ["/a", "/c", "/c"] { _ = try await wire.ask(TestRequest("GET", path)) }
            #expect(await responses(live) == ["/a 2xx": 2, "/b 2xx": 1, "/c 2xx": 2])
        }
    }

    @Test("A response counts with the time that its handler took", arguments: Way.all)
    func durations(_ way: Way) async throws {
        let time = LoopTime()
        let router = Router.serving { site in
            site.route(
                .get, "/slow",
                to: ClosureHandler { _ in
                    time.advance(50)
                    return Response(.ok)
                })
        }
        try await Live.run(way.poller, router, { time.drive(&$0) }) { live in
            let wire = try await live.connect(isSecure: way.isSecure)
            #expect(try await wire.ask(TestRequest("GET", "/slow")).status == 200)
            try await wire.send("\u{1}")
            _ = try await wire.rest()
            let (counts, routes, _) = await live.server.counts()
            let slow = try #require(routes.firstIndex(of: "/slow").flatMap { counts.durations(route: $0) })
            #expect(slow.sum == 50)
            // A rejected request has no duration.
            #expect(counts.durations(route: RouteNames.rejected)?.sum == 0)
            #expect(counts.responses(route: RouteNames.rejected).map(\.count) == [1])
        }
    }
}
