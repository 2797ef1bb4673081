import Testing

@testable import UltraMotivator

@Suite("The forms that try API calls") struct APITrialTests {
    private static let account = [("username", "Ada"), ("password", "seven slow grey geese")]

    @Test("A form sends a call and shows its response")
    func send() async throws {
        var browser = Browser(try Backend())
        let made = try await browser.post("/docs/signup", Self.account)
        #expect(made.status == 201 && made.text.contains("POST /api/signup\nContent-Type:"))
        #expect(made.text.contains("Response 201") && made.text.contains("token"))
        let wrong = try await browser.post("/docs/signin", [("username", "Ada"), ("password", "<b>wrong")])
        #expect(wrong.status == 401 && wrong.text.contains("Response 401") && !wrong.text.contains("<b>wrong"))
        #expect(wrong["WWW-Authenticate"] == [Web.challenge] && made["WWW-Authenticate"] == [])
        // The page shows the request, but not its password.
        #expect(wrong.text.contains("Content-Type: application/json") && wrong.text.contains("(hidden)"))
        let token = try #require(made.text.firstMatch(of: #/export TOKEN=([\w-]+)</#).map { String($0.output.1) })
        let quote = try await browser.post("/docs/motivation", [("token", token)])
        #expect(quote.status == 200 && quote.text.contains("&quot;quote&quot;: "))
        let tutorial = try await browser.post("/docs/tutorial-signin", Self.account)
        #expect(tutorial.status == 200)
    }

    @Test(
        "A form needs a token for some calls, and can send only calls without nested values, from this site",
        arguments: [
            ("/docs/none", [], 405), ("/docs/passkey-add", [], 405), ("/docs/signout", [], 401),
            ("/docs/signup", ["Sec-Fetch-Site: cross-site"], 403), ("/docs/signup", ["Origin: https://evil.test"], 403),
        ] as [(String, [String], Int)])
    func refused(_ path: String, _ lines: [String], _ status: Int) async throws {
        var browser = Browser(try Backend())
        #expect(try await browser.post(path, Self.account, lines: lines).status == status)
    }

    @Test("An empty optional member is not sent, and text that is not a token adds no field")
    func values() async throws {
        var browser = Browser(try Backend())
        let made = try await browser.post("/docs/signup", Self.account)
        let token = try #require(made.text.firstMatch(of: #/export TOKEN=([\w-]+)</#).map { String($0.output.1) })
        let options = try await browser.post("/docs/passkey-options", [("token", token), ("mediation", "")])
        #expect(options.status == 200 && options.text.contains("POST /api/passkeys/options\n"))
        #expect(options.text.contains("Authorization: Bearer (hidden)") && !options.text.contains(token))
        let other = try await browser.post("/docs/passkey-options", [("token", token), ("mediation", "silent")])
        #expect(other.status == 422 && other.text.contains("mediation_unknown"))
        for text in ["x\r\nX-Test: 1", token + "\r\nX-Test: 1", ""] {
            #expect(try await browser.post("/docs/signout", [("token", text)]).status == 401)
        }
        #expect(try await browser.post("/docs/signout", [("token", token)]).status == 200)
    }

    @Test("The response to a throttled call has its time to wait")
    func throttled() async throws {
        var browser = Browser(try Backend())
        _ = try await browser.post("/docs/signup", Self.account)
        var reply = try await browser.post("/docs/signin", [("username", "Ada"), ("password", "wrong")])
        for _ in 0..<50 where reply.status == 401 {
            reply = try await browser.post("/docs/signin", [("username", "Ada"), ("password", "wrong")])
        }
        #expect(reply.status == 429 && reply["Retry-After"].count == 1 && reply["WWW-Authenticate"].isEmpty)
    }

    @Test("The URL of a response leads back to the call on /docs", arguments: ["signup", "signout", "tutorial-signup"])
    func reload(_ id: String) async throws {
        var browser = Browser(try Backend())
        let reply = try await browser.get("/docs/\(id)")
        #expect(reply.status == 303 && reply["location"] == ["/docs#\(id)"])
    }

    @Test("The page has a form for each call without nested values")
    func forms() async throws {
        var browser = Browser(try Backend())
        let page = try await browser.get("/docs").text
        for action in [
            "get\" action=\"/api/password", "get\" action=\"/api/check", "post\" action=\"/docs/signup",
            "post\" action=\"/docs/update", "post\" action=\"/docs/tutorial-signup", "post\" action=\"/docs/delete",
            "post\" action=\"/docs/motivation",
        ] {
            #expect(page.contains("<form method=\"\(action)\""), "\(action)")
        }
        for id in ["passkey-add", "passkey-signin"] { #expect(!page.contains("action=\"/docs/\(id)\""), "\(id)") }
        #expect(!page.contains("action=\"/api/motivation\""))
    }
}
