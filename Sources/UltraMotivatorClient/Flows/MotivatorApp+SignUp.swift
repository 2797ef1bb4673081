import MotivatorPlatform
import SharedWebCredentials

extension MotivatorApp {
    /// Checks the form against the app's own rules, signs up on the server, and saves the credential to both stores.
    /// - Parameter password: a generated password, or a typed password of at least 5 characters with its confirmation.
    ///   The server may require more characters.
    package func signUp(account: String, password: NewPassword) async -> FlowResult {
        if let mismatch { return .domainMismatch(mismatch) }
        let credential: Credential
        do throws(ExplainedFailure) {
            guard account.count >= ExplainedFailure.fewest else { throw .accountTooShort }
            credential = Credential(account: account, password: try chosen(password))
        } catch {
            return .unacceptable(error)
        }
        do throws(APIFailure) {
            let session = try await api.signUp(credential)
            return .signedUp(session, credential, saved: await save(credential))
        } catch {
            return FlowResult(error)
        }
    }

    func chosen(_ password: NewPassword) throws(ExplainedFailure) -> String {
        switch password {
        case .generated: return shared.createPassword()
        case .typed(let text, let confirmation):
            guard text.count >= ExplainedFailure.fewest else { throw .passwordTooShort }
            guard text == confirmation else { throw .confirmationDiffers }
            return text
        }
    }
}

package enum NewPassword: Sendable, Equatable {
    /// A password that the user typed twice.
    case typed(String, confirmation: String)
    case generated
}

extension NewPassword: SecretHolder {
    package var description: String { "[new password]" }
}

extension ExplainedFailure {
    /// The minimum number of characters in each field, as in the tutorial's app.
    static let fewest = 5

    static let accountTooShort = tooShort("user name")
    static let passwordTooShort = tooShort("password")
    static let confirmationDiffers = ExplainedFailure(
        "the confirmation differs from the password", fix: "Type the same password twice, or generate one")

    private static func tooShort(_ field: String) -> ExplainedFailure {
        ExplainedFailure("the \(field) has fewer than \(fewest) characters", fix: "Use at least \(fewest) characters")
    }
}
