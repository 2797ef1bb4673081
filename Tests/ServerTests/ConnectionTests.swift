import HTTP
import HTTPTypes
import Platform
import TestSupport
import Testing

@testable import Server

/// What the state machine cannot show without sockets: handlers, gone clients, slow clients.
@Suite("Live connections", .serialized, .timeLimit(.minutes(5))) struct ConnectionTests {
    @Test("Pipelined requests are answered in order, however long a handler takes", arguments: Way.all)
    func pipelined(_ way: Way) async throws {
        let held = Held()
        let router = Router.serving { site in
            site.route(.get, "/held/{number}", to: held)
            site.serve(.text("ready"), at: "/ready")
            site.route(
                .post, "/echo", to: Telling { Response(.ok, content: $0.content) }, content: .buffered(limit: 1 << 20))
        }
        try await Live.run(way.poller, router) { live in
            let wire = try await live.connect(isSecure: way.isSecure)
            let questions = [
                Question("GET", "/held/1"), Question("GET", "/ready"), Question("POST", "/echo", content: "steps"),
                Question("GET", "/held/2"), Question("GET", "/none"), Question("GET", "/ready"),
            ]
            try await wire.send(questions.flatMap(\.bytes))
            try await held.entered.first { $0 == "/held/1" }
            held.gate.open()
            var texts: [String] = []
            for _ in questions { texts.append(try await wire.answer().text) }
            #expect(texts.prefix(4) == ["held /held/1", "ready", "steps", "held /held/2"])
            #expect(texts[4].hasPrefix("There is nothing at /none."))
            #expect(texts[5] == "ready")
        }
    }

    @Test("A handler that waits keeps nobody else waiting", arguments: Way.all)
    func others(_ way: Way) async throws {
        let held = Held()
        let router = Router.serving { site in
            site.route(.get, "/held", to: held)
            site.route(.get, "/hello", to: Telling("hello"))
        }
        try await Live.run(way.poller, router) { live in
            let waiting = try await live.connect(isSecure: way.isSecure)
            try await waiting.send(Question("GET", "/held").bytes)
            try await held.entered.first { _ in true }
            let other = try await live.connect(isSecure: way.isSecure)
            for _ in 0..<3 { #expect(try await other.ask(Question("GET", "/hello")).text == "hello") }
            held.gate.open()
            #expect(try await waiting.answer().text == "held /held")
        }
    }

    @Test(
        "An answer for a client that has gone is dropped, and its place is free again", arguments: Way.all,
        [false, true])
    func gone(_ way: Way, _ isReset: Bool) async throws {
        let held = Held()
        let router = Router.serving { $0.route(.get, "/held", to: held) }
        try await Live.run(way.poller, router, { $0.connections = 4 }) { live in
            let wishes = Wire.Wishes(isSecure: way.isSecure)
            do {
                let wire = try await live.connect(wishes)
                try await wire.send(Question("GET", "/held").bytes)
                try await held.entered.first { _ in true }
                if isReset { try await wire.reset() }
            }
            held.gate.open()
            try await live.waitForPlace(wishes)
        }
    }

    #if os(Linux)
    @Test("A client that resets while its answer is made gives its place back at once", arguments: [false, true])
    func resetMeanwhile(_ isSecure: Bool) async throws {
        let held = Held()
        let router = Router.serving { $0.route(.get, "/held", to: held) }
        try await Live.run(.epoll, router, { $0.connections = 4 }) { live in
            let wishes = Wire.Wishes(isSecure: isSecure)
            let wire = try await live.connect(wishes)
            try await wire.send(Question("GET", "/held").bytes)
            try await held.entered.first { _ in true }
            try await wire.reset()
            // The poller reports a reset whether it is asked for or not: who does not listen to it is told without end.
            try await live.waitForPlace(wishes, limit: 5_000)
            held.gate.open()
        }
    }
    #endif

    @Test("A client that ends its side after a request still gets the answer", arguments: Way.all)
    func halfClosed(_ way: Way) async throws {
        let held = Held()
        let router = Router.serving { $0.route(.get, "/held", to: held) }
        try await Live.run(way.poller, router) { live in
            let wire = try await live.connect(isSecure: way.isSecure)
            try await wire.send(Question("GET", "/held").bytes)
            try await held.entered.first { _ in true }
            try await wire.finish()
            held.gate.open()
            let (answers, ending) = try await wire.rest()
            #expect(answers.map(\.text) == ["held /held"])
            #expect(ending == .orderly)
        }
    }

    @Test("A large answer arrives whole at a client that reads slowly", arguments: Way.all, [false, true])
    func slowReader(_ way: Way, _ isReadyMade: Bool) async throws {
        let content = numbered(6 << 20)
        let ready = Representation(
            content: content, contentType: "application/octet-stream", entityTag: "t", lastModified: 0,
            cacheControl: "no-cache")
        let router = Router.serving { site in
            if isReadyMade {
                site.serve(ready, at: "/large")
            } else {
                site.route(.get, "/large", to: Telling { _ in Response(.ok, content: content) })
            }
            site.serve(.text("ready"), at: "/ready")
        }
        try await Live.run(way.poller, router, { $0.bufferedBytesPerClient = 64 << 20 }) { live in
            let slow = try await live.connect(Wire.Wishes(isSecure: way.isSecure, receiveBuffer: 8 << 10))
            try await slow.send(Question("GET", "/large").bytes + Question("GET", "/ready").bytes)
            #expect(try await slow.hears(within: 20_000))
            let other = try await live.connect(isSecure: way.isSecure)
            #expect(try await other.ask(Question("GET", "/ready")).text == "ready")
            let answer = try await slow.answer()
            #expect(answer.content == content)
            #expect(try await slow.answer().text == "ready")
        }
    }

    @Test("Answers that nobody reads are not made ahead", arguments: Way.all)
    func backpressure(_ way: Way) async throws {
        let size = 1 << 20
        let made = Mailbox<String>()
        let router = Router.serving { site in
            site.route(
                .get, "/large/{number}",
                to: Telling { request in
                    made.put(request.parameters[0])
                    return Response(.ok, content: [UInt8](repeating: UInt8(ascii: "x"), count: size))
                })
            site.route(.get, "/hello", to: Telling("hello"))
        }
        try await Live.run(way.poller, router) { live in
            let lazy = try await live.connect(Wire.Wishes(isSecure: way.isSecure, receiveBuffer: 8 << 10))
            let count = 40
            try await lazy.send((0..<count).flatMap { Question("GET", "/large/\($0)").bytes })
            try await made.first { $0 == "0" }
            // Rounds through the same loop and the same handlers' threads, in which 40 answers would have been made.
            let other = try await live.connect(isSecure: way.isSecure)
            for _ in 0..<200 { _ = try await other.ask(Question("GET", "/hello")) }
            #expect(made.values.count < count / 2, "the system's buffers hold a few, the server holds one")
            for number in 0..<count { #expect(try await lazy.answer().content.count == size, "\(number)") }
            #expect(made.values == (0..<count).map(String.init))
        }
    }

    @Test("Plain HTTP on the TLS port is told so in plain HTTP", arguments: PollerKind.allCases)
    func plainOnSecure(_ poller: PollerKind) async throws {
        try await Live.run(poller, RoutingTests.router) { live in
            let wire = try await live.connectRaw()
            try await wire.send(Question("GET", "/ready").bytes)
            let (answers, ending) = try await wire.rest()
            #expect(answers.map(\.status) == [400])
            #expect(answers.first?.text.contains("https://") == true)
            #expect(ending == .orderly)
        }
    }

    @Test("A reload answers the next request of a live connection with the new hosting", arguments: Way.all)
    func reload(_ way: Way) async throws {
        let before = Router.serving { $0.serve(.text("old"), at: "/") }
        let after = Router.serving { $0.serve(.text("new"), at: "/") }
        try await Live.run(way.poller, before) { live in
            let wire = try await live.connect(isSecure: way.isSecure)
            #expect(try await wire.ask(Question()).text == "old")
            live.server.reload(try Live.hosting(after))
            // Taken by the loop in its turn, before or after a request that is on its way.
            var answer = try await wire.ask(Question())
            if answer.text == "old" { answer = try await wire.ask(Question()) }
            #expect(answer.text == "new")
            #expect(try await live.connect(isSecure: way.isSecure).ask(Question()).text == "new")
        }
    }

    @Test("A reload forgets the files of the old hosting", arguments: PollerKind.allCases)
    func reloadedFiles(_ poller: PollerKind) async throws {
        let scratch = try TemporaryDirectory()
        try scratch.write("old", to: "page.txt")
        let files = try StaticFiles(folder: scratch.path)
        try await Live.run(poller, .serving(files)) { live in
            let wire = try await live.connect()
            #expect(try await wire.ask(Question("GET", "/page.txt")).text == "old")
            try scratch.write("new", to: "page.txt")
            live.server.reload(try Live.hosting(.serving(files)))
            var answer = try await wire.ask(Question("GET", "/page.txt"))
            if answer.text == "old" { answer = try await wire.ask(Question("GET", "/page.txt")) }
            #expect(answer.text == "new")
        }
    }

    @Test("A stop answers what is under way, ends what is idle, and takes nothing new", arguments: Way.all)
    func stop(_ way: Way) async throws {
        let held = Held()
        let router = Router.serving { site in
            site.route(.get, "/held", to: held)
            site.serve(.text("ready"), at: "/ready")
        }
        try await Live.run(way.poller, router) { live in
            let wire = try await live.connect(isSecure: way.isSecure)
            let idle = try await live.connect(isSecure: way.isSecure)
            #expect(try await idle.ask(Question("GET", "/ready")).closes == false)
            try await wire.send(Question("GET", "/held").bytes)
            try await held.entered.first { _ in true }
            async let stopped: Void = live.server.stop()
            let (none, ending) = try await idle.rest()
            #expect(none.isEmpty && ending == .orderly)
            await #expect(throws: WireTrouble.self) { try await live.connect(isSecure: way.isSecure) }
            held.gate.open()
            let (answers, end) = try await wire.rest()
            #expect(answers.map(\.text) == ["held /held"])
            #expect(answers.first?.closes == true)
            #expect(end == .orderly)
            try await wire.finish()
            await stopped
        }
    }

    @Test("A stop waits no longer than it may for an answer that does not come", arguments: Way.all)
    func hardStop(_ way: Way) async throws {
        let held = Held()
        let router = Router.serving { $0.route(.get, "/held", to: held) }
        try await Live.run(way.poller, router, { $0.drainTimeout = 100 }) { live in
            let wire = try await live.connect(isSecure: way.isSecure)
            try await wire.send(Question("GET", "/held").bytes)
            try await held.entered.first { _ in true }
            await live.server.stop()
            #expect(try await wire.rest().answers.isEmpty)
            held.gate.open()
        }
    }
}
