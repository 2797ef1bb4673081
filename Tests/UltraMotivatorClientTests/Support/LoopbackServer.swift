import Certificates
import HTTPSClient
import Logging
import Platform
import Server
import TLS
import TestSupport
import UltraMotivatorClient

/// A running server on the loopback address, and the options that connect clients to it by its name.
struct LoopbackServer: Sendable {
    enum Trouble: Error { case noAddress }

    /// The name of the server's certificate.
    let host: String
    let port: UInt16
    let root: Certificate

    /// Starts a server, runs `body`, and stops the server.
    ///
    /// - Parameters:
    ///   - host: the name of its certificate.
    ///   - snapshot: makes what is served at a port, and the root to trust.
    ///   - body: gets the server.
    static func run(
        _ host: String, _ snapshot: (_ port: UInt16) throws -> (ServerSnapshot, root: Certificate),
        _ body: (LoopbackServer) async throws -> Void
    ) async throws {
        guard let loopback = SocketAddress("127.0.0.1", port: 0) else { throw Trouble.noAddress }
        var options = ServerOptions()
        options.loops = 1
        let server = try HTTPServer(options: options, tls: [loopback], plain: [], logger: RecordingLog.silent)
        let port = server.endpoints.tls[0].port
        let (answers, root) = try snapshot(port)
        try server.start(answers)
        do {
            try await body(LoopbackServer(host: host, port: port, root: root))
        } catch {
            await server.stopNow()
            throw error
        }
        await server.stopNow()
    }

    /// The way to this server for every name and port.
    var options: Fetcher.Options {
        get throws {
            var options = Fetcher.Options()
            // The handler may have to wait for a thread as long as all other tests need.
            options.deadline = 600
            options.connectTo = [try Fetcher.ConnectTo("::127.0.0.1:\(port)")]
            return options
        }
    }

    /// A client that calls the server by a name.
    ///
    /// - Parameters:
    ///   - name: the name that is requested; nil for the one of the certificate.
    ///   - trust: the roots that are trusted; nil for the server's.
    ///   - clock: the time of which the certificates are judged.
    func client(
        as name: String? = nil, trust: [Certificate]? = nil, clock: Clock = .system
    ) throws -> APIClient {
        APIClient(
            server: try ServerAddress("\(name ?? host):\(port)"), trust: trust ?? [root], options: try options,
            clock: clock)
    }
}
