import HTTPTypes
import MotivatorHTTP
import MotivatorPlatform
import MotivatorServer
import SharedWebCredentials
import Testing

@testable import UltraMotivatorClient

@Suite("Secrets in texts for people") struct SecretTests {
    static let password = "hush-hush-hush"

    /// Returns the texts that represent a value: its descriptions, the output of `dump`, and an error's sentences.
    static func texts(_ value: Any) -> [String] {
        var dumped = ""
        dump(value, to: &dumped)
        let error = value as? any ExplainedError
        return [
            String(describing: value), String(reflecting: value), dumped, error?.problem ?? "", error?.fix ?? "",
        ]
    }

    static let echoes: [(name: String, response: @Sendable (_ secret: String) -> Response)] = [
        ("the sentence", { .failure(.forbidden, "busy", "The password \($0) is wrong.") }),
        ("the code", { secret in .failure(.forbidden, secret.filter { $0 != "-" && $0 != "." }, "No.") }),
        ("a text that is no JSON", { Response(.ok, type: "text/plain", text: $0) }),
        ("a key", { .json(.ok, "{\"\($0)\": \"a\", \"\($0)\": \"b\"}") }),
        ("name and token", { .json(.ok, "{\"username\": \"\($0)\", \"token\": \"\($0) \"}") }),
        (
            "a field",
            { secret in
                var response = Response.failure(.tooManyRequests, "throttled")
                response.fields[.retryAfter] = secret
                response.fields[.location] = "https://evil.test/\(secret)"
                return response
            }
        ),
    ]

    @Test("A server that repeats the password does not bring it into an error", arguments: echoes.indices)
    func passwordEchoed(index: Int) async throws {
        try await ScriptedServer.run({ call in
            Self.echoes[index].response(call.members["new_password"] ?? call.members["password"] ?? "")
        }) { server in
            let api = try server.client()
            let credential = Credential(account: "ray", password: Self.password)
            let old = Credential(account: "ray", password: "old")
            let session = APISession(account: "ray", name: "ray", token: "a-token-that-is-long")
            let failures = [
                await #expect(throws: APIFailure.self) { try await api.signIn(credential) },
                await #expect(throws: APIFailure.self) { try await api.signUp(credential) },
                await #expect(throws: APIFailure.self) { try await api.update(old, to: Self.password) },
            ]
            for failure in failures + [await Self.deletion(api, session)] {
                for text in Self.texts(failure as Any) {
                    #expect(!text.contains(Self.password), "\(Self.echoes[index].name)")
                    #expect(!text.contains("hushhushhush") || Self.echoes[index].name == "the code")
                    #expect(!text.contains("a-token-that-is-long"))
                }
            }
        }
    }

    private static func deletion(_ api: APIClient, _ session: APISession) async -> APIFailure? {
        do throws(APIFailure) { try await api.deleteAccount(of: session, password: password) } catch { return error }
        return nil
    }

    @Test("A server that repeats the token does not bring it into an error")
    func tokenEchoed() async throws {
        try await ScriptedServer.run({ call in
            .failure(.forbidden, "busy", "No \(call.fields["authorization"] ?? "").")
        }) { server in
            let api = try server.client()
            let session = APISession(account: "ray", name: "ray", token: "a-token-that-is-long")
            let failure = await #expect(throws: APIFailure.self) { try await api.motivation(for: session) }
            #expect(failure?.refusal == APIRefusal(status: 403, code: "busy"))
        }
    }

    @Test("A code that is a password is shown only if it is a known code")
    func codes() async throws {
        for (password, code) in [("hushhush", String?.none), ("throttled", "throttled")] {
            try await ScriptedServer.run({ _ in .failure(.forbidden, password, "No.") }) { server in
                let credential = Credential(account: "ray", password: password)
                let failure = await #expect(throws: APIFailure.self) { try await server.client().signIn(credential) }
                #expect(failure?.refusal == APIRefusal(status: 403, code: code, sentence: "No."))
            }
        }
    }

    @Test("Outcomes and their values show no password or token")
    func descriptions() {
        let token = "a-token-that-is-long"
        let credential = Credential(account: "ray", password: Self.password)
        let session = APISession(account: "ray", name: "ray", token: token)
        let changes = StoreChanges(keychain: nil, shared: .noErrorReported)
        let values: [Any] = [
            credential, session, NewPassword.typed(Self.password, confirmation: Self.password), [credential],
            FlowResult.loggedIn(session, from: .keychain, after: [], saved: changes),
            FlowResult.signedUp(session, credential, saved: changes),
            FlowResult.updated(session, credential, saved: changes), ["key": session],
            MemoryKeychain(["app.test": credential]),
        ]
        for value in values {
            for text in Self.texts(value) {
                #expect(!text.contains(Self.password) && !text.contains(token), "\(type(of: value))")
            }
        }
    }

    @Test("A secret is found in every composition, and an empty secret is not found")
    func search() {
        #expect("The password caf\u{E9}-au-lait is wrong".holds(oneOf: ["cafe\u{301}-au-lait"]))
        #expect("abc".holds(oneOf: ["x", "b"]))
        #expect(!"abc".holds(oneOf: ["abcd", "ca"]))
        #expect(!"abc".holds(oneOf: []))
        #expect("e\u{301}".holds(oneOf: ["e"]))
    }
}
