import Testing

@testable import UltraMotivator

@Suite("The forms that try API calls") struct APITrialTests {
    private static let account = [("username", "Ada"), ("password", "seven slow grey geese")]

    @Test("A form sends a call and shows its response")
    func send() async throws {
        var browser = Browser(try Backend())
        let made = try await browser.post("/docs/signup", Self.account)
        #expect(made.status == 201 && made.text.contains("POST</b> /api/signup") && made.text.contains("token"))
        #expect(made.text.contains("Response 201"))
        let wrong = try await browser.post("/docs/signin", [("username", "Ada"), ("password", "<b>wrong")])
        #expect(wrong.status == 401 && wrong.text.contains("Response 401") && !wrong.text.contains("<b>wrong"))
        let tutorial = try await browser.post("/docs/tutorial-signin", Self.account)
        #expect(tutorial.status == 200)
    }

    @Test(
        "A form can send only calls without a token, from this site",
        arguments: [
            ("/docs/none", [], 405), ("/docs/signout", [], 405), ("/docs/delete", [], 405),
            ("/docs/signup", ["Sec-Fetch-Site: cross-site"], 403), ("/docs/signup", ["Origin: https://evil.test"], 403),
        ] as [(String, [String], Int)])
    func refused(_ path: String, _ lines: [String], _ status: Int) async throws {
        var browser = Browser(try Backend())
        #expect(try await browser.post(path, Self.account, lines: lines).status == status)
    }

    @Test("The URL of a response leads back to the call on /docs", arguments: ["signup", "signout", "tutorial-signup"])
    func reload(_ id: String) async throws {
        var browser = Browser(try Backend())
        let reply = try await browser.get("/docs/\(id)")
        #expect(reply.status == 303 && reply["location"] == ["/docs#\(id)"])
    }

    @Test("The page has a form for each call without a token and without nested values")
    func forms() async throws {
        var browser = Browser(try Backend())
        let page = try await browser.get("/docs").text
        for action in [
            "get\" action=\"/api/password", "get\" action=\"/api/check", "post\" action=\"/docs/signup",
            "post\" action=\"/docs/update", "post\" action=\"/docs/tutorial-signup",
        ] {
            #expect(page.contains("<form method=\"\(action)\""), "\(action)")
        }
        for id in ["signout", "delete", "motivation"] { #expect(!page.contains("action=\"/docs/\(id)\""), "\(id)") }
        #expect(!page.contains("action=\"/api/motivation\""))
    }
}
