package import MotivatorPlatform
package import SharedWebCredentials

/// The tutorial's app without its screens.
///
/// Each flow is a function that uses the server and the stores in a fixed order and returns an outcome. The
/// descriptions of outcomes omit passwords and tokens.
package struct MotivatorApp: Sendable {
    /// The domain of the app's shared web credentials in lowercase, optionally with a port.
    package let domain: String
    /// The server's API.
    package let api: APIClient
    let keychain: any Keychain
    let shared: any SharedWebCredentials
    let user: any User

    /// Creates an app.
    /// - Parameters:
    ///   - domain: the domain of the app's shared web credentials, as in its entitlement.
    ///   - api: the server's API. If the server's host differs from `domain`, every flow fails immediately.
    package init(
        domain: String, api: APIClient, keychain: any Keychain, shared: any SharedWebCredentials, user: any User
    ) {
        self.domain = domain.lowercased()
        (self.api, self.keychain, self.shared, self.user) = (api, keychain, shared, user)
    }

    /// The mismatch between the app's domain and its server; nil if they match.
    package var mismatch: DomainMismatch? { DomainMismatch(domain: domain, server: api.server) }

    /// Saves an accepted credential to the keychain, then to the shared web credentials.
    func save(_ credential: Credential) async -> StoreChanges {
        let keychain = await changeKeychain { () async throws(KeychainFailure) in
            try await self.keychain.save(credential, for: domain)
        }
        return StoreChanges(
            keychain: keychain, shared: await changeShared(credential.account, password: credential.password))
    }

    /// Removes an account from the keychain only.
    func removeFromKeychain(_ account: String) async -> StoreChanges.KeychainChange {
        await changeKeychain { () async throws(KeychainFailure) in
            try await keychain.remove(account, for: domain)
        }
    }

    /// Saves an account's password to the shared web credentials. Removes the account if the password is nil.
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

/// A mismatch between the app's domain and its server. The app would send the domain's passwords to another host.
///
/// The comparison is case-insensitive. `example.com` and `www.example.com` differ (Apple, "Shared Web Credentials
/// Reference").
package struct DomainMismatch: ExplainedError, Hashable {
    /// The domain of the app's shared web credentials.
    package let domain: String
    /// The app's server.
    package let server: ServerAddress

    /// Creates a mismatch; nil if the domain and server match. A port in the domain must be the server's port.
    init?(domain: String, server: ServerAddress) {
        let host = server.host.utf8.contains(UInt8(ascii: ":")) ? "[\(server.host)]" : server.host
        guard ![host, "\(host):\(server.port)"].contains(domain.lowercased()) else { return nil }
        (self.domain, self.server) = (domain, server)
    }

    package var problem: String {
        "the app shares credentials with \(String(domain.prefix(80)).quoted), but the server is \"\(server)\""
    }

    package var fix: String { "Use the same domain for the app's entitlement and its server" }
    package var exitCode: ExitCode { .configuration }
}

/// The changes to the keychain and the shared web credentials after a successful call.
package struct StoreChanges: Sendable, Equatable {
    package enum KeychainChange: Sendable, Equatable {
        case done
        case failed(KeychainFailure)
    }

    package enum SharedChange: Sendable, Equatable {
        /// Nothing was changed.
        case untouched
        /// The function did not report an error. The user may still have declined the change.
        case noErrorReported
        case failed(SharedCredentialError)
    }

    package let keychain: KeychainChange
    package let shared: SharedChange

    package init(keychain: KeychainChange, shared: SharedChange) {
        (self.keychain, self.shared) = (keychain, shared)
    }
}
