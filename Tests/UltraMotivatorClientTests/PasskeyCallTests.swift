import HTTPTypes
import MotivatorHTTP
import MotivatorPlatform
import MotivatorServer
import Testing

@testable import UltraMotivatorClient

@Suite("Calls of the API for passkeys") struct PasskeyCallTests {
    private static let options = "{\"challenge\": \"AAAA\"}"

    /// Responds to a call as the API does.
    private static func response(_ call: ScriptedServer.Call) -> Response {
        switch call.name {
        case "POST /api/passkeys": .json(.created, "{}")
        case "POST /api/signin/passkey": .json(.ok, ScriptedServer.session("Ada"))
        default: .json(.ok, options)
        }
    }

    @Test("A registration sends the token, and whether there is a prompt; a sign-in sends no token")
    func calls() async throws {
        let calls = Guarded<[ScriptedServer.Call]>([])
        try await ScriptedServer.run({ call in
            calls.withLock { $0.append(call) }
            return Self.response(call)
        }) { server in
            let api = try server.client()
            for isConditional in [false, true] {
                let options = try await api.passkeyCreationOptions("a-token", isConditional: isConditional)
                #expect(String(decoding: options, as: UTF8.self) == Self.options)
            }
            try await api.register(["id": "AAAA"], "a-token")
            let options = try await api.passkeyRequestOptions()
            #expect(String(decoding: options, as: UTF8.self) == Self.options)
            let session = try await api.signIn(passkey: ["id": "AAAA"])
            #expect(session.account == "Ada" && session.name == "Ada" && session.token == ScriptedServer.token)
        }
        let found = calls.withLock { $0 }
        #expect(
            found.map(\.name) == [
                "POST /api/passkeys/options", "POST /api/passkeys/options", "POST /api/passkeys",
                "POST /api/signin/passkey/options", "POST /api/signin/passkey",
            ])
        let token = "Bearer a-token"
        #expect(found.map { $0.fields["authorization"] } == [token, token, token, nil, nil])
        #expect(found.map { $0.members["mediation"] } == [nil, "conditional", nil, nil, nil])
        // Each content is JSON, even that without members.
        #expect(found.allSatisfy { $0.fields["content-type"] == "application/json" })
    }

    @Test("Each call accepts only its status", arguments: [200, 201])
    func statuses(_ status: Int) async throws {
        let text = ScriptedServer.session("Ada")
        try await ScriptedServer.run({ _ in .json(HTTPResponse.Status(code: status), text) }) { server in
            let api = try server.client()
            func isAccepted(_ call: () async throws -> Void) async -> Bool {
                do {
                    try await call()
                    return true
                } catch {
                    #expect(error as? APIFailure == .malformed(.unexpectedStatus(status)))
                    return false
                }
            }
            let credential: JSONNode = ["id": "AAAA"]
            let registers = await isAccepted { try await api.register(credential, "a") }
            let creates = await isAccepted { _ = try await api.passkeyCreationOptions("a", isConditional: false) }
            let requests = await isAccepted { _ = try await api.passkeyRequestOptions() }
            let signsIn = await isAccepted { _ = try await api.signIn(passkey: credential) }
            #expect(registers == (status == 201))
            #expect([creates, requests, signsIn] == [Bool](repeating: status == 200, count: 3))
        }
    }

    @Test("A refused registration has the code of the server, and repeats no token")
    func refused() async throws {
        try await ScriptedServer.run({ call in
            .failure(.unauthorized, "not_signed_in", "No \(call.fields["authorization"] ?? "").")
        }) { server in
            let api = try server.client()
            let failure = await #expect(throws: APIFailure.self) {
                try await api.register(["id": "AAAA"], "a-token-that-is-long")
            }
            #expect(failure?.refusal == APIRefusal(status: 401, code: "not_signed_in"))
        }
    }
}
