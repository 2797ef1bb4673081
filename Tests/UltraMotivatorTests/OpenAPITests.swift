import Accounts
import AssociatedDomains
import AssociationChecker
import MotivatorHTTP
import MotivatorPlatform
import SourceJSON
import Testing

@testable import MotivatorServer
@testable import UltraMotivator

@Suite("The API's description (OpenAPI 3.1)") struct OpenAPITests {
    private let bench: Bench
    private let site: Site
    private let paths: [(path: String, methods: [String])]
    /// Every described response, with the names of its fields.
    private let answers: [(call: String, status: String, fields: [String])]

    init() throws {
        bench = try Bench()
        let content = try SiteContent(
            bench.demo(["one.test"]), pages: Pages.shared, accounts: bench.accounts(),
            files: StaticFiles(folder: Folder(bench.folder + "/Public")),
            root: nil,
            now: 0)
        let file = AssociationFile(
            AssociationFile.json(webcredentials: [try AppIdentifier("A1B2C3D4E5.com.example.App")]), name: "file", at: 0
        )
        site = Routes.site(
            try ServedAssociation((file, 0), format: .plain) { throw Bench.Trouble.noHead }, content)
        let document = try JSONDocument(OpenAPI.document(content.operations.all).bytes())
        let described = document.root.object?["paths"]?.object?.members ?? []
        paths = described.map { ($0.key, $0.value.object?.members.map(\.key) ?? []) }
        answers = described.flatMap { path in
            (path.value.object?.members ?? []).flatMap { operation in
                (operation.value.object?["responses"]?.object?.members ?? []).map { answer in
                    let fields = answer.value.object?["headers"]?.object?.members.map(\.key) ?? []
                    return ("\(operation.key) \(path.key)", answer.key, fields)
                }
            }
        }
    }

    private func served(at path: String) -> Site.Resource? {
        Array(path.utf8).withFieldBytes { site.index(of: $0).map { site.resources[$0.index] } }
    }

    @Test("Every call that is described is answered, and with no other method than the described ones")
    func describedIsServed() throws {
        #expect(paths.count == 19)
        for (path, methods) in paths {
            let resource = try #require(served(at: path), "\(path)")
            let allowed = Method.allCases.filter { resource.allows($0) && $0 != .head }.map {
                "\($0.name)".lowercased()
            }
            #expect(allowed.sorted() == methods.sorted(), "\(path)")
        }
    }

    @Test("Retry-After is described where it is sent, with 429 and 503, and nowhere else")
    func describedWaits() {
        let statuses = Set(answers.map(\.status))
        #expect(statuses.isSuperset(of: ["200", "401", "429", "503"]))
        for (call, status, fields) in answers {
            #expect(fields == (["429", "503"].contains(status) ? ["Retry-After"] : []), "\(status) of \(call)")
        }
    }

    @Test("The calls of a session are described with its token, and a request with content requires it")
    func describedSecurity() throws {
        let paths = try Backend().openAPI.get().root.object?["paths"]?.object?.members ?? []
        var secured: [String] = []
        for path in paths {
            for operation in path.value.object?.members ?? [] {
                let node = operation.value.object
                if node?["security"]?.array?.first?.object?["session"] != nil { secured.append(path.key) }
                #expect(node?["requestBody"].map { $0.object?["required"]?.boolean == true } ?? true, "\(path.key)")
            }
        }
        #expect(
            secured.sorted() == [
                "/api/account", "/api/confirm", "/api/confirm/passkey", "/api/confirm/passkey/options",
                "/api/motivation", "/api/passkeys", "/api/passkeys", "/api/passkeys", "/api/passkeys/options",
                "/api/passkeys/rename", "/api/signout",
            ])
    }

    @Test("The limits of names and passwords are described as the policy has them")
    func describedLimits() async throws {
        let paths = try Backend().openAPI.get().root.object?["paths"]?.object
        func number(_ value: JSONValue?) -> Int? {
            if case .number(let text)? = value?.content { Int(text) } else { nil }
        }
        func limits(_ path: String, _ method: String, _ member: String) -> [Int?] {
            let schema = paths?[path]?.object?[method]?.object?["requestBody"]?.object?["content"]?.object?[
                "application/json"]?.object?["schema"]?.object
            let property = schema?["properties"]?.object?[member]?.object
            return ["minLength", "maxLength"].map { number(property?[$0]) }
        }
        #expect(limits("/api/signup", "post", "username") == [1, 64])
        #expect(limits("/api/signup", "post", "password") == [8, 1024])
        #expect(limits("/api/signin", "post", "password") == [nil, 1024])
        #expect(limits("/api/update", "post", "current_password") == [nil, 1024])
        #expect(limits("/api/update", "post", "new_password") == [8, 1024])
        #expect(limits("/api/account", "delete", "password") == [nil, 1024])
        let page = try await Caller(try Backend()).send("GET", "/docs", []).text
        for text in ["1 to 64 characters", "8 to 1024 characters", "at most 1024 characters"] {
            #expect(page.contains(text), "\(text)")
        }
    }

    private static let document = Result { try Backend().openAPI.get() }

    @Test(
        "A name matches its pattern exactly if the server accepts its form",
        arguments: [
            ("Ada", true, true), ("Ada B. Lovelace", true, true), ("Лев Толстой", true, true), ("🏔", true, true),
            (" ", false, true), (" Ada", false, true), ("Ada ", false, true), ("Ada  L", false, true),
            ("", false, false), ("a\nb", false, false), ("a\0", false, false), ("a\u{85}", false, false),
            ("\u{202E}a", false, false), ("a\u{2028}", false, false), ("a\u{2069}", false, false),
        ])
    func namePatterns(_ name: String, _ isNew: Bool, _ isKnown: Bool) throws {
        let document = try Self.document.get()
        for (path, accepts) in [("signup", isNew), ("signin", isKnown), ("update", isKnown)] {
            for path in ["/api/\(path)", "/ultra_motivator/api/\(path).py"] {
                let pattern = try DescribedCall("post", path, in: document).pattern("username")
                #expect((name.wholeMatch(of: pattern) != nil) == accepts, "\(path)")
            }
        }
        // The description and the server agree.
        #expect((try? UserName(name)) != nil || !isNew)
        #expect(isNew || (try? UserName(name)) == nil)
    }

    @Test("The description of an error lists its codes")
    func describedCodes() throws {
        let document = try Backend().openAPI.get()
        let signIn = try DescribedCall("post", "/api/signin", in: document)
        #expect(signIn.codes[401] == ["wrong_name_or_password"])
        #expect(signIn.codes[422] == ["name_empty", "name_too_long", "name_control_character", "password_too_long"])
        #expect(signIn.codes[400] == ["malformed_json", "missing_member"])
        #expect(signIn.codes[413] == ["content_too_large"])
        #expect(signIn.codes[503] == ["busy", "unavailable", "service_unavailable"])
        // The queue of handlers can refuse every call.
        #expect(try DescribedCall("get", "/api/password", in: document).codes[503] == ["service_unavailable"])
        let delete = try DescribedCall("delete", "/api/account", in: document)
        #expect(delete.codes[401] == ["not_signed_in", "wrong_name_or_password"])
        #expect(try DescribedCall("post", "/api/signup", in: document).codes[422]?.contains("name_extra_space") == true)
    }

    @Test("The documentation has a curl command and a form for each call")
    func documented() throws {
        func operation(
            _ method: Method, _ path: String, token: Bool = false, content: Bool = false, query: String? = nil
        ) -> Operation {
            let member = Operation.Member(name: "m", meaning: "The value.", example: "it")
            return Operation(
                id: "x", method: method, path: path, summary: "Call", description: "Calls.", needsToken: token,
                query: query.map { [Operation.Member(name: "q", meaning: "A query.", example: $0)] } ?? [],
                request: content ? [member] : nil, errors: [], respond: { _ in .json([]) })
        }
        let bearer = #"-H "Authorization: Bearer $TOKEN""#
        let json = "-H 'Content-Type: application/json'"
        let rows: [(Operation, command: [String], form: String?, action: String)] = [
            (operation(.get, "/api/a"), ["curl https://a.test/api/a"], "get", "/api/a"),
            (operation(.get, "/api/a", token: true), ["curl https://a.test/api/a", bearer], "post", "/docs/x"),
            (operation(.post, "/api/a"), ["curl -X POST https://a.test/api/a"], "post", "/docs/x"),
            (operation(.post, "/api/a", content: true), ["curl https://a.test/api/a", json], "post", "/docs/x"),
            (
                operation(.delete, "/api/a", token: true, content: true),
                ["curl -X DELETE https://a.test/api/a", bearer, json], "post", "/docs/x"
            ),
            (
                operation(.get, "/api/check", query: "v w"),
                ["curl --get https://a.test/api/check", "--data-urlencode 'q=v w'"], "get", "/api/check"
            ),
            (operation(.get, "/api/check", query: ""), ["curl https://a.test/api/check"], "get", "/api/check"),
        ]
        let calls = rows.map { Documentation([$0.0], at: "https://a.test").calls[0] }
        for (call, row) in zip(calls, rows) {
            let parts = call.curl.components(of: " \\\n  ")
            #expect(parts.filter { !$0.hasPrefix("-d ") } == row.command)
            #expect(parts.contains { $0.hasPrefix("-d ") } == row.command.contains(json))
            #expect(call.trialMethod == row.form && call.action == row.action)
        }
        let page = Documentation(rows.map(\.0), at: "https://a.test")
        #expect(page.calls.map(\.heading) == ["Accounts", nil, nil, nil, nil, "Checks", nil])
    }

    @Test("Every call of the specification is described")
    func specifiedIsDescribed() {
        let calls = paths.flatMap { path, methods in methods.map { "\($0) \(path)" } }
        for call in [
            "post /api/signup", "post /api/signin", "post /api/update", "post /api/signout", "delete /api/account",
            "get /api/motivation", "get /api/password", "get /api/check", "post /ultra_motivator/api/signin.py",
            "post /ultra_motivator/api/signup.py", "post /ultra_motivator/api/update.py",
            "post /api/passkeys/options", "post /api/passkeys", "get /api/passkeys", "post /api/passkeys/rename",
            "delete /api/passkeys", "post /api/signin/passkey/options", "post /api/signin/passkey",
            "post /api/confirm", "post /api/confirm/passkey/options", "post /api/confirm/passkey",
        ] {
            #expect(calls.contains(call))
        }
    }
}
