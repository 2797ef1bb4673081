import FoundationEssentials
import HTTP
import HTTPTypes
import Platform
import Server

/// Answers with what was received, for people who test clients and proxies.
struct Echo: Handler {
    func respond(to request: Request) async -> Response {
        guard let content = await request.readContent() else { return Response(.badRequest) }
        let head = request.head
        let fields = head.fieldLines.map { "[\(JSONText.quote($0.name)), \(JSONText.quote($0.value))]" }
        let members = [
            ("method", JSONText.quote(head.methodText)),
            ("target", JSONText.quote(head.targetText)),
            ("version", JSONText.quote(head.versionText)),
            ("fields", "[\(fields.joined(separator: ", "))]"),
            ("content", JSONText.quote(Data(content).base64EncodedString())),
            ("content_length", String(content.count)),
            ("tls", request.peer.tlsVersion.map(JSONText.quote) ?? "null"),
            ("sni", request.peer.serverName.map(JSONText.quote) ?? "null"),
            ("client_port", String(request.peer.address.port)),
        ]
        let text = members.map { "  \(JSONText.quote($0.0)): \($0.1)" }.joined(separator: ",\n")
        var response = Response(.ok, type: "application/json", text: "{\n\(text)\n}\n")
        response.fields[.cacheControl] = "no-store"
        return response
    }
}
