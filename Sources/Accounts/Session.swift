/// A session that is not over.
public struct Session: Sendable, Equatable {
    /// Whose it is, as the name was typed at sign-up.
    public let name: String
}
