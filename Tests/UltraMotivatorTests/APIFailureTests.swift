import Accounts
import Testing

@testable import UltraMotivator

/// The rules are in docs/site-and-api.md, "API".
@Suite("Calls that fail") struct APIFailureTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let path: String
        let content: String
        let status: Int
        let code: String

        init(_ rule: String, _ path: String, _ content: String, _ status: Int, _ code: String) {
            testDescription = "\(rule): \(path)"
            (self.path, self.content, self.status, self.code) = (path, content, status, code)
        }

        /// The path of the same call in the tutorial.
        var tutorialPath: String { path.replacing("/api/", with: "/ultra_motivator/api/") + ".py" }
    }

    static let secret = "a secret that was sent"

    private static func name(_ name: String, _ password: String) -> String {
        Caller.object(["username": name, "password": password])
    }

    private static func change(_ name: String, _ current: String, _ new: String) -> String {
        Caller.object(["username": name, "current_password": current, "new_password": new])
    }

    /// Malformed content for each of the three calls that the tutorial also has.
    private static let malformed: [Case] = ["/api/signup", "/api/signin", "/api/update"].flatMap { path in
        [
            Case("No content", path, "", 400, "malformed_json"),
            Case("No JSON", path, "username=Ada&password=\(secret)", 400, "malformed_json"),
            Case("A string", path, "\"\(secret)\"", 400, "malformed_json"),
            Case("An array", path, "[\"\(secret)\"]", 400, "malformed_json"),
            Case("Text after the object", path, "{} {\"password\": \"\(secret)\"}", 400, "malformed_json"),
            Case(
                "A member twice", path,
                "{\"username\":\"Ada\",\"password\":\"\(secret)\",\"username\":\"Eve\"}", 400, "malformed_json"),
            Case(
                "A member twice, in a member that is ignored", path,
                "{\"username\":\"Ada\",\"password\":\"\(secret)\",\"x\":{\"a\":1,\"a\":2}}", 400, "malformed_json"),
            Case("No members", path, "{}", 400, "missing_member"),
            Case(
                "A number", path,
                "{\"username\":1,\"password\":\"\(secret)\",\"current_password\":\"a\",\"new_password\":\"b\"}", 400,
                "missing_member"),
            Case(
                "Null", path,
                "{\"username\":\"Ada\",\"password\":null,\"current_password\":\"\(secret)\",\"new_password\":null}",
                400, "missing_member"),
            Case(
                "Names have a case", path,
                "{\"Username\":\"Ada\",\"password\":\"\(secret)\",\"current_password\":\"a\",\"new_password\":\"b\"}",
                400, "missing_member"),
        ]
    }

    static let cases: [Case] = [
        Case("A taken name", "/api/signup", name("aDA", secret), 409, "name_taken"),
        Case("An empty name", "/api/signup", name("", secret), 422, "name_empty"),
        Case("A long name", "/api/signup", name(String(repeating: "a", count: 65), secret), 422, "name_too_long"),
        Case("A short password", "/api/signup", name("Eve", "a1b2c3d"), 422, "password_too_short"),
        Case(
            "A long password", "/api/signup", name("Eve", String(repeating: "xy", count: 513)), 422,
            "password_too_long"),
        Case("A common password", "/api/signup", name("Eve", "password1"), 422, "password_common"),
        Case("A word of the site's name", "/api/signup", name("Eve", "Motivator2026"), 422, "password_is_site_name"),
        Case("A control character", "/api/signup", name("E\u{202E}ve", secret), 422, "name_control_character"),
        Case("A name of one space", "/api/signup", name(" ", secret), 422, "name_extra_space"),
        Case("An invisible character", "/api/signup", name("E\u{200B}ve", secret), 422, "name_invisible_character"),
        Case("A variant character", "/api/signup", name("E\u{FF56}e", secret), 422, "name_variant_character"),
        Case("Two scripts", "/api/signup", name("Ev\u{435}", secret), 422, "name_mixed_scripts"),
        Case("Lookalikes", "/api/signup", name("\u{415}\u{435}", secret), 422, "name_looks_latin"),
        Case("The name", "/api/signup", name("Eve the Cat", "eve THE cat"), 422, "password_is_name"),
        Case("A wrong password", "/api/signin", name("Ada", secret), 401, "wrong_name_or_password"),
        Case("An unknown name", "/api/signin", name("Eve", secret), 401, "wrong_name_or_password"),
        Case("An empty name", "/api/signin", name("", secret), 422, "name_empty"),
        Case(
            "A wrong current password", "/api/update", change("Ada", secret, Browser.other), 401,
            "wrong_name_or_password"),
        Case(
            "An unknown name", "/api/update", change("Eve", Browser.password, secret), 401,
            "wrong_name_or_password"),
        Case(
            "A short password", "/api/update", change("Ada", Browser.password, "a1b2c3d"), 422,
            "password_too_short"),
    ]

    /// Expects a failure that matches the OpenAPI document.
    private func expectFailure(
        _ reply: Reply, _ status: Int, _ code: String?, _ method: String, _ path: String, _ backend: Backend
    ) throws {
        #expect(reply.status == status, "\(path): \(reply.text)")
        let described = try DescribedCall(method, path, in: backend.openAPI.get())
        #expect(described.statuses.contains(status), "\(method) \(path)")
        if let code { #expect(described.codes[status]?.contains(code) == true, "\(code) of \(method) \(path)") }
        #expect(reply["Content-Type"] == ["application/json"])
        #expect(reply["Cache-Control"] == ["no-store"])
        #expect(reply["WWW-Authenticate"] == (status == 401 ? [#"Bearer realm="Ultra Motivator""#] : []))
        #expect(reply.cookies.isEmpty)
        let members = try #require(reply.members, "the content must be an object of strings")
        #expect(Set(members.keys) == (code == nil ? ["error"] : ["error", "code"]))
        #expect(members["code"] == code)
        #expect(members["error"]?.hasSuffix(".") == true, "the error must be a sentence")
        for text in [Self.secret, Browser.password, Browser.other, "a1b2c3d"] { #expect(!reply.text.contains(text)) }
    }

    private func backend() async throws -> Backend {
        let backend = try Backend()
        _ = try await Caller(backend, from: "198.51.100.7").signUp("Ada")
        return backend
    }

    /// Expects that a call and the tutorial's call fail with the same status. The tutorial's response
    /// contains only the error message.
    private func expectFailures(_ example: Case, _ backend: Backend) async throws {
        let reply = try await Caller(backend).call(example.path, example.content)
        try expectFailure(reply, example.status, example.code, "POST", example.path, backend)
        let tutorial = try await Caller(backend).call(example.tutorialPath, example.content)
        try expectFailure(tutorial, example.status, nil, "POST", example.tutorialPath, backend)
        #expect(try await Caller(backend, from: "198.51.100.7").signsIn("Ada"))
    }

    @Test("A failure has a status, a stable code and a sentence, and repeats no password", arguments: cases)
    func codes(_ example: Case) async throws {
        try await expectFailures(example, backend())
    }

    @Test("Content that is not an object of strings is refused")
    func malformed() async throws {
        let backend = try await backend()
        for example in Self.malformed { try await expectFailures(example, backend) }
    }

    @Test(
        "The sentence has the location of invalid JSON and the name of the first missing member",
        arguments: [
            ("{\n  \"username\": x}", "invalid JSON at line 2, column 15."),
            ("{\"username\": \"a\",\n \"username\": \"b\"}", "repeated at line 2, column 2."),
            ("{\"password\": \"a\"}", "\"username\" is missing"),
            ("{\"username\": \"a\", \"new_password\": \"b\"}", "\"current_password\" is missing"),
            ("{\"username\": \"a\", \"current_password\": \"b\"}", "\"new_password\" is missing"),
        ])
    func sentences(_ content: String, _ part: String) async throws {
        let reply = try await Caller(try Backend()).call("/api/update", content)
        #expect(reply.status == 400 && reply.members?["error"]?.contains(part) == true, "\(reply.text)")
    }

    /// Every unsafe call, with content that would succeed.
    static let calls: [(method: String, path: String, content: String)] = [
        ("POST", "/api/signup", name("Eve", Browser.password)), ("POST", "/api/signin", name("Ada", Browser.password)),
        ("POST", "/api/update", change("Ada", Browser.password, Browser.other)),
        ("DELETE", "/api/account", Caller.object(["password": Browser.password])), ("POST", "/api/signout", "{}"),
    ]
    static let tutorialCalls: [(method: String, path: String, content: String)] = calls.prefix(3).map {
        ($0.method, $0.path.replacing("/api/", with: "/ultra_motivator/api/") + ".py", $0.content)
    }

    @Test(
        "Content without the Content-Type of JSON is refused",
        arguments: [
            nil, "", "text/plain", "application/jsonx", "application/x-www-form-urlencoded",
            "text/plain; application/json",
            "application/json; charset=iso-8859-1",
        ])
    func mediaType(_ type: String?) async throws {
        let backend = try await backend()
        let caller = Caller(backend)
        let token = try await caller.signUp("Grace")
        for (method, path, content) in Self.calls where path != "/api/signout" {
            let lines = (type.map { ["Content-Type: \($0)"] } ?? []) + ["Authorization: Bearer \(token)"]
            let reply = try await caller.send(method, path, lines, content)
            try expectFailure(reply, 415, "unsupported_media_type", method, path, backend)
        }
        for name in ["Ada", "Grace"] { #expect(try await caller.signsIn(name)) }
        #expect(try await !caller.signsIn("Eve"))
    }

    @Test(
        "JSON in UTF-8 is accepted",
        arguments: ["Application/JSON", "application/json; charset=utf-8", "application/json;a=b"])
    func acceptedMediaType(_ type: String) async throws {
        let backend = try await backend()
        let content = Self.name("Ada", Browser.password)
        #expect(try await Caller(backend).send("POST", "/api/signin", ["Content-Type: \(type)"], content).status == 200)
    }

    @Test("A call that another site makes is refused", arguments: WebRefusalTests.foreign)
    func otherSite(_ lines: [String]) async throws {
        let backend = try await backend()
        let caller = Caller(backend)
        let token = try await caller.signUp("Grace")
        for (method, path, content) in Self.calls {
            let reply = try await caller.call(path, content, method: method, token: token, lines)
            try expectFailure(reply, 403, "cross_site", method, path, backend)
        }
        for (method, path, content) in Self.tutorialCalls {
            let reply = try await caller.call(path, content, method: method, lines)
            try expectFailure(reply, 403, nil, method, path, backend)
        }
        for name in ["Ada", "Grace"] { #expect(try await caller.signsIn(name)) }
        #expect(try await !caller.signsIn("Eve"))
        #expect(try await caller.call("/api/motivation", "", method: "GET", token: token).status == 200)
    }

    @Test(
        "A call from this site is accepted",
        arguments: [["Sec-Fetch-Site: same-origin"], ["Origin: https://one.test"]])
    func ownSite(_ lines: [String]) async throws {
        let backend = try await backend()
        for (_, path, content) in Self.calls.prefix(2) + Self.tutorialCalls.suffix(1) {
            #expect([200, 201].contains(try await Caller(backend).call(path, content, lines).status), "\(path)")
        }
    }

    @Test(
        "Too many failures give 429 with the time to wait",
        arguments: ["/api/signin", "/ultra_motivator/api/signin.py"])
    func throttled(_ path: String) async throws {
        let backend = try await backend()
        let caller = Caller(backend)
        let content = Self.name("Ada", Self.secret)
        var reply = try await caller.call(path, content)
        for _ in 0..<50 where reply.status == 401 { reply = try await caller.call(path, content) }
        try expectFailure(reply, 429, path.hasPrefix("/api/") ? "throttled" : nil, "POST", path, backend)
        #expect(reply["Retry-After"].compactMap { Int($0) }.first.map { $0 >= 1 } == true)
    }

    @Test("Without the store, every call of an account gives 503 with the time to wait")
    func unavailable() async throws {
        let backend = try await backend()
        let caller = Caller(backend)
        let token = try await caller.signUp("Grace")
        await backend.accounts.close()
        for (method, path, content) in Self.calls + [("GET", "/api/motivation", "")] {
            let reply = try await caller.call(path, content, method: method, token: token)
            try expectFailure(reply, 503, "unavailable", method, path, backend)
            #expect(reply["Retry-After"] == ["60"])
        }
        for (method, path, content) in Self.tutorialCalls {
            let reply = try await caller.call(path, content)
            try expectFailure(reply, 503, nil, method, path, backend)
            #expect(reply["Retry-After"] == ["60"])
        }
        #expect(try await caller.send("GET", "/api/password", []).status == 200)
    }
}
