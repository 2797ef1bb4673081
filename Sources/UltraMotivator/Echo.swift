import Foundation
import HTTPTypes
package import MotivatorHTTP
package import MotivatorPlatform
package import MotivatorServer
import MotivatorTLS
import SourceJSON

/// A handler that returns the request as JSON, for testing clients and proxies.
package struct Echo: Handler {
    /// The maximum size of content that the response also contains as text, as a form and as JSON, in bytes. Larger
    /// content would take too much CPU time. It is still included in Base64.
    private static let parsedLimit = 16 << 10

    package init() {}

    package func respond(to request: Request) async -> Response {
        guard let content = await request.readContent() else { return Response(.badRequest) }
        let head = request.head
        let tls = await request.connection?.tls()
        let parsed = content.count <= Self.parsedLimit ? content : []
        let text = parsed.isEmpty ? nil : String(validating: parsed, as: UTF8.self)
        let isForm = request.hasContent(of: "application/x-www-form-urlencoded")
        let members: [(String, String)] =
            [
                ("method", JSONText.quote(head.methodText)),
                ("target", JSONText.quote(head.targetText)),
                ("version", JSONText.quote(head.versionText)),
                ("fields", Self.list(head.fieldLines.map { Self.list([$0.name, $0.value].map(JSONText.quote)) })),
                ("query", Self.items(Array((head.queryText ?? "").utf8))),
                ("content", "\"\(Data(content).base64EncodedString())\""),
                ("content_length", String(content.count)),
                ("text", Self.optional(text)),
                ("form", isForm && parsed.count == content.count ? Self.items(parsed) : "null"),
                // Only valid JSON is included verbatim.
                ("json", (try? JSONDocument(parsed)).flatMap { _ in text } ?? "null"),
                ("client_address", JSONText.quote(request.peer.address.host)),
                ("client_port", String(request.peer.address.port)),
            ] + Self.members(of: tls)
        let lines = members.map { "  \(JSONText.quote($0.0)): \($0.1)" }.joined(separator: ",\n")
        var response = Response(.ok, type: "application/json", text: "{\n\(lines)\n}\n")
        response.fields[.cacheControl] = "no-store"
        return response
    }

    private static func members(of tls: TLSDetails?) -> [(String, String)] {
        func names(_ list: [String]?) -> String { list.map { Self.list($0.map(JSONText.quote)) } ?? "null" }
        return [
            ("tls", optional(tls?.version)), ("sni", optional(tls?.serverName)), ("cipher", optional(tls?.cipher)),
            ("group", optional(tls?.group)), ("alpn", optional(tls?.applicationProtocol)),
            ("resumed", tls.map { "\($0.isResumed)" } ?? "null"), ("offered_versions", names(tls?.offeredVersions)),
            ("offered_ciphers", names(tls?.offeredSuites)),
        ]
    }

    /// Returns the items of a query or a form, in order, as a list of pairs.
    private static func items(_ bytes: [UInt8]) -> String {
        list(PercentCoding.items(bytes).map { list([$0.name, $0.value].map(JSONText.quote)) })
    }

    private static func list(_ elements: [String]) -> String { "[\(elements.joined(separator: ", "))]" }

    private static func optional(_ text: String?) -> String { text.map(JSONText.quote) ?? "null" }
}

extension JSONNode {
    /// Returns the description of an echo path for the OpenAPI document.
    package static func echo(id: String) -> JSONNode {
        func type(_ name: String, _ meaning: String) -> JSONNode {
            ["type": .list([.text(name), "null"]), "description": .text(meaning)]
        }
        let pairs: JSONNode = ["type": "array", "items": ["type": "array", "items": ["type": "string"]]]
        let names: JSONNode = ["type": ["array", "null"], "items": ["type": "string"]]
        let properties: JSONNode = [
            "method": type("string", "The method."), "target": type("string", "The request target as sent."),
            "version": type("string", "The HTTP version."), "fields": pairs, "query": pairs,
            "content": type("string", "The content in Base64."),
            "content_length": type("integer", "The size of the content in bytes."),
            "text": type("string", "The content as text, if it is UTF-8 and at most 16 KiB."),
            "form": ["type": ["array", "null"], "items": ["type": "array", "items": ["type": "string"]]],
            "json": ["description": "The content if it is valid JSON of at most 16 KiB; otherwise null."],
            "client_address": type("string", "The client's address."),
            "client_port": type("integer", "The client's port."), "tls": type("string", "The TLS version."),
            "sni": type("string", "The server name in the handshake."), "cipher": type("string", "The cipher suite."),
            "group": type("string", "The key exchange group."), "alpn": type("string", "The application protocol."),
            "resumed": type("boolean", "Whether the session was resumed."), "offered_versions": names,
            "offered_ciphers": names,
        ]
        let operation: (String) -> JSONNode = { method in
            [
                "operationId": .text("\(id)-\(method)"), "summary": "Return the request as JSON.",
                "responses": [
                    "200": [
                        "description": "The received request.",
                        "content": ["application/json": ["schema": ["type": "object", "properties": properties]]],
                    ]
                ],
            ]
        }
        return .object(["delete", "get", "patch", "post", "put"].reduce(into: [:]) { $0[$1] = operation($1) })
    }
}
