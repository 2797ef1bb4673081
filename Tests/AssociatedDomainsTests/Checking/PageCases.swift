import HTTPSClient

@testable import AssociatedDomains
@testable import AssociationChecker
@testable import SharedWebCredentials

/// Pages with forms (Apple, "Enabling Password AutoFill on an HTML input element"; Chromium, "Password form styles").
enum PageCases {
    static let all = correct + tokens + processes + rules + targets + changeURLs

    private static let guess = "guess the purpose of the fields without a known token on page.html"

    /// Pages with their conclusions. Apple's page says that tokens help where the heuristics of a device fail.
    static let conclusions: [(name: String, html: String, conclusion: String)] = [
        ("a sign-in", "<form>\(user)\(current)</form>", "will offer saved passwords on page.html."),
        ("the first page of a sign-in", "<form>\(user)</form>", "will offer saved passwords on page.html."),
        ("a sign-up", "<form>\(user)\(new)\(new)</form>", "will offer a generated password on page.html."),
        (
            "a change", "<form>\(user)\(current)\(new)</form>",
            "will offer saved passwords and a generated password on page.html."
        ),
        (
            "a sign-up without tokens",
            "<form><input type=email name=mail><input type=password name=p><input type=password name=q></form>",
            "will \(guess): 3 warnings."
        ),
        (
            "AutoFill is off", "<form>\(user)<input type=password autocomplete=off></form>",
            "will offer saved passwords and \(guess): 1 warning."
        ),
        (
            "only the user name without a token", "<form><input name=login>\(current)</form>",
            "will offer saved passwords on page.html: 1 warning."
        ),
        ("the first page without a token", "<form><input type=email></form>", "will \(guess): 1 warning."),
        (
            "a new password to sign in", "<form id=login>\(user)\(new)</form>",
            "will offer a generated password on page.html: 1 warning."
        ),
        (
            "a sign-in and a newsletter", "<form>\(user)\(current)</form><form><input type=email></form>",
            "will offer saved passwords on page.html."
        ),
        ("a page without fields", "<p>Loading…</p>", "will not fill the forms of page.html: 1 error."),
    ]

    private static let user = "<input name=user autocomplete=username>"
    private static let current = "<input type=password name=old autocomplete=current-password>"
    private static let new = "<input type=password name=new autocomplete=new-password>"

    private static let code = "<input name=c maxlength=1 autocomplete=one-time-code>"
    /// A trick against AutoFill.
    private static let unlocked = "readonly onfocus=\"this.removeAttribute('readonly')\""

    /// Returns a form whose new password has a `maxlength`.
    private static func limited(_ most: Int, _ rules: String = "") -> String {
        "<form>\(user)\(new.replacing(">", with: " maxlength=\(most) passwordrules='\(rules)'>"))</form>"
    }

    private static func patterned(_ pattern: String, _ rules: String) -> String {
        limited(-1, rules).replacing(" maxlength=-1", with: " pattern='\(pattern)'")
    }

    private static let twoTokens = "<input type=password name=p autocomplete='new-password password'>"

    /// Pages with the problem and the fix of their only issue.
    static let texts: [(html: String, problem: String, fix: String)] = [
        (
            "<form id=login>\(user)\(new)</form>", "the only password is new-password",
            #"Write autocomplete="current-password" if the page asks for the existing password. If it sets a new one, "#
                + "add a field for the confirmation"
        ),
        (
            "<form>\(user)\(current)<input name=new autocomplete=current-password></form>",
            "several fields are for an existing password: \"old\", \"new\"",
            "Use new-password for a new password and its confirmation"
        ),
        (
            patterned("(?=.*[a-z])(?=.*[A-Z])(?=.*[0-9]).*", "required: lower; required: upper, digit"),
            "the pattern of the field \"new\" requires each of these classes, but the passwordrules do not: upper, digit",
            "Write \"required: upper; required: digit\" in the passwordrules"
        ),
        (
            "<form><input name=u autocomplete='username email'>\(current)</form>",
            "browsers ignore autocomplete=\"username email\" of the field \"u\": it is not a single token",
            "Write autocomplete=\"username\""
        ),
        (
            "<form><input name=u autocomplete='webauthn username'>\(current)</form>",
            "browsers ignore autocomplete=\"webauthn username\" of the field \"u\": webauthn is not the last token",
            "Write autocomplete=\"username webauthn\""
        ),
        ("<form>\(user)\(twoTokens)</form>", "browsers ignore", "Write autocomplete=\"new-password\""),
        (
            "<form>\(user)<input type=password name=p autocomplete='current-password new-password'></form>",
            "browsers ignore", "Write autocomplete=\"current-password\" for an existing password"
        ),
        (
            "<form><input name=q autocomplete=email>\(current)</form>", "the form has a password",
            "Write autocomplete=\"username\" in the field \"q\""
        ),
        (
            "<form>\(user)\(new.replacing(">", with: " passwordrules='minlength=14'>"))</form>",
            "devices ignore the passwordrules: minlength has \"=\" instead of a colon at column 10",
            "Write \"minlength: 14;\""
        ),
        (
            "<form>\(user)\(new.replacing(">", with: " passwordrules='minlength : 14'>"))</form>",
            "minlength has \" :\" instead of a colon at column 10", "Write \"minlength: 14;\""
        ),
        (
            "<form action=/signup>\(user)\(new)<input type=password name=again autocomplete=current-password></form>",
            "\"again\" repeats the new password, but is current-password",
            "Use new-password for a new password and its confirmation"
        ),
        (
            "<form>\(code)\(code)\(code)\(code)\(code)\(code)</form>",
            "6 fields have one-time-code, but AutoFill enters the whole code into one field",
            "Use one field for the whole code"
        ),
        (
            "<form><input name=u autocomplete=username \(unlocked)><input type=password name=p \(unlocked)></form>",
            "AutoFill skips read-only fields: \"u\", \"p\"", "Remove readonly from the HTML"
        ),
        (
            "<form>\(user)\(current.replacing(">", with: " readonly>"))</form>", "read-only fields: \"old\"",
            "Remove readonly"
        ),
        (
            limited(10), "the field \"new\" accepts at most 10 characters, but a generated password has 20",
            "Raise maxlength to at least 20, or remove it"
        ),
        (
            limited(10, "minlength: 14"), "10 characters, but its passwordrules require 14",
            "Raise maxlength to at least 20"
        ),
        (limited(11, "maxlength: 12"), "but a generated password has 12", "Raise maxlength to at least 12"),
    ]

    private static func page(
        _ name: String, _ html: String, _ codes: Set<String>, url: String? = "https://example.com/account"
    ) -> CheckCase {
        CheckCase(
            name: name, verdicts: codes.isDisjoint(with: ["form-missing", "form-read-only"]) ? "AAAA" : "DDAA",
            codes: codes
        ) {
            PageLint.report(Array(html.utf8), name: "page.html", url: try url.map { try WebURL($0) })
        }
    }

    private static func rules(_ name: String, _ rules: String, _ codes: Set<String>) -> CheckCase {
        page(name, "<form>\(user)\(new.replacing(">", with: " passwordrules='\(rules)'>"))</form>", codes)
    }

    private static let correct = [
        page("a form to sign in", "<form>\(user)\(current)</form>", []),
        page("a form to sign up, with a confirmation", "<form>\(user)\(new)\(new)</form>", []),
        page(
            "a form to change the password",
            "<form><input readonly name=u value=ray autocomplete=username>\(current)\(new)\(new)</form>", []),
        page("the first page of a sign-in", "<form>\(user)</form>", []),
        page("a sign-in and a newsletter", "<form>\(user)\(current)</form><form><input type=email></form>", []),
        page("a sign-in and a sign-up", "<form>\(user)\(current)</form><form>\(user)\(new)</form>", []),
        page(
            "a code and a card number are no passwords",
            """
            <form>\(user)\(current)<input type=password autocomplete=one-time-code><input type=password \
            autocomplete=cc-csc></form>
            """, []),
    ]

    private static let tokens = [
        page("a page without fields", "<p>Loading…</p><form><input name=q></form>", ["form-missing"]),
        page("a page for a code", "<form>\(code)</form>", []),
        page("a code in several fields", "<form>\(user)\(current)\(code)\(code)</form>", ["form-combined"]),
        page("a password without a token", "<form>\(user)<input type=password name=p></form>", ["form-token"]),
        page(
            "an unknown token", "<form>\(user)<input type=password name=p autocomplete=password></form>", ["form-token"]
        ),
        page("the first page of a sign-in without a token", "<form><input type=email name=e></form>", ["form-token"]),
        page(
            "AutoFill is off in a field", "<form>\(user)<input type=password autocomplete=OFF></form>",
            ["form-autocomplete-off"]),
        page(
            "AutoFill is off in a form", "<form autocomplete=off>\(user)<input type=password></form>",
            ["form-autocomplete-off"]),
        page("two tokens", "<form><input name=u autocomplete='username email'>\(current)</form>", ["form-token"]),
        page("two tokens of a new password", "<form>\(user)\(twoTokens)</form>", ["form-token"]),
        page("the first page, with two tokens", "<form><input autocomplete='email username'></form>", ["form-token"]),
        page("the token of an address", "<form><input name=q autocomplete=email>\(current)</form>", ["form-user-name"]),
        page("a form turns AutoFill off, but its fields do not", "<form autocomplete=off>\(user)\(current)</form>", []),
    ]

    private static let processes = [
        page("no form", user + current, ["form-element"]),
        page("a new password before the existing one", "<form>\(user)\(new)\(current)</form>", []),
        page(
            "a confirmation of the existing password",
            "<form>\(user)\(new)<input name=password_confirmation autocomplete=current-password></form>",
            ["form-combined"]),
        page(
            "a field of a calendar", "<form>\(user)\(current)<input name=d readonly onfocus='show()'></form>", []),
        page("no user name", "<form>\(current)</form>", ["form-user-name"]),
        page("a user name without a token", "<form><input name=login>\(current)</form>", ["form-user-name"]),
        page(
            "a hidden user name", "<form><input type=hidden autocomplete=username>\(current)</form>", ["form-user-name"]
        ),
        page("only a new password", "<form>\(new)</form>", ["form-new-password"]),
        page("a new password to sign in", "<form id=login>\(user)\(new)</form>", ["form-new-password"]),
        page("a new password to sign up", "<form id=create-login>\(user)\(new)</form>", [], url: nil),
        page("two existing passwords", "<form>\(user)\(current)\(current)</form>", ["form-combined"]),
        page("a new password and its confirmation", "<form>\(new)\(new)</form>", ["form-user-name"]),
        page("two forms for a sign-in", "<form>\(user)</form><form>\(current)</form>", ["form-split"]),
        page("two forms for a change", "<form>\(current)</form><form>\(new)</form>", ["form-split"]),
        page(
            "a change and a deletion", "<form>\(user)\(current)\(new)</form><form>\(current)</form>", ["form-user-name"]
        ),
        page(
            "a password that a script unlocks, beside a user name",
            "<form>\(user)<input type=password name=p autocomplete=new-password \(unlocked)></form>",
            ["form-read-only"]),
        page("one form for two processes", "<form>\(user)\(current)\(user)\(new)</form>", ["form-combined"]),
    ]

    private static let rules = [
        rules("strict rules", "minlength: 12; required: lower; required: digit", []),
        rules("a character outside ASCII", "required: lower; required: [!£]", ["form-rules-strict"]),
        rules("an unknown rule", "length: 12", ["form-rules-ignored"]),
        rules(
            "several mistakes", "required: Lower; allowed: digit; length: 12",
            ["form-rules-strict", "form-rules-ignored"]),
        rules("impossible rules", "minlength: 9; maxlength: 3", ["form-rules-strict", "form-rules-ignored"]),
        rules("a new name", "max-repeating: 2", ["form-rules-strict"]),
        rules("weak rules", "maxlength: 8", ["form-rules-weak"]),
        page("room for a generated password", limited(20), []),
        page("room for a password that satisfies the rules", limited(12, "maxlength: 12"), []),
        page("no limit", limited(-1), []),
        page("room for 19 characters", limited(19), ["form-maxlength"]),
        page("a pattern with a required class", patterned(#"(?=.*\d).+"#, "required: digit; required: lower"), []),
        page("a pattern with an allowed class", patterned(#"(?=.*\d).+"#, "required: lower, digit"), ["form-pattern"]),
        page(
            "a pattern without rules", "<form>\(user)\(new.replacing(">", with: " pattern='(?=.*[A-Z]).+'>"))</form>",
            []),
        page(
            "rules of an existing password",
            "<form>\(user)\(current.replacing(">", with: " passwordrules='minlength: 12'>"))</form>",
            ["form-rules-field"]),
    ]

    private static let targets = [
        page("the own host", "<form action=/session>\(user)\(current)</form>", []),
        page("another host", "<form action=https://login.example.net/>\(user)\(current)</form>", ["form-target"]),
        page("an insecure target", "<form action=http://example.com/>\(user)\(current)</form>", ["form-target"]),
        page("a file has no host", "<form action=https://example.net/>\(user)\(current)</form>", [], url: nil),
        page(
            "but its target can be insecure", "<form action=http://a.test/>\(user)\(current)</form>", ["form-target"],
            url: nil),
    ]

    /// `PageLoaderTests` detects these issues on a server.
    private static let changeURLs = [
        PageIssue.noChangeURL(host: "example.com", reason: "status 404"), .unreliableStatus(host: "example.com"),
    ].map { issue in
        CheckCase(name: issue.entry.problem, verdicts: "AAAA", codes: [issue.entry.diagnostic.code]) {
            let html = "<form>\(user)\(current)</form>"
            return PageLint.report(Array(html.utf8), name: "p", url: nil, [Issue(issue, in: "p")])
        }
    }
}
