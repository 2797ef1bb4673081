import Accounts
import MotivatorPlatform
import Testing

@testable import UltraMotivator

/// The rules are in docs/site-and-api.md, "API".
@Suite("Calls of the API") struct APITests {
    /// Expects a success that matches the OpenAPI document.
    private func expectSuccess(
        _ reply: Reply, _ method: String, _ path: String, _ backend: Backend, _ members: [String: String?] = [:]
    ) throws {
        let described = try DescribedCall(method, path, in: backend.openAPI.get())
        #expect(reply.status == described.successStatus, "\(path): \(reply.text)")
        #expect(reply["Content-Type"] == ["application/json"])
        #expect(reply["Cache-Control"] == ["no-store"])
        #expect(reply.cookies.isEmpty && reply["WWW-Authenticate"].isEmpty && reply["Location"].isEmpty)
        let found = try #require(reply.members, "the content must be an object of strings")
        #expect(Set(found.keys) == described.members)
        #expect(Set(found.keys) == Set(members.keys))
        for (name, value) in members where value != nil { #expect(found[name] == value) }
        if let token = found["token"] { #expect(token.wholeMatch(of: #/[A-Za-z0-9_-]{43}/#) != nil) }
        #expect(reply.text.hasSuffix("}\n"))
    }

    private func isAlive(_ token: String?, _ backend: Backend) async throws -> Bool {
        try await backend.accounts.session(try #require(SessionToken(token ?? ""))) != nil
    }

    @Test("Signing up and signing in give the name as it was typed, and a token")
    func entering() async throws {
        let backend = try Backend()
        let caller = Caller(backend)
        let new = try await caller.call(
            "/api/signup", Caller.object(["username": "Adélie 🐧", "password": Browser.password]))
        #expect(new.status == 201)
        try expectSuccess(new, "POST", "/api/signup", backend, ["username": "Adélie 🐧", "token": nil])
        let again = try await caller.call(
            "/api/signin", Caller.object(["password": Browser.password, "more": "ignored", "username": "ADÉLIE 🐧"]))
        try expectSuccess(again, "POST", "/api/signin", backend, ["username": "Adélie 🐧", "token": nil])
        #expect(try await isAlive(new.members?["token"], backend), "a new session must not end another")
        #expect(try await isAlive(again.members?["token"], backend))
    }

    @Test("A change of the password ends every session and begins one")
    func update() async throws {
        let backend = try Backend()
        let caller = Caller(backend)
        let old = try await caller.signUp("Ada")
        let content = Caller.object([
            "username": "ada", "current_password": Browser.password, "new_password": Browser.other,
        ])
        let reply = try await caller.call("/api/update", content)
        try expectSuccess(reply, "POST", "/api/update", backend, ["username": "Ada", "token": nil])
        #expect(try await isAlive(reply.members?["token"], backend))
        #expect(try await !isAlive(old, backend))
        #expect(try await !caller.signsIn("Ada"))
        #expect(try await caller.signsIn("Ada", Browser.other))
    }

    @Test("Signing out ends the session of the token, once")
    func signOut() async throws {
        let backend = try Backend()
        let caller = Caller(backend)
        let token = try await caller.signUp("Ada")
        let reply = try await caller.send("POST", "/api/signout", ["Authorization: Bearer \(token)"])
        try expectSuccess(reply, "POST", "/api/signout", backend)
        #expect(reply.text == "{}\n")
        #expect(try await !isAlive(token, backend))
        let again = try await caller.call("/api/signout", token: token)
        #expect(again.status == 401 && again.members?["code"] == "not_signed_in")
    }

    @Test("Deleting the account needs the token and the password")
    func delete() async throws {
        let backend = try Backend()
        let caller = Caller(backend)
        let token = try await caller.signUp("Ada")
        let wrong = try await caller.call(
            "/api/account", Caller.object(["password": "wrong"]), method: "DELETE", token: token)
        #expect(wrong.status == 401 && wrong.members?["code"] == "wrong_name_or_password")
        #expect(try await isAlive(token, backend))
        let content = Caller.object(["password": Browser.password])
        let reply = try await caller.call("/api/account", content, method: "DELETE", token: token)
        try expectSuccess(reply, "DELETE", "/api/account", backend)
        #expect(try await !isAlive(token, backend))
        #expect(try await !caller.signsIn("Ada"))
    }

    @Test("A session gets a quote with its author, another one each time")
    func motivation() async throws {
        let backend = try Backend()
        let caller = Caller(backend)
        let token = try await caller.signUp("Ada")
        var last: String?
        for _ in 0..<20 {
            let reply = try await caller.call("/api/motivation", "", method: "GET", token: token)
            try expectSuccess(reply, "GET", "/api/motivation", backend, ["quote": nil, "author": nil])
            let (quote, author) = (reply.members?["quote"], reply.members?["author"])
            #expect(Motivation.quotes.contains { $0.text == quote && $0.author == author })
            #expect(quote != last)
            last = quote
        }
        backend.time.withLock { $0 += 1801 }
        let over = try await caller.call("/api/motivation", "", method: "GET", token: token)
        #expect(over.status == 401 && over.members?["code"] == "not_signed_in")
    }

    @Test("A password is suggested without a session, another one each time")
    func password() async throws {
        let backend = try Backend()
        let caller = Caller(backend)
        let replies = [
            try await caller.send("GET", "/api/password", []), try await caller.send("GET", "/api/password", []),
        ]
        for reply in replies { try expectSuccess(reply, "GET", "/api/password", backend, ["password": nil]) }
        #expect(replies[0].text != replies[1].text)
    }

    static let bearers: [(lines: [String], isGood: Bool)] = [
        (["Authorization: Bearer TOKEN"], true), (["authorization: bearer TOKEN"], true),
        (["Authorization: BEARER  TOKEN "], true), ([], false), (["Authorization: Bearer"], false),
        (["Authorization: TOKEN"], false), (["Authorization: Basic TOKEN"], false),
        (["Authorization: Bearer TOKEN TOKEN"], false), (["Authorization: Bearer TOKENx"], false),
        (["Authorization: BearerTOKEN"], false), (["Authorization: Bearer \"TOKEN\""], false),
        (["Cookie: __Host-motivator_session=TOKEN"], false), (["X-Authorization: Bearer TOKEN"], false),
        (["Authorization: Bearer AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"], false),
    ]

    @Test("A session is named by a bearer token, and by no cookie (RFC 6750 §2.1)", arguments: bearers)
    func bearer(_ example: (lines: [String], isGood: Bool)) async throws {
        let backend = try Backend()
        let caller = Caller(backend)
        let token = try await caller.signUp("Ada")
        let lines = example.lines.map { $0.replacing("TOKEN", with: token) }
        let calls = [
            ("GET", "/api/motivation?access_token=\(token)", ""),
            ("DELETE", "/api/account", Caller.object(["password": Browser.password])), ("POST", "/api/signout", "{}"),
        ]
        for (method, path, content) in calls where !example.isGood || path.contains("motivation") {
            let reply = try await caller.send(method, path, ["Content-Type: application/json"] + lines, content)
            #expect(reply.status == (example.isGood ? 200 : 401), "\(path)")
            guard !example.isGood else { continue }
            #expect(reply.members?["code"] == "not_signed_in")
            #expect(reply.members?["quote"] == nil)
            #expect(reply["WWW-Authenticate"] == [#"Bearer realm="Ultra Motivator""#])
            #expect(reply["Cache-Control"] == ["no-store"])
        }
        #expect(try await isAlive(token, backend))
    }

    @Test("A call without a session gets 401 for any content", arguments: ["", "{}", "[]", "password"])
    func noSession(_ content: String) async throws {
        let caller = Caller(try Backend())
        for lines in [[], ["Content-Type: text/plain"], ["Content-Type: application/json"]] {
            let reply = try await caller.send("DELETE", "/api/account", lines, content)
            #expect(reply.status == 401 && reply.members?["code"] == "not_signed_in", "\(lines)")
        }
    }
}
