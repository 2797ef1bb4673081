extension MotivatorApp {
    /// Signs out: ends the session at the server and forgets the account in the keychain, so that the next launch does
    /// not log in by itself; the shared web credentials stay (Apple, "Managing Shared Credentials").
    ///
    /// - Parameter session: the session.
    /// - Returns: how it ended.
    public func signOut(_ session: Session) async -> SignOutOutcome {
        if let mismatch { return .domainMismatch(mismatch) }
        var failure: APIFailure?
        do throws(APIFailure) { try await api.signOut(session) } catch { failure = error }
        let changes = StoreChanges(keychain: await removeFromKeychain(session.account), shared: .untouched)
        guard let failure else { return .signedOut(changes) }
        return failure.refusal?.reason == .notSignedIn ? .sessionWasOver(changes) : .onlyHere(failure, changes)
    }
}
