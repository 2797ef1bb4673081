import MotivatorHTTP
import MotivatorPlatform

/// The destination and format of the request log.
package struct AccessLogOptions: Sendable {
    /// The destination of the lines.
    package var sink: LogSink
    /// The format of a line.
    package var format: LogFormat
    /// Substrings of User-Agent values. The log writes the first match to the `reader` field.
    package var agents: [String]

    /// - Parameters:
    ///   - sink: the destination of the lines.
    ///   - format: the format of a line.
    ///   - agents: ASCII substrings of User-Agent values. The log writes the first match to the `reader` field.
    package init(sink: LogSink, format: LogFormat, agents: [String] = []) {
        self.sink = sink
        self.format = format
        self.agents = agents
    }
}

/// Writes one line for each response: client, request, status and TLS version.
///
/// Each loop has its own log and formats lines into its own buffer, without locks or allocations. It passes the buffer
/// to the shared sink when the buffer is full, and at each deadline sweep.
final class AccessLog {
    /// The parts of a line that all requests of a connection share.
    struct Client {
        /// The bytes before the host.
        fileprivate let address: [UInt8]
        /// The bytes after the size of the content.
        fileprivate let session: [UInt8]
    }

    /// The number of bytes above which the log passes the buffer to the sink.
    private static let bufferLimit = 32 << 10

    private let sink: LogSink
    private let format: LogFormat
    private let host, method, target, status, bytes, reader, agent: LogField
    private let agents: [(text: [UInt8], field: [UInt8])]
    private let end: [UInt8]
    private var lines: [UInt8] = []
    private var second = Int64.min
    /// The start of every line in the current second.
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

    /// Adds a line. It escapes external bytes, so that they cannot end the line or control a terminal.
    ///
    /// - Parameters:
    ///   - client: the parts that all lines of the connection share.
    ///   - time: the time of the response.
    ///   - code: the status code.
    ///   - size: the number of content bytes sent.
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
