import MotivatorPlatform

/// An account's name and password. Its descriptions omit both.
package struct Credential: Sendable, Hashable {
    package let account: String
    /// The password, a secret.
    package let password: String

    package init(account: String, password: String) {
        (self.account, self.password) = (account, password)
    }
}

extension Credential: SecretHolder {
    package var description: String { "[credential]" }
}

/// A session: the result of a sign-in or sign-up.
package struct APISession: Sendable, Equatable {
    /// The account's name as the app sends and stores it.
    package let account: String
    /// The account's name as the server displays it, possibly in a different case.
    package let name: String
    /// The bearer token, a secret.
    package let token: String

    package init(account: String, name: String, token: String) {
        (self.account, self.name, self.token) = (account, name, token)
    }
}

extension APISession: SecretHolder {
    package var description: String { "[session]" }
}

package struct APIQuote: Sendable, Hashable {
    package let text: String
    package let author: String
}
