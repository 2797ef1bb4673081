import MotivatorHTTP
import MotivatorPlatform
import MotivatorTLS

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

/// Writes one line for each response: client, request, status, sizes, duration and TLS session.
///
/// Each loop has its own log and formats lines into its own buffer, without locks or allocations. It passes the buffer
/// to the shared sink when the buffer is full, and at each deadline sweep.
final class AccessLog {
    /// The parts of a line that all requests of a connection share.
    final class Client {
        /// The bytes before the host.
        fileprivate let address: [UInt8]
        /// The start of the request ID.
        fileprivate let id: [UInt8]
        /// The bytes after the request ID.
        fileprivate let session: [UInt8]

        fileprivate init(address: [UInt8], id: [UInt8], session: [UInt8]) {
            (self.address, self.id, self.session) = (address, id, session)
        }
    }

    /// The numbers of a line.
    struct Response {
        /// The time of the response in milliseconds since 1970-01-01T00:00:00Z.
        var time: Int64
        var status: Int
        /// The number of content bytes of the response.
        var bytes: Int
        /// The number of bytes of the request that had arrived.
        var received: Int
        /// The milliseconds from the end of the request's head to the response.
        var duration: Int64
        /// The number of the request on its connection.
        var number: Int
    }

    /// A field whose value seldom changes from line to line, with its last value.
    private struct Repeated {
        var value: [UInt8] = []
        /// The formatted value; empty before the first.
        var formatted: [UInt8] = []
    }

    /// The number of bytes above which the log passes the buffer to the sink.
    private static let bufferLimit = 32 << 10

    private let sink: LogSink
    private let format: LogFormat
    private let host, method, target, status, bytes, received, duration, reader, agent: LogField
    private let methods: [[UInt8]]
    private let agents: [(text: [UInt8], field: [UInt8])]
    private let end: [UInt8]
    private var lines: [UInt8] = []
    private var count = 0
    private var second = UnixTime.min
    /// The start of every line in the current second, before the milliseconds.
    private var timestamp: [UInt8] = []
    private let timestampEnd: [UInt8]
    private var lastHost = Repeated()
    private var lastAgent = Repeated()

    init(_ options: AccessLogOptions) {
        let format = options.format
        func field(_ name: String) -> LogField { LogField(name, format) }
        (host, method, target) = (field("host"), field("method"), field("target"))
        (status, bytes, received, duration) = (field("status"), field("bytes"), field("in"), field("ms"))
        (reader, agent) = (field("reader"), field("agent"))
        methods = Method.allCases.map { format.fields([("method", .text("\($0.name)"))]) }
        agents = options.agents.map { (Array($0.utf8), format.fields([("reader", .text($0))])) }
        sink = options.sink
        end = format.end
        timestampEnd = Array((format == .json ? "Z\"" : "Z").utf8)
        self.format = format
    }

    /// Formats the parts that all lines of a connection share.
    ///
    /// - Parameters:
    ///   - address: the address of the client.
    ///   - tls: the TLS session; nil over plain HTTP.
    ///   - id: identifies the connection.
    func client(_ address: SocketAddress, _ tls: TLSDetails?, id: UInt64) -> Client {
        // The ID of a request is that of its connection, a hyphen, and the number of the request.
        let start = format.fields([("id", .text(id.hexadecimal(width: 12) + "-"))])
        return Client(
            address: format.fields([("client", .text(address.host))]),
            id: format == .json ? start.dropLast() : start,
            session: (format == .json ? [UInt8(ascii: "\"")] : [])
                + format.fields([
                    ("tls", .optional(tls?.version)), ("cipher", .optional(tls?.cipher)),
                    ("group", .optional(tls?.group)), ("resumed", tls.map { .flag($0.isResumed) } ?? .optional(nil)),
                    ("alpn", .optional(tls?.applicationProtocol)), ("sni", .optional(tls?.serverName)),
                ]))
    }

    /// Adds a line. It escapes external bytes, so that they cannot end the line or control a terminal.
    ///
    /// - Parameters:
    ///   - response: the numbers of the line.
    ///   - client: the parts that all lines of the connection share.
    ///   - head: the request.
    ///   - isUnderstood: whether the bytes of the request were accepted; otherwise, the line does not contain them.
    @inline(__always)
    func add(_ response: Response, from client: Client, head: RequestHead, isUnderstood: Bool) {
        append(time: response.time)
        lines.append(contentsOf: client.address)
        if isUnderstood {
            head.withHost { appendHost($0) }
            if head.method == .other {
                head.withMethod { method.append($0, to: &lines) }
            } else {
                lines.append(contentsOf: methods[Int(head.method.rawValue)])
            }
            head.withTarget { target.append($0, to: &lines) }
        } else {
            for field in [host, method, target] { field.appendMissing(to: &lines) }
        }
        status.append(response.status, to: &lines)
        bytes.append(response.bytes, to: &lines)
        received.append(response.received, to: &lines)
        duration.append(Int(response.duration), to: &lines)
        lines.append(contentsOf: client.id)
        lines.append(decimal: response.number)
        lines.append(contentsOf: client.session)
        if isUnderstood {
            head.withValue(.userAgent) { appendAgent($0) }
        } else {
            appendAgent(nil)
        }
        lines.append(contentsOf: end)
        count += 1
        if lines.count > Self.bufferLimit { flush() }
    }

    private func append(time: Int64) {
        let now = Clock.seconds(time)
        if now != second {
            second = now
            let text = format.start + format.fields([("time", .text(Timestamp.text(now)))]).dropFirst()
            timestamp = text.dropLast(timestampEnd.count) + [UInt8(ascii: ".")]
        }
        lines.append(contentsOf: timestamp)
        let milliseconds = Int(time - now * 1_000)
        for divisor in [100, 10, 1] { lines.append(UInt8(ascii: "0") + UInt8(milliseconds / divisor % 10)) }
        lines.append(contentsOf: timestampEnd)
    }

    private func appendHost(_ value: FieldBytes?) {
        guard let value else { return host.appendMissing(to: &lines) }
        if lastHost.formatted.isEmpty || !value.isEqual(to: lastHost.value) {
            lastHost = Repeated(value: Array(value))
            host.append(value, to: &lastHost.formatted)
        }
        lines.append(contentsOf: lastHost.formatted)
    }

    private func appendAgent(_ value: FieldBytes?) {
        guard let value else {
            reader.appendMissing(to: &lines)
            return agent.appendMissing(to: &lines)
        }
        if lastAgent.formatted.isEmpty || !value.isEqual(to: lastAgent.value) {
            lastAgent = Repeated(value: Array(value))
            if let known = agents.first(where: { value.contains($0.text) }) {
                lastAgent.formatted.append(contentsOf: known.field)
            } else {
                reader.appendMissing(to: &lastAgent.formatted)
            }
            agent.append(value, to: &lastAgent.formatted)
        }
        lines.append(contentsOf: lastAgent.formatted)
    }

    /// Passes the buffer to the sink.
    func flush() {
        guard count > 0 else { return }
        sink.write(lines, count: count)
        #if THREAD_SANITIZER
        // The sanitizer does not see that the sink has released the array.
        lines = []
        #else
        lines.removeAll(keepingCapacity: true)
        #endif
        count = 0
    }
}
