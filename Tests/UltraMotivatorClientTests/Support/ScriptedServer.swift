import Certificates
import HTTPTypes
import MotivatorHTTP
import MotivatorPlatform
import MotivatorServer
import MotivatorTLS
import SourceJSON
import TestSupport

/// A TLS server with scripted responses. It records each call in the diary.
enum ScriptedServer {
    static let host = "app.test"

    /// A received call.
    struct Call: Sendable {
        /// The method and path, such as `POST /api/signin`.
        let name: String
        /// The string members of the content.
        let members: [String: String]
        let fields: [String: String]
    }

    typealias Script = @Sendable (Call) -> Response

    private struct Scripted: Handler {
        let script: Script
        let diary: Diary

        func respond(to request: Request) async -> Response {
            var members: [String: String] = [:]
            for member in (try? JSONDocument(request.content))?.root.object?.members ?? [] {
                members[member.key] = member.value.string
            }
            var fields: [String: String] = [:]
            for line in request.head.fieldLines { fields[line.name.lowercased()] = line.value }
            let call = Call(
                name: "\(request.head.methodText) \(request.head.targetText)", members: members, fields: fields)
            let words = ["username", "password", "current_password", "new_password"].compactMap { members[$0] }
            diary.write(([call.name] + words).joined(separator: " "))
            return script(call)
        }
    }

    /// Starts a server, runs `body`, and stops the server.
    static func run(
        _ script: @escaping Script, diary: Diary = Diary(), _ body: (LoopbackServer) async throws -> Void
    ) async throws {
        let authority = try Authority.temporary(permitted: [host])
        let context = try TLSContext(identity: authority.issue(hosts: [host]), tickets: TicketKeys())
        var site = Site()
        let paths = [
            "signup", "signin", "update", "signout", "account", "motivation", "passkeys", "passkeys/options",
            "signin/passkey", "signin/passkey/options",
        ]
        for path in paths {
            site.route(
                nil, "/api/\(path)", to: Scripted(script: script, diary: diary), content: .buffered(limit: 1 << 10))
        }
        let router = Router(fallback: site, servesEveryHost: true)
        try await LoopbackServer.run(
            host, { _ in (ServerSnapshot(router: router, plainRouter: router, context: context), authority.root) }, body
        )
    }

    /// Responds like an API with a single account. The token is always the same.
    static func knowing(_ account: String, _ password: String) -> Script {
        { call in
            let isRight =
                call.members["username"] == account
                && (call.members["password"] ?? call.members["current_password"]) == password
            switch call.name {
            case "POST /api/signup": return .json(.created, session(call.members["username"] ?? ""))
            case "POST /api/signin", "POST /api/update":
                return isRight ? .json(.ok, session(account)) : .failure(.unauthorized, "wrong_name_or_password")
            case _: return .json(.ok, "{}")
            }
        }
    }

    /// Returns the content of a response that starts a session.
    static func session(_ name: String) -> String {
        "{\"username\": \(JSONText.quote(name)), \"token\": \"\(token)\"}"
    }

    static let token = "dGhlIHRva2Vu"
}

extension Response {
    static func json(_ status: HTTPResponse.Status, _ text: String) -> Response {
        Response(status, type: "application/json", text: text)
    }

    /// Returns an API response that reports a failure.
    static func failure(_ status: HTTPResponse.Status, _ code: String, _ sentence: String = "No.") -> Response {
        json(status, "{\"error\": \(JSONText.quote(sentence)), \"code\": \"\(code)\"}")
    }
}
