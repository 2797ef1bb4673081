package import MotivatorPlatform
import SharedWebCredentials

extension MotivatorApp {
    /// Checks the form against the app's own rules, signs up on the server, and saves the credential to both stores.
    /// - Parameters:
    ///   - account: the name, at least 5 characters.
    ///   - password: a generated password, or a typed password of at least 5 characters with its confirmation. The
    ///     server may require more characters.
    package func signUp(account: String, password: NewPassword) async -> FlowResult {
        if let mismatch { return .domainMismatch(mismatch) }
        let credential: Credential
        do throws(FormError) {
            guard account.count >= FormError.fewest else { throw .accountTooShort }
            credential = Credential(account: account, password: try chosen(password))
        } catch {
            return .unacceptable(error)
        }
        do throws(APIFailure) {
            let session = try await api.signUp(credential)
            return .signedUp(session, credential, saved: await save(credential))
        } catch {
            return FlowResult(
                error,
                [.nameTaken: .nameTaken, .name: .nameRefused, .newPassword: .passwordRefused, .wait: .tryLater])
        }
    }

    func chosen(_ password: NewPassword) throws(FormError) -> String {
        switch password {
        case .generated: return shared.createPassword()
        case .typed(let text, let confirmation):
            guard text.count >= FormError.fewest else { throw .passwordTooShort }
            guard text == confirmation else { throw .confirmationDiffers }
            return text
        }
    }
}

package enum NewPassword: Sendable, Equatable {
    /// A password that the user typed twice.
    case typed(String, confirmation: String)
    /// A password that the device generates.
    case generated
}

extension NewPassword: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "[new password]" }
    package var debugDescription: String { description }
    /// A mirror without children, because `dump` and test failures print mirrors.
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// A violation of the app's own rules for forms.
package enum FormError: ExplainedError, Hashable {
    /// The minimum number of characters in each field, as in the tutorial's app.
    package static let fewest = 5

    case accountTooShort
    case passwordTooShort
    case confirmationDiffers

    package var problem: String {
        switch self {
        case .accountTooShort: "the user name has fewer than \(Self.fewest) characters"
        case .passwordTooShort: "the password has fewer than \(Self.fewest) characters"
        case .confirmationDiffers: "the confirmation differs from the password"
        }
    }

    package var fix: String {
        switch self {
        case .accountTooShort, .passwordTooShort: "Use at least \(Self.fewest) characters"
        case .confirmationDiffers: "Type the same password twice, or generate one"
        }
    }

    package var exitCode: ExitCode { .usage }
}
