import MotivatorPlatform
import MotivatorTLS
import TestSupport

@testable import MotivatorServer

/// A running server on the loopback address, with a plain port, a TLS port and one event loop.
struct Live: Sendable {
    let server: HTTPServer
    let events: Mailbox<String>
    private let plain: SocketAddress
    private let secure: SocketAddress
    /// A deadline that no test reaches, in milliseconds.
    private static let long: Int64 = 1_000_000_000

    /// Starts a server, runs `body`, and stops the server.
    ///
    /// - Parameters:
    ///   - poller: The event notification mechanism of the loop.
    ///   - router: The routes of both ports.
    ///   - clock: The time of responses.
    ///   - accessLog: The destination of the access log.
    ///   - settings: Changes the limits.
    static func run(
        _ poller: PollerKind, _ router: Router, clock: Clock = .system,
        accessLog: AccessLogOptions? = nil, _ settings: (inout ServerOptions) -> Void = { _ in },
        _ body: (Live) async throws -> Void
    ) async throws {
        var options = ServerOptions()
        (options.poller, options.loops) = (poller, 1)
        // Even on a busy machine, a test must not reach a deadline that it does not set.
        (options.handshakeTimeout, options.headTimeout, options.idleTimeout) = (Self.long, Self.long, Self.long)
        (options.contentTimeout, options.contentTotalTimeout) = (Self.long, Self.long)
        (options.contentRateWindow, options.writeTimeout, options.writeRateWindow) = (Self.long, Self.long, Self.long)
        settings(&options)
        let loopback = [SocketAddress("127.0.0.1", port: 0)].compactMap { $0 }
        let events = Mailbox<String>()
        let server = try HTTPServer(
            options: options, tls: loopback, plain: loopback, clock: clock,
            logger: RecordingLog { events.put($0) }.logger, accessLog: accessLog)
        try server.start(snapshot(router))
        let live = Live(
            server: server, events: events, plain: server.endpoints.plain[0], secure: server.endpoints.tls[0])
        do {
            try await body(live)
        } catch {
            await server.stopNow()
            throw error
        }
        await server.stopNow()
        accessLog?.sink.flush()
    }

    static func snapshot(_ router: Router) throws -> ServerSnapshot {
        ServerSnapshot(router: router, plainRouter: router, context: try TestAuthority.shared.get().context)
    }

    func connect(_ wishes: Wire.Wishes = Wire.Wishes()) async throws -> Wire {
        try await Wire.open(wishes.isSecure ? secure : plain, wishes)
    }

    func connect(isSecure: Bool) async throws -> Wire { try await connect(Wire.Wishes(isSecure: isSecure)) }

    /// Opens a connection to the TLS port without TLS.
    ///
    /// - Parameters:
    ///   - preamble: The bytes to send as soon as the connection is open.
    ///   - source: The address of the client.
    func connectRaw(preamble: [UInt8] = [], source: String = "127.0.0.1") async throws -> Wire {
        try await Wire.open(secure, Wire.Wishes(source: source, preamble: preamble))
    }

    /// Waits until the server has no connections.
    func waitUntilEmpty() async throws {
        try await ProgressLimit.wait { await server.counts().connections == 0 }
    }

    /// Waits until another connection from this address has ended and the server accepts a new one.
    func waitForSlot(_ wishes: Wire.Wishes = Wire.Wishes()) async throws {
        try await ProgressLimit.wait {
            _ = try await connect(wishes).ask(TestRequest("OPTIONS", "*"))
            return true
        }
    }
}

/// A combination of a port and a poller. Every live test runs with each combination.
struct Way: Sendable, CustomStringConvertible {
    let poller: PollerKind
    let isSecure: Bool

    static let all = PollerKind.allCases.flatMap { poller in
        [false, true].map { Way(poller: poller, isSecure: $0) }
    }

    var description: String { "\(isSecure ? "TLS" : "plain"), \(poller)" }
}
