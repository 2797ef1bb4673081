public import SharedWebCredentials

/// The tutorial's app without its screens.
///
/// Each flow is a function that asks the server and the stores in a fixed order and ends in an outcome with a name. No
/// description of an outcome holds a password or a token.
public struct MotivatorApp: Sendable {
    /// The domain of the app's shared web credentials in lower case, with a port perhaps.
    public let domain: String
    /// The server's API.
    public let api: APIClient
    let keychain: any Keychain
    let shared: any SharedWebCredentials
    let person: any Person

    /// - Parameters:
    ///   - domain: the domain of the app's shared web credentials, as in its entitlement.
    ///   - api: the server's API; a flow of an app whose domain is not the server's ends before it asks anything.
    ///   - keychain: the app's own store.
    ///   - shared: the shared web credentials.
    ///   - person: who is asked when nothing else is left.
    public init(
        domain: String, api: APIClient, keychain: any Keychain, shared: any SharedWebCredentials, person: any Person
    ) {
        self.domain = domain.lowercased()
        self.api = api
        self.keychain = keychain
        self.shared = shared
        self.person = person
    }

    /// What the app's domain and its server have against each other; nil when they match.
    public var mismatch: DomainMismatch? { DomainMismatch(domain: domain, server: api.server) }

    /// Saves a credential that the server accepts: to the keychain, then to the shared web credentials.
    func save(_ credential: Credential) async -> StoreChanges {
        let keychain = await changeKeychain { () async throws(KeychainFailure) in
            try await self.keychain.save(credential, for: domain)
        }
        return StoreChanges(
            keychain: keychain, shared: await changeShared(credential.account, password: credential.password))
    }

    /// Forgets an account in the keychain alone.
    func removeFromKeychain(_ account: String) async -> StoreChanges.KeychainChange {
        await changeKeychain { () async throws(KeychainFailure) in
            try await keychain.remove(account, for: domain)
        }
    }

    /// Stores a password for an account in the shared web credentials, or removes the account.
    ///
    /// - Parameters:
    ///   - account: the account's name.
    ///   - password: the password; nil removes.
    func changeShared(_ account: String, password: String?) async -> StoreChanges.SharedChange {
        let error = await shared.add(domain: domain, account: account, password: password)
        return error.map { .failed($0) } ?? .noErrorReported
    }

    private func changeKeychain(
        _ change: () async throws(KeychainFailure) -> Void
    ) async -> StoreChanges.KeychainChange {
        do throws(KeychainFailure) { try await change() } catch { return .failed(error) }
        return .done
    }
}
