import Platform

/// A keychain that lasts as long as the process.
public final class MemoryKeychain: Keychain {
    private let kept: Guarded<[String: Credential]>

    /// - Parameter kept: what it holds at first, by the domain in lower case.
    public init(_ kept: [String: Credential] = [:]) {
        self.kept = Guarded(kept)
    }

    public func credential(for domain: String) async throws(KeychainFailure) -> Credential? {
        kept.withLock { $0[domain] }
    }

    public func save(_ credential: Credential, for domain: String) async throws(KeychainFailure) {
        kept.withLock { $0[domain] = credential }
    }

    public func remove(_ account: String, for domain: String) async throws(KeychainFailure) {
        kept.withLock { if $0[domain]?.account == account { $0[domain] = nil } }
    }
}
