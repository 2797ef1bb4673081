import MotivatorPlatform
import Passkeys

/// The template data for the list of an account's passkeys.
struct PasskeyList: Sendable {
    struct Item: Sendable {
        let anchor: String
        /// The credential ID in base64url.
        let id: String
        let name: String
        /// Nil for an unknown provider.
        let provider: String?
        let created, used, storage: String
        /// The new name that the visitor entered; nil without an error.
        let entered: String?

        init(_ passkey: Passkey, number: Int, _ values: FormContent?) {
            anchor = "passkey-\(number)"
            id = Base64.encode(passkey.credential, .urlSafe)
            entered = values?["id"] == id ? values?["name"] : nil
            (name, provider) = (passkey.name, Passkey.provider(aaguid: passkey.aaguid))
            created = Self.text(passkey.created)
            used = passkey.used.map(Self.text) ?? "Never"
            storage = passkey.isBackedUp ? "Synced" : passkey.isBackupEligible ? "Can sync" : "This device only"
        }

        private static func text(_ time: UnixTime) -> String {
            Timestamp.text(time).prefix(16).replacing("T", with: " ") + " UTC"
        }
    }

    let rpID: String
    /// The user handle in base64url.
    let userID: String
    let passkeys: [Item]
    /// The credential IDs, separated by spaces.
    let ids: String
    let formToken: String
    let notice: String?
    var alert: String?
    let passkey: PasskeyButton

    /// - Parameter values: the submitted form; nil without an error.
    init(
        _ passkeys: [Passkey], rpID: String, userID: String, formToken: String, notice: String?,
        values: FormContent? = nil
    ) {
        (self.rpID, self.userID, self.formToken, self.notice) = (rpID, userID, formToken, notice)
        self.passkeys = passkeys.enumerated().map { Item($1, number: $0 + 1, values) }
        ids = self.passkeys.map(\.id).joined(separator: " ")
        let name = values?["id"] == nil ? values?["name"] ?? "" : ""
        passkey = PasskeyButton(action: "/account/passkeys", text: "Add a passkey", isNamed: true, name: name)
    }
}
