import HTTPTypes
import MotivatorHTTP
import MotivatorPlatform
import TestSupport
import Testing

@testable import MotivatorServer

/// Each test sets one deadline, and advances the server's clock itself. Other deadlines are too long to pass.
@Suite("Deadlines", .serialized) struct DeadlineTests {
    /// The deadline under test, in milliseconds.
    static let deadline: Int64 = 10_000

    private let time = LoopTime()
    private let router = Router.serving { site in
        site.route(
            .post, "/echo", to: ClosureHandler { Response(.ok, content: $0.content) },
            content: .buffered(limit: 1 << 20))
        site.serve(.text("ready"), at: "/ready")
        site.route(
            .get, "/large", to: ClosureHandler { _ in Response(.ok, content: [UInt8](repeating: 7, count: 8 << 20)) })
    }

    /// Starts a server whose clock is `time`.
    private func run(
        _ way: Way, _ settings: (inout ServerOptions) -> Void, _ body: (Live) async throws -> Void
    ) async throws {
        try await Live.run(
            way.poller, router,
            {
                time.drive(&$0)
                ($0.bufferedBytesPerClient, $0.lingerTimeout) = (64 << 20, 1_000_000_000)
                settings(&$0)
            }, body)
    }

    @Test("A client that does not perform the handshake is disconnected", arguments: PollerKind.allCases)
    func handshake(_ poller: PollerKind) async throws {
        try await run(Way(poller: poller, isSecure: true), { $0.handshakeTimeout = Self.deadline }) { live in
            for preamble: [UInt8] in [[], [0x16, 3, 1, 2, 0, 1]] {
                let wire = try await live.connectRaw(preamble: preamble)
                try await time.expire { try await wire.hears(within: 100) }
                #expect(try await wire.rest().responses.isEmpty)
            }
        }
    }

    @Test("A head that is incomplete at its deadline gets 408, and the connection closes", arguments: Way.all)
    func head(_ way: Way) async throws {
        try await run(way, { $0.headTimeout = Self.deadline }) { live in
            let wire = try await live.connect(isSecure: way.isSecure)
            try await time.pass(2 * Self.deadline)
            try await wire.send("GET /ready HTTP/1.1\r\nHost: exam")
            try await time.pass(Self.deadline - 1)
            try await wire.send("ple.test\r\n\r\n")
            #expect(try await wire.response().status == 200)
            try await wire.send("GET /ready HTTP/1.1\r\nHost: exam")
            try await expectTimeout(wire, .headTooSlow)
        }
    }

    @Test("A head that arrives byte by byte gets no more time", arguments: Way.all)
    func drippingHead(_ way: Way) async throws {
        try await run(way, { $0.headTimeout = Self.deadline }) { live in
            let wire = try await live.connect(isSecure: way.isSecure)
            try await wire.send("GET /ready HTTP/1.1\r\nHost: example.test\r\nX: ")
            try await drip(wire, "x")
        }
    }

    @Test("Content of which no byte arrives until the deadline gets 408", arguments: Way.all)
    func content(_ way: Way) async throws {
        try await run(way, { $0.contentTimeout = Self.deadline }) { live in
            let wire = try await live.connect(isSecure: way.isSecure)
            let head = "POST /echo HTTP/1.1\r\nHost: example.test\r\nContent-Length: 6\r\n\r\n"
            try await wire.send(head)
            for part in ["ab", "cd", "ef"] {
                try await time.pass(Self.deadline - 1)
                try await wire.send(part)
            }
            #expect(try await wire.response().text == "abcdef")
            try await wire.send(head + "half")
            try await expectTimeout(wire, .contentTooSlow)
        }
    }

    @Test("Content that arrives too slowly gets 408, even if it never stops", arguments: Way.all)
    func drippingContent(_ way: Way) async throws {
        try await run(way, { ($0.contentRateWindow, $0.minimumRate) = (Self.deadline, 10) }) { live in
            let head = "POST /echo HTTP/1.1\r\nHost: example.test\r\nContent-Length: 1000\r\n\r\n"
            let fast = try await live.connect(isSecure: way.isSecure)
            try await fast.send(head)
            for _ in 0..<10 {
                try await fast.send(String(repeating: "x", count: 100))
                try await time.pass(Self.deadline / 2)
            }
            #expect(try await fast.response().content.count == 1_000)
            let slow = try await live.connect(isSecure: way.isSecure)
            try await slow.send(head)
            try await drip(slow, "x")
        }
    }

    @Test("Content as a whole has a deadline, even if it never stops", arguments: Way.all)
    func totalContent(_ way: Way) async throws {
        try await run(way, { ($0.contentTotalTimeout, $0.minimumRate) = (Self.deadline, 0) }) { live in
            let wire = try await live.connect(isSecure: way.isSecure)
            try await wire.send("POST /echo HTTP/1.1\r\nHost: example.test\r\nContent-Length: 1000000\r\n\r\n")
            try await drip(wire, "x")
        }
    }

    @Test("A client that reads no byte of its response until the deadline is disconnected", arguments: Way.all)
    func write(_ way: Way) async throws {
        try await run(way, { $0.writeTimeout = Self.deadline }) { live in
            let wishes = Wire.Wishes(isSecure: way.isSecure, receiveBuffer: 8 << 10)
            let late = try await live.connect(wishes)
            try await late.send(TestRequest("GET", "/large").bytes)
            #expect(try await late.hears())
            try await time.pass(Self.deadline - 1)
            #expect(try await late.response().content.count == 8 << 20)
            try await late.reset()
            try await live.waitUntilEmpty()
            let lazy = try await live.connect(wishes)
            try await lazy.send(TestRequest("GET", "/large").bytes)
            #expect(try await lazy.hears())
            // The client does not read, so only the count shows the end of the connection.
            try await passUntilEmpty(live)
            await #expect(throws: WireTrouble.self) { try await lazy.response() }
        }
    }

    @Test("A client that reads its response too slowly is disconnected, though it never stops", arguments: Way.all)
    func drippingRead(_ way: Way) async throws {
        try await run(way, { ($0.writeRateWindow, $0.minimumRate) = (Self.deadline, 1 << 20) }) { live in
            let slow = try await live.connect(Wire.Wishes(isSecure: way.isSecure, receiveBuffer: 8 << 10))
            try await slow.send(TestRequest("GET", "/large").bytes)
            // The system buffers a part of the response, so the rate falls below the minimum after a few windows.
            try await ProgressLimit.wait {
                guard try await slow.hears() else { return false }
                time.advance(Self.deadline)
                return await live.server.counts().connections == 0
            }
            let trouble = await #expect(throws: WireTrouble.self) { try await slow.response() }
            guard case .ended = trouble else {
                Issue.record("the server did not end the connection: \(String(describing: trouble))")
                return
            }
        }
    }

    @Test("A connection that is idle until the deadline is closed without a response", arguments: Way.all)
    func idle(_ way: Way) async throws {
        try await run(way, { $0.idleTimeout = Self.deadline }) { live in
            let used = try await live.connect(isSecure: way.isSecure)
            for _ in 0..<3 {
                try await time.pass(Self.deadline - 1)
                #expect(try await used.ask(TestRequest("GET", "/ready")).closes == false)
            }
            for wire in [used, try await live.connect(isSecure: way.isSecure)] {
                try await time.expire { try await wire.hears(within: 100) }
                let (responses, ending) = try await wire.rest()
                #expect(responses.isEmpty && ending == .orderly)
            }
        }
    }

    @Test("A client that does not close its side after the last response is disconnected", arguments: Way.all)
    func linger(_ way: Way) async throws {
        try await run(way, { $0.lingerTimeout = Self.deadline }) { live in
            let wire = try await live.connect(isSecure: way.isSecure)
            // The server cannot close the connection immediately, because the client may still send data.
            try await wire.send("\u{1}")
            let (responses, ending) = try await wire.rest()
            #expect(responses.map(\.status) == [400] && ending == .orderly)
            try await time.pass(Self.deadline - 1)
            #expect(await live.server.counts().connections == 1)
            // The connection stays open on this side, so only the server can free its slot.
            try await passUntilEmpty(live)
            try await wire.finish()
        }
    }

    @Test("The slot of a client that announces its last request is free after the response", arguments: Way.all)
    func announcedEnd(_ way: Way) async throws {
        try await run(way, { $0.lingerTimeout = Self.deadline }) { live in
            let wire = try await live.connect(isSecure: way.isSecure)
            let response = try await wire.ask(TestRequest("GET", "/ready", fields: ["Connection: close"]))
            #expect(response.status == 200 && response.closes)
            try await live.waitUntilEmpty()
            #expect(try await wire.rest().ending == .orderly)
        }
    }

    @Test("A handler may take longer than every deadline of a client", arguments: Way.all)
    func handler(_ way: Way) async throws {
        let held = Held()
        let router = Router.serving { $0.route(.get, "/held", to: held) }
        try await Live.run(
            way.poller, router,
            {
                time.drive(&$0)
                ($0.headTimeout, $0.contentTimeout, $0.idleTimeout) = (Self.deadline, Self.deadline, Self.deadline)
                ($0.writeTimeout, $0.lingerTimeout) = (Self.deadline, Self.deadline)
            }
        ) { live in
            let wire = try await live.connect(isSecure: way.isSecure)
            try await wire.send(TestRequest("GET", "/held").bytes)
            try await held.entered.first { _ in true }
            try await time.pass(100 * Self.deadline)
            held.gate.open()
            #expect(try await wire.response().text == "held /held")
        }
    }

    private func expectTimeout(_ wire: Wire, _ rejection: Rejection) async throws {
        try await time.expire { try await wire.hears(within: 100) }
        let (responses, ending) = try await wire.rest()
        #expect(responses.map(\.status) == [408])
        #expect(responses.first?.text == "\(rejection.sentence)\n")
        #expect(responses.first?.closes == true)
        #expect(ending == .orderly)
    }

    /// Advances the time until the server has no connection.
    private func passUntilEmpty(_ live: Live) async throws {
        try await time.expire { await live.server.counts().connections == 0 }
    }

    /// Sends a byte after each quarter of the deadline, until the server responds with 408.
    private func drip(_ wire: Wire, _ text: String) async throws {
        var elapsed: Int64 = 0
        repeat {
            try #require(elapsed < 5 * Self.deadline, "the server still waits")
            try await wire.send(text)
            try await time.pass(Self.deadline / 4)
            elapsed += Self.deadline / 4
        } while try await !wire.hears(within: 0)
        #expect(elapsed >= Self.deadline, "the server must not respond before the deadline")
        let (responses, _) = try await wire.rest()
        #expect(responses.map(\.status) == [408])
    }
}

@Suite("Too many connections", .serialized) struct ConnectionLimitTests {
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
