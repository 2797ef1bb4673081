/// A session that was found in the store and is not over.
public struct StoredSession: Sendable, Equatable {
    /// Whose it is.
    public let account: StoredAccount
    /// Why its use could not be written down, for the log: the session counts all the same, and may be over early.
    public let touchFailure: String?

    /// - Parameters:
    ///   - account: whose it is.
    ///   - touchFailure: why its use could not be written down.
    public init(account: StoredAccount, touchFailure: String?) {
        (self.account, self.touchFailure) = (account, touchFailure)
    }
}
