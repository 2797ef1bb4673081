package import MotivatorPlatform

/// A form on a page, as AutoFill parses it. Inputs outside all forms share one form.
package struct PageForm: Sendable, Hashable {
    /// The maximum number of inputs on a page. Further inputs are ignored.
    package static let maximumInputs = 1_000

    /// The purpose of a form, according to the `autocomplete` tokens of its fields.
    package enum Kind: String, CaseIterable, Sendable {
        case signIn = "signin"
        case signUp = "signup"
        case update
    }

    /// An input that the user can type into.
    package struct Field: Sendable, Hashable {
        /// A token of `autocomplete` (HTML standard §4.10.18.7.1).
        package enum Token: String, CaseIterable, Sendable {
            case username
            case currentPassword = "current-password"
            case newPassword = "new-password"
        }

        /// The `name` and `id` attributes; empty if they are missing.
        package let name: String
        package let id: String
        /// The token that AutoFill recognizes; nil if there is none.
        package let token: Token?
        package let passwordRules: String?
        /// The `autocomplete` attribute in lower case; empty if it is missing.
        let autocomplete: String
        /// The `type` attribute in lower case.
        let type: String
        let isReadOnly: Bool
        let tag: HTMLTag

        var label: String { [name, id].first { !$0.isEmpty } ?? "type=\(type)" }
        var isPassword: Bool { token == .currentPassword || token == .newPassword || type == "password" }
        /// Whether the token of a password field is for a code or a card, not for a password.
        var hasOtherToken: Bool { isCode || autocomplete.contains("cc-") }
        /// Whether the user probably enters a user name, although the field has no token.
        var looksLikeUserName: Bool {
            let words = ["user", "login", "mail", "account"]
            return token == nil && ["", "text", "email", "tel"].contains(type)
                && words.contains { "\(name) \(id) \(type) \(autocomplete)".loweredASCII.contains($0) }
        }

        var isCode: Bool { autocomplete.contains("one-time-code") }
        var maximumLength: Int { tag.attributes["maxlength"].flatMap { UInt32($0) }.map(Int.init) ?? .max }
        /// Whether AutoFill skips the field, although it is for a password, or a script removes `readonly`.
        var isSkipped: Bool {
            let isUnlocked = tag.attributes["onfocus"]?.loweredASCII.contains("readonly") == true
            return isReadOnly && (isUnlocked || token == .currentPassword || token == .newPassword)
        }

        package var json: JSONNode {
            [
                "name": .text(name), "id": .text(id), "autocomplete": .optional(token?.rawValue),
                "passwordrules": .optional(passwordRules),
            ]
        }
    }

    /// The tag of the form; nil for the inputs outside all forms.
    let element: HTMLTag?
    /// The inputs, in page order, including those that the user cannot change.
    private(set) var inputs: [Field] = []

    /// The form's `id` attribute; empty if it is missing.
    package var id: String { element?.attributes["id"] ?? "" }
    package var fields: [Field] { inputs.filter { !$0.isReadOnly } }
    var passwords: [Field] { fields.filter { $0.isPassword && !$0.hasOtherToken } }

    /// The purpose of the form; nil if no field has an AutoFill token.
    package var kind: Kind? {
        if has(.newPassword) { return has(.currentPassword) ? .update : .signUp }
        return has(.currentPassword) || has(.username) ? .signIn : nil
    }

    /// Whether the form needs a saved password. A form with only a new password does not.
    var needsItem: Bool { kind == .signIn || kind == .update }

    func has(_ token: Field.Token) -> Bool { fields.contains { $0.token == token } }

    package static func all(in html: [UInt8]) -> [PageForm] {
        var forms = [PageForm(element: nil)]
        var inputs: [(form: Int, owner: String?, field: Field)] = []
        var open = 0
        for tag in HTMLScanner.tags(in: html, named: ["form", "input"]) {
            if tag.name == "input" {
                guard inputs.count < maximumInputs else { break }
                if let field = Field(tag) { inputs.append((open, tag.attributes["form"], field)) }
            } else if tag.isEnd {
                open = 0
            } else if open == 0 {
                // Ignore a form inside another form, as a browser does.
                open = forms.count
                forms.append(PageForm(element: tag))
            }
        }
        for input in inputs {
            let owner = input.owner.map { id in forms.firstIndex { !id.isEmpty && $0.id == id } ?? 0 }
            forms[owner ?? input.form].inputs.append(input.field)
        }
        return forms.filter { !$0.inputs.isEmpty }
    }
}

extension PageForm.Field {
    /// The input types that AutoFill does not fill. An unknown type is the same as `text`.
    private static let otherTypes: Set<String> = [
        "hidden", "checkbox", "radio", "submit", "button", "reset", "file", "image", "range", "color", "date", "month",
        "week", "time", "datetime-local",
    ]

    /// Creates a field; nil for an end tag or for an input that the user cannot type into.
    fileprivate init?(_ tag: HTMLTag) {
        let attributes = tag.attributes
        type = (attributes["type"] ?? "").loweredASCII
        guard !tag.isEnd, !Self.otherTypes.contains(type), attributes["disabled"] == nil else { return nil }
        autocomplete = (attributes["autocomplete"] ?? "").loweredASCII
        isReadOnly = attributes["readonly"] != nil
        self.tag = tag
        name = attributes["name"] ?? ""
        id = attributes["id"] ?? ""
        token = Self.token(in: autocomplete)
        passwordRules = attributes["passwordrules"]
    }

    /// Returns the token of an `autocomplete` attribute. A browser ignores the whole value if it has other words besides a
    /// section, an address type and a final `webauthn` (HTML standard §4.10.18.7.2).
    private static func token(in autocomplete: String) -> Token? {
        var words = autocomplete.split(whereSeparator: \.isWhitespace)
        if words.last == "webauthn" { words.removeLast() }
        let token = words.popLast().flatMap { Token(rawValue: String($0)) }
        if words.last == "shipping" || words.last == "billing" { words.removeLast() }
        if words.last?.hasPrefix("section-") == true { words.removeLast() }
        return words.isEmpty ? token : nil
    }
}
