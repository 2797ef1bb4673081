/// How signing out ended; the shared web credentials are kept in any case.
public enum SignOutOutcome: Sendable, Equatable {
    case signedOut(StoreChanges)
    /// The server had ended the session before.
    case sessionWasOver(StoreChanges)
    /// The app has forgotten, but the server was not told: the session lasts until it ends by itself.
    case onlyHere(APIFailure, StoreChanges)
    /// Nothing was asked, and nothing forgotten.
    case domainMismatch(DomainMismatch)
}
