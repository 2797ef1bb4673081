/// An account as the store has it.
public struct StoredAccount: Sendable, Equatable {
    /// The store's own name for it.
    public let id: Int64
    /// The user name as it was typed at sign-up.
    public let name: String
    /// The user name folded for comparison.
    public let key: String
    /// The password's hash, as text.
    public let hash: String

    /// - Parameters:
    ///   - id: the store's own name for it.
    ///   - name: the user name as it was typed at sign-up.
    ///   - key: the user name folded for comparison.
    ///   - hash: the password's hash, as text.
    public init(id: Int64, name: String, key: String, hash: String) {
        (self.id, self.name, self.key, self.hash) = (id, name, key, hash)
    }
}
