package import HTTPTypes

/// A serializer that appends responses to a buffer (RFC 9112 §4 to §6).
///
/// Every response has Date and Server fields. Content-Length and Connection depend on the request and the connection.
// Not copyable: see `ServerConnection`.
package struct ResponseSerializer: ~Copyable, Sendable {
    /// The Unix time of the Date field in `common`.
    private var second = Int64.min
    /// The Date and Server lines and the fields of every response, updated once a second.
    private var common: [UInt8] = []
    private var dateAndServer: [UInt8] = []
    private let server: [UInt8]
    private let always: [UInt8]
    /// The fields of every response except Cross-Origin-Resource-Policy, which a response may replace.
    private let exceptResourcePolicy: [UInt8]
    private let overTLS: [UInt8]
    private let ofPages: [UInt8]

    package init(
        server: String = "ultra-motivator", fields: HTTPFields = [:], secureFields: HTTPFields = [:],
        pageFields: HTTPFields = [:]
    ) {
        self.server = Array("Server: \(server)\r\n".utf8)
        always = Self.lines(fields)
        var others = fields
        others[.crossOriginResourcePolicy] = nil
        exceptResourcePolicy = Self.lines(others)
        overTLS = Self.lines(secureFields)
        ofPages = Self.lines(pageFields)
    }

    private static func lines(_ fields: HTTPFields) -> [UInt8] {
        fields.flatMap { Array("\($0.name): \($0.value)\r\n".utf8) }
    }

    /// Returns whether a browser opens content of this type as a document, in which scripts could run.
    package static func isPage(_ contentType: some StringProtocol) -> Bool {
        contentType.hasPrefix("text/html") || contentType.hasPrefix("image/svg+xml")
    }

    /// Sets the time of the Date field.
    /// - Parameter now: the current time in seconds since 1970-01-01T00:00:00Z.
    package mutating func update(now: Int64) {
        guard now != second else { return }
        second = now
        common.removeAll(keepingCapacity: true)
        common.append(contentsOf: "Date: ".utf8)
        common.append(contentsOf: HTTPDate.bytes(now))
        common.append(contentsOf: "\r\n".utf8)
        common.append(contentsOf: server)
        dateAndServer = common
        common.append(contentsOf: always)
    }

    /// Appends the interim response 100, which requests the content.
    package func appendContinue(to output: inout [UInt8]) {
        output.append(contentsOf: Self.interim)
    }

    private static let interim = Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)
    private static let close = Array("Connection: close\r\n".utf8)
    private static let keepAlive = Array("Connection: keep-alive\r\n".utf8)
    private static let lineEnd: [UInt8] = [0x0D, 0x0A]

    /// Appends the head of a response with a representation.
    /// - Parameters:
    ///   - fields: the field lines with their CRLFs, including Content-Length.
    ///   - hasResourcePolicy: whether `fields` contains Cross-Origin-Resource-Policy.
    @inline(__always)
    package func appendHead(
        statusLine: [UInt8], fields: [UInt8], isPage: Bool = false, hasResourcePolicy: Bool = false, isSecure: Bool,
        persistence: ServerConnection.Persistence, to output: inout [UInt8]
    ) {
        output.append(copying: statusLine)
        if hasResourcePolicy {
            output.append(copying: dateAndServer)
            output.append(copying: exceptResourcePolicy)
        } else {
            output.append(copying: common)
        }
        if isSecure { output.append(copying: overTLS) }
        if isPage { output.append(copying: ofPages) }
        output.append(copying: fields)
        switch persistence {
        case .persistent: break
        case .announced: output.append(copying: Self.keepAlive)
        case .closing: output.append(copying: Self.close)
        }
        output.append(copying: Self.lineEnd)
    }

    /// Appends a response.
    ///
    /// The response's own Cross-Origin-Resource-Policy replaces the server's. If the response has a
    /// Content-Security-Policy, the serializer does not add the document fields.
    /// - Parameters:
    ///   - response: the response. Its content is omitted if the status does not allow content (RFC 9110 §6.4.1).
    ///   - isHead: whether the request was HEAD, whose response has the fields but no content (RFC 9110 §9.3.2).
    package func append(
        _ response: Response, isHead: Bool, isSecure: Bool, persistence: ServerConnection.Persistence,
        to output: inout [UInt8]
    ) {
        let status = response.status.code
        let allowsContent = status >= 200 && status != 204 && status != 304
        var fields: [UInt8] = []
        for field in response.fields {
            fields.append(contentsOf: field.name.rawName.utf8)
            fields.append(contentsOf: ": ".utf8)
            // HTTPField does not allow control characters in a value, so a value cannot end the line.
            fields.append(contentsOf: field.value.utf8)
            fields.append(contentsOf: Self.lineEnd)
        }
        if allowsContent { fields.append(contentsOf: "Content-Length: \(response.content.count)\r\n".utf8) }
        appendHead(
            statusLine: Self.statusLine(status, response.status.reasonPhrase), fields: fields,
            isPage: response.fields[.contentSecurityPolicy] == nil
                && response.fields[.contentType].map { Self.isPage($0) } ?? false,
            hasResourcePolicy: response.fields[.crossOriginResourcePolicy] != nil, isSecure: isSecure,
            persistence: persistence, to: &output)
        if allowsContent, !isHead { output.append(contentsOf: response.content) }
    }

    /// Returns the status line with its CRLF.
    package static func statusLine(_ code: Int, _ reason: String) -> [UInt8] {
        Array("HTTP/1.1 \(code) \(reason)\r\n".utf8)
    }
}
