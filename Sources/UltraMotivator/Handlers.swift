package import Accounts
import FoundationEssentials
import HTTPTypes
import MotivatorHTTP
import MotivatorPlatform
package import MotivatorServer
import MotivatorTLS

/// The health of the server, for supervisors and containers.
struct Health: Handler {
    let accounts: Accounts

    func respond(to request: Request) async -> Response {
        await accounts.isHealthy()
            ? .object(["status": "ok"], .ok)
            : .object(
                ["status": "unavailable", "error": "Accounts are unavailable. The log has the reason."],
                .serviceUnavailable)
    }
}

extension ServerSnapshot {
    /// The content of the admin listener. The listener accepts every host, because clients connect by its address.
    package static func admin(_ accounts: Accounts) -> ServerSnapshot {
        let router = Router(fallback: Routes.adminSite(Health(accounts: accounts)), servesEveryHost: true)
        return ServerSnapshot(router: router, plainRouter: router, context: nil)
    }
}

/// Returns the request as JSON, for tests of clients and proxies.
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

/// A handler that calls a function.
struct ClosureHandler: Handler {
    private let body: @Sendable (Request) async -> Response

    init(_ body: @escaping @Sendable (Request) async -> Response) {
        self.body = body
    }

    func respond(to request: Request) async -> Response { await body(request) }
}
