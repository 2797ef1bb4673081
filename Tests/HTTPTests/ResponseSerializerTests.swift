import HTTPTypes
import MotivatorHTTP
import Testing

@Suite("Response serializer")
struct ResponseSerializerTests {
    static let always = "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\nServer: s\r\n"

    static func serialize(
        _ response: Response, isHead: Bool = false, persistence: ServerConnection.Persistence = .persistent
    ) -> String {
        var serializer = ResponseSerializer(server: "s")
        serializer.update(now: 784_111_777)
        var output: [UInt8] = []
        serializer.append(response, isHead: isHead, isSecure: true, persistence: persistence, to: &output)
        return text(output)
    }

    @Test("A response is a status line, Date, Server, its fields, Content-Length, an empty line and content")
    func whole() {
        let response = Response(.ok, fields: [.contentType: "text/plain", .eTag: "\"v\""], content: Array("hi".utf8))
        let expected =
            "HTTP/1.1 200 OK\r\n" + Self.always
            + "Content-Type: text/plain\r\nETag: \"v\"\r\nContent-Length: 2\r\n\r\nhi"
        #expect(Self.serialize(response) == expected)
    }

    @Test("Without content the length is zero")
    func empty() {
        #expect(
            Self.serialize(Response(.notFound)) == "HTTP/1.1 404 Not Found\r\n" + Self.always
                + "Content-Length: 0\r\n\r\n")
    }

    @Test("The response to HEAD has the length and not the content")
    func head() {
        let response = Response(.ok, type: "text/plain", text: "hi")
        let expected = "HTTP/1.1 200 OK\r\n" + Self.always + "Content-Type: text/plain\r\nContent-Length: 2\r\n\r\n"
        #expect(Self.serialize(response, isHead: true) == expected)
    }

    @Test("A status without content has neither content nor framing", arguments: [204, 304, 100, 103])
    func noContent(_ code: Int) {
        let response = Response(.init(code: code, reasonPhrase: "X"), content: Array("never".utf8))
        #expect(Self.serialize(response) == "HTTP/1.1 \(code) X\r\n" + Self.always + "\r\n")
    }

    @Test("Connection is sent if the version does not imply it")
    func connection() {
        let start = "HTTP/1.1 200 OK\r\n" + Self.always + "Content-Length: 0\r\n"
        #expect(Self.serialize(Response(.ok), persistence: .persistent) == start + "\r\n")
        #expect(Self.serialize(Response(.ok), persistence: .announced) == start + "Connection: keep-alive\r\n\r\n")
        #expect(Self.serialize(Response(.ok), persistence: .closing) == start + "Connection: close\r\n\r\n")
    }

    @Test(
        "No value can end its line", arguments: ["a\r\nX: y", "a\nX: y", "a\rX: y", "a\r\n\r\nHTTP/1.1 200 OK", "a\0b"])
    func splitting(_ value: String) throws {
        let name = try #require(HTTPField.Name("X-Test"))
        var fields = HTTPFields()
        fields.append(HTTPField(name: name, value: value))
        let output = Self.serialize(Response(.ok, fields: fields))
        let controls = output.utf8.filter { $0 < 0x20 }
        #expect(controls.count == 2 * 6, "only six line ends may be control characters: \(output)")
        #expect(output.components(separatedBy: "\r\n").count == 7)
    }

    @Test("No reason phrase can end its line")
    func reasonPhrase() {
        let output = Self.serialize(Response(.init(code: 200, reasonPhrase: "OK\r\nX: y")))
        #expect(output.components(separatedBy: "\r\n").count == 6)
    }

    @Test("A field comes as often as it is there, in its order")
    func repeated() {
        var fields = HTTPFields()
        fields.append(HTTPField(name: .setCookie, value: "a=1"))
        fields.append(HTTPField(name: .setCookie, value: "b=2"))
        let output = Self.serialize(Response(.ok, fields: fields))
        #expect(output.contains("Set-Cookie: a=1\r\nSet-Cookie: b=2\r\n"))
    }

    @Test("The common fields are in every response")
    func fixedFields() {
        var serializer = ResponseSerializer(server: "s", fields: [.strictTransportSecurity: "max-age=1"])
        serializer.update(now: 0)
        var output: [UInt8] = []
        serializer.append(Response(.noContent), isHead: false, isSecure: false, persistence: .persistent, to: &output)
        #expect(
            text(output)
                == "HTTP/1.1 204 No Content\r\nDate: Thu, 01 Jan 1970 00:00:00 GMT\r\nServer: s\r\n"
                + "Strict-Transport-Security: max-age=1\r\n\r\n")
    }

    @Test("The date follows the clock, and the response is appended after the previous one")
    func date() {
        var serializer = ResponseSerializer(server: "s")
        var output: [UInt8] = []
        serializer.update(now: 0)
        serializer.append(Response(.ok), isHead: false, isSecure: false, persistence: .persistent, to: &output)
        serializer.update(now: 86_400)
        serializer.update(now: 86_400)
        serializer.append(Response(.ok), isHead: false, isSecure: false, persistence: .persistent, to: &output)
        let dates = text(output).components(separatedBy: "\r\n").filter { $0.hasPrefix("Date: ") }
        #expect(dates == ["Date: Thu, 01 Jan 1970 00:00:00 GMT", "Date: Fri, 02 Jan 1970 00:00:00 GMT"])
    }

    @Test("The interim response has a status line and nothing else")
    func interim() {
        var output: [UInt8] = []
        ResponseSerializer(server: "s").appendContinue(to: &output)
        #expect(text(output) == "HTTP/1.1 100 Continue\r\n\r\n")
    }

    @Test("The head of a representation is its status line, Date, Server, its fields and Connection")
    func readyMade() {
        var serializer = ResponseSerializer(server: "s")
        serializer.update(now: 784_111_777)
        var output: [UInt8] = []
        serializer.appendHead(
            statusLine: ResponseSerializer.statusLine(304, "Not Modified"), fields: Array("ETag: \"v\"\r\n".utf8),
            isSecure: true, persistence: .closing, to: &output)
        #expect(
            text(output)
                == "HTTP/1.1 304 Not Modified\r\n" + Self.always + "ETag: \"v\"\r\nConnection: close\r\n\r\n")
    }
}

/// The fields that depend on the connection, the type of the content and the response's own fields.
extension ResponseSerializerTests {
    @Test("A field that is for TLS alone is not sent without it (RFC 6797 §7.2)", arguments: [true, false])
    func secureFields(_ isSecure: Bool) {
        let serializer = ResponseSerializer(secureFields: [.strictTransportSecurity: "max-age=1"])
        var output: [UInt8] = []
        serializer.append(Response(.ok), isHead: false, isSecure: isSecure, persistence: .persistent, to: &output)
        #expect(text(output).contains("\r\nStrict-Transport-Security: max-age=1\r\n") == isSecure)
    }

    private static func serialize(fields: HTTPFields) -> String {
        var serializer = ResponseSerializer(
            server: "s", fields: [.crossOriginResourcePolicy: "same-origin", .xContentTypeOptions: "nosniff"],
            pageFields: [.contentSecurityPolicy: "default-src 'self'"])
        serializer.update(now: 784_111_777)
        var output: [UInt8] = []
        serializer.append(
            Response(.ok, fields: fields), isHead: false, isSecure: false, persistence: .persistent, to: &output)
        return text(output)
    }

    @Test("A response's own resource policy replaces the server's, and the other common fields stay")
    func resourcePolicy() {
        let start = "HTTP/1.1 200 OK\r\n" + Self.always
        #expect(
            Self.serialize(fields: [:])
                == start + "Cross-Origin-Resource-Policy: same-origin\r\nX-Content-Type-Options: nosniff\r\n"
                + "Content-Length: 0\r\n\r\n")
        #expect(
            Self.serialize(fields: [.crossOriginResourcePolicy: "cross-origin"])
                == start + "X-Content-Type-Options: nosniff\r\nCross-Origin-Resource-Policy: cross-origin\r\n"
                + "Content-Length: 0\r\n\r\n")
    }

    @Test(
        "A document gets the server's content policy unless it has its own, and other content gets none",
        arguments: [
            ("text/html; charset=utf-8", true), ("image/svg+xml", true), ("text/plain", false),
            ("application/json", false),
        ])
    func contentPolicy(_ type: String, _ isDocument: Bool) {
        let line = "\r\nContent-Security-Policy: default-src 'self'\r\n"
        #expect(Self.serialize(fields: [.contentType: type]).contains(line) == isDocument)
        let own = Self.serialize(fields: [.contentType: type, .contentSecurityPolicy: "sandbox"])
        #expect(own.contains("\r\nContent-Security-Policy: sandbox\r\n") && !own.contains(line))
    }
}

extension String {
    /// Returns the parts between the separators, without Foundation.
    fileprivate func components(separatedBy separator: String) -> [String] {
        var parts = [[UInt8]()]
        let bytes = Array(utf8)
        let mark = Array(separator.utf8)
        var index = 0
        while index < bytes.count {
            if bytes[index...].starts(with: mark) {
                parts.append([])
                index += mark.count
            } else {
                parts[parts.count - 1].append(bytes[index])
                index += 1
            }
        }
        return parts.map { String(decoding: $0, as: UTF8.self) }
    }
}
