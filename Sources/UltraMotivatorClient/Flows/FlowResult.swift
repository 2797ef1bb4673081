package import MotivatorPlatform

/// The result of one of the app's flows.
package enum FlowResult: Sendable, Equatable {
    /// Logged in, with the source of the credential, the earlier failed attempts, and the changes to the stores.
    case loggedIn(APISession, from: CredentialSource, after: [LogInAttempt], saved: StoreChanges)
    /// No source led to a session. The array contains one attempt for each source, in order.
    case notLoggedIn([LogInAttempt])
    /// The server created the account. The app must show a generated password if neither store saved it.
    case signedUp(APISession, Credential, saved: StoreChanges)
    /// The password has changed, and earlier sessions have ended. The credential has the new password.
    case updated(APISession, Credential, saved: StoreChanges)
    /// Signed out. The shared web credentials always remain.
    case signedOut(StoreChanges)
    /// Signed out of a session that had already ended.
    case sessionWasOver(StoreChanges)
    /// The keychain has changed, but the session on the server remains until it expires.
    case onlyHere(APIFailure, StoreChanges)
    case deleted(StoreChanges)
    /// The form violates the app's own rules. Nothing was sent.
    case unacceptable(ExplainedFailure)
    /// The server refused. The stores are unchanged.
    case refused(APIRefusal)
    /// There is no valid response. The stores are unchanged. After a network failure, the server may have made the
    /// change.
    case failed(APIFailure)
    /// Nothing was sent.
    case domainMismatch(ExplainedFailure)

    init(_ failure: APIFailure) { self = failure.refusal.map(FlowResult.refused) ?? .failed(failure) }
}
