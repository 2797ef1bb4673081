/// Why a store did not carry out an intent; nothing of it was then done.
public enum StoreError: Error, Equatable, Sendable {
    /// Another account has this name.
    case nameTaken
    /// The account is gone, or its hash is no longer the one that was verified.
    case hashChanged
    /// The store does not work at present.
    ///
    /// - reason: one line for the log, without anything that a user sent.
    case unavailable(reason: String)
}
