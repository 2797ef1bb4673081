public import SharedWebCredentials

/// What became of the keychain and of the shared web credentials after the server had agreed.
public struct StoreChanges: Sendable, Equatable {
    /// What became of the keychain.
    public enum KeychainChange: Sendable, Equatable {
        case done
        case failed(KeychainFailure)
    }

    /// What became of the shared web credentials.
    public enum SharedChange: Sendable, Equatable {
        /// They were left as they are.
        case untouched
        /// The function reported no error. It does so, too, when the person declined: that is no proof of a change.
        case noErrorReported
        case failed(SharedCredentialError)
    }

    /// What became of the keychain.
    public let keychain: KeychainChange
    /// What became of the shared web credentials.
    public let shared: SharedChange

    /// - Parameters: as of the properties.
    public init(keychain: KeychainChange, shared: SharedChange) {
        self.keychain = keychain
        self.shared = shared
    }
}
