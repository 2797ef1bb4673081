package import MotivatorPlatform

/// An app's private store, with one credential for each lowercase domain.
///
/// The keychain is the primary store. The shared web credentials supplement it (Apple, "Managing Shared Credentials").
package protocol Keychain: Sendable {
    /// Returns the credential for a domain, if there is one.
    /// - Throws: `KeychainFailure`, for example if the device is locked.
    func credential(for domain: String) async throws(KeychainFailure) -> Credential?

    /// Stores a credential. Replaces the previous credential for the domain.
    func save(_ credential: Credential, for domain: String) async throws(KeychainFailure)

    /// Removes the credential for a domain if it exists and belongs to this account.
    /// - Parameter account: the account's name, compared exactly.
    /// - Throws: `KeychainFailure` if the credential still exists.
    func remove(_ account: String, for domain: String) async throws(KeychainFailure)
}

/// The error from a failed keychain operation.
package struct KeychainFailure: ExplainedError, Hashable {
    /// The system's status code, such as −25308 (`errSecInteractionNotAllowed`).
    package let status: Int32
    /// The system's message, without secrets.
    package let reason: String

    package init(status: Int32, reason: String) {
        (self.status, self.reason) = (status, reason)
    }

    package var problem: String { "keychain error: \(reason.quoted) (\(status))" }
    package var fix: String { "Unlock the device, then try again" }
    package var exitCode: ExitCode { .unavailable }
}

package final class MemoryKeychain: Keychain {
    private let kept: Guarded<[String: Credential]>

    /// Creates a keychain.
    package init(_ kept: [String: Credential] = [:]) {
        self.kept = Guarded(kept)
    }

    package func credential(for domain: String) async throws(KeychainFailure) -> Credential? {
        kept.withLock { $0[domain] }
    }

    package func save(_ credential: Credential, for domain: String) async throws(KeychainFailure) {
        kept.withLock { $0[domain] = credential }
    }

    package func remove(_ account: String, for domain: String) async throws(KeychainFailure) {
        kept.withLock { if $0[domain]?.account == account { $0[domain] = nil } }
    }
}
