import SharedWebCredentials

extension MotivatorApp {
    /// Signs up: checks the form by the app's own rule, asks the server, and saves to both stores.
    ///
    /// - Parameters:
    ///   - account: the name, 5 characters and more.
    ///   - password: 5 characters and more with the same confirmation, or generated; the server may ask for more.
    /// - Returns: how it ended.
    public func signUp(account: String, password: NewPassword) async -> SignUpOutcome {
        if let mismatch { return .domainMismatch(mismatch) }
        let credential: Credential
        do throws(FormFault) {
            guard account.count >= FormFault.fewest else { throw .accountTooShort }
            credential = Credential(account: account, password: try chosen(password))
        } catch {
            return .unacceptable(error)
        }
        do throws(APIFailure) {
            let session = try await api.signUp(credential)
            return .signedUp(session, credential, saved: await save(credential))
        } catch {
            return SignUpOutcome(error)
        }
    }

    /// The password that a form means.
    ///
    /// - Throws: `FormFault`.
    func chosen(_ password: NewPassword) throws(FormFault) -> String {
        switch password {
        case .generated: return shared.createPassword()
        case .typed(let text, let confirmation):
            guard text.count >= FormFault.fewest else { throw .passwordTooShort }
            guard text == confirmation else { throw .confirmationDiffers }
            return text
        }
    }
}
