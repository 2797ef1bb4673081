import Testing

@testable import UltraMotivator

/// The rules are in docs/site-and-api.md, "Forms".
@Suite("Suggested passwords") struct WebSuggestionTests {
    private static func suggestion(_ reply: Reply) -> String? {
        reply.text.firstMatch(of: #/<output id="suggestion" data-copy>([^<]*)<\/output>/#).map { String($0.output.1) }
    }

    @Test(
        "A suggested password is shown and filled in twice; the name stays, and nothing else happens",
        arguments: ["/signup", "/ultra_motivator/web/signup.py"])
    func signUp(_ path: String) async throws {
        var browser = Browser(try Backend())
        let typed = [("username", "Ada"), ("password", "typed before"), ("confirm_password", "")]
        let reply = try await browser.submit(path, typed + [("suggest", "1")])
        #expect(reply.status == 200 && reply["Cache-Control"] == ["no-store"] && reply.cookies.isEmpty)
        let suggestion = try #require(Self.suggestion(reply))
        #expect(suggestion.wholeMatch(of: #/([A-Za-z0-9]{3}-){3}[A-Za-z0-9]{3}/#) != nil)
        let form = try HTMLForm(reply, action: path)
        #expect(form["username"]?["value"] == "Ada")
        #expect(form["password"]?["value"] == suggestion && form["confirm_password"]?["value"] == suggestion)
        #expect(!reply.text.contains("typed before") && !reply.text.contains("<title>Error"))
        #expect(form.fields.allSatisfy { $0["aria-invalid"] == nil })
        let again = try await browser.submit(path, typed + [("suggest", "1")])
        #expect(Self.suggestion(again) != suggestion)
        let sent = [("username", "Ada"), ("password", suggestion), ("confirm_password", suggestion)]
        #expect(try await browser.submit(path, sent).status == 303)
        #expect(try await browser.signIn("Ada", suggestion).status == 303)
    }

    @Test(
        "A change of the password can be suggested too, and keeps no current password",
        arguments: ["/update", "/ultra_motivator/web/update.py"], [true, false])
    func update(_ path: String, _ isSignedIn: Bool) async throws {
        let backend = try Backend()
        var ada = Browser(backend)
        try await ada.signUp("Ada")
        var browser = isSignedIn ? ada : Browser(backend)
        let reply = try await browser.submit(
            path, [("username", "ada"), ("current_password", Browser.password), ("suggest", "1")])
        #expect(reply.status == 200)
        let suggestion = try #require(Self.suggestion(reply))
        let form = try HTMLForm(reply, action: path)
        #expect(form["username"]?["value"] == (isSignedIn ? "Ada" : "ada"))
        #expect((form["username"]?["readonly"] == "") == isSignedIn)
        #expect(form["current_password"]?["value"] == "")
        #expect(form["new_password"]?["value"] == suggestion && form["confirm_new_password"]?["value"] == suggestion)
        #expect(!reply.text.contains(Browser.password))
        #expect(try await ada.signIn("Ada").status == 303, "the password must not change")
    }

    @Test("A suggestion needs the form token", arguments: ["/signup", "/update"])
    func token(_ path: String) async throws {
        var browser = Browser(try Backend())
        let reply = try await browser.submit(path, [("suggest", "1")], token: "wrong")
        #expect(reply.status == 403 && Self.suggestion(reply) == nil)
    }

    @Test("Where passwords must be longer than a suggestion, suggestions are longer", arguments: [8, 15, 20, 21, 64])
    func minimum(_ minimum: Int) throws {
        let suggester = try PasswordSuggester(minimum: minimum)
        for _ in 0..<20 { #expect(suggester.next().unicodeScalars.count >= minimum) }
    }
}
