package import AssociatedDomains

/// An issue with the forms of a sign-in, sign-up or change page. The detector is in `SharedWebCredentials`.
package enum PageIssue: CatalogIssue {
    case noFields, noForm
    /// A field has no token that AutoFill recognizes. The value is that of `autocomplete`.
    case noToken(field: String, value: String, isPassword: Bool)
    case autocompleteOff(field: String)
    /// A form with a password has no field for the user name, except perhaps one without the token.
    case noUserName(candidate: String?)
    /// The only field of a form is for a new password.
    case newForCurrent(savedFor: String?, hasUserName: Bool = false)
    case splitForm
    /// A form of several processes, with a field that repeats the new password, or with several fields for one code.
    /// `existing` contains the names of the fields if several are for an existing password.
    case combinedForm(existing: [String] = [], repeated: String? = nil, codes: Int = 0)
    case readOnly(fields: [String])
    /// A field for a new password accepts fewer characters than a device generates, or than the rules require.
    case shortField(String, Int, generated: Int, Int?)
    /// The `pattern` of a field requires characters of classes that a generated password may not have.
    case otherPattern(String, missing: [String])
    /// A device drops the `passwordrules`, or generates a password that does not satisfy them.
    case rulesIgnored(reason: String, fix: String)
    case rulesStrict(reason: String, fix: String)
    case rulesWeak(reason: String)
    case rulesElsewhere(field: String)
    case otherTarget(String)
    case noChangeURL(host: String, reason: String)
    case unreliableStatus(host: String)

    private static let user = #"<input name="user" autocomplete="username">"#
    private static let current = #"<input type="password" name="p" autocomplete="current-password">"#
    private static let new = #"<input type="password" name="p" autocomplete="new-password">"#

    private static let passwordFix =
        "Write autocomplete=\"current-password\" for an existing password, or \"new-password\" for a new one"
    private static let signIn = "<form>\(user + current)</form>"

    private static func list(_ fields: [String]) -> String { fields.map(\.debugDescription).joined(separator: ", ") }

    private static func patterned(_ rules: String) -> String {
        new(rules: rules).replacing(" passwordrules", with: #" pattern="(?=.*\d).*" passwordrules"#)
    }

    private static func new(rules: String) -> String {
        "<form>\(user)" + new.replacing(">", with: #" passwordrules="\#(rules)"></form>"#)
    }

    package static let examples: [PageIssue] = [
        .noFields, .noForm, .noToken(field: "p", value: "", isPassword: true), .autocompleteOff(field: "p"),
        .noUserName(candidate: nil), .newForCurrent(savedFor: nil), .splitForm, .combinedForm(),
        .readOnly(fields: []), .shortField("p", 10, generated: 20, nil), .otherPattern("p", missing: ["digit"]),
        .rulesIgnored(reason: "unknown password rule", fix: "Use minlength"),
        .rulesStrict(reason: "a space follows the value", fix: "Remove the space"), .rulesWeak(reason: "too short"),
        .rulesElsewhere(field: "p"), .otherTarget("https://other.example/"),
        .noChangeURL(host: "example.com", reason: "status 404"), .unreliableStatus(host: "example.com"),
    ]

    package var entry: CatalogEntry {
        switch self {
        case .noFields:
            row(
                "form-missing", "The page has a field for a user name or password.",
                "AutoFill reads the fields of the page.", .autoFill, "<p>Loading…</p>", fixed: Self.signIn, is: .denial,
                problem: "the page has no field for a user name or password",
                fix: "Use the page with the form. If a script creates the form, save the HTML from a browser")
        case .noForm:
            row(
                "form-element", "Password fields are inside a <form> element.",
                "A browser detects a sign-in by the form that is submitted.", .passwordForms,
                Self.user + Self.current, fixed: Self.signIn, problem: "a password field is outside all forms",
                fix: "Put the fields of the process and its button into one <form> element")
        case .noToken(let field, let value, let isPassword): noToken(field.debugDescription, value, isPassword)
        case .autocompleteOff(let field):
            row(
                "form-autocomplete-off", "A form does not turn off AutoFill.",
                "Safari ignores autocomplete=\"off\" for passwords, and guesses the purpose of the field.", .autoFill,
                #"<form>\#(Self.user)<input type="password" name="p" autocomplete="off"></form>"#, fixed: Self.signIn,
                problem: "Safari ignores autocomplete=\"off\" of the field \(field.debugDescription)",
                fix: Self.passwordFix)
        case .noUserName(let candidate):
            row(
                "form-user-name", "A form with a password has a field for the user name.",
                "Without it, a device saves the password for no user, or for a guessed one.", .passwordForms,
                "<form>\(Self.current)</form>", fixed: Self.signIn,
                problem: "the form has a password, but no autocomplete=\"username\"",
                fix: candidate.map { "Write autocomplete=\"username\" in the field \($0.debugDescription)" }
                    ?? "Add a field with autocomplete=\"username\" and the user name. It can be read-only or hidden with CSS"
            )
        case .newForCurrent(let host, let hasUserName):
            row(
                "form-new-password", "A form that asks for the existing password has current-password.",
                "For new-password, a device offers a generated password, and may overwrite the saved one.", .autoFill,
                "<form>\(Self.new)</form>", fixed: "<form>\(Self.user + Self.new)</form>",
                problem: "the only password is new-password, so a device offers a generated password"
                    + (host.map { ", although a password is saved for \($0)" } ?? ""),
                fix: "Write autocomplete=\"current-password\" if the page asks for the existing password. If it sets a "
                    + "new one, add a field "
                    + (hasUserName ? "for the confirmation" : "with autocomplete=\"username\""))
        case .splitForm:
            row(
                "form-split", "One process has one form.",
                "A browser saves the user name and password that are submitted together.", .passwordForms,
                "<form>\(Self.user)</form><form>\(Self.current)</form>", fixed: Self.signIn,
                problem: "the fields of one process are in two forms", fix: "Put them into one form")
        case .combinedForm(let existing, let repeated, let codes):
            row(
                "form-combined", "A form has one process, and one field for each value.",
                "AutoFill cannot determine which fields belong together.", .passwordForms,
                "<form>\(Self.user + Self.current + Self.user + Self.new)</form>",
                fixed: "\(Self.signIn)<form>\(Self.user + Self.new)</form>",
                problem: codes > 0
                    ? "\(codes) fields have one-time-code, but AutoFill enters the whole code into one field"
                    : repeated.map { "\($0.debugDescription) repeats the new password, but is current-password" }
                        ?? (existing.isEmpty
                            ? "the form has several fields for a user name"
                            : "several fields are for an existing password: \(Self.list(existing))"),
                fix: codes > 0
                    ? "Use one field for the whole code. To separate its digits, use CSS, such as letter-spacing"
                    : "Use new-password for a new password and its confirmation"
                        + (existing.isEmpty && repeated == nil ? ", and a separate form for each process" : ""))
        case .readOnly(let fields):
            row(
                "form-read-only", "AutoFill can change the fields.",
                "AutoFill skips a read-only field, even if a script removes readonly when the field gets the focus.",
                .autoFill, "<form>\(Self.user + Self.current.replacing(">", with: " readonly>"))</form>",
                fixed: Self.signIn, is: .denial, problem: "AutoFill skips read-only fields: \(Self.list(fields))",
                fix: "Remove readonly from the HTML, and the script that removes it")
        case .shortField(let field, let limit, let generated, let required):
            row(
                "form-maxlength", "A field for a new password accepts a generated password.",
                "A device generates 20 characters unless the passwordrules say otherwise.", .passwordRules,
                "<form>\(Self.user + Self.new.replacing(">", with: " maxlength=\"10\">"))</form>",
                fixed: "<form>\(Self.user + Self.new)</form>",
                problem: "the field \(field.debugDescription) accepts at most \(limit) characters, but "
                    + (required ?? 0 > limit
                        ? "its passwordrules require \(required ?? 0)" : "a generated password has \(generated)"),
                fix: "Raise maxlength to at least \(generated), or remove it")
        case .otherPattern(let field, let missing):
            row(
                "form-pattern", "A generated password matches the pattern of its field.",
                "A device follows the passwordrules, not the pattern. A comma in required means any of the classes.",
                .passwordRules, Self.patterned("required: lower, digit"),
                fixed: Self.patterned("required: lower; required: digit"),
                problem: "the pattern of the field \(field.debugDescription) requires each of these classes, but the "
                    + "passwordrules do not: \(missing.joined(separator: ", "))",
                fix: "Write \"\(missing.map { "required: \($0)" }.joined(separator: "; "))\" in the passwordrules")
        case .rulesIgnored(let reason, let fix):
            row(
                "form-rules-ignored", "Devices can follow the passwordrules.",
                "A device drops the whole value. Its password may not satisfy the site's rules.", .passwordRules,
                Self.new(rules: "length: 12"), fixed: Self.new(rules: "minlength: 12"),
                problem: "devices ignore the passwordrules: \(reason)", fix: fix)
        case .rulesStrict(let reason, let fix):
            row(
                "form-rules-strict", "The passwordrules follow Apple's syntax.",
                "Devices are lenient, but other password managers may ignore the rules.", .passwordRules,
                Self.new(rules: "required: lower; required: [!£]"),
                fixed: Self.new(rules: "required: lower; required: [!]"), problem: "in the passwordrules, \(reason)",
                fix: fix)
        case .rulesWeak(let reason):
            row(
                "form-rules-weak", "The passwordrules allow 12 characters and two character classes.",
                "Devices may ignore rules for weak passwords.", .passwordRules, Self.new(rules: "maxlength: 8"),
                fixed: Self.new(rules: "maxlength: 20"),
                problem: reason, fix: "Allow at least 12 characters from several classes")
        case .rulesElsewhere(let field):
            row(
                "form-rules-field", "Only fields for new passwords have passwordrules.",
                "Devices read the rules when they generate a password.", .passwordRules,
                "<form>\(Self.user)"
                    + Self.current.replacing(">", with: #" passwordrules="minlength: 12"></form>"#), fixed: Self.signIn,
                problem: "the passwordrules of the field \(field.debugDescription) have no effect",
                fix: "Move them to the field with autocomplete=\"new-password\", or remove them")
        case .otherTarget(let target):
            row(
                "form-target", "A form sends its password to the page's own host, over https.",
                "A device saves the password for the page's host, and does not offer it on another host.",
                .passwordForms, #"<form action="https://other.example/">\#(Self.user + Self.current)</form>"#,
                fixed: #"<form action="/session">\#(Self.user + Self.current)</form>"#,
                problem: "the form sends the password to \(target)",
                fix: "Use an https URL of the page's own host as the action of the form")
        case .noChangeURL(let host, let reason):
            row(
                "form-change-url", "The host redirects /.well-known/change-password to its page.",
                "Password managers open this URL to change a weak password.", .changeURL, "status 404",
                fixed: "status 302 to the page", problem: "\(host) has no /.well-known/change-password: \(reason)",
                fix: "Redirect https://\(host)/.well-known/change-password to the page that changes passwords")
        case .unreliableStatus(let host):
            row(
                "form-change-probe", "The host responds with an error status for a missing page.",
                "Password managers request a path that cannot exist. After status 200, they do not trust the change URL.",
                .changeURL, "status 200 for every path", fixed: "status 404 for unknown paths",
                problem: "\(host) responds with status 200 for a path that cannot exist",
                fix: "Respond with status 404 for unknown paths")
        }
    }

    private func noToken(_ field: String, _ value: String, _ isPassword: Bool) -> CatalogEntry {
        let words = value.split(whereSeparator: \.isWhitespace).map(String.init)
        let tokens = ["username", "current-password", "new-password"].filter(words.contains)
        return row(
            "form-token", "Each field for a user name or password has an autocomplete token.",
            "Without tokens, AutoFill guesses the purpose of a field.", .autoFill,
            #"<form>\#(Self.user)<input type="password" name="p"></form>"#, fixed: Self.signIn,
            problem: tokens.isEmpty
                ? "the field \(field) has "
                    + (value.isEmpty ? "no autocomplete token" : "no known token in autocomplete=\"\(value)\"")
                : "browsers ignore autocomplete=\"\(value)\" of the field \(field): "
                    + (words.dropLast().contains("webauthn")
                        ? "webauthn is not the last token" : "it is not a single token"),
            fix: tokens.count == 1
                ? "Write autocomplete=\"\(tokens[0])\(words.contains("webauthn") ? " webauthn" : "")\""
                : isPassword ? Self.passwordFix : "Write autocomplete=\"username\"")
    }

    private func row(
        _ code: String, _ text: String, _ reason: String, _ source: Source, _ example: String,
        fixed: String, is effect: Effect = .warning, problem: String, fix: String
    ) -> CatalogEntry {
        CatalogEntry(
            code, text, because: reason, SeverityByProfile(device: effect, documented: effect), source,
            example: example, fixed: fixed, problem: problem, fix: fix)
    }
}
