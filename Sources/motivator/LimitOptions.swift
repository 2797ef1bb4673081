import ArgumentParser
import HTTP
import Server

/// The bounds and the inner workings of the server that can be set; each has a default with a reason in `ServerOptions` and `Limits`.
struct LimitOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Most connections at once (default: what the descriptor limit leaves).", valueName: "n"))
    var maxConnections: Int?

    @Option(help: ArgumentHelp("Most requests on one connection.", valueName: "n"))
    var maxRequests = 10_000

    @Option(help: ArgumentHelp("Most bytes of a request line.", valueName: "bytes"))
    var maxRequestLine = 8 << 10

    @Option(help: ArgumentHelp("Most bytes of all field lines.", valueName: "bytes"))
    var maxFieldBytes = 16 << 10

    @Option(help: ArgumentHelp("Most field lines.", valueName: "n"))
    var maxFieldLines = 100

    @Option(help: ArgumentHelp("Most bytes of content.", valueName: "bytes"))
    var maxContent = 1 << 20

    @Option(help: ArgumentHelp("Time for a TLS handshake.", valueName: "seconds"))
    var handshakeTimeout = 10

    @Option(help: ArgumentHelp("Time for a whole head.", valueName: "seconds"))
    var headTimeout = 10

    @Option(help: ArgumentHelp("Time without a byte of content.", valueName: "seconds"))
    var contentTimeout = 30

    @Option(help: ArgumentHelp("Time without the client taking a byte.", valueName: "seconds"))
    var writeTimeout = 30

    @Option(help: ArgumentHelp("Time that a connection may be idle.", valueName: "seconds"))
    var idleTimeout = 60

    @Option(help: ArgumentHelp("Time for answers under way when the server stops.", valueName: "seconds"))
    var drain = 8

    @Option(help: ArgumentHelp("Event loops (default: one for each processor).", valueName: "n"))
    var loops: Int?

    @Option(help: "How loops learn that a connection is ready: epoll (Linux) or sources (dispatch sources).")
    var poller = PollerKind.preferred

    func validate() throws {
        let most = 1 << 30
        let bounds = [
            ("max-connections", maxConnections ?? 1, 1), ("max-requests", maxRequests, 1),
            ("max-request-line", maxRequestLine, 1), ("max-field-bytes", maxFieldBytes, 1),
            ("max-field-lines", maxFieldLines, 1), ("max-content", maxContent, 0),
            ("handshake-timeout", handshakeTimeout, 1), ("head-timeout", headTimeout, 1),
            ("content-timeout", contentTimeout, 1), ("write-timeout", writeTimeout, 1),
            ("idle-timeout", idleTimeout, 1), ("drain", drain, 0), ("loops", loops ?? 1, 1),
        ]
        for (name, value, least) in bounds where value < least || value > most {
            throw ValidationError("--\(name) is \(value). Give a number from \(least) to \(most).")
        }
    }

    func serverOptions() -> ServerOptions {
        var options = ServerOptions()
        options.connections = maxConnections
        options.loops = loops
        options.poller = poller
        options.limits.requestsPerConnection = maxRequests
        options.limits.requestLine = maxRequestLine
        options.limits.fieldBytes = maxFieldBytes
        options.limits.fieldLines = maxFieldLines
        options.limits.content = maxContent
        options.handshakeTimeout = Int64(handshakeTimeout) * 1_000
        options.headTimeout = Int64(headTimeout) * 1_000
        options.contentTimeout = Int64(contentTimeout) * 1_000
        options.writeTimeout = Int64(writeTimeout) * 1_000
        options.idleTimeout = Int64(idleTimeout) * 1_000
        options.drainTimeout = Int64(drain) * 1_000
        return options
    }
}

extension PollerKind: ExpressibleByArgument {}
