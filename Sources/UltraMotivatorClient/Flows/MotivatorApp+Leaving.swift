extension MotivatorApp {
    /// Ends the session on the server, and removes the account from the keychain.
    ///
    /// The next launch then does not log in automatically. The shared web credentials remain (Apple, "Managing Shared
    /// Credentials").
    package func signOut(_ session: APISession) async -> FlowResult {
        if let mismatch { return .domainMismatch(mismatch) }
        var failure: APIFailure?
        do throws(APIFailure) { try await api.signOut(session) } catch { failure = error }
        let changes = StoreChanges(keychain: await removeFromKeychain(session.account), shared: .untouched)
        guard let failure else { return .signedOut(changes) }
        return failure.refusal?.code == APIRefusal.notSignedIn ? .sessionWasOver(changes) : .onlyHere(failure, changes)
    }

    /// Deletes the account on the server, then in the keychain and in the shared web credentials.
    ///
    /// Otherwise, the shared web credentials would offer a deleted account (Apple, "Shared Web Credentials Reference").
    package func deleteAccount(_ session: APISession, password: String) async -> FlowResult {
        if let mismatch { return .domainMismatch(mismatch) }
        do throws(APIFailure) { try await api.deleteAccount(of: session, password: password) } catch {
            return FlowResult(error)
        }
        let keychain = await removeFromKeychain(session.account)
        return .deleted(StoreChanges(keychain: keychain, shared: await changeShared(session.account, password: nil)))
    }
}
