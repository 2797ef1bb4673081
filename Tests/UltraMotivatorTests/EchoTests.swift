import Foundation
import MotivatorHTTP
import MotivatorPlatform
import SourceJSON
import Testing

@testable import MotivatorServer
@testable import UltraMotivator

@Suite("The echo") struct EchoTests {
    private static let formType = "application/x-www-form-urlencoded"

    /// Sends a request to `/echo`, and returns the text of a member of the response.
    private func member(
        _ name: String, _ target: String = "/echo", type: String = "text/plain", content: String = ""
    ) async throws -> String {
        let backend = try Backend { $0.servesEcho = true }
        let lines = ["Content-Type: \(type)"]
        let reply = try await Caller(backend).send(content.isEmpty ? "GET" : "POST", target, lines, content)
        #expect(reply.status == 200 && reply["Cache-Control"] == ["no-store"])
        _ = try JSONDocument(reply.content)
        let prefix = "  \"\(name)\": "
        let line = try #require(reply.text.split(separator: "\n").first { $0.hasPrefix(prefix) })
        let value = line.dropFirst(prefix.count)
        return String(value.hasSuffix(",") ? value.dropLast() : value)
    }

    @Test(
        "The query is a list of pairs",
        arguments: [
            ("", "[]"), ("?", "[]"), ("?a=b&c=d", #"[["a", "b"], ["c", "d"]]"#),
            ("?a=1&a=2", #"[["a", "1"], ["a", "2"]]"#), ("?a", #"[["a", ""]]"#), ("?a=&b", #"[["a", ""], ["b", ""]]"#),
            ("?=b", #"[["", "b"]]"#), ("?a=b=c", #"[["a", "b=c"]]"#), ("?a=b+c%20d", #"[["a", "b c d"]]"#),
            ("?%C3%BC=%E2%82%AC", #"[["ü", "€"]]"#), ("?a=%26%3D%2B", #"[["a", "&=+"]]"#),
            ("?a=b&&c=d", #"[["a", "b"], ["c", "d"]]"#), ("?a=%22%5C%1F", #"[["a", "\"\\\u001F"]]"#),
            ("?a=%FF", "[[\"a\", \"\u{FFFD}\"]]"),
        ])
    func query(_ query: String, _ pairs: String) async throws {
        let found = try await member("query", "/echo" + query)
        #expect(found.lowercased() == pairs.lowercased())
    }

    @Test(
        "A form is decoded if the content type is that of a form",
        arguments: [
            (formType, true), ("\(formType); charset=utf-8", true), (formType.uppercased(), true),
            ("text/plain", false),
            ("\(formType)-other", false),
        ])
    func form(_ type: String, _ isForm: Bool) async throws {
        let content = "user+name=%C3%BC&empty="
        let pairs = isForm ? #"[["user name", "ü"], ["empty", ""]]"# : "null"
        #expect(try await member("form", type: type, content: content) == pairs)
        #expect(try await member("text", type: type, content: content) == "\"\(content)\"")
    }

    @Test(
        "The response has the properties of the request, and none of TLS without a connection",
        arguments: [
            ("method", #""POST""#), ("target", #""/echo?a=%41""#), ("version", #""HTTP/1.1""#),
            ("content", #""YSAr""#), ("content_length", "3"), ("client_address", #""192.0.2.1""#),
            ("client_port", "50000"), ("tls", "null"), ("sni", "null"), ("resumed", "null"),
            ("offered_ciphers", "null"),
            ("fields", #"[["Host", "one.test"], ["Content-Type", "text/plain"], ["Content-Length", "3"]]"#),
        ])
    func properties(_ name: String, _ value: String) async throws {
        #expect(try await member(name, "/echo?a=%41", content: "a +") == value)
    }

    @Test("An empty form has no pairs, and empty content is neither text nor JSON")
    func emptyForm() async throws {
        #expect(try await member("form", type: Self.formType) == "[]")
        #expect(try await member("text") == "null")
        #expect(try await member("json") == "null")
    }

    @Test(
        "Valid JSON is included unchanged",
        arguments: [
            #"{"a": [1, 2.5, null, true]}"#, "[]", #""text""#, "12", "false", #"{"ü": "🔑"}"#,
        ])
    func json(_ content: String) async throws { #expect(try await member("json", content: content) == content) }

    @Test(
        "Content that is not valid JSON is not included, because it could add members to the response",
        arguments: [#"{"a": 1,}"#, "{", "{} {}", #"{"a": 1} trailing"#, "NaN", "nul", "\"\t\""])
    func invalid(_ content: String) async throws {
        #expect(try await member("json", type: "application/json", content: content) == "null")
    }

    @Test(
        "Content that is not UTF-8 has no text", arguments: [[0xFF, 0xFE], [0xED, 0xA0, 0x80], [0x22, 0xFF, 0x22]])
    func otherContent(_ content: [UInt8]) async throws {
        let peer = Peer(address: try #require(SocketAddress("192.0.2.1", port: 1)))
        let head = try Bench.head("POST", "/echo", host: "one.test")
        let response = await Echo().respond(to: Request(head: head, content: content, peer: peer))
        let document = try JSONDocument(response.content)
        for name in ["text", "json"] { #expect(document.root.object?[name]?.string == nil) }
        #expect(document.root.object?["content"]?.string == Data(content).base64EncodedString())
    }

    @Test("The echo exists only with the option")
    func option() async throws {
        await #expect(throws: Bench.Trouble.self, "the static files must handle the path") {
            try await Caller(try Backend()).send("GET", "/echo", [])
        }
    }

    /// The limit is in docs/http.md, "Handlers".
    @Test("Content over 16 KiB is returned only in Base64", arguments: [16 << 10, (16 << 10) + 1])
    func limit(_ count: Int) async throws {
        let content = Array("[\(String(repeating: " ", count: count - 2))]".utf8)
        let head = try Bench.head(
            "POST", "/echo", host: "one.test",
            fields: "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: \(count)\r\n")
        let address = try #require(SocketAddress("127.0.0.1", port: 1))
        let response = await Echo().respond(to: Request(head: head, content: content, peer: Peer(address: address)))
        let object = try #require(try JSONDocument(response.content).root.object)
        let isParsed = count <= 16 << 10
        for name in ["text", "form", "json"] { #expect((object[name]?.kind == .null) != isParsed, "\(name)") }
        #expect(object["content"]?.string?.utf8.count == (count + 2) / 3 * 4)
    }
}
