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
    /// The server refused for a reason that the app distinguishes. The stores are unchanged.
    case refused(Refusal, APIRefusal)
    /// The stores are unchanged. After a network failure, the server may have made the change.
    case failed(APIFailure)
    /// Nothing was sent.
    case domainMismatch(ExplainedFailure)

    /// The server's reasons that the app distinguishes. The raw values are the outcomes in JSON.
    package enum Refusal: String, Sendable {
        case nameTaken = "name_taken"
        case nameRefused = "name_refused"
        case passwordRefused = "password_refused"
        case wrongNameOrPassword = "wrong_name_or_password"
        case wrongPassword = "wrong_password"
        /// Log in, then try again.
        case sessionIsOver = "session_is_over"
        /// There were too many attempts, or the server is busy.
        case tryLater = "try_later"
    }

    init(_ failure: APIFailure, _ refusals: [APIRefusal.Subject: Refusal]) {
        guard let refusal = failure.refusal, let kind = refusals[refusal.subject] else {
            self = .failed(failure)
            return
        }
        self = .refused(kind, refusal)
    }
}
