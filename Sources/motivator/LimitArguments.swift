import ArgumentParser
import MotivatorHTTP
import MotivatorPlatform
import MotivatorServer

/// The server's limits. `ServerOptions` and `Limits` explain the defaults.
struct LimitArguments: ParsableArguments {
    @Option("Maximum number of connections (default: derived from the descriptor limit).", value: "n")
    var maxConnections: Int?

    @Option("Maximum number of requests per connection.", value: "n")
    var maxRequests = 10_000

    @Option("Maximum size of a request line.", value: "bytes")
    var maxRequestLine = 8 << 10

    @Option("Maximum total size of a request's field lines.", value: "bytes")
    var maxFieldBytes = 16 << 10

    @Option("Maximum number of field lines in a request.", value: "n")
    var maxFieldLines = 100

    @Option("Maximum size of a request's content. Some routes have a lower limit.", value: "bytes")
    var maxContent = 1 << 20

    @Option("Maximum memory of all connections for TLS, requests and responses.", value: "bytes")
    var maxMemory = 256 << 20

    @Option("Maximum total size of unfinished requests and unread responses for all connections.", value: "bytes")
    var maxBuffered = 64 << 20

    @Option("Maximum total size of unfinished requests and unread responses for one client.", value: "bytes")
    var maxBufferedPerClient = 4 << 20

    @Option("Maximum time for a TLS handshake.", value: "seconds")
    var handshakeTimeout = 10

    @Option("Maximum time for a request's head.", value: "seconds")
    var headTimeout = 10

    @Option("Maximum time between two bytes of content.", value: "seconds")
    var contentTimeout = 15

    @Option("Maximum total time for the content.", value: "seconds")
    var contentTotalTimeout = 60

    @Option(
        "Minimum transfer rate, measured over 10 seconds for content and 30 seconds for responses.", value: "bytes/s")
    var minimumRate = 500

    @Option("Maximum time without progress while sending a response.", value: "seconds")
    var writeTimeout = 30

    @Option("Maximum idle time of a connection.", value: "seconds")
    var idleTimeout = 60

    @Option("Maximum time to finish open requests during shutdown.", value: "seconds")
    var drain = 8

    @Option(
        help: ArgumentHelp(
            "Address of a proxy that sends a PROXY protocol version 2 header (repeatable).",
            discussion:
                "Without this option, all clients of the proxy share the limits of one client.",
            valueName: "address"))
    var trustedProxy: [String] = []

    @Option("Number of event loops (default: one per processor).", value: "n")
    var loops: Int?

    @Option(help: "How event loops wait for connections: epoll (Linux only) or sources (dispatch sources).")
    var poller = PollerKind.preferred

    func validate() throws {
        let bounds = [
            ("max-connections", maxConnections ?? 1, 1), ("max-requests", maxRequests, 1),
            ("max-request-line", maxRequestLine, 1), ("max-field-bytes", maxFieldBytes, 1),
            ("max-field-lines", maxFieldLines, 1), ("max-content", maxContent, 0),
            ("handshake-timeout", handshakeTimeout, 1), ("head-timeout", headTimeout, 1),
            ("max-memory", maxMemory, 1), ("max-buffered", maxBuffered, 1),
            ("max-buffered-per-client", maxBufferedPerClient, 1),
            ("content-timeout", contentTimeout, 1), ("content-total-timeout", contentTotalTimeout, 1),
            ("minimum-rate", minimumRate, 0), ("write-timeout", writeTimeout, 1),
            ("idle-timeout", idleTimeout, 1), ("drain", drain, 0), ("loops", loops ?? 1, 1),
        ]
        for (name, value, least) in bounds { try require(name, value, in: least...(1 << 30)) }
        for text in trustedProxy where SocketAddress(text, port: 0) == nil {
            throw ValidationError("--trusted-proxy \(text.quoted) is not an address. Use an IPv4 or IPv6 address.")
        }
    }

    func serverOptions() -> ServerOptions {
        var options = ServerOptions()
        options.connections = maxConnections
        options.loops = loops
        options.poller = poller
        options.limits.requestsPerConnection = maxRequests
        options.limits.startLine = maxRequestLine
        options.limits.fieldBytes = maxFieldBytes
        options.limits.fieldLines = maxFieldLines
        options.limits.content = maxContent
        options.handshakeTimeout = Int64(handshakeTimeout) * 1_000
        options.headTimeout = Int64(headTimeout) * 1_000
        options.memory = maxMemory
        options.bufferedBytes = maxBuffered
        options.bufferedBytesPerClient = maxBufferedPerClient
        options.minimumRate = minimumRate
        options.trustedProxies = Set(trustedProxy.compactMap { SocketAddress($0, port: 0)?.bytes })
        options.contentTimeout = Int64(contentTimeout) * 1_000
        options.contentTotalTimeout = Int64(contentTotalTimeout) * 1_000
        options.writeTimeout = Int64(writeTimeout) * 1_000
        options.idleTimeout = Int64(idleTimeout) * 1_000
        options.drainTimeout = Int64(drain) * 1_000
        return options
    }
}

extension PollerKind: ExpressibleByArgument {}
