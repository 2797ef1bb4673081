import MotivatorPlatform

@testable import UltraMotivatorClient

/// A keychain in memory.
final class MemoryKeychain: Keychain {
    private let kept: Guarded<[String: Credential]>

    init(_ kept: [String: Credential] = [:]) { self.kept = Guarded(kept) }

    func credential(for domain: String) async throws(ExplainedFailure) -> Credential? {
        kept.withLock { $0[domain] }
    }

    func save(_ credential: Credential, for domain: String) async throws(ExplainedFailure) {
        kept.withLock { $0[domain] = credential }
    }

    func remove(_ account: String, for domain: String) async throws(ExplainedFailure) {
        kept.withLock { if $0[domain]?.account == account { $0[domain] = nil } }
    }
}
