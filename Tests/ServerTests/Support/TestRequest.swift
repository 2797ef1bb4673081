import MotivatorHTTP

/// A request to send. It is valid unless the test passes invalid parts.
struct TestRequest: Sendable {
    var method = "GET"
    var target = "/"
    /// The host, or nil for a request without the Host field.
    var host: String? = "example.test"
    var version = "HTTP/1.1"
    /// More field lines, without CRLF.
    var fields: [String] = []
    var content: [UInt8] = []

    init(
        _ method: String = "GET", _ target: String = "/", host: String? = "example.test", version: String = "HTTP/1.1",
        fields: [String] = [], content: String = ""
    ) {
        (self.method, self.target, self.host, self.version) = (method, target, host, version)
        (self.fields, self.content) = (fields, Array(content.utf8))
    }

    var bytes: [UInt8] {
        var lines = ["\(method) \(target) \(version)"]
        if let host { lines.append("Host: \(host)") }
        lines += fields
        if !content.isEmpty { lines.append("Content-Length: \(content.count)") }
        return Array((lines + ["", ""]).joined(separator: "\r\n").utf8) + content
    }

    struct Refused: Error { let rejection: Rejection }

    /// Parses the head of the request.
    ///
    /// - Throws: `Refused` if the parser rejects the head.
    func head() throws -> RequestHead {
        var parser = RequestParser()
        bytes.withFieldBytes { parser.append($0) }
        switch parser.next() {
        case .head, .message: return parser.head
        case .failure(let rejection): throw Refused(rejection: rejection)
        case .needMore: throw TestResponse.Malformed(what: "a request without an end")
        }
    }
}
