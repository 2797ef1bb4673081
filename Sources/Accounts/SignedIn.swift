/// What somebody gets who signs in.
public struct SignedIn: Sendable, Equatable {
    /// The name as it was typed at sign-up.
    public let name: String
    /// What proves the new session.
    public let token: SessionToken
}
