import Certificates
import HTTPSClient
import HTTPTypes
import MotivatorHTTP
import MotivatorPlatform
import MotivatorServer
import SourceJSON
import TestSupport
import Testing

@testable import UltraMotivatorClient

@Suite("Calls of the API that bring no result") struct APIFailureTests {
    static let credential = Credential(account: "ray", password: "the-secret")
    static let good = ScriptedServer.session("ray")

    struct Answer: Sendable, CustomTestStringConvertible {
        let name: String
        let response: Response
        /// The expected failure, or nil for success.
        let failure: APIFailure?

        init(_ name: String, _ response: Response, _ failure: APIFailure?) {
            (self.name, self.response, self.failure) = (name, response, failure)
        }

        init(_ name: String, _ text: String, _ answer: MalformedResponse?) {
            self.init(name, .json(.ok, text), answer.map { .malformed($0) })
        }

        var testDescription: String { name }
    }

    static func place(_ column: Int, line: Int = 1) -> SourceJSON.SourceLocation {
        SourceJSON.SourceLocation(line: line, column: column, offset: column - 1)
    }

    static func refused(
        _ status: Int, _ code: String? = nil, _ sentence: String? = nil, retryAfter: Int? = nil
    ) -> APIFailure {
        .refused(APIRefusal(status: status, code: code, sentence: sentence, retryAfter: retryAfter))
    }

    static func token(_ text: String) -> String { "{\"username\": \"ray\", \"token\": \(JSONText.quote(text))}" }
    static func name(_ text: String) -> String { "{\"username\": \(JSONText.quote(text)), \"token\": \"a\"}" }

    /// Returns a 429 response with the time to wait.
    static func wait(_ text: String) -> Response {
        var response = Response.failure(.tooManyRequests, "throttled", "Slowly.")
        response.fields[.retryAfter] = text
        return response
    }

    // The structure of the responses: site-and-api.md, "API".
    static let answers = [
        Answer("a right answer", good, nil),
        Answer("further members", "{\"username\": \"ray\", \"token\": \"a\", \"more\": [1]}", nil),
        Answer("said to be another type", Response(.ok, type: "text/plain", text: good), nil),
        Answer("nothing", "", .notJSON(place(1))),
        Answer("a page", "<!doctype html>", .notJSON(place(1))),
        Answer("cut off", "{\"username\": \"ray\"", .notJSON(place(19))),
        Answer("two objects", good + good, .notJSON(place(good.utf8.count + 1))),
        Answer("a byte order mark", "\u{FEFF}" + good, .notJSON(place(1))),
        Answer("a list", "[]", .notAnObject),
        Answer("a text", "\"ray\"", .notAnObject),
        Answer("an empty object", "{}", .missingMember("username")),
        Answer("no token", "{\"username\": \"ray\"}", .missingMember("token")),
        Answer("a number as token", "{\"username\": \"ray\", \"token\": 1}", .missingMember("token")),
        Answer("no name", "{\"token\": \"a\"}", .missingMember("username")),
        Answer(
            "a token twice", "{\"username\": \"r\", \"token\": \"a\", \"token\": \"b\"}", .duplicateMember(place(33))),
        Answer("an empty token", token(""), .unusableMember("token")),
        Answer("a token with a line break", token("a\r\nX: y"), .unusableMember("token")),
        Answer("a token with a space", token("a b"), .unusableMember("token")),
        Answer("a token of signs that end one", token("=="), .unusableMember("token")),
        Answer("a token that ends in the middle", token("a=b"), .unusableMember("token")),
        Answer("a token of letters beyond ASCII", token("ä"), .unusableMember("token")),
        Answer("a token of every sign", token("aZ09-._~+/=="), nil),
        Answer("the longest token", token(String(repeating: "a", count: 4_096)), nil),
        Answer("a longer token", token(String(repeating: "a", count: 4_097)), .unusableMember("token")),
        Answer("the longest name", name(String(repeating: "a", count: 1_024)), nil),
        Answer("an empty name", name(""), .unusableMember("username")),
        Answer("a name with a line break", name("a\nb"), .unusableMember("username")),
        Answer("a name with an escape", name("a\u{1B}[2J"), .unusableMember("username")),
        Answer("a name beyond ASCII", name("Zoë 🦊"), nil),
        Answer("a name without end", name(String(repeating: "a", count: 1_025)), .unusableMember("username")),
        Answer("another success", .json(.created, good), .malformed(.unexpectedStatus(201))),
        Answer("no content", Response(.noContent), .malformed(.unexpectedStatus(204))),
        Answer("a redirect", Response(.permanentRedirect, fields: [.location: "https://evil.test/"]), refused(308)),
        Answer("a refusal", .failure(.unauthorized, "wrong_name_or_password", "No."), wrong),
        Answer("an unknown code", .failure(.forbidden, "full_moon", "Not now."), refused(403, "full_moon", "Not now.")),
        Answer("a code in capitals", .failure(.forbidden, "Full Moon", "No."), refused(403, nil, "No.")),
        Answer(
            "a code without end", .failure(.forbidden, String(repeating: "a", count: 65), "No."),
            refused(403, nil, "No.")),
        Answer(
            "the longest code", .failure(.forbidden, String(repeating: "a", count: 64), "No."),
            refused(403, String(repeating: "a", count: 64), "No.")),
        Answer("a sentence alone", .json(.badRequest, "{\"error\": \"No.\"}"), refused(400, nil, "No.")),
        Answer("a code alone", .json(.conflict, "{\"code\": \"name_taken\"}"), refused(409, "name_taken")),
        Answer("a refusal that is no JSON", Response(.badGateway, type: "text/html", text: "<p>"), refused(502)),
        Answer("a refusal of numbers", .json(.badRequest, "{\"error\": 1, \"code\": 2}"), refused(400)),
        Answer(
            "a sentence without end", .failure(.badRequest, "busy", String(repeating: "a", count: 1_001)),
            refused(400, "busy")),
        Answer(
            "the longest sentence", .failure(.badRequest, "busy", String(repeating: "a", count: 1_000)),
            refused(400, "busy", String(repeating: "a", count: 1_000))),
        Answer("seconds to wait", wait("7"), refused(429, "throttled", "Slowly.", retryAfter: 7)),
        Answer("an age to wait", wait("99999999999"), refused(429, "throttled", "Slowly.", retryAfter: 86_400)),
        Answer("more than a number", wait(String(repeating: "9", count: 50)), refused(429, "throttled", "Slowly.")),
        Answer("less than nothing", wait("-1"), refused(429, "throttled", "Slowly.")),
        Answer("a date to wait for", wait("Sat, 21 Nov 2026 12:00:00 GMT"), refused(429, "throttled", "Slowly.")),
        Answer(
            "too much content", .json(.ok, String(repeating: " ", count: 65_536) + good),
            .network(.tooLarge(limit: 65_536))),
        Answer("deep nesting", String(repeating: "[", count: 60_000), .notJSON(place(513))),
    ]

    @Test("A response is a session, or a failure with the reason", arguments: answers)
    func answer(_ each: Answer) async throws {
        try await ScriptedServer.run({ _ in each.response }) { server in
            let api = try server.client()
            do throws(APIFailure) {
                let session = try await api.signIn(Self.credential)
                #expect(each.failure == nil, "\(session.name)")
            } catch {
                #expect(error == each.failure)
                #expect(!error.problem.isEmpty && !error.fix.isEmpty && error.exitCode != .yes)
            }
        }
    }

    @Test("A call goes out as JSON, and with its token where it needs one")
    func sent() async throws {
        let calls = Guarded<[ScriptedServer.Call]>([])
        let hostile = Credential(account: "a\"b\\\u{0}\n", password: "ä\u{2028}🦊")
        try await ScriptedServer.run({ call in
            calls.withLock { $0.append(call) }
            return .json(.ok, "{\"username\": \"ray\", \"token\": \"a-b\", \"quote\": \"q\", \"author\": \"w\"}")
        }) { server in
            let api = try server.client()
            let session = try await api.signIn(hostile)
            #expect(try await api.motivation(for: session) == APIQuote(text: "q", author: "w"))
        }
        let found = calls.withLock { $0 }
        #expect(found.map(\.name) == ["POST /api/signin", "GET /api/motivation"])
        #expect(found.first?.members == ["username": hostile.account, "password": hostile.password])
        #expect(found.map { $0.fields["content-type"] } == ["application/json", nil])
        #expect(found.map { $0.fields["authorization"] } == [nil, "Bearer a-b"])
        #expect(found.map { $0.fields["cookie"] ?? $0.fields["origin"] } == [nil, nil])
    }

    struct Distrust: Sendable, CustomTestStringConvertible {
        let name: String
        /// The requested name, or nil for the correct name.
        var host: String?
        var trustsAnother = false
        /// The time of the verification, in seconds from now.
        var later: Int64 = 0

        var testDescription: String { name }
    }

    // Specification: associated-domains.md, "Transport": the certificates that a device rejects.
    static let distrusted = [
        Distrust(name: "another name", host: "other.test"),
        Distrust(name: "a subdomain", host: "www.app.test"),
        Distrust(name: "another root", trustsAnother: true),
        Distrust(name: "a certificate that is over", later: 400 * 86_400),
        Distrust(name: "a certificate of the future", later: -400 * 86_400),
    ]

    @Test("A server without a valid certificate receives no part of the request", arguments: distrusted)
    func untrusted(_ each: Distrust) async throws {
        let diary = Diary()
        let other = try Authority.temporary(permitted: ["other.test"])
        try await ScriptedServer.run(ScriptedServer.knowing("ray", "the-secret"), diary: diary) { server in
            let api = try server.client(
                as: each.host, trust: each.trustsAnother ? [other.root] : nil,
                clock: Clock { Clock.system.now() + each.later })
            do throws(APIFailure) {
                _ = try await api.signIn(Self.credential)
                Issue.record("The client sent the password to an untrusted server.")
            } catch {
                guard case .untrusted(let host, let issues) = error else {
                    Issue.record("\(error)")
                    return
                }
                #expect(host == each.host ?? ScriptedServer.host)
                #expect(!issues.isEmpty && error.exitCode == .no)
            }
            #expect(diary.lines.isEmpty)
            #expect(try await server.client().signIn(Self.credential).name == "ray")
        }
    }

    @Test("Without roots, no server is trusted, and nothing is sent")
    func noRoots() async throws {
        let diary = Diary()
        try await ScriptedServer.run(ScriptedServer.knowing("ray", "the-secret"), diary: diary) { server in
            let api = try server.client(trust: [])
            await #expect(throws: APIFailure.self) { try await api.signIn(Self.credential) }
        }
        #expect(diary.lines.isEmpty)
    }

    @Test(
        "After these statuses a program may try again, and after the others not",
        arguments: [400, 401, 403, 404, 409, 422, 429, 500, 501, 502, 503, 504, 505])
    func temporary(_ status: Int) {
        let refusal = APIRefusal(status: status)
        #expect(refusal.isTemporary == [429, 502, 503, 504].contains(status))
        #expect(APIFailure.refused(refusal).exitCode == (refusal.isTemporary ? .temporary : .no))
    }

    static let sentences: [(refusal: APIRefusal, problem: String, fix: String)] = [
        (
            APIRefusal(status: 429, code: "throttled", sentence: "Slowly.", retryAfter: 1),
            "the server responded with status 429 (throttled): \"Slowly\"", "Wait 1 second and try again"
        ),
        (
            APIRefusal(status: 400, sentence: "Is it you?", retryAfter: 2),
            "the server responded with status 400: \"Is it you?\"", "Wait 2 seconds and try again"
        ),
        (APIRefusal(status: 503, code: "busy"), "the server responded with status 503 (busy)", "Try again later"),
        (
            APIRefusal(status: 409, code: "name_taken", sentence: "Taken."),
            "the server responded with status 409 (name_taken): \"Taken\"",
            "Change the request as described in the server's message"
        ),
        (
            APIRefusal(status: 502), "the server responded with status 502",
            "Check that the host and port belong to Ultra Motivator"
        ),
    ]

    @Test("A refusal is explained with its status, code and sentence, and with the time to wait", arguments: sentences)
    func explanation(_ refusal: APIRefusal, _ problem: String, _ fix: String) {
        #expect(APIFailure.refused(refusal).problem == problem)
        #expect(APIFailure.refused(refusal).fix == fix)
    }

    @Test("A server that is not there is a failure of the network, and one that is gone, too")
    func network() async throws {
        let left = Guarded<APIClient?>(nil)
        try await ScriptedServer.run(ScriptedServer.knowing("ray", "the-secret")) { server in
            let api = try server.client()
            left.withLock { $0 = api }
        }
        let api = try #require(left.withLock { $0 })
        let failure = await #expect(throws: APIFailure.self) { try await api.signIn(Self.credential) }
        guard case .network(.refused) = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
    }
}
