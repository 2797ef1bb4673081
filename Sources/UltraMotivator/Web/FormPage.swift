/// The template data for a page with one form.
struct FormPage: Sendable {
    struct Field: Sendable {
        let name: String
        let label: String
        let type: String
        /// The token that identifies the field to password managers (HTML §4.10.18.7).
        let autocomplete: String
        var hint: String?
        /// The rules for generated passwords, in Apple's syntax.
        var rules: String?
        var minimum: Int?
        var value = ""
        var error: String?
        var isReadOnly = false
        var hasFocus = false
        var isOptional = false
    }

    let title: String
    let action: String
    let lead: String
    let submit: String
    /// The heading of the errors.
    let failure: String
    /// The expected behavior of a password manager.
    let note: String
    var isDestructive = false
    var suggests = false
    /// Whether the form applies to the signed-in account, if there is one.
    var knowsName = false
    var needsSession = false
    var link: Frame.Link?
    /// The button that performs a ceremony instead of the form.
    var passkey: PasskeyButton?
    /// A passkey that the server does not know, so that the password manager can hide it.
    var unknown: UnknownPasskey?
    var fields: [Field]
    var formToken = ""
    var alert: String?
    var suggestion: String?
    private(set) var hasError = false

    struct UnknownPasskey: Sendable {
        let rpID: String
        /// The credential ID in base64url.
        let id: String
    }

    /// Sets the error for the field that an explanation refers to, unless the field has an error.
    mutating func reject(_ explanation: Explanation) {
        let names: [FieldName] =
            switch explanation.subject {
            case .name: [.username]
            case .newPassword: [.newPassword, .password]
            case .password: [.currentPassword, .password]
            case .none: []
            }
        if let position = names.compactMap({ index(of: $0) }).first {
            fields[position].error = fields[position].error ?? explanation.sentence
        } else {
            alert = explanation.sentence
        }
    }

    private func index(of name: FieldName) -> Int? { fields.firstIndex { $0.name == name.rawValue } }

    mutating func suggest(_ password: String) {
        suggestion = password
        for field in [FieldName.password, .confirmation, .newPassword, .newConfirmation] { fill(field, password) }
    }

    mutating func fill(_ name: FieldName, _ value: String, isReadOnly: Bool = false) {
        guard let index = self.index(of: name) else { return }
        fields[index].value = value
        fields[index].isReadOnly = isReadOnly
    }

    /// Returns the page for one visitor, ready to be rendered.
    /// - Parameters:
    ///   - name: the user name of the visitor's session; nil without a session.
    ///   - typed: the user name from the submitted form; nil when the form is first shown.
    func addressed(formToken: String, signedInAs name: String?, typed: String? = nil) -> FormPage {
        var page = self
        page.formToken = formToken
        if let name, knowsName {
            page.fill(.username, name, isReadOnly: true)
        } else if let typed {
            page.fill(.username, typed)
        }
        page.finish()
        return page
    }

    /// Sets the values that templates cannot compute. The focus goes to the first editable field with an error, or else
    /// to the first editable field.
    mutating func finish() {
        hasError = alert != nil || fields.contains { $0.error != nil }
        let wrong = fields.firstIndex { $0.error != nil && !$0.isReadOnly }
        if let index = wrong ?? fields.firstIndex(where: { !$0.isReadOnly }) { fields[index].hasFocus = true }
    }
}

/// The template data for a button that performs a ceremony. The script submits the result to `action`.
struct PasskeyButton: Sendable {
    /// The path of the result. The options are at `options` below it.
    let action: String
    let text: String
    /// Whether the password manager suggests passkeys in the field for the user name.
    var suggests = false
    /// Whether the password manager may add a passkey without a prompt.
    var offers = false
    /// Whether the form has a field for the passkey's name, and its value.
    var isNamed = false
    var name = ""
}

extension FormPage {
    static func signUp(minimum: Int, at action: String) -> FormPage {
        FormPage(
            title: "Sign up", action: action, lead: "One account for this site and for its apps.",
            submit: "Sign up", failure: "Account not created",
            note: "It should suggest a strong password in both fields now. It should save the user name and the "
                + "password when the account page appears.",
            suggests: true, link: .init(path: "/signin", text: "Already have an account? Sign in"),
            fields: [
                userName,
                newPassword(.password, "Password", minimum: minimum),
                newPassword(.confirmation, "Confirm password", minimum: minimum, hasHint: false),
            ])
    }

    static func signIn(at action: String) -> FormPage {
        FormPage(
            title: "Sign in", action: action, lead: "Use your password or a passkey.", submit: "Sign in",
            failure: "Sign-in failed",
            note: "It should offer the password that it saved for this site or for one of its apps.",
            link: .init(path: "/signup", text: "No account yet? Sign up"),
            passkey: PasskeyButton(action: "/signin/passkey", text: "Sign in with a passkey", suggests: true),
            fields: [userName(autocomplete: "username webauthn"), currentPassword(.password, "Password")])
    }

    static func update(minimum: Int, at action: String) -> FormPage {
        FormPage(
            title: "Change password", action: action,
            lead: "Changing the password signs you out everywhere else.", submit: "Change password",
            failure: "Password not changed",
            note: "It should fill in the current password and suggest a new one. It should replace the saved password "
                + "when the account page appears.",
            suggests: true, knowsName: true,
            fields: [
                userName, currentPassword(.currentPassword, "Current password"),
                newPassword(.newPassword, "New password", minimum: minimum),
                newPassword(.newConfirmation, "Confirm new password", minimum: minimum, hasHint: false),
            ])
    }

    static func delete(at action: String) -> FormPage {
        FormPage(
            title: "Delete account", action: action,
            lead: "This deletes your account, its sessions and its passkeys immediately. You cannot undo this.",
            submit: "Delete account", failure: "Account not deleted",
            note: "It should fill in the current password. It can still offer the password later, because a website "
                + "cannot delete a saved password.",
            isDestructive: true, knowsName: true, needsSession: true,
            fields: [userName, currentPassword(.password, "Password")])
    }

    /// The form before changes of passkeys.
    static func confirm(at action: String) -> FormPage {
        FormPage(
            title: "Confirm that it is you", action: action,
            lead: "Confirm with your password or a passkey. Then you can add and remove passkeys for 10 minutes.",
            submit: "Confirm", failure: "Not confirmed",
            note: "It should fill in the current password, or offer a passkey of this account.",
            knowsName: true, needsSession: true,
            passkey: PasskeyButton(action: "/account/confirm/passkey", text: "Confirm with a passkey"),
            fields: [userName, currentPassword(.password, "Password")])
    }

    private static let userName = userName(autocomplete: "username")

    private static func userName(autocomplete: String) -> Field {
        Field(name: FieldName.username.rawValue, label: "User name", type: "text", autocomplete: autocomplete)
    }

    private static func currentPassword(_ name: FieldName, _ label: String) -> Field {
        Field(name: name.rawValue, label: label, type: "password", autocomplete: "current-password")
    }

    private static func newPassword(
        _ name: FieldName, _ label: String, minimum: Int, hasHint: Bool = true
    ) -> Field {
        let hint = "At least \(minimum) characters. All characters are allowed, including spaces. Longer is better."
        return Field(
            name: name.rawValue, label: label, type: "password", autocomplete: "new-password",
            hint: hasHint ? hint : nil, rules: "minlength: \(minimum);", minimum: minimum)
    }
}
