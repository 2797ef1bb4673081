extension MotivatorApp {
    /// Deletes the account: at the server first, then in the keychain and in the shared web credentials, which would
    /// otherwise offer an account that is no more (Apple, "Shared Web Credentials Reference").
    ///
    /// - Parameters:
    ///   - session: a session of the account.
    ///   - password: the account's password.
    /// - Returns: how it ended.
    public func deleteAccount(_ session: Session, password: String) async -> DeletionOutcome {
        if let mismatch { return .domainMismatch(mismatch) }
        do throws(APIFailure) {
            try await api.deleteAccount(of: session, password: password)
        } catch {
            return DeletionOutcome(error)
        }
        let keychain = await removeFromKeychain(session.account)
        return .deleted(StoreChanges(keychain: keychain, shared: await changeShared(session.account, password: nil)))
    }
}
