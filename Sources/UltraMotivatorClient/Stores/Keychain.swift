/// Where an app keeps the account that it is signed in with: one for each domain, for itself alone.
///
/// It is the primary store; the shared web credentials only help out (Apple, "Managing Shared Credentials").
public protocol Keychain: Sendable {
    /// The credential that is kept for a domain.
    ///
    /// - Parameter domain: the domain in lower case.
    /// - Returns: the credential, or nil when none is kept.
    /// - Throws: `KeychainFailure` when it cannot be read, for instance because the device is locked.
    func credential(for domain: String) async throws(KeychainFailure) -> Credential?

    /// Keeps a credential in place of the one before.
    ///
    /// - Parameters:
    ///   - credential: what is kept.
    ///   - domain: the domain in lower case.
    /// - Throws: `KeychainFailure` when it was not kept.
    func save(_ credential: Credential, for domain: String) async throws(KeychainFailure)

    /// Forgets the credential of a domain if it is of this account; one that is not there is no failure.
    ///
    /// - Parameters:
    ///   - account: the account's name, compared as it is.
    ///   - domain: the domain in lower case.
    /// - Throws: `KeychainFailure` when it is still there.
    func remove(_ account: String, for domain: String) async throws(KeychainFailure)
}
