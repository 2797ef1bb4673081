extension MotivatorApp {
    /// Ends the session on the server, and removes the account from the keychain.
    ///
    /// The next launch then does not log in automatically. The shared web credentials remain (Apple, "Managing Shared
    /// Credentials").
    package func signOut(_ session: Session) async -> SignOutOutcome {
        if let mismatch { return .domainMismatch(mismatch) }
        var failure: APIFailure?
        do throws(APIFailure) { try await api.signOut(session) } catch { failure = error }
        let changes = StoreChanges(keychain: await removeFromKeychain(session.account), shared: .untouched)
        guard let failure else { return .signedOut(changes) }
        return failure.refusal?.reason == .notSignedIn ? .sessionWasOver(changes) : .onlyHere(failure, changes)
    }
}

/// The outcome of signing out. The shared web credentials always remain.
package enum SignOutOutcome: Sendable, Equatable {
    case signedOut(StoreChanges)
    /// The session had already ended.
    case sessionWasOver(StoreChanges)
    /// The keychain has changed, but the session on the server remains until it expires.
    case onlyHere(APIFailure, StoreChanges)
    /// Nothing was sent or changed.
    case domainMismatch(DomainMismatch)
}

extension MotivatorApp {
    /// Deletes the account on the server, then in the keychain and in the shared web credentials.
    ///
    /// Otherwise, the shared web credentials would offer a deleted account (Apple, "Shared Web Credentials Reference").
    package func deleteAccount(_ session: Session, password: String) async -> DeletionOutcome {
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

/// The outcome of deleting the account.
package enum DeletionOutcome: Sendable, Equatable {
    /// The server has deleted the account.
    case deleted(StoreChanges)
    case wrongPassword(APIRefusal)
    /// The session has ended. Log in, then delete the account.
    case sessionIsOver(APIRefusal)
    /// There were too many attempts, or the server is busy.
    case tryLater(APIRefusal)
    /// The stores are unchanged. After a network failure, the server may have deleted the account.
    case failed(APIFailure)
    /// Nothing was sent.
    case domainMismatch(DomainMismatch)

    init(_ failure: APIFailure) {
        guard let refusal = failure.refusal else {
            self = .failed(failure)
            return
        }
        switch refusal.subject {
        case .credential: self = .wrongPassword(refusal)
        case .session: self = .sessionIsOver(refusal)
        case .wait: self = .tryLater(refusal)
        case .nameTaken, .name, .newPassword, .program: self = .failed(failure)
        }
    }
}
