extension MotivatorApp {
    /// Changes the password on the server, then in the keychain, then in the shared web credentials.
    ///
    /// The user may cancel the last change.
    ///
    /// - Parameters:
    ///   - account: the account's name.
    ///   - current: the current password.
    ///   - new: a generated password, or a typed password of at least 5 characters with its confirmation. The server
    ///     may require more characters.
    package func update(account: String, current: String, new: NewPassword) async -> UpdateOutcome {
        if let mismatch { return .domainMismatch(mismatch) }
        let changed: Credential
        do throws(FormError) {
            changed = Credential(account: account, password: try chosen(new))
        } catch {
            return .unacceptable(error)
        }
        do throws(APIFailure) {
            let session = try await api.update(
                Credential(account: account, password: current), to: changed.password)
            return .updated(session, changed, saved: await save(changed))
        } catch {
            return UpdateOutcome(error)
        }
    }
}

/// The outcome of changing the password.
package enum UpdateOutcome: Sendable, Equatable {
    /// The password has changed, and earlier sessions have ended. The credential has the new password.
    case updated(Session, Credential, saved: StoreChanges)
    /// The form violates the app's own rules. Nothing was sent.
    case unacceptable(FormError)
    /// The current password is wrong, or no account has the name.
    case wrongNameOrPassword(APIRefusal)
    /// The new password violates the server's policy.
    case passwordRefused(APIRefusal)
    /// There were too many attempts, or the server is busy.
    case tryLater(APIRefusal)
    /// The stores are unchanged. After a network failure, the server may have changed the password.
    case failed(APIFailure)
    /// Nothing was sent.
    case domainMismatch(DomainMismatch)

    init(_ failure: APIFailure) {
        guard let refusal = failure.refusal else {
            self = .failed(failure)
            return
        }
        switch refusal.subject {
        case .credential: self = .wrongNameOrPassword(refusal)
        case .newPassword: self = .passwordRefused(refusal)
        case .wait: self = .tryLater(refusal)
        case .nameTaken, .name, .session, .program: self = .failed(failure)
        }
    }
}
