import Accounts
import Testing

@testable import UltraMotivator

/// The rules are in docs/site-and-api.md, "Forms".
@Suite("Forms that fail") struct WebFailureTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let path: String
        let isSignedIn: Bool
        let values: [(String, String)]
        let status: Int
        /// The invalid field, or nil if the error is above the form.
        let field: String?
        /// The value of the user name in the returned form, as HTML.
        let name: String

        init(
            _ rule: String, _ path: String, signedIn: Bool = false, _ values: [(String, String)], _ status: Int,
            at field: String?, name: String
        ) {
            testDescription = rule
            (self.path, isSignedIn, self.values, self.status) = (path, signedIn, values, status)
            (self.field, self.name) = (field, name)
        }
    }

    private static let secret = "a secret that was typed"

    private static func signUp(_ name: String, _ password: String, _ again: String? = nil) -> [(String, String)] {
        [("username", name), ("password", password), ("confirm_password", again ?? password)]
    }

    private static func update(
        _ name: String, _ current: String, _ new: String, _ again: String? = nil
    ) -> [(String, String)] {
        [
            ("username", name), ("current_password", current), ("new_password", new),
            ("confirm_new_password", again ?? new),
        ]
    }

    static let cases: [Case] = [
        Case("A taken name", "/signup", signUp("aDA", secret), 409, at: "username", name: "aDA"),
        Case("An empty name", "/signup", signUp("", secret), 422, at: "username", name: ""),
        Case(
            "A name that is too long", "/signup", signUp(String(repeating: "a", count: 65), secret), 422,
            at: "username",
            name: String(repeating: "a", count: 65)),
        Case(
            "A name is escaped", "/signup", signUp("\"<ada>'\u{0}", secret), 422, at: "username",
            name: "&quot;&lt;ada&gt;&#39;\u{0}"),
        Case("A password that is too short", "/signup", signUp("Grace", "a1b2c3d"), 422, at: "password", name: "Grace"),
        Case(
            "A password that is too long", "/signup", signUp("Grace", String(repeating: "xy", count: 513)), 422,
            at: "password", name: "Grace"),
        Case("A common password", "/signup", signUp("Grace", "password1"), 422, at: "password", name: "Grace"),
        Case(
            "The user name", "/signup", signUp("Grace Hopper", "grace hopper"), 422, at: "password",
            name: "Grace Hopper"),
        Case(
            "Two different passwords", "/signup", signUp("Grace", secret, "another " + secret), 422,
            at: "password", name: "Grace"),
        Case(
            "The tutorial's path for signing up", "/ultra_motivator/web/signup.py", signUp("ada", secret), 409,
            at: "username", name: "ada"),
        Case(
            "A wrong password", "/signin", [("username", "ada"), ("password", secret)], 401, at: "password", name: "ada"
        ),
        Case(
            "An unknown name", "/signin", [("username", "Grace"), ("password", secret)], 401, at: "password",
            name: "Grace"),
        Case("An empty form for signing in", "/signin", [], 422, at: "username", name: ""),
        Case(
            "The tutorial's path for signing in", "/ultra_motivator/web/signin.py",
            [("username", "Ada"), ("password", secret)], 401, at: "password", name: "Ada"),
        Case(
            "A form without a new password has no suggestion", "/signin",
            [("username", "Ada"), ("password", secret), ("suggest", "1")], 401, at: "password", name: "Ada"),
        Case(
            "A wrong current password", "/update", update("ada", secret, Browser.other), 401, at: "current_password",
            name: "ada"),
        Case(
            "The same with a session, which knows the name", "/update", signedIn: true,
            update("Grace", secret, Browser.other), 401, at: "current_password", name: "Ada"),
        Case(
            "A new password that is too short", "/update", signedIn: true, update("", Browser.password, "a1b2c3d"), 422,
            at: "new_password", name: "Ada"),
        Case(
            "Two different new passwords", "/update", update("ada", Browser.password, secret, "another " + secret), 422,
            at: "new_password", name: "ada"),
        Case(
            "The tutorial's path for changing the password", "/ultra_motivator/web/update.py", signedIn: true,
            update("", secret, Browser.other), 401, at: "current_password", name: "Ada"),
        Case(
            "A wrong password for deleting", "/account/delete", signedIn: true, [("password", secret)], 401,
            at: "password", name: "Ada"),
        Case(
            "Deleting without a session", "/account/delete", [("username", "Ada"), ("password", Browser.password)], 401,
            at: nil, name: "Ada"),
    ]

    private func fail(_ example: Case) async throws -> (reply: Reply, browser: Browser) {
        let backend = try Backend()
        var ada = Browser(backend, from: "198.51.100.7")
        try await ada.signUp("Ada")
        var browser = example.isSignedIn ? ada : Browser(backend)
        let token = try await browser.token(example.isSignedIn ? "/update" : "/signin")
        let reply = try await browser.submit(example.path, example.values, token: token)
        return (reply, browser)
    }

    @Test("The status and the form show the reason, and the form keeps the name but no password", arguments: cases)
    func failure(_ example: Case) async throws {
        var (reply, browser) = try await fail(example)
        #expect(reply.status == example.status)
        #expect(reply["Content-Type"] == ["text/html; charset=utf-8"])
        #expect(reply["Cache-Control"] == ["no-store"])
        #expect(reply["WWW-Authenticate"] == (example.status == 401 ? [#"Form realm="Ultra Motivator""#] : []))
        #expect(reply.cookies.isEmpty && reply["Location"].isEmpty && reply["Retry-After"].isEmpty)
        let form = try HTMLForm(reply, action: example.path)
        expectValues(form, example)
        expectReason(form, example)
        #expect(try await browser.signedInAs() == (example.isSignedIn ? "Ada" : nil))
        var other = Browser(browser.backend, from: "198.51.100.7")
        #expect(try await other.signIn("Ada").status == 303)
    }

    private func expectValues(_ form: HTMLForm, _ example: Case) {
        #expect(form["username"]?["value"] == example.name)
        for field in form.fields where field["type"] == "password" { #expect(field["value"] == "") }
        let name = example.values.first { $0.0 == "username" }?.1.lowercased()
        for (field, value) in example.values where field.contains("password") && value != name {
            #expect(!form.page.contains("\"\(value)") && !form.page.contains(">\(value)"))
        }
        #expect(!form.page.contains(Self.secret))
        #expect(!form.token.isEmpty)
    }

    private func expectReason(_ form: HTMLForm, _ example: Case) {
        #expect(form.page.contains("<title>Error: "))
        for field in form.fields where field["type"] != "hidden" {
            let isWrong = field.name == example.field
            let ids = (field["aria-describedby"] ?? "").components(of: " ")
            #expect((field["aria-invalid"] == "true") == isWrong, "\(field.name)")
            #expect(ids.contains("\(field.name)-error") == isWrong, "\(field.name)")
            #expect(ids.first != "\(field.name)-hint" || !isWrong, "the error must precede the hint")
            #expect((form.text(id: "\(field.name)-error")?.isEmpty == false) == isWrong, "\(field.name)")
            for id in ids where !id.isEmpty { #expect(form.text(id: id)?.isEmpty == false, "\(id)") }
        }
        let focus = form.fields.filter { $0["autofocus"] != nil }.map(\.name)
        #expect(focus == [example.field ?? "username"])
        #expect(form.page.contains(#"role="alert""#))
        if let field = example.field { #expect(form.page.contains("<p><a href=\"#\(field)\">")) }
    }

    @Test("All errors of a form are shown at once, and a password that is too short and different is too short")
    func allErrors() async throws {
        let forms = [
            ("/signup", "password", Self.signUp(" x ", "short", "y")),
            ("/update", "new_password", Self.update("", Self.secret, "short", "y")),
        ]
        for (path, password, values) in forms {
            var browser = Browser(try Backend())
            let reply = try await browser.submit(path, values)
            #expect(reply.status == 422)
            let form = try HTMLForm(reply, action: path)
            #expect(form.fields.filter { $0["aria-invalid"] == "true" }.map(\.name) == ["username", password])
            #expect(reply.text.contains("The password is too short.") && !reply.text.contains("do not match"))
        }
    }

    @Test("A wrong password and an unknown name give the same page")
    func sameFailure() async throws {
        let backend = try Backend()
        var browser = Browser(backend)
        try await browser.signUp("Ada")
        var other = Browser(backend)
        let known = try await other.signIn("Ada", Self.secret)
        let unknown = try await other.signIn("Zoe", Self.secret)
        #expect(known.status == unknown.status)
        #expect(known.text == unknown.text.replacing("Zoe", with: "Ada"))
        #expect(known.fields.map { "\($0)" } == unknown.fields.map { "\($0)" })
    }

    @Test("With a session, the reason is about the current password")
    func sentenceOfSession() async throws {
        for path in ["/update", "/account/delete"] {
            var browser = Browser(try Backend())
            try await browser.signUp("Ada")
            let values = [
                ("password", "wrong"), ("current_password", "wrong"), ("new_password", Browser.other),
                ("confirm_new_password", Browser.other),
            ]
            let reply = try await browser.submit(path, values)
            #expect(reply.text.contains("This is not your current password."))
            #expect(!reply.text.contains("user name or the password"))
        }
    }

    @Test("A form without a session reports a wrong name or password")
    func sentenceOfVisit() async throws {
        let backend = try Backend()
        var browser = Browser(backend)
        try await browser.signUp("Ada")
        var visitor = Browser(backend, from: "192.0.2.2")
        let update = try await visitor.submit(
            "/update",
            [
                ("username", "Ada"), ("current_password", "wrong"), ("new_password", Browser.other),
                ("confirm_new_password", Browser.other),
            ])
        for reply in [update, try await browser.signIn("Ada", "wrong")] {
            #expect(reply.status == 401 && reply.text.contains("The user name or the password is wrong."))
            #expect(!reply.text.contains("your current password"))
        }
    }

    @Test("Too many failures give 429 with the time to wait, above the form")
    func throttled() async throws {
        let backend = try Backend()
        var browser = Browser(backend)
        try await browser.signUp("Ada")
        var other = Browser(backend, from: "192.0.2.2")
        var reply = try await other.signIn("Ada", Self.secret)
        for _ in 0..<50 where reply.status == 401 { reply = try await other.signIn("Ada", Self.secret) }
        #expect(reply.status == 429)
        #expect(reply["Retry-After"].compactMap { Int($0) }.first.map { $0 >= 1 } == true)
        #expect(reply["Cache-Control"] == ["no-store"] && reply.cookies.isEmpty)
        #expect(reply["WWW-Authenticate"].isEmpty)
        let form = try HTMLForm(reply, action: "/signin")
        #expect(form["username"]?["value"] == "Ada" && form["password"]?["value"] == "")
        #expect(reply.text.contains(#"role="alert""#))
    }

    @Test("Without the store, pages of a session and changes give 503 with the time to wait")
    func unavailable() async throws {
        let backend = try Backend()
        var browser = Browser(backend)
        let form = try await browser.token("/signup")
        let visit = browser.cookies
        try await browser.signUp("Ada")
        let token = try await browser.token("/update")
        await backend.accounts.close()
        for path in ["/", "/signin", "/signup", "/update", "/account/delete"] {
            let reply = try await browser.get(path)
            #expect(reply.status == 503 && reply["Retry-After"] == ["60"], "\(path)")
            #expect(reply["Cache-Control"] == ["no-store"] && reply.cookies.isEmpty)
            #expect(reply["Content-Type"] == ["text/html; charset=utf-8"])
        }
        for (path, values) in WebRefusalTests.forms {
            let reply = try await browser.submit(path, values, token: token)
            #expect(reply.status == 503 && reply["Retry-After"] == ["60"], "\(path)")
            #expect(reply["Cache-Control"] == ["no-store"] && reply.cookies.isEmpty)
        }
        browser.cookies = visit
        #expect(try await browser.get("/signin").status == 200, "a page without a session must not need the store")
        let reply = try await browser.submit(
            "/signup", [("username", "Eve"), ("password", Browser.other), ("confirm_password", Browser.other)],
            token: form)
        #expect(reply.status == 503 && reply["Retry-After"] == ["60"])
        #expect(try HTMLForm(reply, action: "/signup")["username"]?["value"] == "Eve")
    }
}
