package import MotivatorPlatform

/// An app's private store, with one credential for each lowercase domain.
///
/// The keychain is the primary store. The shared web credentials supplement it (Apple, "Managing Shared Credentials").
package protocol Keychain: Sendable {
    func credential(for domain: String) async throws(ExplainedFailure) -> Credential?

    /// Stores a credential. Replaces the previous credential for the domain.
    func save(_ credential: Credential, for domain: String) async throws(ExplainedFailure)

    /// Removes the credential for a domain if it exists and belongs to this account.
    /// - Parameter account: the account's name, compared exactly.
    func remove(_ account: String, for domain: String) async throws(ExplainedFailure)
}

extension ExplainedFailure {
    /// A failed keychain operation.
    /// - Parameters:
    ///   - status: the system's status code, such as −25308 (`errSecInteractionNotAllowed`).
    ///   - reason: the system's message, without secrets.
    package static func keychain(_ status: Int32, _ reason: String) -> ExplainedFailure {
        ExplainedFailure(
            "keychain error: \(reason.quoted) (\(status))", fix: "Unlock the device, then try again",
            exitCode: .unavailable)
    }
}

package final class MemoryKeychain: Keychain {
    private let kept: Guarded<[String: Credential]>

    package init(_ kept: [String: Credential] = [:]) { self.kept = Guarded(kept) }

    package func credential(for domain: String) async throws(ExplainedFailure) -> Credential? {
        kept.withLock { $0[domain] }
    }

    package func save(_ credential: Credential, for domain: String) async throws(ExplainedFailure) {
        kept.withLock { $0[domain] = credential }
    }

    package func remove(_ account: String, for domain: String) async throws(ExplainedFailure) {
        kept.withLock { if $0[domain]?.account == account { $0[domain] = nil } }
    }
}
