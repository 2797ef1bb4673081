/// How launching and logging in ended.
public enum LogInOutcome: Sendable, Equatable {
    /// There is a session: where the credential came from, what was tried before, and what became of saving it.
    case loggedIn(Session, from: CredentialSource, after: [LogInAttempt], saved: StoreChanges)
    /// No source led to a session: one attempt for each, in their order.
    case notLoggedIn([LogInAttempt])
    /// Nothing was asked.
    case domainMismatch(DomainMismatch)
}
