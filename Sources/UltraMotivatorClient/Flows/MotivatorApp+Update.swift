extension MotivatorApp {
    /// Changes the password: at the server first, then in the keychain, then in the shared web credentials, where the
    /// person may cancel the change.
    ///
    /// - Parameters:
    ///   - account: the account's name.
    ///   - current: the password until now.
    ///   - new: 5 characters and more with the same confirmation, or generated; the server may ask for more.
    /// - Returns: how it ended.
    public func update(account: String, current: String, new: NewPassword) async -> UpdateOutcome {
        if let mismatch { return .domainMismatch(mismatch) }
        let changed: Credential
        do throws(FormFault) {
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
