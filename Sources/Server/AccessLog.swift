import HTTP
import Platform

/// Where and how requests are logged.
public struct AccessLogOptions: Sendable {
    /// The destination of the lines.
    public var sink: LogSink
    /// The format of a line.
    public var format: LogFormat
    /// Parts of User-Agent values that the log writes in the field `reader`: the first one that the value contains.
    public var agents: [String]

    /// - Parameters:
    ///   - sink: where the lines go.
    ///   - format: the form of a line.
    ///   - agents: parts of User-Agent values, of ASCII characters, that the log names in the field `reader`.
    public init(sink: LogSink, format: LogFormat, agents: [String] = []) {
        self.sink = sink
        self.format = format
        self.agents = agents
    }
}

/// Writes one line for each response: client, request, status and TLS version.
///
/// Each loop has its own log and formats lines into its own buffer, without locks and without allocating memory. The
/// buffer goes to the shared sink when it is full, and at each sweep of the deadlines.
final class AccessLog {
    /// The parts of a line that are the same for all requests of a connection.
    struct Client {
        /// The bytes before the host.
        fileprivate let address: [UInt8]
        /// The bytes after the size of the content.
        fileprivate let session: [UInt8]
    }

    /// The buffer goes to the sink when it has more bytes than this.
    private static let bufferLimit = 32 << 10

    private let sink: LogSink
    private let format: LogFormat
    private let host, method, target, status, bytes, reader, agent: LogField
    private let agents: [(text: [UInt8], field: [UInt8])]
    private let end: [UInt8]
    private var lines: [UInt8] = []
    private var second = Int64.min
    /// The start of all lines of the current second.
    private var timestamp: [UInt8] = []

    init(_ options: AccessLogOptions) {
        let format = options.format
        func field(_ name: String) -> LogField { LogField(name, format) }
        (host, method, target) = (field("host"), field("method"), field("target"))
        (status, bytes) = (field("status"), field("bytes"))
        (reader, agent) = (field("reader"), field("agent"))
        agents = options.agents.map { (Array($0.utf8), format.fields([("reader", .text($0))])) }
        sink = options.sink
        end = format.end
        self.format = format
    }

    /// Formats the parts that all lines of a connection share.
    func client(_ peer: Peer) -> Client {
        Client(
            address: format.fields([("client", .text(peer.address.host))]),
            session: format.fields([("tls", .optional(peer.tlsVersion)), ("sni", .optional(peer.serverName))]))
    }

    /// Adds a line. Bytes from outside are escaped, so that they cannot end the line or control a terminal.
    ///
    /// - Parameters:
    ///   - client: the parts that all lines of the connection share.
    ///   - time: the time of the response.
    ///   - code: the status code.
    ///   - size: the number of content bytes that are sent.
    ///   - head: the request; nil if its bytes were rejected.
    func add(_ client: Client, time: UnixTime, code: Int, size: Int, head: RequestHead?) {
        if time != second {
            second = time
            timestamp = format.start + format.fields([("time", .text(Timestamp.text(time)))]).dropFirst()
        }
        lines.append(contentsOf: timestamp)
        lines.append(contentsOf: client.address)
        if let head {
            head.withHost { append($0, as: host) }
            head.withMethod { append($0, as: method) }
            head.withTarget { append($0, as: target) }
        } else {
            for field in [host, method, target] { field.appendMissing(to: &lines) }
        }
        status.append(code, to: &lines)
        bytes.append(size, to: &lines)
        lines.append(contentsOf: client.session)
        if let head {
            head.withValue(.userAgent) { appendAgent($0) }
        } else {
            appendAgent(nil)
        }
        lines.append(contentsOf: end)
        if lines.count > Self.bufferLimit { flush() }
    }

    @inline(__always)
    private func append(_ value: FieldBytes?, as field: LogField) {
        if let value { field.append(value, to: &lines) } else { field.appendMissing(to: &lines) }
    }

    private func appendAgent(_ value: FieldBytes?) {
        if let value, let known = agents.first(where: { value.contains($0.text) }) {
            lines.append(contentsOf: known.field)
        } else {
            reader.appendMissing(to: &lines)
        }
        append(value, as: agent)
    }

    /// Passes the buffer to the sink.
    func flush() {
        guard !lines.isEmpty else { return }
        sink.write(lines)
        lines.removeAll(keepingCapacity: true)
    }
}
