import Accounts
import MotivatorHTTP
import MotivatorPlatform
import MotivatorServer
import Passkeys
import SourceJSON
import Testing

@testable import UltraMotivator

/// The pages of passkeys without a browser's ceremonies, which Tests/EndToEnd/test_passkey_browser.py performs.
@Suite("The pages of passkeys") struct PasskeyPageTests {
    private static let list = "/account/passkeys"

    @Test("A visitor without a session signs in first, and then returns once")
    func signedOut() async throws {
        var browser = Browser(try Backend())
        try await browser.signUp("Ada")
        _ = try await browser.submit("/signout", [])
        let redirect = try await browser.get(Self.list)
        #expect(redirect.status == 303 && redirect["Location"] == ["/signin"])
        #expect(try await browser.signIn("Ada")["Location"] == [Self.list])
        #expect(try await browser.get(Self.list).text.contains("You have no passkeys for this site."))
        _ = try await browser.submit("/signout", [])
        #expect(try await browser.signIn("Ada")["Location"] == ["/"])
    }

    @Test("Ten minutes after the sign-in, the list requires a confirmation")
    func confirmation() async throws {
        let backend = try Backend()
        var browser = Browser(backend)
        try await browser.signUp("Ada")
        #expect(try await browser.get(Self.list).text.contains("<h1>Passkeys</h1>"))
        backend.time.withLock { $0 += 601 }
        let page = try await browser.get(Self.list)
        #expect(page.status == 200 && page.text.contains("<h1>Confirm that it is you</h1>"))
        let token = try HTMLForm(page, action: "/account/confirm").token
        let options = try await browser.post(Self.list + "/options", [("form_token", token)])
        #expect(options.status == 403 && options.text.contains("\"confirmation_required\""))
        let removal = try await browser.post(Self.list + "/remove", [("form_token", token), ("id", "AAAA")])
        #expect(removal.status == 303 && removal["Location"] == [Self.list])
        let renaming = try await browser.post(
            Self.list + "/rename", [("form_token", token), ("id", "AAAA"), ("name", "x")])
        #expect(renaming.status == 404 && renaming.text.contains("<h1>Confirm that it is you</h1>"))
        func confirm(_ password: String) async throws -> Reply {
            try await browser.post("/account/confirm", [("form_token", token), ("password", password)])
        }
        let wrong = try await confirm("wrong")
        #expect(wrong.status == 401 && wrong.text.contains("This is not your current password."))
        let right = try await confirm(Browser.password)
        #expect(right.status == 303 && right["Location"] == [Self.list])
        #expect(try await browser.get(Self.list).text.contains("<h1>Passkeys</h1>"))
    }

    @Test("Options are JSON for the RP ID, and need the token of the page")
    func options() async throws {
        var browser = Browser(try Backend())
        let token = try await browser.token("/signin")
        let options = try await browser.post("/signin/passkey/options", [("form_token", token)])
        #expect(options.status == 200 && options["Content-Type"] == ["application/json"])
        #expect(options["Cache-Control"] == ["no-store"])
        #expect(options.text.contains("\"rpId\": \"one.test\""))
        #expect(try await browser.post("/signin/passkey/options", [("form_token", "x")]).status == 403)
        let crossSite = try await browser.post(
            "/signin/passkey/options", [("form_token", token)], lines: ["Sec-Fetch-Site: cross-site"])
        #expect(crossSite.status == 403)
        for path in [Self.list + "/options", "/account/confirm/passkey/options"] {
            let reply = try await browser.post(path, [("form_token", token)])
            #expect(reply.status == 401 && reply.text.contains("\"not_signed_in\""), "\(path)")
        }
    }

    @Test("A malformed result of a ceremony is explained on the page")
    func malformed() async throws {
        var browser = Browser(try Backend())
        let token = try await browser.token("/signin")
        for credential in ["", "{", "[]", "{\"id\":\"\",\"id\":\"\"}", "{}"] {
            let values = [("form_token", token), ("credential", credential)]
            let reply = try await browser.post("/signin/passkey", values)
            #expect(reply.status == 400 && reply.text.contains("<h1>Sign in</h1>"), "\(credential)")
            #expect(reply.text.contains("role=\"alert\""))
        }
        try await browser.signUp("Ada")
        let values = [("form_token", try await browser.token("/update")), ("credential", "{}")]
        let added = try await browser.post(Self.list, values)
        #expect(added.status == 400 && added.text.contains("Passkeys not changed"))
        let confirmed = try await browser.post("/account/confirm/passkey", values)
        #expect(confirmed.status == 400 && confirmed.text.contains("<h1>Confirm that it is you</h1>"))
        let removed = try await browser.post(Self.list + "/remove", [values[0], ("id", "AAAA")])
        #expect(removed.status == 404 && removed.text.contains("no passkey with this ID"))
        let expired = try await browser.post(Self.list + "/remove", [("form_token", "x"), ("id", "AAAA")])
        #expect(expired.status == 403 && expired.text.contains("The form has expired."))
    }

    /// Returns a signed-in browser whose account has a passkey, with the form fields of the token and of the passkey.
    private func withPasskey() async throws -> (browser: Browser, token: (String, String), id: (String, String)) {
        let backend = try Backend()
        let caller = Caller(backend)
        var client = try PasskeyClient(caller)
        try await client.add(to: try await caller.signUp("Ada"))
        var browser = Browser(backend)
        try await browser.signIn("Ada")
        let token = ("form_token", try await browser.token("/update"))
        return (browser, token, ("id", Base64.encode(client.credential, .urlSafe)))
    }

    @Test("After an error, the list has the entered name, and the error is about the name of a passkey")
    func enteredName() async throws {
        let (signedIn, token, id) = try await withPasskey()
        var browser = signedIn
        let long = String(repeating: "x", count: 65)
        let rename = Self.list + "/rename"
        let renamed = try await browser.post(rename, [token, id, ("name", long)])
        #expect(renamed.status == 422 && renamed.text.contains("The passkey name is 65 characters long."))
        #expect(renamed.text.contains("<details open>"))
        #expect(try HTMLForm(renamed, action: rename)["name"]?["value"] == long)
        let added = try await browser.post(Self.list, [token, ("credential", "{}"), ("name", "Phone")])
        #expect(added.status == 400 && added.text.contains("<input id=\"name\" type=\"text\" value=\"Phone\""))
        #expect(!added.text.contains("<details open>"))
        #expect(try HTMLForm(added, action: rename)["name"]?["value"] == "Passkey")
    }

    @Test("A passkey signs in on the page; one that the server does not know is reported to the password manager")
    func signIn() async throws {
        let backend = try Backend()
        let caller = Caller(backend)
        let token = try await caller.signUp("Ada")
        var client = try PasskeyClient(caller)
        try await client.add(to: token)
        var browser = Browser(backend)
        let formToken = ("form_token", try await browser.token("/signin"))
        func credential() async throws -> (String, String) {
            let result = try client.assertion(try await client.signInOptions())
            return ("credential", String(decoding: result.bytes(), as: UTF8.self))
        }
        let signedIn = try await browser.post("/signin/passkey", [formToken, try await credential()])
        #expect(signedIn.status == 303 && signedIn["Location"] == ["/"])
        #expect(try await browser.signedInAs() == "Ada")
        let id = Base64.encode(client.credential, .urlSafe)
        let change = Caller.object(["id": id])
        #expect(try await caller.call("/api/passkeys", change, method: "DELETE", token: token).status == 200)
        var other = Browser(backend)
        let otherToken = ("form_token", try await other.token("/signin"))
        let unknown = try await other.post("/signin/passkey", [otherToken, try await credential()])
        #expect(unknown.status == 401 && unknown["WWW-Authenticate"] == [Web.challenge])
        #expect(unknown.text.contains("<div data-signal=\"unknown\" data-rp=\"one.test\" data-id=\"\(id)\">"))
        #expect(try await !other.get("/signin").text.contains("<div data-signal"))
    }

    @Test("The home page offers a passkey after a sign-in with a password, until the account has one")
    func offer() async throws {
        let backend = try Backend()
        let caller = Caller(backend)
        let token = try await caller.signUp("Ada")
        var browser = Browser(backend)
        try await browser.signIn("Ada")
        /// Returns whether the home page offers a passkey, whether it says that there is none, and whether there is a
        /// link to review the passkeys.
        func home() async throws -> [Bool] {
            let text = try await browser.get("/").text
            let parts = ["data-offers=\"1\"", "Sign in without a password.", "Review your passkeys"]
            return parts.map { text.contains($0) }
        }
        #expect(try await home() == [true, true, false])
        browser.cookies[Cookie.notice] = "changed"
        #expect(try await home() == [true, true, false], "there is no passkey to review")
        backend.time.withLock { $0 += 301 }
        #expect(try await home() == [false, true, false])
        var client = try PasskeyClient(caller)
        try await client.add(to: token)
        #expect(try await home() == [false, false, false])
        browser.cookies[Cookie.notice] = "changed"
        #expect(try await home() == [false, false, true])
        try await browser.signIn("Ada")
        #expect(try await home() == [false, false, false])
    }

    @Test("A change of passkeys leads back to the list, which confirms the change once")
    func changes() async throws {
        let (signedIn, token, id) = try await withPasskey()
        var browser = signedIn
        let rows = [
            ("/rename", [token, id, ("name", "Work \u{1F511}")], "Passkey renamed."),
            ("/remove", [token, id], "Passkey removed. Delete it from your password manager too."),
        ]
        for (path, values, sentence) in rows {
            let reply = try await browser.post(Self.list + path, values)
            #expect(reply.status == 303 && reply["Location"] == [Self.list], "\(path)")
            let page = try await browser.get(Self.list).text
            #expect(page.contains("<p class=\"notice\" role=\"status\">\(sentence)</p>"), "\(path)")
            #expect(page.contains("Work \u{1F511}</h2>") == (path == "/rename"))
            #expect(try await !browser.get(Self.list).text.contains("role=\"status\""), "\(path)")
        }
    }

    @Test(
        "An item of the list shows where the passkey is stored, and when it was used",
        arguments: [
            (true, true, nil, "Synced", "Never"), (true, false, 1_800_000_059, "Can sync", "2027-01-15 08:00 UTC"),
            (false, false, 1_800_000_060, "This device only", "2027-01-15 08:01 UTC"),
        ] as [(Bool, Bool, UnixTime?, String, String)])
    func item(_ isEligible: Bool, _ isBackedUp: Bool, _ used: UnixTime?, _ storage: String, _ text: String) {
        let passkey = Passkey(
            credential: [0xFB, 0xFF], rpID: "one.test", publicKey: [1], signCount: 0,
            aaguid: [UInt8](repeating: 0, count: 16), isBackupEligible: isEligible, isBackedUp: isBackedUp,
            isUserVerified: true, transports: [], name: "Key", created: 0, used: used)
        let item = PasskeyList.Item(passkey, number: 2, nil)
        #expect(item.storage == storage && item.used == text && item.created == "1970-01-01 00:00 UTC")
        #expect(item.anchor == "passkey-2" && item.id == "-_8" && item.entered == nil)
    }

    @Test("The URLs in the well-known files have the port of the server")
    func port() throws {
        let bench = try Bench()
        var settings = PasskeySettings()
        (settings.domains, settings.sharedDomain) = (["one.test", "two.test", "three.test"], "one.test")
        let limiter = RateLimiter<ClientAddress>(burst: 1, interval: .seconds(1))
        let files = PasskeyFiles(
            ceremonies: PasskeyCeremonies(
                accounts: try bench.accounts(), settings: settings, port: 8443, limiter: limiter),
            errors: ErrorRenderer())
        let peer = Peer(address: try #require(SocketAddress("192.0.2.1", port: 1)))
        let request = Request(head: try Bench.head("GET", "/", host: "one.test:8443"), content: [], peer: peer)
        let endpoints = Reply(files.endpoints(request)).members
        #expect(endpoints?["enroll"] == "https://one.test:8443/account/passkeys")
        #expect(endpoints?["manage"] == "https://one.test:8443/account/passkeys")
        let related = try JSONDocument(files.relatedOrigins(request).content).root.object?["origins"]?.array
        #expect(related?.compactMap(\.string) == ["https://two.test:8443", "https://three.test:8443"])
    }

    @Test("Only pages with passkeys may connect, and only to their own host")
    func policy() async throws {
        var browser = Browser(try Backend())
        #expect(try await browser.get("/signin")["Content-Security-Policy"].allSatisfy(Self.mayConnect))
        #expect(try await browser.get("/signin")["Content-Security-Policy"].count == 1)
        for path in ["/signup", "/", "/check"] {
            #expect(try await browser.get(path)["Content-Security-Policy"] == [], "\(path)")
        }
        try await browser.signUp("Ada")
        #expect(try await browser.get(Self.list)["Content-Security-Policy"].contains(where: Self.mayConnect))
    }

    private static func mayConnect(_ policy: String) -> Bool {
        policy.contains("; connect-src 'self';") && policy.contains("default-src 'none'") && !policy.contains("unsafe")
    }

    @Test("A host of an IP address has no passkeys")
    func address() async throws {
        let backend = try Backend()
        var browser = Browser(backend)
        let token = try await browser.token("/signin")
        let options = try await browser.send(
            "POST", "/signin/passkey/options", ["Host: 127.0.0.1", "Content-Type: \(Browser.type)"],
            content: "form_token=\(token)")
        #expect(options.status == 404 && options.text.contains("\"passkeys_not_available\""))
        _ = try await Caller(backend).signUp("Ada")
        try await browser.signIn("Ada")
        browser.cookies[Cookie.notice] = "changed"
        let home = try await browser.send("GET", "/", ["Host: 127.0.0.1"])
        #expect(home.text.contains("Password changed.") && !home.text.contains("/account/passkeys"))
    }

    struct File: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let shared: String?
        let host: String
        let endpoints: String?
        let origins: String?
    }

    /// W3C, passkey endpoints, section 3; WebAuthn Level 3 §5.11.
    static let files = [
        File(testDescription: "own RP ID", shared: nil, host: "one.test", endpoints: "https://one.test", origins: nil),
        File(
            testDescription: "localhost", shared: nil, host: "localhost", endpoints: "https://localhost", origins: nil),
        File(
            testDescription: "shared RP ID", shared: "one.test", host: "ONE.test.", endpoints: "https://one.test",
            origins: "\"https://two.test\""),
        File(testDescription: "other host", shared: "one.test", host: "two.test", endpoints: nil, origins: nil),
        File(testDescription: "IP address", shared: nil, host: "127.0.0.1", endpoints: nil, origins: nil),
    ]

    @Test("The well-known files depend on the host", arguments: files)
    func wellKnown(_ file: File) async throws {
        let backend = try Backend { demo in
            demo.domains.append("two.test")
            demo.passkeyDomain = file.shared
        }
        func reply(_ name: String) async throws -> Reply {
            try await backend.send("GET", "/.well-known/\(name)", ["Host: \(file.host)"])
        }
        let endpoints = try await reply("passkey-endpoints")
        #expect(endpoints.status == (file.endpoints == nil ? 404 : 200))
        if let origin = file.endpoints {
            #expect(endpoints["Content-Type"] == ["application/json"])
            let members = ["enroll", "manage"].map { "\"\($0)\": \"\(origin)/account/passkeys\"" }
            for member in members { #expect(endpoints.text.contains(member)) }
        }
        let related = try await reply("webauthn")
        #expect(related.status == (file.origins == nil ? 404 : 200))
        if let origins = file.origins {
            #expect(related["Content-Type"] == ["application/json"])
            #expect(related.text.contains(origins) && !related.text.contains("https://one.test"))
        }
    }
}
