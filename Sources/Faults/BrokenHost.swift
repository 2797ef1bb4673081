import AssociationChecker
import HTTPTypes
import MotivatorHTTP
import MotivatorServer
import MotivatorTLS

struct BrokenHost: Sendable {
    var replies: [String: Reply]
    var handshake = Handshake.valid

    init(_ replies: [String: Reply]) { self.replies = replies }

    init(wellKnown: Reply, root: Reply) { self.init([FilePath.wellKnown.text: wellKnown, FilePath.root.text: root]) }
}

enum Handshake: Sendable {
    /// A handshake with the certificate that all intact hosts share.
    case valid
    /// A handshake with the host's own certificate, which clients must reject.
    case certificate(TLSContext)
    /// A handshake that allows only old TLS versions.
    case outdated(TLSContext)
    /// A handshake that never completes.
    case stall
    /// A handshake that ends when the server closes the connection after the client hello.
    case close

    /// The failure that a client sees, and whether a client that ignores the certificate sees responses.
    var outcome: (failure: String?, sendsResponses: Bool) {
        switch self {
        case .valid: (nil, true)
        case .certificate: ("certificate", true)
        case .outdated: ("protocol-version", false)
        case .stall: ("timeout", false)
        case .close: ("closed", false)
        }
    }
}

struct Reply: Sendable {
    struct Delivery: Sendable, Equatable {
        static let whole = Delivery()
        static let reset = Delivery(hasHead: false, failure: "reset")

        var hasHead = true
        var isChunked = false
        /// Whether Content-Length is half of the size of the content.
        var announcesHalf = false
        /// The pause in the middle of the content.
        var pause = Duration.zero
        /// What a client sees after half of the content.
        var failure: String?

        var isSlow: Bool { failure == "timeout" || pause > .zero }
    }

    /// The time that a stalled response stays open. Every client times out sooner.
    private static let stall = Duration.seconds(120)

    var status = 200
    var fields: HTTPFields = [.cacheControl: "no-store"]
    var content: [UInt8]
    var delivery = Delivery.whole
    /// Returns another reply to some requests; nil if all requests get this reply.
    var exception: (@Sendable (Request) async -> Reply?)?

    /// - Parameter type: the media type; nil for a response without a type.
    init(_ content: [UInt8], type: String?) {
        self.content = content
        fields[.contentType] = type
    }

    init(json text: String) { self.init(Array(text.utf8), type: "application/json") }

    init(html text: String) { self.init(Array(text.utf8), type: "text/html; charset=utf-8") }

    init(signed content: [UInt8]) { self.init(content, type: "application/pkcs7-mime") }

    init(status: Int, _ more: HTTPFields = [:]) {
        let hasContent = ![204, 304].contains(status)
        let text = hasContent ? "This host responds with status \(status) on purpose.\n" : ""
        self.init(Array(text.utf8), type: hasContent ? "text/plain; charset=utf-8" : nil)
        self.status = status
        for field in more { fields[field.name] = field.value }
    }

    init(redirect status: Int, to location: String) { self.init(status: status, [.location: location]) }

    // MARK: What a client sees

    /// The fields that a client sees, without those that the server adds to each response.
    var sentFields: HTTPFields {
        var sent = fields
        if delivery.isChunked {
            sent[.transferEncoding] = "chunked"
        } else if ![204, 304].contains(status) {
            sent[.contentLength] = "\(delivery.announcesHalf ? content.count / 2 : content.count)"
        }
        return sent
    }

    /// The number of bytes of the content that a client sees.
    var sentBytes: Int { delivery.announcesHalf || delivery.failure != nil ? content.count / 2 : content.count }

    // MARK: Sending

    func response(to request: Request) async -> Response {
        if let other = await exception?(request) { return await other.response(to: request) }
        guard delivery != .whole else { return Response(.registered(status), fields: fields, content: content) }
        // A response to HEAD has no content to break.
        if request.head.method == .get, let connection = request.connection { await send(to: connection) }
        return Response(.ok)
    }

    private func send(to connection: RequestConnection) async {
        let halves = [content[..<(content.count / 2)], content[(content.count / 2)...]].map { part in
            let size = Array("\(String(part.count, radix: 16))\r\n".utf8)
            return delivery.isChunked ? size + part + Array("\r\n".utf8) : Array(part)
        }
        if delivery == .reset { return connection.reset() }
        guard await connection.write(delivery.hasHead ? head + halves[0] : []) else { return }
        if delivery.failure == "timeout" {
            connection.stall(status: delivery.hasHead ? status : 0)
            try? await Task.sleep(for: Self.stall)
        }
        guard delivery.failure == nil else { return }
        try? await Task.sleep(for: delivery.pause)
        _ = await connection.write(halves[1] + (delivery.isChunked ? Array("0\r\n\r\n".utf8) : []))
    }

    /// The head of a response after which the connection closes.
    private var head: [UInt8] {
        let lines = sentFields.map { "\($0.name.rawName): \($0.value)\r\n" }.joined()
        return Array("HTTP/1.1 \(status) OK\r\n\(lines)Connection: close\r\n\r\n".utf8)
    }
}
