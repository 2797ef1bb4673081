import Dispatch
import HTTPTypes
import MotivatorHTTP
import MotivatorPlatform
import TestSupport
import Testing

@testable import MotivatorServer

/// Behavior that requires sockets: handlers, disconnected clients and slow clients.
@Suite("Live connections", .serialized) struct ConnectionTests {
    @Test("Pipelined requests get their responses in order, even if a handler is slow", arguments: Way.all)
    func pipelined(_ way: Way) async throws {
        let held = Held()
        let router = Router.serving { site in
            site.route(.get, "/held/{number}", to: held)
            site.serve(.text("ready"), at: "/ready")
            site.route(
                .post, "/echo", to: ClosureHandler { Response(.ok, content: $0.content) },
                content: .buffered(limit: 1 << 20))
        }
        try await Live.run(way.poller, router) { live in
            let wire = try await live.connect(isSecure: way.isSecure)
            let requests = [
                TestRequest("GET", "/held/1"), TestRequest("GET", "/ready"),
                TestRequest("POST", "/echo", content: "steps"),
                TestRequest("GET", "/held/2"), TestRequest("GET", "/none"), TestRequest("GET", "/ready"),
            ]
            try await wire.send(requests.flatMap(\.bytes))
            try await held.entered.first { $0 == "/held/1" }
            held.gate.open()
            var texts: [String] = []
            for _ in requests { texts.append(try await wire.response().text) }
            #expect(texts.prefix(4) == ["held /held/1", "ready", "steps", "held /held/2"])
            #expect(texts[4].hasPrefix("There is nothing at /none."))
            #expect(texts[5] == "ready")
        }
    }

    @Test("Requests that arrive while handlers run are served, each in its own TLS record", arguments: Way.all)
    func separate(_ way: Way) async throws {
        let (first, second) = (Held(), Held())
        let router = Router.serving { site in
            site.route(.get, "/first", to: first)
            site.route(.get, "/second", to: second)
            site.serve(.text("ready"), at: "/ready")
        }
        try await Live.run(way.poller, router) { live in
            let wire = try await live.connect(isSecure: way.isSecure)
            try await wire.send(TestRequest("GET", "/first").bytes)
            try await first.entered.first { _ in true }
            // The server reads these requests together. It holds the last two while the handler for the first runs.
            for path in ["/second", "/ready", "/ready"] { try await wire.send(TestRequest("GET", path).bytes) }
            first.gate.open()
            try await second.entered.first { _ in true }
            second.gate.open()
            var texts: [String] = []
            for _ in 0..<4 { texts.append(try await wire.response().text) }
            #expect(texts == ["held /first", "held /second", "ready", "ready"])
        }
    }

    @Test("A response that waits for its socket reaches no other connection", arguments: Way.all)
    func ownResponses(_ way: Way) async throws {
        let router = Router.serving { site in
            site.serve(.text(String(repeating: "x", count: 2 << 10)), at: "/ready")
            site.route(.get, "/own", to: ClosureHandler("own"))
        }
        try await Live.run(way.poller, router) { live in
            let slow = try await live.connect(Wire.Wishes(isSecure: way.isSecure, receiveBuffer: 4 << 10))
            let paths = Array(repeating: "/ready", count: 20) + ["/own"]
            let round = paths.flatMap { TestRequest("GET", $0).bytes }
            for _ in 0..<100 { try await slow.send(round) }
            // The loop responds to these between the events of the first connection, whose socket is full.
            for _ in 0..<50 {
                let other = try await live.connect(isSecure: way.isSecure)
                #expect(try await other.ask(TestRequest("GET", "/none")).status == 404)
            }
            for path in Array(repeating: paths, count: 100).joined() {
                #expect(try await slow.response().text.count == (path == "/own" ? 3 : 2 << 10))
            }
        }
    }

    @Test("Strict-Transport-Security is only in responses over TLS (RFC 6797 §7.2)", arguments: PollerKind.allCases)
    func strictTransport(_ poller: PollerKind) async throws {
        let router = Router.serving { $0.serve(.text("ready"), at: "/ready") }
        try await Live.run(poller, router, { $0.secureFields = [.strictTransportSecurity: "max-age=1"] }) { live in
            let wire = try await live.connect(isSecure: true)
            #expect(try await wire.ask(TestRequest("GET", "/ready"))["strict-transport-security"] == "max-age=1")
            let plain = try await live.connectRaw()
            try await plain.send(TestRequest("GET", "/ready").bytes)
            let response = try await plain.response()
            #expect(response.status == 400 && response["strict-transport-security"] == nil)
        }
    }

    @Test("A waiting handler does not delay other requests", arguments: Way.all)
    func others(_ way: Way) async throws {
        let held = Held()
        let router = Router.serving { site in
            site.route(.get, "/held", to: held)
            site.route(.get, "/hello", to: ClosureHandler("hello"))
        }
        try await Live.run(way.poller, router) { live in
            let waiting = try await live.connect(isSecure: way.isSecure)
            try await waiting.send(TestRequest("GET", "/held").bytes)
            try await held.entered.first { _ in true }
            let other = try await live.connect(isSecure: way.isSecure)
            for _ in 0..<3 { #expect(try await other.ask(TestRequest("GET", "/hello")).text == "hello") }
            held.gate.open()
            #expect(try await waiting.response().text == "held /held")
        }
    }

    @Test(
        "A response for a closed connection is dropped, and its slot is free again", arguments: Way.all,
        [false, true])
    func gone(_ way: Way, _ isReset: Bool) async throws {
        let held = Held()
        let router = Router.serving { $0.route(.get, "/held", to: held) }
        try await Live.run(way.poller, router, { $0.connections = 4 }) { live in
            let wishes = Wire.Wishes(isSecure: way.isSecure)
            do {
                let wire = try await live.connect(wishes)
                try await wire.send(TestRequest("GET", "/held").bytes)
                try await held.entered.first { _ in true }
                if isReset { try await wire.reset() }
            }
            held.gate.open()
            try await live.waitForSlot(wishes)
        }
    }

    @Test("The handler of a connection that ends is cancelled", arguments: Way.all)
    func cancelled(_ way: Way) async throws {
        let events = Mailbox<String>()
        let router = Router.serving { site in
            let waiting = ClosureHandler { _ in
                events.put("waiting")
                do { try await Task.sleep(for: .seconds(86_400)) } catch { events.put("cancelled") }
                return Response(.ok)
            }
            site.route(.get, "/waiting", to: waiting)
        }
        try await Live.run(way.poller, router, { $0.drainTimeout = 100 }) { live in
            let wire = try await live.connect(isSecure: way.isSecure)
            try await wire.send(TestRequest("GET", "/waiting").bytes)
            try await events.first { $0 == "waiting" }
            await live.server.stop()
            try await events.first { $0 == "cancelled" }
        }
    }

    #if os(Linux)
    @Test("A reset during a handler frees the slot immediately", arguments: [false, true])
    func resetMeanwhile(_ isSecure: Bool) async throws {
        let held = Held()
        let router = Router.serving { $0.route(.get, "/held", to: held) }
        try await Live.run(.epoll, router, { $0.connections = 4 }) { live in
            let wishes = Wire.Wishes(isSecure: isSecure)
            let wire = try await live.connect(wishes)
            try await wire.send(TestRequest("GET", "/held").bytes)
            try await held.entered.first { _ in true }
            try await wire.reset()
            // The poller reports a reset even without interest in events, and repeats the report until the close.
            try await live.waitForSlot(wishes)
            held.gate.open()
        }
    }
    #endif

    @Test("A client that closes its write side after a request still gets the response", arguments: Way.all)
    func halfClosed(_ way: Way) async throws {
        let held = Held()
        let router = Router.serving { $0.route(.get, "/held", to: held) }
        try await Live.run(way.poller, router) { live in
            let wire = try await live.connect(isSecure: way.isSecure)
            try await wire.send(TestRequest("GET", "/held").bytes)
            try await held.entered.first { _ in true }
            try await wire.finish()
            held.gate.open()
            let (responses, ending) = try await wire.rest()
            #expect(responses.map(\.text) == ["held /held"])
            #expect(ending == .orderly)
        }
    }

    @Test("A slow client gets a large response completely", arguments: Way.all, [false, true])
    func slowReader(_ way: Way, _ isReadyMade: Bool) async throws {
        let content = numbered(6 << 20)
        let ready = Representation(
            content: content, contentType: "application/octet-stream", entityTag: "t", lastModified: 0,
            cacheControl: "no-cache")
        let router = Router.serving { site in
            if isReadyMade {
                site.serve(ready, at: "/large")
            } else {
                site.route(.get, "/large", to: ClosureHandler { _ in Response(.ok, content: content) })
            }
            site.serve(.text("ready"), at: "/ready")
        }
        try await Live.run(way.poller, router, { $0.bufferedBytesPerClient = 64 << 20 }) { live in
            let slow = try await live.connect(Wire.Wishes(isSecure: way.isSecure, receiveBuffer: 8 << 10))
            try await slow.send(TestRequest("GET", "/large").bytes + TestRequest("GET", "/ready").bytes)
            #expect(try await slow.hears())
            let other = try await live.connect(isSecure: way.isSecure)
            #expect(try await other.ask(TestRequest("GET", "/ready")).text == "ready")
            let response = try await slow.response()
            #expect(response.content == content)
            #expect(try await slow.response().text == "ready")
        }
    }

    @Test("Responses are not made before the client reads the earlier ones", arguments: Way.all)
    func backpressure(_ way: Way) async throws {
        let size = 256 << 10
        let made = Mailbox<String>()
        let router = Router.serving { site in
            site.route(
                .get, "/large/{number}",
                to: ClosureHandler { request in
                    made.put(request.parameters[0])
                    return Response(.ok, content: [UInt8](repeating: UInt8(ascii: "x"), count: size))
                })
            site.route(.get, "/hello", to: ClosureHandler("hello"))
        }
        try await Live.run(way.poller, router) { live in
            let lazy = try await live.connect(Wire.Wishes(isSecure: way.isSecure, receiveBuffer: 8 << 10))
            let count = 40
            try await lazy.send((0..<count).flatMap { TestRequest("GET", "/large/\($0)").bytes })
            try await made.first { $0 == "0" }
            // Uses the same loop and handler threads, long enough for 40 responses.
            let other = try await live.connect(isSecure: way.isSecure)
            for _ in 0..<count { _ = try await other.ask(TestRequest("GET", "/hello")) }
            #expect(made.values.count < count / 2, "the system may buffer a few responses, and the server one")
            for number in 0..<count { #expect(try await lazy.response().content.count == size, "\(number)") }
            #expect(made.values == (0..<count).map(String.init))
        }
    }

    @Test("Plain HTTP on the TLS port gets a plain error response", arguments: PollerKind.allCases)
    func plainOnSecure(_ poller: PollerKind) async throws {
        try await Live.run(poller, RoutingTests.router) { live in
            let wire = try await live.connectRaw()
            try await wire.send(TestRequest("GET", "/ready").bytes)
            let (responses, ending) = try await wire.rest()
            #expect(responses.map(\.status) == [400])
            #expect(responses.first?.text.contains("https://") == true)
            #expect(ending == .orderly)
        }
    }

    /// In TLS 1.3, a client may verify the server's certificate after the server's handshake has ended.
    @Test("An alert before the first request is logged as a failed handshake", arguments: PollerKind.allCases)
    func alert(_ poller: PollerKind) async throws {
        try await Live.run(poller, Router.serving { _ in }) { live in
            let wire = try await live.connect(isSecure: true)
            try await wire.sendAlert()
            try await live.events.first {
                $0.contains("TLS handshake with 127.0.0.1 failed: ") && $0.hasSuffix("alert bad record mac")
            }
        }
    }

    @Test("After a reload, the next request of an open connection gets the new snapshot", arguments: Way.all)
    func reload(_ way: Way) async throws {
        let before = Router.serving { $0.serve(.text("old"), at: "/") }
        let after = Router.serving { $0.serve(.text("new"), at: "/") }
        try await Live.run(way.poller, before) { live in
            let wire = try await live.connect(isSecure: way.isSecure)
            #expect(try await wire.ask(TestRequest()).text == "old")
            live.server.reload(try Live.snapshot(after))
            // The loop applies the reload in its next iteration, before or after a request that is in flight.
            var response = try await wire.ask(TestRequest())
            if response.text == "old" { response = try await wire.ask(TestRequest()) }
            #expect(response.text == "new")
            #expect(try await live.connect(isSecure: way.isSecure).ask(TestRequest()).text == "new")
        }
    }

    @Test("A reload forgets the files of the old snapshot", arguments: PollerKind.allCases)
    func reloadedFiles(_ poller: PollerKind) async throws {
        let scratch = try TemporaryDirectory()
        try scratch.write("old", to: "page.txt")
        let files = StaticFiles(folder: try Folder(scratch.path))
        try await Live.run(poller, .serving(files)) { live in
            let wire = try await live.connect()
            #expect(try await wire.ask(TestRequest("GET", "/page.txt")).text == "old")
            try scratch.write("new", to: "page.txt")
            live.server.reload(try Live.snapshot(.serving(files)))
            var response = try await wire.ask(TestRequest("GET", "/page.txt"))
            if response.text == "old" { response = try await wire.ask(TestRequest("GET", "/page.txt")) }
            #expect(response.text == "new")
        }
    }

    @Test("A stop finishes current requests, closes idle connections, and accepts none", arguments: Way.all)
    func stop(_ way: Way) async throws {
        let held = Held()
        let router = Router.serving { site in
            site.route(.get, "/held", to: held)
            site.serve(.text("ready"), at: "/ready")
        }
        try await Live.run(way.poller, router) { live in
            let wire = try await live.connect(isSecure: way.isSecure)
            let idle = try await live.connect(isSecure: way.isSecure)
            #expect(try await idle.ask(TestRequest("GET", "/ready")).closes == false)
            try await wire.send(TestRequest("GET", "/held").bytes)
            try await held.entered.first { _ in true }
            async let stopped: Void = live.server.stop()
            let (none, ending) = try await idle.rest()
            #expect(none.isEmpty && ending == .orderly)
            await #expect(throws: WireTrouble.self) { try await live.connect(isSecure: way.isSecure) }
            held.gate.open()
            let (responses, end) = try await wire.rest()
            #expect(responses.map(\.text) == ["held /held"])
            #expect(responses.first?.closes == true)
            #expect(end == .orderly)
            try await wire.finish()
            await stopped
        }
    }

    @Test("A stop serves the clients in the accept queue", arguments: PollerKind.allCases)
    func acceptQueue(_ poller: PollerKind) async throws {
        let (entered, left) = (Mailbox<Bool>(), DispatchSemaphore(value: 0))
        let router = Router.serving { site in
            site.serve(.text("ready"), at: "/ready")
            site.serve(at: "/block") { _ in
                entered.put(true)
                left.wait()
                return .text("left")
            }
        }
        try await Live.run(poller, router) { live in
            let blocked = try await live.connect()
            try await blocked.send(TestRequest("GET", "/block").bytes)
            try await entered.first { $0 }
            // A round of events accepts at most 64 clients.
            var waiting: [Wire] = []
            for _ in 0..<200 {
                waiting.append(try await live.connect())
                try await waiting.last?.send(TestRequest("GET", "/ready").bytes)
            }
            async let stopped: Void = live.server.stop()
            await Task.yield()
            left.signal()
            for wire in waiting { #expect(try await wire.response().status == 200) }
            await stopped
        }
    }

    @Test("A stop waits for a response up to the drain timeout", arguments: Way.all)
    func hardStop(_ way: Way) async throws {
        let held = Held()
        let router = Router.serving { $0.route(.get, "/held", to: held) }
        try await Live.run(way.poller, router, { $0.drainTimeout = 100 }) { live in
            let wire = try await live.connect(isSecure: way.isSecure)
            try await wire.send(TestRequest("GET", "/held").bytes)
            try await held.entered.first { _ in true }
            await live.server.stop()
            #expect(try await wire.rest().responses.isEmpty)
            held.gate.open()
        }
    }
}
