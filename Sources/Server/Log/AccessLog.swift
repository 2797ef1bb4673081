package import MotivatorHTTP
package import MotivatorPlatform
package import MotivatorTLS

package struct AccessLogOptions: Sendable {
    package let sink: LogSink
    let format: LogFormat
    /// Substrings of User-Agent values. The log writes the first match to the `reader` field.
    let agents: [String]

    package init(sink: LogSink, format: LogFormat, agents: [String] = []) {
        (self.sink, self.format, self.agents) = (sink, format, agents)
    }
}

/// Writes one line for each response: client, request, status, sizes, duration and TLS session.
///
/// Each loop has its own log and formats lines into its own buffer, without locks or allocations. The log passes the
/// buffer to the shared sink when the buffer is full, and at each deadline sweep.
package final class AccessLog {
    /// The parts of a line that all requests on a connection share.
    package final class Client {
        /// The bytes before the host.
        fileprivate let address: [UInt8]
        /// The start of a request ID: 12 hexadecimal digits that identify the connection, and a hyphen.
        fileprivate let id: [UInt8]
        /// The bytes after the request ID.
        fileprivate let session: [UInt8]

        fileprivate init(address: [UInt8], id: [UInt8], session: [UInt8]) {
            (self.address, self.id, self.session) = (address, id, session)
        }
    }

    package struct Response {
        /// The time of the response in milliseconds since 1970-01-01T00:00:00Z.
        var time: Int64
        var status: Int
        var bytes: Int
        var received: Int
        /// The time in milliseconds from the end of the request head to the response.
        var duration: Int64
        /// The sequence number of the request on its connection.
        var number: Int
    }

    /// The maximum number of buffered bytes. Above this limit, the log passes the buffer to the sink.
    private static let bufferLimit = 128 << 10

    private let sink: LogSink
    private let format: LogFormat
    private let address, host, method, target, status, bytes, received, duration, reader, agent: LogField
    private let version, cipher, group, resumed, applicationProtocol, serverName: LogField
    private let agents: [(text: [UInt8], field: [UInt8])]
    private let end: [UInt8]
    /// The bytes before and after a request ID.
    private let idStart, idEnd: [UInt8]
    /// The bytes after the request ID on a connection without TLS.
    private let plainSession: [UInt8]
    private let lines = LineBuffer(capacity: 2 * bufferLimit)
    private var count = 0
    /// The ID of the next connection. Each log starts at a random number, so IDs differ between servers.
    private var nextID: UInt64
    private var second = UnixTime.min
    /// The start of every line in the current second, before the milliseconds.
    private var timestamp: [UInt8] = []
    private let timestampEnd: [UInt8]

    package init(_ options: AccessLogOptions, firstID: UInt64 = .random(in: 0 ... .max)) {
        nextID = firstID
        let format = options.format
        func field(_ name: String) -> LogField { LogField(name, format) }
        (address, host, method, target) = (field("client"), field("host"), field("method"), field("target"))
        (status, bytes, received, duration) = (field("status"), field("bytes"), field("in"), field("ms"))
        (reader, agent) = (field("reader"), field("agent"))
        (version, cipher, group, resumed) = (field("tls"), field("cipher"), field("group"), field("resumed"))
        (applicationProtocol, serverName) = (field("alpn"), field("sni"))
        idStart = Array((format == .json ? ",\"id\":\"" : " id=").utf8)
        idEnd = Array((format == .json ? "\"" : "").utf8)
        let fields = LineBuffer()
        for field in [version, cipher, group, resumed, applicationProtocol, serverName] {
            field.appendMissing(to: fields)
        }
        plainSession = idEnd + fields.bytes
        agents = options.agents.map { (Array($0.utf8), format.field("reader", $0)) }
        sink = options.sink
        end = format.end
        timestampEnd = Array((format == .json ? "Z\"" : "Z").utf8)
        self.format = format
    }

    /// Formats the parts that all lines for a connection share.
    package func client(_ address: SocketAddress, _ tls: TLSDetails?) -> Client {
        defer { nextID &+= 1 }
        let start = LineBuffer()
        start.append(timestampEnd)
        self.address.append(address.host, to: start)
        let id = idStart + (nextID & 0xFFFF_FFFF_FFFF).hexadecimal(width: 12).utf8 + [UInt8(ascii: "-")]
        return Client(address: start.bytes, id: id, session: tls.map(session) ?? plainSession)
    }

    private func session(_ tls: TLSDetails) -> [UInt8] {
        let line = LineBuffer()
        func append(_ value: String?, as field: LogField) {
            if let value { field.append(value, to: line) } else { field.appendMissing(to: line) }
        }
        line.append(idEnd)
        append(tls.version, as: version)
        append(tls.cipher, as: cipher)
        append(tls.group, as: group)
        resumed.append(tls.isResumed, to: line)
        append(tls.applicationProtocol, as: applicationProtocol)
        append(tls.serverName, as: serverName)
        return line.bytes
    }

    /// Adds a line. Escapes external bytes that could end the line or control a terminal.
    /// - Parameter isUnderstood: whether the server accepted the bytes of the request. The line omits rejected bytes.
    package func add(_ response: Response, from client: Client, head: RequestHead, isUnderstood: Bool) {
        append(time: response.time)
        lines.append(client.address)
        if isUnderstood {
            appendRequest(head)
        } else {
            for field in [host, method, target] { field.appendMissing(to: lines) }
        }
        status.append(response.status, to: lines)
        bytes.append(response.bytes, to: lines)
        received.append(response.received, to: lines)
        duration.append(Int(response.duration), to: lines)
        lines.append(client.id)
        lines.append(decimal: response.number)
        lines.append(client.session)
        if isUnderstood {
            head.withValue(.userAgent) { appendAgent($0) }
        } else {
            appendAgent(nil)
        }
        lines.append(end)
        count += 1
        if lines.count > Self.bufferLimit { flush() }
    }

    private func append(time: Int64) {
        let now = Clock.seconds(time)
        if now != second {
            second = now
            let text = format.start + format.field("time", Timestamp.text(now)).dropFirst()
            timestamp = text.dropLast(timestampEnd.count) + [UInt8(ascii: ".")]
        }
        lines.append(timestamp)
        let milliseconds = Int(time - now * 1_000)
        for divisor in [100, 10, 1] { lines.append(UInt8(ascii: "0") + UInt8(milliseconds / divisor % 10)) }
    }

    private func appendRequest(_ head: RequestHead) {
        head.withHost { value in
            if let value { host.append(value, to: lines) } else { host.appendMissing(to: lines) }
        }
        head.withMethod { method.append($0, to: lines) }
        head.withTarget { target.append($0, to: lines) }
    }

    private func appendAgent(_ value: FieldBytes?) {
        guard let value else {
            reader.appendMissing(to: lines)
            return agent.appendMissing(to: lines)
        }
        if let known = agents.first(where: { value.contains($0.text) }) {
            lines.append(known.field)
        } else {
            reader.appendMissing(to: lines)
        }
        agent.append(value, to: lines)
    }

    package func flush() {
        guard count > 0 else { return }
        sink.write(lines.bytes, count: count)
        lines.removeAll()
        count = 0
    }
}
