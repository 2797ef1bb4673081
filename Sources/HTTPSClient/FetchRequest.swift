package import MotivatorPlatform

package struct FetchRequest: Sendable {
    package var method: String
    /// A host name, or an IP address without brackets.
    package var host: String
    /// The port, 1 to 65,535.
    package var port: UInt16
    /// The path and the query, percent-encoded, starting with `/` (origin-form, RFC 9112 §3.2.1).
    package var target: String
    /// The fields except Host, Connection and the framing fields. Accept and User-Agent replace the fetcher's defaults.
    package var fields: [(name: String, value: String)]
    /// The content. If the content is empty, only POST, PUT and PATCH requests contain Content-Length.
    package var content: [UInt8]

    package init(
        method: String = "GET", host: String, port: UInt16 = 443, target: String,
        fields: [(name: String, value: String)] = [], content: [UInt8] = []
    ) {
        (self.method, self.host, self.port, self.target, self.fields) = (method, host, port, target, fields)
        self.content = content
    }

    /// The host, in brackets for an IPv6 address, with the port unless it is 443 (RFC 9110 §7.2).
    package var authority: String { port == 443 ? host.bracketed : "\(host.bracketed):\(port)" }

    /// The connection and framing fields, which only the fetcher writes.
    private static let ownFields: Set<String> = [
        "host", "connection", "content-length", "transfer-encoding", "te", "upgrade", "expect", "trailer",
        "keep-alive", "proxy-connection",
    ]

    /// The first malformed part, which could change the meaning of the request.
    var unsendablePart: (part: String, value: String)? {
        if !method.isToken { return ("method", method) }
        if !isHost { return ("host", host) }
        if port == 0 { return ("port", "0") }
        if !target.hasPrefix("/") || !target.utf8.allSatisfy(isVisible) || target.contains("#") {
            return ("target", target)
        }
        for field in fields {
            guard field.name.isToken, !Self.ownFields.contains(field.name.lowercased()) else {
                return ("field name", field.name)
            }
            guard field.value.utf8.allSatisfy({ isVisible($0) || $0 == 0x20 || $0 == 0x09 || $0 >= 0x80 }) else {
                return ("field value", field.value)
            }
        }
        return nil
    }

    /// Whether the host is a name of at most 253 ASCII bytes, or an address.
    private var isHost: Bool {
        if address != nil { return true }
        let bytes = host.utf8
        return (1...253).contains(bytes.count)
            && bytes.allSatisfy { $0.isASCIILetterOrDigit || $0 == 0x2D || $0 == 0x2E || $0 == 0x5F }
    }

    /// The address and the port, if the host is an address.
    package var address: SocketAddress? { host.utf8.contains(0) ? nil : SocketAddress(host, port: port) }

    /// The bytes of the request, which must have no unsendable part.
    package var bytes: [UInt8] {
        var lines = ["\(method) \(target) HTTP/1.1", "Host: \(authority)"]
        let given = Set(fields.map { $0.name.lowercased() })
        if !given.contains("accept") { lines.append("Accept: */*") }
        for field in fields { lines.append("\(field.name): \(field.value)") }
        // For a method that usually has content, Content-Length is sent even if it is 0 (RFC 9110 §8.6).
        if !content.isEmpty || ["POST", "PUT", "PATCH"].contains(method) {
            lines.append("Content-Length: \(content.count)")
        }
        lines.append("Connection: close")
        return Array(lines.joined(separator: "\r\n").utf8) + Array("\r\n\r\n".utf8) + content
    }
}

private func isVisible(_ byte: UInt8) -> Bool { (0x21...0x7E).contains(byte) }

extension String {
    fileprivate var isToken: Bool {
        !isEmpty && utf8.allSatisfy { $0.isASCIILetterOrDigit || "!#$%&'*+-.^_`|~".utf8.contains($0) }
    }
}

extension UInt8 {
    fileprivate var isASCIILetterOrDigit: Bool {
        (0x30...0x39).contains(self) || (0x61...0x7A).contains(self | 0x20) && self < 0x80
    }
}
