import Testing

@testable import UltraMotivator

/// The rules are in docs/site-and-api.md, "Requests from other sites" and "Forms".
@Suite("Forms that are refused") struct WebRefusalTests {
    /// Every route that accepts a form, with fields that would succeed for the user Ada.
    static let forms: [(path: String, values: [(String, String)])] = [
        ("/signup", [("username", "Grace"), ("password", Browser.other), ("confirm_password", Browser.other)]),
        (
            "/ultra_motivator/web/signup.py",
            [("username", "Grace"), ("password", Browser.other), ("confirm_password", Browser.other)]
        ),
        ("/signin", [("username", "Ada"), ("password", Browser.password)]),
        ("/ultra_motivator/web/signin.py", [("username", "Ada"), ("password", Browser.password)]),
        (
            "/update",
            [
                ("username", "Ada"), ("current_password", Browser.password), ("new_password", Browser.other),
                ("confirm_new_password", Browser.other),
            ]
        ),
        (
            "/ultra_motivator/web/update.py",
            [
                ("username", "Ada"), ("current_password", Browser.password), ("new_password", Browser.other),
                ("confirm_new_password", Browser.other),
            ]
        ),
        ("/account/delete", [("password", Browser.password)]),
        ("/signout", []),
    ]

    /// The tests run in sequence, so that each can verify that a request changes nothing.
    private struct Scene {
        let backend: Backend
        var browser: Browser
        let token: String

        /// A visitor who is signed in as Ada.
        init() async throws {
            backend = try Backend()
            browser = Browser(backend)
            try await browser.signUp("Ada")
            token = try await browser.token("/update")
        }

        /// Expects that Ada is still signed in with the same password, and that Grace has no account.
        func expectNoChange(_ what: String) async throws {
            var same = browser
            #expect(try await same.signedInAs() == "Ada", "\(what)")
            var other = Browser(backend, from: "198.51.100.7")
            #expect(try await other.signIn("Ada").status == 303, "\(what)")
            #expect(try await other.signIn("Grace", Browser.other).status == 401, "\(what)")
        }
    }

    static let foreign: [[String]] = [
        ["Sec-Fetch-Site: cross-site"], ["Sec-Fetch-Site: same-site"], ["Sec-Fetch-Site: "],
        ["Sec-Fetch-Site: same-origin", "Sec-Fetch-Site: same-origin"],
        ["Sec-Fetch-Site: cross-site", "Origin: https://one.test"], ["Origin: https://evil.test"], ["Origin: null"],
        ["Origin: http://one.test"], ["Origin: https://one.test:8443"],
    ]

    @Test("A request that another site made is refused, with a good token too", arguments: forms.map(\.path))
    func otherSite(_ path: String) async throws {
        var scene = try await Scene()
        let values = Self.forms.first { $0.path == path }?.values ?? []
        for lines in Self.foreign {
            let reply = try await scene.browser.post(path, values + [("form_token", scene.token)], lines: lines)
            #expect(reply.status == 403, "\(lines)")
            #expect(reply["Cache-Control"] == ["no-store"] && reply.cookies.isEmpty)
            #expect(reply["Content-Type"] == ["text/html; charset=utf-8"])
            #expect(reply.text.contains("Another site made this request"))
        }
        try await scene.expectNoChange(path)
    }

    @Test(
        "A request of this site or of no site is not refused",
        arguments: [["Sec-Fetch-Site: none"], ["Origin: https://one.test"], ["Origin: https://ONE.test:443"]])
    func ownSite(_ lines: [String]) async throws {
        var scene = try await Scene()
        let reply = try await scene.browser.post("/signout", [("form_token", scene.token)], lines: lines)
        #expect(reply.status == 303)
        #expect(try await scene.browser.signedInAs() == nil)
    }

    static let types: [String?] = [
        nil, "application/json", "text/plain", "multipart/form-data", "application/x-www-form-urlencodedx", "",
        "application/x-www-form-urlencoded; charset=iso-8859-1", "text/plain; application/x-www-form-urlencoded",
    ]

    @Test("Another media type is refused", arguments: forms.map(\.path))
    func mediaType(_ path: String) async throws {
        var scene = try await Scene()
        let values = (Self.forms.first { $0.path == path }?.values ?? []) + [("form_token", scene.token)]
        let content = values.map { "\($0)=\(Browser.encoded($1))" }.joined(separator: "&")
        for type in Self.types {
            let reply = try await scene.browser.send(
                "POST", path, type.map { ["Content-Type: \($0)"] } ?? [], content: content)
            #expect(reply.status == 415, "\(type ?? "none")")
            #expect(reply["Cache-Control"] == ["no-store"] && reply.cookies.isEmpty)
        }
        try await scene.expectNoChange(path)
    }

    @Test(
        "The media type has no case, and may say that it is UTF-8",
        arguments: [
            "APPLICATION/x-www-form-urlencoded", "application/x-www-form-urlencoded; charset=UTF-8",
            "application/x-www-form-urlencoded ;charset=\"utf-8\"", "application/x-www-form-urlencoded; a=b",
        ])
    func acceptedMediaType(_ type: String) async throws {
        var scene = try await Scene()
        let reply = try await scene.browser.send(
            "POST", "/signout", ["Content-Type: \(type)"], content: "form_token=\(scene.token)")
        #expect(reply.status == 303 && reply.cookies.first?.ends == true)
    }

    static let malformedForms: [(reason: String, content: String)] = [
        ("twice", "username=Grace&username=Ada"), ("twice", "form_token=a&form_token=a"), ("%", "username=%4"),
        ("&lt;i&gt;", "%3Ci%3E=&%3Ci%3E="),
        ("UTF-8", "username=%ff"), ("too many fields", (0...32).map { "f\($0)=" }.joined(separator: "&")),
    ]

    @Test("A form that cannot be read is refused with the reason", arguments: forms.map(\.path))
    func malformed(_ path: String) async throws {
        var scene = try await Scene()
        for form in Self.malformedForms {
            let reply = try await scene.browser.send(
                "POST", path, ["Content-Type: \(Browser.type)"], content: form.content)
            // The sign-out form has only the token field, so the token is missing.
            #expect(reply.status == (path == "/signout" ? 403 : 400), "\(form.content)")
            #expect(path == "/signout" || reply.text.contains(form.reason), "\(form.content)")
            #expect(!reply.text.contains("<i>"), "the page must escape text from the request")
            #expect(reply["Cache-Control"] == ["no-store"] && reply.cookies.isEmpty)
        }
        try await scene.expectNoChange(path)
    }

    @Test("A short reason is the title of the error page, a long one its text, and the button leads back to the form")
    func errorPage() async throws {
        let fields = (0...32).map { "f\($0)=" }.joined(separator: "&")
        for (content, title, start) in [
            (fields, "The form has too many fields", "Go back and send the form again.</p>"),
            ("username=%4", "Bad request", "The form&#39;s content contains a % without two hexadecimal digits"),
        ] {
            var browser = Browser(try Backend())
            let reply = try await browser.send("POST", "/signin", ["Content-Type: \(Browser.type)"], content: content)
            #expect(reply.text.contains("<h1><small>400</small> \(title)</h1>"), "\(title)")
            #expect(reply.text.contains("<p class=\"lead\">\(start)"), "\(title)")
            #expect(reply.text.contains("<a class=\"button\" href=\"/signin\">Back to sign-in</a>"), "\(title)")
            #expect(!reply.text.contains("<ul class=\"list\">"), "\(title)")
        }
    }

    enum Token: CaseIterable, Sendable {
        case missing, empty, wrong, upperCase, ofVisit, ofOtherSession, cookie
    }

    @Test("A form token must be that of the session", arguments: forms.map(\.path))
    func token(_ path: String) async throws {
        var scene = try await Scene()
        var visitor = Browser(scene.backend, from: "192.0.2.8")
        let ofVisit = try await visitor.token("/signin")
        try await visitor.signUp("Other")
        let tokens: [String?] = [
            nil, "", String(scene.token.dropLast()) + (scene.token.hasSuffix("0") ? "1" : "0"), scene.token + "0",
            scene.token.uppercased() + "A", ofVisit, try await visitor.token("/update"),
            scene.browser.cookies[Cookie.session],
        ]
        let values = Self.forms.first { $0.path == path }?.values ?? []
        for (number, token) in tokens.enumerated() {
            let reply = try await scene.browser.post(path, values + (token.map { [("form_token", $0)] } ?? []))
            #expect(reply.status == 403, "token \(number)")
            #expect(reply["Cache-Control"] == ["no-store"] && reply.cookies.isEmpty)
            if path != "/signout" { try expectForm(reply, at: path, with: scene.token) }
        }
        try await scene.expectNoChange(path)
    }

    /// Expects that the form can be sent again.
    private func expectForm(_ reply: Reply, at path: String, with token: String) throws {
        let form = try HTMLForm(reply, action: path)
        #expect(form.token == token)
        #expect(reply.text.contains(#"role="alert""#) && reply.text.contains("<p>The form has expired"))
        #expect(reply.text.contains("<title>Error: "))
        let isOwn = path.contains("update") || path.contains("delete")
        let typed = Self.forms.first { $0.path == path }?.values.first { $0.0 == "username" }?.1
        #expect(form["username"]?["value"] == (isOwn ? "Ada" : typed))
        for field in form.fields where field["type"] == "password" { #expect(field["value"] == "") }
    }

    @Test(
        "Before there is a session, a form token must be that of the visit",
        arguments: ["/signup", "/signin", "/update"])
    func visitToken(_ path: String) async throws {
        let backend = try Backend()
        var ada = Browser(backend)
        try await ada.signUp("Ada")
        var (one, other) = (Browser(backend), Browser(backend))
        let token = try await one.token(path)
        _ = try await other.get(path)
        let values = Self.forms.first { $0.path == path }?.values ?? []
        #expect(try await other.post(path, values + [("form_token", token)]).status == 403)
        var withoutCookies = Browser(backend)
        let reply = try await withoutCookies.post(path, values + [("form_token", token)])
        #expect(reply.status == 403)
        #expect(reply.cookies.map(\.name) == [Cookie.visit], "the returned form must set its cookie")
        #expect(try await withoutCookies.submit(path, values, token: HTMLForm(reply, action: path).token).status == 303)
        #expect(
            try await one.post(path, values + [("form_token", token)]).status
                == (path == "/signin" ? 303 : path == "/signup" ? 409 : 401))
    }

    @Test("The token of the visit is of no use after signing in")
    func tokenAfterSigningIn() async throws {
        let backend = try Backend()
        var browser = Browser(backend)
        let before = try await browser.token("/signin")
        try await browser.signUp("Ada")
        for path in ["/signin", "/update", "/account/delete", "/signout"] {
            #expect(try await browser.post(path, [("form_token", before)]).status == 403)
        }
        let old = try await browser.token("/update")
        try await browser.signIn("Ada")
        #expect(try await browser.post("/signout", [("form_token", old)]).status == 403)
        #expect(try await browser.signedInAs() == "Ada")
    }
}
