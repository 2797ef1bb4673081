import Accounts
import MotivatorPlatform
import Testing

@testable import UltraMotivator

/// The rules are in docs/site-and-api.md, "Sessions and cookies".
@Suite("Sessions and cookies of the site") struct WebSessionTests {
    private static let newSession = Cookie.always + ["Max-Age=43200"]

    /// Returns whether a session is valid.
    private func isAlive(_ value: String?, _ backend: Backend) async throws -> Bool {
        try await backend.accounts.session(try #require(SessionToken(value ?? ""))) != nil
    }

    /// Expects that a response starts a session and redirects to the home page.
    private func expectEntry(_ reply: Reply, notice: String? = nil) {
        #expect(reply.status == 303 && reply["Location"] == ["/"] && reply.content.isEmpty)
        #expect(reply["Cache-Control"] == ["no-store"])
        #expect(
            reply.cookies.map(\.name) == [Cookie.session, Cookie.visit] + (notice == nil ? [] : [Cookie.notice]))
        #expect(reply.cookies.first?.attributes == Self.newSession)
        #expect(reply.cookies.first?.value.wholeMatch(of: #/[A-Za-z0-9_-]{43}/#) != nil)
        #expect(reply.cookies[1].ends)
        guard let notice, reply.cookies.count == 3 else { return }
        expectNotice(reply.cookies[2], notice)
    }

    /// Expects a cookie that shows a message once, within a minute.
    private func expectNotice(_ cookie: Cookie, _ notice: String) {
        #expect(cookie.value == notice && cookie.attributes == Cookie.always + ["Max-Age=60"])
    }

    @Test(
        "A visitor without a session gets a value for form tokens, once", arguments: ["/signup", "/signin", "/update"])
    func visit(_ path: String) async throws {
        let backend = try Backend()
        var browser = Browser(backend)
        let first = try await browser.get(path)
        #expect(first.cookies.map(\.name) == [Cookie.visit])
        #expect(first.cookies.first?.attributes == Cookie.always, "the cookie must be a session cookie")
        #expect(first.cookies.first?.value.wholeMatch(of: #/[0-9a-f]{64}/#) != nil)
        let token = try HTMLForm(first, action: path).token
        #expect(token.wholeMatch(of: #/[0-9a-f]{64}/#) != nil && token != first.cookies.first?.value)
        let second = try await browser.get(path)
        #expect(second.cookies.isEmpty)
        #expect(try HTMLForm(second, action: path).token == token)
        var other = Browser(backend)
        #expect(try await other.token(path) != token)
    }

    @Test(
        "A value of another form is replaced",
        arguments: ["", "0", String(repeating: "0A", count: 32), String(repeating: "g", count: 64)])
    func foreignVisit(_ value: String) async throws {
        var browser = Browser(try Backend())
        browser.cookies = [Cookie.visit: value]
        let reply = try await browser.get("/signin")
        #expect(reply.cookies.map(\.name) == [Cookie.visit])
        #expect(reply.cookies.first?.value != value)
    }

    @Test("Signing up and signing in begin a session, and end the value of the visit")
    func begins() async throws {
        let backend = try Backend()
        var browser = Browser(backend)
        expectEntry(try await browser.signUp("Ada"), notice: "signedUp")
        #expect(browser.cookies.keys.sorted() == [Cookie.notice, Cookie.session])
        #expect(try await browser.signedInAs() == "Ada")
        var other = Browser(backend)
        expectEntry(try await other.signIn("ADA"))
        #expect(try await other.signedInAs() == "Ada", "the page must show the name from the sign-up")
        #expect(browser.cookies != other.cookies)
    }

    @Test("A password may be confirmed in another composition of its characters (UAX #15)")
    func composition() async throws {
        var browser = Browser(try Backend())
        let values = [
            ("username", "Ada"), ("password", "four sm\u{E5}ll foxes"), ("confirm_password", "four sma\u{30A}ll foxes"),
        ]
        expectEntry(try await browser.submit("/signup", values), notice: "signedUp")
    }

    @Test("A session that begins replaces the one of the same browser", arguments: ["/signup", "/signin"])
    func replaces(_ path: String) async throws {
        let backend = try Backend()
        var browser = Browser(backend)
        try await browser.signUp("Ada")
        let old = browser.cookies[Cookie.session]
        let reply = path == "/signup" ? try await browser.signUp("Grace") : try await browser.signIn("Ada")
        expectEntry(reply, notice: path == "/signup" ? "signedUp" : nil)
        #expect(try await isAlive(browser.cookies[Cookie.session], backend))
        #expect(try await !isAlive(old, backend))
    }

    @Test("A new password begins a new session and ends all others", arguments: [true, false])
    func update(_ isSignedIn: Bool) async throws {
        let backend = try Backend()
        var browser = Browser(backend)
        try await browser.signUp("Ada")
        let old = browser.cookies[Cookie.session]
        var changing = isSignedIn ? browser : Browser(backend, from: "192.0.2.2")
        let reply = try await changing.submit(
            "/update",
            [
                ("username", "ada"), ("current_password", Browser.password), ("new_password", Browser.other),
                ("confirm_new_password", Browser.other),
            ])
        expectEntry(reply, notice: "changed")
        #expect(try await isAlive(changing.cookies[Cookie.session], backend))
        #expect(try await !isAlive(old, backend))
        #expect(try await changing.signedInAs() == "Ada")
        var later = Browser(backend, from: "192.0.2.3")
        #expect(try await later.signIn("Ada", Browser.password).status == 401)
        #expect(try await later.signIn("Ada", Browser.other).status == 303)
    }

    @Test("The form of a session changes the password of its own account, and ignores the sent name")
    func updateOwn() async throws {
        let backend = try Backend()
        var grace = Browser(backend, from: "192.0.2.2")
        try await grace.signUp("Grace")
        var ada = Browser(backend)
        try await ada.signUp("Ada")
        let reply = try await ada.submit(
            "/update",
            [
                ("username", "Grace"), ("current_password", Browser.password), ("new_password", Browser.other),
                ("confirm_new_password", Browser.other),
            ])
        expectEntry(reply, notice: "changed")
        #expect(try await ada.signedInAs() == "Ada")
        #expect(try await grace.signedInAs() == "Grace")
        var later = Browser(backend, from: "192.0.2.3")
        #expect(try await later.signIn("Grace", Browser.password).status == 303)
        #expect(try await later.signIn("Ada", Browser.other).status == 303)
    }

    @Test("Signing out ends the session and its cookie, and repeating it is not an error")
    func signOut() async throws {
        let backend = try Backend()
        var browser = Browser(backend)
        try await browser.signUp("Ada")
        let session = browser.cookies[Cookie.session]
        let reply = try await browser.submit("/signout", [])
        #expect(reply.status == 303 && reply["Location"] == ["/"] && reply["Cache-Control"] == ["no-store"])
        #expect(reply.cookies.map(\.name) == [Cookie.session, Cookie.notice] && reply.cookies.first?.ends == true)
        expectNotice(try #require(reply.cookies.last), "signedOut")
        #expect(try await !isAlive(session, backend))
        #expect(try await browser.signedInAs() == nil)
        let again = try await browser.post("/signout", [])
        #expect(again.status == 303 && again["Location"] == ["/"] && again.cookies.isEmpty)
        #expect(again["Cache-Control"] == ["no-store"])
    }

    static let notices: [(name: String, sentence: String)] = [
        ("signedUp", "Account created. You are signed in. Now open your app, and request the password."),
        ("changed", "Password changed. You are signed out everywhere else."),
        ("deleted", "Account deleted. Delete the saved password from your password manager too."),
        ("signedOut", "You are signed out."),
    ]

    @Test("The home page shows the message of a change once, with and without a session", arguments: notices)
    func notice(_ name: String, _ sentence: String) async throws {
        for isSignedIn in [false, true] {
            var browser = Browser(try Backend())
            if isSignedIn { try await browser.signUp("Ada") }
            browser.cookies[Cookie.notice] = name
            let reply = try await browser.get("/")
            #expect(reply.text.contains("<p class=\"notice\" role=\"status\">\(sentence)</p>"))
            #expect(reply.cookies.map(\.name) == [Cookie.notice] && reply.cookies.first?.ends == true)
            #expect(try await !browser.get("/").text.contains("role=\"status\""))
            browser.cookies[Cookie.notice] = "<b>"
            #expect(try await !browser.get("/").text.contains("role=\"status\""))
        }
    }

    @Test("Deleting the account ends the session, its cookie, and the account")
    func delete() async throws {
        let backend = try Backend()
        var browser = Browser(backend)
        try await browser.signUp("Ada")
        let session = browser.cookies[Cookie.session]
        let reply = try await browser.submit("/account/delete", [("password", Browser.password)])
        #expect(reply.status == 303 && reply["Location"] == ["/"] && reply["Cache-Control"] == ["no-store"])
        #expect(reply.cookies.map(\.name) == [Cookie.session, Cookie.notice] && reply.cookies.first?.ends == true)
        expectNotice(try #require(reply.cookies.last), "deleted")
        #expect(try await !isAlive(session, backend))
        #expect(try await browser.signIn("Ada").status == 401)
        #expect(try await browser.signUp("Ada").status == 303)
    }

    @Test("With both cookies, the session counts; when it is over, the value of the visit counts")
    func bothCookies() async throws {
        let backend = try Backend()
        var browser = Browser(backend)
        let visitToken = try await browser.token("/signin")
        let visit = browser.cookies[Cookie.visit]
        try await browser.signUp("Ada")
        let sessionToken = try await browser.token("/update")
        #expect(sessionToken != visitToken)
        browser.cookies[Cookie.visit] = visit
        let both = try await browser.get("/update")
        #expect(both.cookies.isEmpty)
        #expect(try HTMLForm(both, action: "/update").token == sessionToken)
        #expect(try await browser.signedInAs() == "Ada")
        #expect(try await browser.submit("/signin", [("username", "Ada")], token: visitToken).status == 403)
        backend.time.withLock { $0 += 1801 }
        let over = try await browser.get("/signin")
        #expect(over.cookies.isEmpty, "the visit's value must still be valid")
        #expect(try HTMLForm(over, action: "/signin").token == visitToken)
    }

    @Test("A malformed session cookie does not hide a good one, in one line or in two")
    func twoSessions() async throws {
        let backend = try Backend()
        var browser = Browser(backend)
        try await browser.signUp("Ada")
        let session = try #require(browser.cookies[Cookie.session])
        for lines in [
            ["Cookie: \(Cookie.session)=x; \(Cookie.session)=\(session)"],
            ["cookie: a=b", "COOKIE:  \(Cookie.session)=\(session) "],
            ["Cookie: a=b;\(Cookie.session)=\(session);c=d"],
        ] {
            let reply = try await backend.send("GET", "/", ["Host: one.test"] + lines)
            #expect(reply.text.contains("Hello, Ada"), "\(lines)")
        }
        for lines in [
            ["Cookie: \(Cookie.session.lowercased())=\(session)"], ["Cookie: motivator_session=\(session)"],
            ["Cookie: x\(Cookie.session)=\(session)"], ["Cookie: \(Cookie.session)=\(session)x"],
        ] {
            let reply = try await backend.send("GET", "/", ["Host: one.test"] + lines)
            #expect(!reply.text.contains("Hello"), "\(lines)")
        }
    }

    @Test("A session is over after half an hour without use, and after 12 hours with use")
    func ends() async throws {
        let backend = try Backend()
        var idle = Browser(backend)
        try await idle.signUp("Ada")
        var busy = Browser(backend)
        try await busy.signIn("Ada")
        for _ in 0..<24 {
            #expect(try await busy.signedInAs() == "Ada")
            backend.time.withLock { $0 += 1790 }
        }
        #expect(try await idle.signedInAs() == nil)
        #expect(try await busy.signedInAs() == "Ada")
        backend.time.withLock { $0 += 43_200 - 24 * 1790 + 1 }
        #expect(try await busy.signedInAs() == nil)
        for path in ["/update", "/signin"] {
            #expect(try await busy.get(path).cookies.map(\.name) == [Cookie.visit])
            busy.cookies[Cookie.visit] = nil
        }
    }

    @Test("A session that ended long ago stays over")
    func farFuture() async throws {
        let backend = try Backend()
        var browser = Browser(backend)
        try await browser.signUp("Ada")
        for days in [1, 365, 36_500] {
            backend.time.withLock { $0 = 1_800_000_000 + UnixTime(days) * 86_400 }
            #expect(try await browser.signedInAs() == nil)
        }
    }
}
