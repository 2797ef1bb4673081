import HTTPTypes
import MotivatorHTTP
import Testing

@testable import UltraMotivator

/// The rules are in docs/site-and-api.md, "Pages".
@Suite("The forms of the site") struct WebFormTests {
    struct Input: Sendable {
        let name: String
        let label: String
        let autocomplete: String
        var rules = false
        var hint = false
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let path: String
        let isSignedIn: Bool
        let title: String
        let inputs: [Input]
        let suggests: Bool
        /// The focused field.
        let focus: String

        var testDescription: String { "\(path), signed \(isSignedIn ? "in" : "out")" }
    }

    private static let userName = Input(name: "username", label: "User name", autocomplete: "username")
    private static let signInName = Input(
        name: "username", label: "User name", autocomplete: "username webauthn")
    private static let password = Input(name: "password", label: "Password", autocomplete: "current-password")
    private static let signUp = [
        userName,
        Input(name: "password", label: "Password", autocomplete: "new-password", rules: true, hint: true),
        Input(name: "confirm_password", label: "Confirm password", autocomplete: "new-password", rules: true),
    ]
    private static let update = [
        userName,
        Input(name: "current_password", label: "Current password", autocomplete: "current-password"),
        Input(name: "new_password", label: "New password", autocomplete: "new-password", rules: true, hint: true),
        Input(name: "confirm_new_password", label: "Confirm new password", autocomplete: "new-password", rules: true),
    ]

    static let cases: [Case] = [false, true].flatMap { isSignedIn in
        ["/signup", "/ultra_motivator/web/signup.py"].map {
            Case(
                path: $0, isSignedIn: isSignedIn, title: "Sign up", inputs: signUp, suggests: true, focus: "username")
        }
            + ["/signin", "/ultra_motivator/web/signin.py"].map {
                Case(
                    path: $0, isSignedIn: isSignedIn, title: "Sign in", inputs: [signInName, password], suggests: false,
                    focus: "username")
            }
            + ["/update", "/ultra_motivator/web/update.py"].map {
                Case(
                    path: $0, isSignedIn: isSignedIn, title: "Change password", inputs: update, suggests: true,
                    focus: isSignedIn ? "current_password" : "username")
            }
            + (isSignedIn
                ? [
                    Case(
                        path: "/account/delete", isSignedIn: true, title: "Delete account",
                        inputs: [userName, password], suggests: false, focus: "password")
                ] : [])
    }

    /// A user name that would end its attribute if it were not escaped.
    private static let name = "Ada\"'<&>"

    /// Returns a visitor with or without a session.
    private func browser(signedIn: Bool) async throws -> Browser {
        var browser = Browser(try Backend())
        if signedIn { try await browser.signUp(Self.name) }
        return browser
    }

    @Test("Each form has its fields, by which password managers recognize it", arguments: [false, true])
    func forms(_ isSignedIn: Bool) async throws {
        var browser = try await browser(signedIn: isSignedIn)
        for example in Self.cases where example.isSignedIn == isSignedIn {
            let reply = try await browser.get(example.path)
            try expectFields(reply, example)
            try expectAttributes(reply, example)
            try expectLinks(reply, example)
        }
    }

    private func expectFields(_ reply: Reply, _ example: Case) throws {
        #expect(reply.status == 200)
        #expect(reply["Content-Type"] == ["text/html; charset=utf-8"])
        #expect(reply["Cache-Control"] == ["no-store"])
        let form = try HTMLForm(reply, action: example.path)
        #expect(form.attributes == ["method": "post", "action": example.path])
        #expect(form.visible == example.inputs.map(\.name))
        #expect(reply.text.contains("<title>\(example.title) – Ultra Motivator</title>"))
        #expect(reply.text.contains("<h1>\(example.title)</h1>"))
        #expect(reply.text.contains("<button type=\"submit\">\(example.title)</button>"))
        #expect(
            reply.text.contains(#"type="submit" name="suggest" value="1" formnovalidate>"#) == example.suggests)
        #expect(reply.text.matches(of: #/<form /#).count == 1, "each page must have exactly one form")
        #expect(reply.text.contains(#"role="alert""#) == false)
    }

    private func expectAttributes(_ reply: Reply, _ example: Case) throws {
        let form = try HTMLForm(reply, action: example.path)
        for input in example.inputs {
            let field = try #require(form[input.name])
            let isName = input.name == "username"
            let isKnown =
                isName && example.isSignedIn && ["username", "current_password", "password"].contains(example.focus)
                && !example.path.contains("sign")
            #expect(field["id"] == input.name)
            #expect(field["type"] == (isName ? "text" : "password"))
            #expect(field["autocomplete"] == input.autocomplete)
            #expect(field["passwordrules"] == (input.rules ? "minlength: 8;" : nil))
            #expect(field["minlength"] == (input.rules ? "8" : nil))
            #expect(field["required"] == "")
            #expect(
                field["autocapitalize"] == "none" && field["autocorrect"] == "off" && field["spellcheck"] == "false")
            #expect(field["value"] == (isKnown ? "Ada&quot;&#39;&lt;&amp;&gt;" : ""))
            #expect((field["readonly"] == "") == isKnown)
            #expect((field["autofocus"] == "") == (input.name == example.focus))
            #expect(field["aria-invalid"] == nil)
            #expect(field["aria-describedby"] == (input.hint ? "\(input.name)-hint" : nil))
            #expect((form.text(id: "\(input.name)-hint") != nil) == input.hint)
            #expect(form.page.contains(#"<label for="\#(input.name)">\#(input.label)</label>"#))
        }
    }

    private func expectLinks(_ reply: Reply, _ example: Case) throws {
        let header = try #require(reply.text.firstMatch(of: #/<nav [^>]*>([\s\S]*?)</nav>/#)).output.1
        #expect(header.contains(#"<a href="/account" aria-current="true">Account</a>"#))
        let actions = try #require(reply.text.firstMatch(of: #/<p class="actions([^"]*)">([\s\S]*?)<\/p>/#)).output
        let link =
            switch example.title {
            case "Sign up": #"<a href="/signin">Already have an account? Sign in</a>"#
            case "Sign in": #"<a href="/signup">No account yet? Sign up</a>"#
            case _: #"<a class="button quiet" href="/">Cancel</a>"#
            }
        #expect(reply.text.contains(link) && actions.2.contains("<a ") == link.contains("Cancel"))
        #expect(actions.1 == (example.title == "Delete account" ? " danger" : ""))
    }

    @Test("A page that is rendered in advance is the page that its template gives", arguments: cases)
    func prerendered(_ example: Case) throws {
        let pages = Pages.shared
        let minimum = 8
        let form: FormPage =
            switch example.title {
            case "Sign up": .signUp(minimum: minimum, at: example.path)
            case "Sign in": .signIn(at: example.path)
            case "Change password": .update(minimum: minimum, at: example.path)
            case _: .delete(at: example.path)
            }
        let prerendered = PrerenderedForm(form, pages)
        for name in ["Ada", "\"\u{301} onfocus=\"<&'>", String(repeating: "🦊", count: 64)] {
            for token in ["", "<token>", String(repeating: "0a", count: 32)] {
                let session = example.isSignedIn ? name : nil
                let whole = pages.form(form.addressed(formToken: token, signedInAs: session), status: .ok)
                let spliced = pages.form(prerendered, formToken: token, signedInAs: session)
                #expect(spliced.content == whole.content)
                #expect(spliced.fields == whole.fields && spliced.status == whole.status)
            }
        }
    }

    @Test("The account is deleted only by a visitor who is signed in: others are sent to sign in")
    func deletionNeedsSession() async throws {
        var browser = Browser(try Backend())
        let reply = try await browser.get("/account/delete")
        #expect(reply.status == 303 && reply["Location"] == ["/signin"])
        #expect(reply["Cache-Control"] == ["no-store"])
    }

    @Test("The link to the account leads to the home page of a session, or to the form for signing in")
    func account() async throws {
        var browser = Browser(try Backend())
        #expect(try await browser.get("/account")["Location"] == ["/signin"])
        try await browser.signUp("Ada")
        let reply = try await browser.get("/account")
        #expect(reply.status == 303 && reply["Location"] == ["/"] && reply["Cache-Control"] == ["no-store"])
    }

    @Test("The header marks the current page, and links to the faults only if there are any")
    func header() throws {
        func marked(_ path: String) -> [String] {
            Frame(path, hasFaults: true).links.compactMap { link in link.current.map { "\(link.text): \($0)" } }
        }
        #expect(marked("/check") == ["Check: page"] && marked("/check/codes") == ["Check: true"])
        #expect(marked("/account") == ["Account: page"] && marked("/account/form") == ["Account: true"])
        #expect(marked("/faults") == ["Faults: page"] && marked("").isEmpty && marked("/checks").isEmpty)
        let template = Array(
            "{{<layout}}{{$title}}{{title}}{{/title}}{{$main}}<h1>{{title}}</h1>{{/main}}{{/layout}}".utf8)
        let pages = Pages(faults: ["faults": template])
        let page = pages.render(["title": "<Faults>"], "faults", at: "/faults")
        let text = String(decoding: page, as: UTF8.self)
        #expect(text.contains("<title>&lt;Faults&gt;</title>") && text.contains("<h1>&lt;Faults&gt;</h1>"))
        #expect(text.contains(#"<a href="/faults" aria-current="page">Faults</a>"#))
        for (templates, count) in [(nil, 0), (["faults": template], 2)] as [([String: [UInt8]]?, Int)] {
            let page = String(decoding: Pages(faults: templates).welcome(nil).content, as: UTF8.self)
            #expect(page.matches(of: #/href="\/faults"/#).count == count)
        }
    }

    @Test("The minimum length of the configuration is in the hint and in the rules")
    func minimumLength() throws {
        let page = FormPage.signUp(minimum: 15, at: "/signup")
        #expect(page.fields.map(\.minimum) == [nil, 15, 15])
        #expect(page.fields.map(\.rules) == [nil, "minlength: 15;", "minlength: 15;"])
        #expect(page.fields[1].hint?.contains("At least 15 characters") == true)
        #expect(FormPage.update(minimum: 15, at: "/update").fields.map(\.minimum) == [nil, nil, 15, 15])
    }

    @Test("The home page of visitors without a session has links, a form to check, no quote, and sets no cookie")
    func welcome() async throws {
        let backend = try Backend()
        var browser = Browser(backend)
        let first = try await browser.get("/")
        #expect(first.status == 200 && first["Cache-Control"] == ["no-store"])
        #expect(first["Content-Type"] == ["text/html; charset=utf-8"])
        let forms = first.text.split(separator: "<form ").dropFirst().map { $0.prefix { $0 != ">" } }
        #expect(first.cookies.isEmpty && forms == [#"method="post" action="/check""#])
        #expect(!first.text.contains("<blockquote") && Motivation.quotes.allSatisfy { !first.text.contains($0.text) })
        for link in ["/signup", "/signin", "/docs", "/check"] { #expect(first.text.contains(#"href="\#(link)""#)) }
        #expect(
            try await Browser(backend, from: "192.0.2.9").backend.send("GET", "/", ["Host: one.test"]).content
                == first.content)
    }

    @Test("The home page of a session greets by name, shows a quote, and leads to every change")
    func home() async throws {
        var browser = Browser(try Backend())
        try await browser.signUp(Self.name)
        browser.cookies = [:]
        _ = try await browser.signIn(Self.name)
        browser.cookies[Cookie.notice] = nil
        let reply = try await browser.get("/")
        #expect(reply.status == 200 && reply["Cache-Control"] == ["no-store"] && reply.cookies.isEmpty)
        #expect(try await browser.signedInAs() == "Ada&quot;&#39;&lt;&amp;&gt;")
        #expect(reply.text.contains("<title>Ada&quot;&#39;&lt;&amp;&gt; – Ultra Motivator</title>"))
        #expect(try HTMLForm(reply, action: "/signout").attributes["method"] == "post")
        for link in ["/update", "/account/delete"] { #expect(reply.text.contains(#"href="\#(link)""#)) }
        var last = ""
        for _ in 0..<20 {
            let text = try await browser.get("/").text
            let quote = try #require(text.firstMatch(of: #/<blockquote><p>(.*?)</p>/#)).output.1
            #expect(Motivation.quotes.contains { $0.text == quote } && quote != last, "\(quote)")
            last = String(quote)
        }
    }
}
