import MotivatorPlatform

extension MotivatorApp {
    /// Changes the password on the server, then in the keychain, then in the shared web credentials.
    ///
    /// The user may cancel the last change.
    /// - Parameter new: a generated password, or a typed password of at least 5 characters with its confirmation. The
    ///   server may require more characters.
    package func update(account: String, current: String, new: NewPassword) async -> FlowResult {
        if let mismatch { return .domainMismatch(mismatch) }
        let changed: Credential
        do throws(ExplainedFailure) {
            changed = Credential(account: account, password: try chosen(new))
        } catch {
            return .unacceptable(error)
        }
        do throws(APIFailure) {
            let session = try await api.update(Credential(account: account, password: current), to: changed.password)
            return .updated(session, changed, saved: await save(changed))
        } catch {
            return FlowResult(error)
        }
    }
}
