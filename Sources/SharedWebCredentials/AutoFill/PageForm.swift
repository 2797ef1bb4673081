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
        /// The `passwordrules` attribute.
        package let passwordRules: String?

        /// The field as JSON.
        package var json: JSONNode {
            [
                "name": .text(name), "id": .text(id), "autocomplete": .optional(token?.rawValue),
                "passwordrules": .optional(passwordRules),
            ]
        }
    }

    /// The form's `id` attribute; empty if it is missing.
    package let id: String
    /// The fields, in page order.
    package fileprivate(set) var fields: [Field] = []

    /// The purpose of the form; nil if no field has an AutoFill token.
    package var kind: Kind? {
        if has(.newPassword) { return has(.currentPassword) ? .update : .signUp }
        return has(.currentPassword) || has(.username) ? .signIn : nil
    }

    /// Whether the form needs a saved password. A form with only a new password does not.
    var needsItem: Bool { kind == .signIn || kind == .update }

    func has(_ token: Field.Token) -> Bool { fields.contains { $0.token == token } }

    /// Returns the forms on a page, in order.
    ///
    /// - Parameter html: the page.
    package static func all(in html: [UInt8]) -> [PageForm] {
        var forms = [PageForm(id: "")]
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
                forms.append(PageForm(id: tag.attributes["id"] ?? ""))
            }
        }
        for input in inputs {
            let owner = input.owner.map { id in forms.firstIndex { !id.isEmpty && $0.id == id } ?? 0 }
            forms[owner ?? input.form].fields.append(input.field)
        }
        return forms.filter { !$0.fields.isEmpty }
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
        guard !tag.isEnd, !Self.otherTypes.contains((attributes["type"] ?? "").loweredASCII),
            attributes["disabled"] == nil, attributes["readonly"] == nil
        else { return nil }
        // The field name comes after sections and contact types, and before "webauthn".
        let words = (attributes["autocomplete"] ?? "").loweredASCII.split(whereSeparator: \.isWhitespace)
        name = attributes["name"] ?? ""
        id = attributes["id"] ?? ""
        token = words.last { $0 != "webauthn" }.flatMap { Token(rawValue: String($0)) }
        passwordRules = attributes["passwordrules"]
    }
}
