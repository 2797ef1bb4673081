import HTTPTypes
import MotivatorHTTP
import MotivatorPlatform
import Testing

@testable import MotivatorServer

/// Each test shortens one deadline, keeps the defaults of the others, and checks the server's reaction.
@Suite("Deadlines", .serialized, .timeLimit(.minutes(5))) struct DeadlineTests {
    /// The deadline under test, in milliseconds.
    static let short: Int64 = 300
    /// A deadline that the test itself must meet on a busy machine, in milliseconds.
    static let bearable: Int64 = 2_000

    private let router = Router.serving { site in
        site.route(
            .post, "/echo", to: ClosureHandler { Response(.ok, content: $0.content) },
            content: .buffered(limit: 1 << 20))
        site.serve(.text("ready"), at: "/ready")
        site.route(
            .get, "/large", to: ClosureHandler { _ in Response(.ok, content: [UInt8](repeating: 7, count: 32 << 20)) })
    }

    @Test("A client that does not shake hands is left", arguments: PollerKind.allCases)
    func handshake(_ poller: PollerKind) async throws {
        try await Live.run(poller, router, { $0.handshakeTimeout = Self.short }) { live in
            let silent = try await live.connectRaw()
            #expect(try await silent.rest().responses.isEmpty)
            let halfway = try await live.connectRaw()
            try await halfway.send([0x16, 3, 1, 2, 0, 1])
            #expect(try await halfway.rest().responses.isEmpty)
        }
    }

    @Test("An incomplete head gets 408, and the connection closes", arguments: Way.all)
    func head(_ way: Way) async throws {
        try await Live.run(way.poller, router, { $0.headTimeout = Self.short }) { live in
            let wire = try await live.connect(isSecure: way.isSecure)
            #expect(try await wire.ask(TestRequest("GET", "/ready")).status == 200)
            try await wire.send("GET /ready HTTP/1.1\r\nHost: exam")
            try await expectTimeout(wire, .headTooSlow)
        }
    }

    @Test("A head that arrives byte by byte gets no more time", arguments: Way.all)
    func drippingHead(_ way: Way) async throws {
        try await Live.run(way.poller, router, { $0.headTimeout = Self.short }) { live in
            let wire = try await live.connect(isSecure: way.isSecure)
            try await wire.send("GET /ready HTTP/1.1\r\nHost: example.test\r\nX: ")
            try await drip(wire, "x")
        }
    }

    @Test("Content that does not arrive gets 408, and the connection closes", arguments: Way.all)
    func content(_ way: Way) async throws {
        try await Live.run(way.poller, router, { $0.contentTimeout = Self.short }) { live in
            let wire = try await live.connect(isSecure: way.isSecure)
            try await wire.send("POST /echo HTTP/1.1\r\nHost: example.test\r\nContent-Length: 10\r\n\r\nhalf")
            try await expectTimeout(wire, .contentTooSlow)
        }
    }

    @Test("Content that arrives too slowly gets 408, even if it never stops", arguments: Way.all)
    func drippingContent(_ way: Way) async throws {
        try await Live.run(
            way.poller, router,
            {
                $0.contentRateWindow = Self.short
                $0.minimumRate = 100_000
            }
        ) { live in
            let wire = try await live.connect(isSecure: way.isSecure)
            try await wire.send("POST /echo HTTP/1.1\r\nHost: example.test\r\nContent-Length: 1000000\r\n\r\n")
            try await drip(wire, "x")
        }
    }

    @Test("A client that reads no byte of its response is disconnected", arguments: Way.all)
    func write(_ way: Way) async throws {
        try await Live.run(
            way.poller, router,
            {
                ($0.writeTimeout, $0.bufferedBytesPerClient) = (Self.short, 64 << 20)
                $0.connections = 4
            }
        ) { live in
            let wishes = Wire.Wishes(isSecure: way.isSecure, receiveBuffer: 8 << 10)
            let lazy = try await live.connect(wishes)
            try await lazy.send(TestRequest("GET", "/large").bytes)
            // The client does not read, so only the free slot shows the end of the connection.
            try await live.waitForSlot(wishes)
            await #expect(throws: WireTrouble.self) { try await lazy.response() }
        }
    }

    @Test("A client that reads its response too slowly is disconnected, though it never stops", arguments: Way.all)
    func drippingRead(_ way: Way) async throws {
        try await Live.run(
            way.poller, router,
            {
                ($0.writeRateWindow, $0.minimumRate, $0.bufferedBytesPerClient) = (Self.short, 1 << 30, 64 << 20)
                $0.connections = 4
            }
        ) { live in
            let wishes = Wire.Wishes(isSecure: way.isSecure, receiveBuffer: 8 << 10)
            let slow = try await live.connect(wishes)
            try await slow.send(TestRequest("GET", "/large").bytes)
            // The pauses make the client slow: the whole response would take many times the window.
            let trouble = await #expect(throws: WireTrouble.self) { try await slow.response(pause: 2) }
            if case .ended = trouble { return }
            Issue.record("the server did not end the connection: \(String(describing: trouble))")
        }
    }

    @Test("Content as a whole has a deadline, however fast it arrives", arguments: Way.all)
    func totalContent(_ way: Way) async throws {
        try await Live.run(way.poller, router, { ($0.contentTotalTimeout, $0.minimumRate) = (Self.short, 0) }) { live in
            let wire = try await live.connect(isSecure: way.isSecure)
            try await wire.send("POST /echo HTTP/1.1\r\nHost: example.test\r\nContent-Length: 1000000\r\n\r\n")
            try await drip(wire, "x")
        }
    }

    @Test("An idle connection is ended without a word", arguments: Way.all)
    func idle(_ way: Way) async throws {
        try await Live.run(way.poller, router, { $0.idleTimeout = Self.bearable }) { live in
            let fresh = try await live.connect(isSecure: way.isSecure)
            let used = try await live.connect(isSecure: way.isSecure)
            #expect(try await used.ask(TestRequest("GET", "/ready")).closes == false)
            for wire in [fresh, used] {
                let (responses, ending) = try await wire.rest()
                #expect(responses.isEmpty && ending == .orderly)
            }
        }
    }

    @Test("A request postpones the end of an idle connection, and does not prevent it", arguments: PollerKind.allCases)
    func postponed(_ poller: PollerKind) async throws {
        try await Live.run(
            poller, router, { ($0.idleTimeout, $0.headTimeout) = (Self.bearable, Self.short) }
        ) { live in
            let used = try await live.connect(isSecure: false)
            let slow = try await live.connect(isSecure: false)
            try await slow.send("GET /ready HTTP/1.1\r\n")
            try await expectTimeout(slow, .headTooSlow)
            // The first check of this connection is now too early.
            #expect(try await used.ask(TestRequest("GET", "/ready")).status == 200)
            let (responses, ending) = try await used.rest()
            #expect(responses.isEmpty && ending == .orderly)
        }
    }

    @Test("A client that does not close its side after the last response is disconnected", arguments: Way.all)
    func linger(_ way: Way) async throws {
        try await Live.run(
            way.poller, router,
            {
                $0.lingerTimeout = Self.short
                $0.connections = 4
            }
        ) { live in
            let wishes = Wire.Wishes(isSecure: way.isSecure)
            let wire = try await live.connect(wishes)
            // The server cannot close the connection immediately, because the client may still send data.
            try await wire.send("\u{1}")
            let (responses, ending) = try await wire.rest()
            #expect(responses.map(\.status) == [400] && ending == .orderly)
            // The connection stays open on this side, so only the server can free its slot.
            try await live.waitForSlot(wishes)
            try await wire.finish()
        }
    }

    @Test("The slot of a client that announces its last request is free after the response", arguments: Way.all)
    func announcedEnd(_ way: Way) async throws {
        try await Live.run(way.poller, router, { ($0.lingerTimeout, $0.connections) = (600_000, 4) }) { live in
            let wishes = Wire.Wishes(isSecure: way.isSecure)
            let wire = try await live.connect(wishes)
            let response = try await wire.ask(TestRequest("GET", "/ready", fields: ["Connection: close"]))
            #expect(response.status == 200 && response.closes)
            try await live.waitForSlot(wishes)
            #expect(try await wire.rest().ending == .orderly)
        }
    }

    @Test("A handler may take longer than every deadline of a client", arguments: Way.all)
    func handler(_ way: Way) async throws {
        let held = Held()
        let router = Router.serving { site in
            site.route(.get, "/held", to: held)
            site.serve(.text("ready"), at: "/ready")
        }
        try await Live.run(
            way.poller, router,
            {
                ($0.headTimeout, $0.contentTimeout, $0.idleTimeout) = (Self.short, Self.short, Self.bearable)
                ($0.writeTimeout, $0.lingerTimeout) = (Self.short, Self.short)
            }
        ) { live in
            let wire = try await live.connect(isSecure: way.isSecure)
            try await wire.send(TestRequest("GET", "/held").bytes)
            try await held.entered.first { _ in true }
            // A later idle connection has timed out, so the deadlines of the first connection would also have passed.
            let idle = try await live.connect(isSecure: way.isSecure)
            _ = try await idle.rest()
            held.gate.open()
            #expect(try await wire.response().text == "held /held")
        }
    }

    private func expectTimeout(_ wire: Wire, _ rejection: Rejection) async throws {
        let (responses, ending) = try await wire.rest()
        #expect(responses.map(\.status) == [408])
        #expect(responses.first?.text == "\(rejection.sentence)\n")
        #expect(responses.first?.closes == true)
        #expect(ending == .orderly)
    }

    /// Sends a byte after each short pause, until the server responds with 408.
    private func drip(_ wire: Wire, _ text: String) async throws {
        let deadline = SocketCalls.monotonicMilliseconds() + 20_000
        while try await !wire.hears(within: Self.short / 10) {
            try #require(SocketCalls.monotonicMilliseconds() < deadline, "the server still waits")
            try await wire.send(text)
        }
        let (responses, _) = try await wire.rest()
        #expect(responses.map(\.status) == [408])
    }
}

@Suite("Too many connections", .serialized, .timeLimit(.minutes(5))) struct ConnectionLimitTests {
    private let router = Router.serving { $0.serve(.text("ready"), at: "/ready") }

    @Test("One address gets its share, and another one is still served", arguments: Way.all)
    func share(_ way: Way) async throws {
        try await Live.run(way.poller, router, { $0.connections = 8 }) { live in
            func wishes(_ source: String) -> Wire.Wishes { Wire.Wishes(isSecure: way.isSecure, source: source) }
            let first = try await live.connect(wishes("127.0.0.1"))
            let second = try await live.connect(wishes("127.0.0.1"))
            for wire in [first, second] { #expect(try await wire.ask(TestRequest("GET", "/ready")).status == 200) }
            await #expect(throws: WireTrouble.self) {
                try await live.connect(wishes("127.0.0.1")).ask(TestRequest("GET", "/ready"))
            }
            try await live.events.first { $0.hasPrefix("warning: connection from 127.0.0.1 refused: ") }
            let other = try await live.connect(wishes("127.0.0.2"))
            #expect(try await other.ask(TestRequest("GET", "/ready")).status == 200)
            #expect(try await first.ask(TestRequest("GET", "/ready")).status == 200)
            try await second.reset()
            try await live.waitForSlot(wishes("127.0.0.1"))
        }
    }

    @Test("Near the limit, the client with the most connections loses its oldest idle one", arguments: Way.all)
    func oldestIdle(_ way: Way) async throws {
        try await Live.run(way.poller, router, { $0.connections = 32 }) { live in
            func open(_ client: Int) async throws -> Wire {
                let wire = try await live.connect(Wire.Wishes(isSecure: way.isSecure, source: "127.0.0.\(client)"))
                _ = try await wire.ask(TestRequest("GET", "/ready"))
                return wire
            }
            // The oldest connection belongs to a client with fewer connections.
            var others = [try await open(2)]
            let oldest = try await open(1)
            for number in 0..<28 { others.append(try await open(number < 7 ? 1 : 2 + number % 4)) }
            let next = try await open(6)
            let (responses, ending) = try await oldest.rest()
            #expect(responses.isEmpty && ending == .orderly)
            for wire in others + [next] { #expect(try await wire.ask(TestRequest("GET", "/ready")).status == 200) }
        }
    }

    @Test("A request makes its connection the youngest of the idle ones", arguments: Way.all)
    func youngestIdle(_ way: Way) async throws {
        try await Live.run(way.poller, router, { $0.connections = 16 }) { live in
            func open(_ client: Int) async throws -> Wire {
                let wire = try await live.connect(Wire.Wishes(isSecure: way.isSecure, source: "127.0.0.\(client)"))
                _ = try await wire.ask(TestRequest("GET", "/ready"))
                return wire
            }
            let used = try await open(1)
            let oldest = try await open(1)
            var others: [Wire] = []
            for number in 0..<13 { others.append(try await open(number < 2 ? 1 : 2 + number % 4)) }
            #expect(try await used.ask(TestRequest("GET", "/ready")).status == 200)
            let next = try await open(6)
            let (responses, ending) = try await oldest.rest()
            #expect(responses.isEmpty && ending == .orderly)
            for wire in others + [used, next] {
                #expect(try await wire.ask(TestRequest("GET", "/ready")).status == 200)
            }
        }
    }

    @Test("Near the limit, an unfinished handshake is closed before an idle connection", arguments: PollerKind.allCases)
    func oldestHandshake(_ poller: PollerKind) async throws {
        try await Live.run(poller, router, { ($0.connections, $0.handshakeTimeout) = (16, 600_000) }) { live in
            func wishes(_ client: Int) -> Wire.Wishes { Wire.Wishes(isSecure: true, source: "127.0.0.\(client)") }
            var idle: [Wire] = []
            for _ in 0..<3 {
                idle.append(try await live.connect(wishes(1)))
                _ = try await idle[idle.count - 1].ask(TestRequest("GET", "/ready"))
            }
            // connectRaw also connects from 127.0.0.1, so this client has the most connections.
            let silent = try await live.connectRaw()
            for number in 0..<11 { idle.append(try await live.connect(wishes(2 + number / 3))) }
            let next = try await live.connect(wishes(9))
            let (responses, _) = try await silent.rest()
            #expect(responses.isEmpty)
            for wire in idle + [next] { #expect(try await wire.ask(TestRequest("GET", "/ready")).status == 200) }
        }
    }
}
