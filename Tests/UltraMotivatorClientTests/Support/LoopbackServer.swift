import Certificates
import HTTPSClient
import Logging
import MotivatorPlatform
import MotivatorServer
import MotivatorTLS
import TestSupport
import UltraMotivatorClient

/// A running server on the loopback address, and the options that connect clients to it by its name.
struct LoopbackServer: Sendable {
    enum Trouble: Error { case noAddress }

    /// The name in the server's certificate.
    let host: String
    let port: UInt16
    let root: Certificate

    /// Starts a server, runs `body`, and stops the server.
    ///
    /// - Parameters:
    ///   - host: The name in the server's certificate.
    ///   - snapshot: Returns the content to serve at a port, and the root to trust.
    ///   - body: Receives the server.
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

    /// The options that connect every name and port to this server.
    var options: Fetcher.Options {
        get throws {
            var options = Fetcher.Options()
            // Other tests may delay the handler, because all tests use the same threads.
            options.deadline = 600
            options.connectTo = [try Fetcher.ConnectTo("::127.0.0.1:\(port)")]
            return options
        }
    }

    /// Returns a client that uses a name of the server.
    ///
    /// - Parameters:
    ///   - name: The requested name, or nil for the name in the certificate.
    ///   - trust: The roots to trust, or nil for the server's root.
    ///   - clock: The clock for verifying certificates.
    func client(
        as name: String? = nil, trust: [Certificate]? = nil, clock: Clock = .system
    ) throws -> APIClient {
        APIClient(
            server: try ServerAddress("\(name ?? host):\(port)"), trust: trust ?? [root], options: try options,
            clock: clock)
    }
}
