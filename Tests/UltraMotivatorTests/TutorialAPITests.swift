import Testing

@testable import UltraMotivator

/// The rules are in docs/site-and-api.md, "The tutorial's calls".
@Suite("Calls of the tutorial's app") struct TutorialAPITests {
    private static let folder = "/ultra_motivator/api/"

    /// The app does not specify a media type. The server accepts any type that the system adds.
    static let types: [[String]] = [
        [], ["Content-Type: application/json"], ["Content-Type: application/x-www-form-urlencoded"],
        ["Content-Type: text/plain; charset=iso-8859-1"], ["Content-Type: "],
    ]

    @Test("A success is the name and the password, byte for byte, for any media type", arguments: types)
    func successes(_ lines: [String]) async throws {
        let caller = Caller(try Backend())
        func send(_ call: String, _ members: KeyValuePairs<String, String>) async throws -> Reply {
            try await caller.send("POST", Self.folder + call, lines, Caller.object(members))
        }
        func expect(_ reply: Reply, _ text: String) {
            #expect(reply.status == 200)
            #expect(reply.text == text)
            #expect(reply["Content-Type"] == ["application/json"] && reply["Cache-Control"] == ["no-store"])
            #expect(reply.cookies.isEmpty)
        }
        let password = "four \"small\" red fóxes"
        expect(
            try await send("signup.py", ["username": "Ada", "password": password]),
            "{\"username\": \"Ada\", \"password\": \"four \\\"small\\\" red fóxes\"}\n")
        expect(
            try await send("signin.py", ["username": "aDA", "password": password]),
            "{\"username\": \"Ada\", \"password\": \"four \\\"small\\\" red fóxes\"}\n")
        expect(
            try await send(
                "update.py", ["username": "ada", "current_password": password, "new_password": Browser.other]),
            "{\"username\": \"Ada\", \"password\": \"\(Browser.other)\"}\n")
        #expect(try await caller.signsIn("Ada", Browser.other))
        #expect(try await !caller.signsIn("Ada", password))
    }

    @Test("A success is described in the OpenAPI document")
    func described() throws {
        let backend = try Backend()
        for call in ["signup.py", "signin.py", "update.py"] {
            let described = try DescribedCall("POST", Self.folder + call, in: backend.openAPI.get())
            #expect(described.successStatus == 200 && described.members == ["username", "password"])
            #expect(!described.statuses.contains(415))
        }
    }

    @Test("A call leaves no session, and a change ends the sessions that it would replace")
    func noSession() async throws {
        let backend = try Backend()
        let caller = Caller(backend)
        func sessions() async throws -> Int { try await backend.bench.sessions().count }
        let (first, second) = (Browser.password, Browser.other)
        let calls: [(String, KeyValuePairs<String, String>)] = [
            ("signup.py", ["username": "Ada", "password": first]),
            ("signin.py", ["username": "Ada", "password": first]),
            ("update.py", ["username": "Ada", "current_password": first, "new_password": second]),
        ]
        for (call, members) in calls {
            let content = Caller.object(members)
            #expect(try await caller.send("POST", Self.folder + call, [], content).status == 200)
            #expect(try await sessions() == 0, "\(call)")
        }
        let content = Caller.object(["username": "Ada", "password": second])
        _ = try await caller.send("POST", "/api/signin", ["Content-Type: application/json"], content)
        #expect(try await sessions() == 1, "the API keeps its session")
    }

    @Test("A change by the app ends the sessions of the account")
    func endsSessions() async throws {
        let backend = try Backend()
        let caller = Caller(backend)
        let token = try await caller.signUp("Ada")
        let content = Caller.object([
            "username": "Ada", "current_password": Browser.password, "new_password": Browser.other,
        ])
        #expect(try await caller.send("POST", Self.folder + "update.py", [], content).status == 200)
        #expect(try await caller.call("/api/motivation", "", method: "GET", token: token).status == 401)
    }
}
