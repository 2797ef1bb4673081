import COpenSSL
import HTTPTypes
import MotivatorHTTP
import MotivatorPlatform
import MotivatorTLS
import Testing

@testable import MotivatorServer

/// The memory of handshakes in a running server (docs/http.md, "Memory budget").
@Suite("Memory of handshakes", .serialized) struct HandshakeMemoryTests {
    private static let session = Connection.idleMemory + TLSSession.idleMemory + TLSSession.handshakeMemory

    private let router = Router.serving { $0.serve(.text("ready"), at: "/ready") }

    /// A ClientHello of an ordinary size, which no handshake follows.
    private static func clientHello() throws -> [UInt8] {
        let context = try #require(SSL_CTX_new(TLS_client_method()))
        defer { SSL_CTX_free(context) }
        let client = try #require(SSL_new(context))
        defer { SSL_free(client) }
        SSL_set_bio(client, BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()))
        SSL_set_connect_state(client)
        SSL_do_handshake(client)
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let count = BIO_read(SSL_get_wbio(client), &bytes, Int32(bytes.count))
        return Array(bytes.prefix(Int(count)))
    }

    private func isServed(_ wire: Wire) async throws -> Bool {
        try await wire.ask(TestRequest("GET", "/ready")).status == 200
    }

    @Test(
        "Nine bytes that announce a large ClientHello end the connection, and need no TLS session",
        arguments: PollerKind.allCases)
    func announcement(_ poller: PollerKind) async throws {
        // The budget has no memory for a session.
        try await Live.run(poller, router, { $0.memory = Self.session - 1 }) { live in
            let whole = try await live.connectRaw(preamble: [22, 3, 1, 0, 4, 1, 2, 0, 0])
            #expect(try await whole.rest().responses.isEmpty)
            try await live.events.first {
                $0 == "info: TLS handshake with 127.0.0.1 failed: a ClientHello of more than 16384 bytes"
            }
        }
    }

    @Test("Incomplete ClientHellos leave the memory for a handshake of the same client", arguments: PollerKind.allCases)
    func incomplete(_ poller: PollerKind) async throws {
        let hello = try Self.clientHello()
        // A quarter is enough for one handshake of a client.
        try await Live.run(poller, router, { $0.memory = 4 * (Self.session + 1_000) }) { live in
            var unfinished: [Wire] = []
            for _ in 0..<3 { unfinished.append(try await live.connectRaw(preamble: Array(hello.dropLast()))) }
            #expect(try await isServed(live.connect(isSecure: true)))
            // The complete ClientHello starts a handshake.
            try await unfinished[0].send(Array(hello.suffix(1)))
            #expect(try await unfinished[0].hears(within: 60_000))
        }
    }

    @Test("A client with too many handshakes waits until one of them ends", arguments: PollerKind.allCases)
    func waiting(_ poller: PollerKind) async throws {
        let hello = try Self.clientHello()
        // A quarter is enough for one handshake of a client.
        try await Live.run(poller, router, { $0.memory = 4 * (Self.session + 1_000) }) { live in
            let unfinished = try await live.connectRaw(preamble: hello)
            #expect(try await unfinished.hears(within: 60_000))
            let waiting = try await live.connectRaw(preamble: hello)
            #expect(try await !waiting.hears(within: 300))
            // Another client is not affected.
            #expect(try await isServed(live.connect(Wire.Wishes(isSecure: true, source: "127.0.0.2"))))
            try await unfinished.reset()
            #expect(try await waiting.hears(within: 60_000))
        }
    }

    @Test(
        "When all memory is in use, the client with the most connections loses its oldest handshake",
        arguments: PollerKind.allCases)
    func eviction(_ poller: PollerKind) async throws {
        let hello = try Self.clientHello()
        // Four handshakes of four clients use all memory.
        try await Live.run(poller, router, { $0.memory = 4 * Self.session + 1 }) { live in
            var wires: [Wire] = []
            for number in 1...4 {
                let wire = try await live.connectRaw(preamble: hello, source: "127.0.0.\(number)")
                #expect(try await wire.hears(within: 60_000))
                wires.append(wire)
            }
            #expect(try await isServed(live.connect(Wire.Wishes(isSecure: true, source: "127.0.0.5"))))
        }
    }

    @Test("Idle connections near the limit on memory make way for new ones", arguments: Way.all)
    func idle(_ way: Way) async throws {
        let each = Connection.idleMemory + (way.isSecure ? TLSSession.idleMemory : 0)
        try await Live.run(way.poller, router, { $0.memory = 8 * each + (way.isSecure ? Self.session : 0) }) { live in
            var wires: [Wire] = []
            for number in 1...20 {
                let wire = try await live.connect(Wire.Wishes(isSecure: way.isSecure, source: "127.0.0.\(number)"))
                #expect(try await isServed(wire))
                wires.append(wire)
            }
            #expect(await live.server.counts().connections < 12)
        }
    }
}
