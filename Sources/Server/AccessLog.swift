import HTTP
import Platform

/// One line for each answer: who asked for what, and got what, over what.
///
/// Each loop has its own, so that lines are put together without a lock; whole batches go to the shared sink.
final class AccessLog {
    /// What is known when an answer is written.
    struct Entry {
        var time: UnixTime
        var address: String
        var tlsVersion: String?
        var serverName: String?
        var status: Int
        /// Bytes of content that are sent.
        var bytes: Int
        /// Nil when the bytes were no request that could be understood.
        var head: RequestHead?
    }

    private let sink: LogSink
    private let format: LogFormat
    private var lines: [UInt8] = []
    private var second = Int64.min
    private var timestamp = ""

    init(sink: LogSink, format: LogFormat) {
        self.sink = sink
        self.format = format
    }

    /// Adds a line; what came from outside is escaped, so that it stays one line whatever it holds.
    func note(_ entry: Entry) {
        if entry.time != second {
            second = entry.time
            timestamp = Timestamp.text(entry.time)
        }
        let head = entry.head
        let agent = head?.text(.userAgent)
        let reader = agent.flatMap(AssociationReader.init(agent:))
        let parts: [(name: String, value: LogValue)] = [
            ("time", .text(timestamp)), ("client", .text(entry.address)), ("host", .optional(head?.hostText)),
            ("method", .optional(head?.methodText)), ("target", .optional(head?.targetText)),
            ("status", .number(entry.status)), ("bytes", .number(entry.bytes)), ("tls", .optional(entry.tlsVersion)),
            ("sni", .optional(entry.serverName)), ("reader", .optional(reader?.rawValue)), ("agent", .optional(agent)),
        ]
        lines.append(contentsOf: format.line(parts).utf8)
    }

    /// Hands over what has been noted since the last time.
    func flush() {
        guard !lines.isEmpty else { return }
        sink.write(lines)
        lines.removeAll(keepingCapacity: true)
    }
}

/// The programs of Apple that read association files, told by what they call themselves.
public enum AssociationReader: String, Sendable, CaseIterable {
    /// Apple's content delivery network, from which devices get their copy.
    case bot = "AASA-Bot"
    /// The daemon on a device, which comes straight to the server in developer mode.
    case daemon = "swcd"
    /// Another program on an Apple platform.
    case framework = "CFNetwork"

    /// - Parameter agent: the value of User-Agent.
    public init?(agent: String) {
        guard let reader = Self.allCases.first(where: { agent.contains($0.rawValue) }) else { return nil }
        self = reader
    }
}
