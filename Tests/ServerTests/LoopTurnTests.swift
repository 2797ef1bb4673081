import Dispatch
import HTTPTypes
import MotivatorHTTP
import MotivatorPlatform
import TestSupport
import Testing

@testable import MotivatorServer

/// Tests the iterations of an event loop. Each iteration reads the clock once, so the reads count the iterations.
/// Needless iterations waste CPU time, and too much work in an iteration delays other clients. Responses show neither.
@Suite("The turns of a loop", .serialized) struct LoopTurnTests {
    private let reads = Guarded(0)

    private var clock: Clock {
        Clock { [reads] in
            reads.withLock { $0 += 1 }
            return 1_000_000_000
        }
    }

    private var readSoFar: Int { reads.withLock { $0 } }

    @Test("Connections that wait for something do not wake their loop", arguments: Way.all)
    func waiting(_ way: Way) async throws {
        let held = Held()
        let router = Router.serving { site in
            site.route(.get, "/held/{number}", to: held)
            site.route(
                .get, "/large",
                to: ClosureHandler { _ in Response(.ok, content: [UInt8](repeating: 7, count: 8 << 20)) })
        }
        try await Live.run(
            way.poller, router, clock: clock, { $0.bufferedBytesPerClient = 64 << 20 }
        ) { live in
            // A request that the server does not read before the handler responds.
            let pipelining = try await live.connect(isSecure: way.isSecure)
            try await pipelining.send(TestRequest("GET", "/held/1").bytes)
            try await held.entered.first { $0 == "/held/1" }
            try await pipelining.send(TestRequest("GET", "/held/2").bytes)
            // The input ends while a handler runs.
            let halfClosed = try await live.connect(isSecure: way.isSecure)
            try await halfClosed.send(TestRequest("GET", "/held/3").bytes)
            try await held.entered.first { $0 == "/held/3" }
            try await halfClosed.finish()
            // A response that the client does not read.
            let lazy = try await live.connect(Wire.Wishes(isSecure: way.isSecure, receiveBuffer: 8 << 10))
            try await lazy.send(TestRequest("GET", "/large").bytes)
            #expect(try await lazy.hears())
            // A complete response that needed several events.
            let reader = try await live.connect(Wire.Wishes(isSecure: way.isSecure, receiveBuffer: 8 << 10))
            #expect(try await reader.ask(TestRequest("GET", "/large")).content.count == 8 << 20)
            // The wait after the last response.
            let lingering = try await live.connect(isSecure: way.isSecure)
            try await lingering.send("\u{1}")
            #expect(try await lingering.rest().responses.map(\.status) == [400])
            let before = readSoFar
            try await waitForSweeps(router)
            #expect(readSoFar - before < 300, "the limit allows some events, and a sweep every 150 ms")
            held.gate.open()
        }
    }

    @Test("A large response is written in parts, so that others are served in between", arguments: Way.all)
    func largeResponse(_ way: Way) async throws {
        let content = numbered(4 * Connection.turnLimit)
        let large = Representation(
            content: content, contentType: "application/octet-stream", entityTag: "t", lastModified: 0,
            cacheControl: "no-cache")
        try await Live.run(way.poller, .serving { $0.serve(large, at: "/large") }, clock: clock) { live in
            let wire = try await live.connect(isSecure: way.isSecure)
            let before = readSoFar
            #expect(try await wire.ask(TestRequest("GET", "/large")).content == content)
            #expect(readSoFar - before >= 4)
        }
    }

    @Test("Many new connections are accepted in parts, so that others are served in between")
    func manyConnections() async throws {
        let (entered, left) = (Mailbox<Bool>(), DispatchSemaphore(value: 0))
        let router = Router.serving { site in
            site.serve(at: "/block") { _ in
                entered.put(true)
                left.wait()
                return .text("left")
            }
        }
        try await Live.run(.preferred, router, clock: clock) { live in
            let blocked = try await live.connect()
            try await blocked.send(TestRequest("GET", "/block").bytes)
            try await entered.first { $0 }
            var waiting: [Wire] = []
            for number in 0..<64 * 6 {
                waiting.append(try await live.connect(Wire.Wishes(source: "127.0.0.\(1 + number % 8)")))
            }
            let before = readSoFar
            left.signal()
            #expect(try await blocked.response().status == 200)
            try await ProgressLimit.wait { await live.server.counts().counts.acceptedConnections > waiting.count }
            #expect(readSoFar - before >= 6)
        }
    }

    @Test("A server without connections does nothing", arguments: PollerKind.allCases)
    func empty(_ poller: PollerKind) async throws {
        let router = Router.serving { $0.serve(.text("ready"), at: "/ready") }
        try await Live.run(poller, router, clock: clock) { empty in
            for _ in 0..<2 {
                do {
                    let wire = try await empty.connect()
                    #expect(try await wire.ask(TestRequest("GET", "/ready")).status == 200)
                }
                try await empty.waitUntilEmpty()
            }
            let before = readSoFar
            try await waitForSweeps(router)
            #expect(readSoFar - before <= 1, "at most one timer event may remain")
        }
    }

    /// Waits until another server has closed an idle connection.
    private func waitForSweeps(_ router: Router) async throws {
        try await Live.run(.preferred, router, { $0.idleTimeout = 500 }) { live in
            let (responses, ending) = try await live.connect().rest()
            #expect(responses.isEmpty && ending == .orderly)
        }
    }
}
