package import MotivatorPlatform
package import SharedWebCredentials

/// The tutorial's app without its screens.
///
/// Each flow is a function that uses the server and the stores in a fixed order and returns an outcome. The
/// descriptions of outcomes omit passwords and tokens.
package struct MotivatorApp: Sendable {
    /// The domain of the app's shared web credentials in lowercase, optionally with a port.
    package let domain: String
    package let api: APIClient
    let keychain: any Keychain
    let shared: any SharedWebCredentials
    let user: any User

    /// - Parameter api: the server's API. If the server's host differs from `domain`, every flow fails immediately.
    package init(
        domain: String, api: APIClient, keychain: any Keychain, shared: any SharedWebCredentials, user: any User
    ) {
        self.domain = domain.lowercased()
        (self.api, self.keychain, self.shared, self.user) = (api, keychain, shared, user)
    }

    /// The error if the app would send the domain's passwords to another host. A port in the domain must be the server's
    /// port.
    ///
    /// The comparison is case-insensitive. `example.com` and `www.example.com` differ (Apple, "Shared Web Credentials
    /// Reference").
    package var mismatch: ExplainedFailure? {
        let server = api.server
        guard ![server.host.bracketed, "\(server.host.bracketed):\(server.port)"].contains(domain) else { return nil }
        return ExplainedFailure(
            "the app shares credentials with \(String(domain.prefix(80)).quoted), but the server is \"\(server)\"",
            fix: "Use the same domain for the app's entitlement and its server", exitCode: .configuration)
    }

    func save(_ credential: Credential) async -> StoreChanges {
        var failure: ExplainedFailure?
        do throws(ExplainedFailure) { try await keychain.save(credential, for: domain) } catch { failure = error }
        return StoreChanges(
            keychain: failure, shared: await changeShared(credential.account, password: credential.password))
    }

    /// Removes an account from the keychain, and returns the error of the keychain.
    func removeFromKeychain(_ account: String) async -> ExplainedFailure? {
        do throws(ExplainedFailure) { try await keychain.remove(account, for: domain) } catch { return error }
        return nil
    }

    /// Saves an account's password to the shared web credentials. Removes the account if the password is nil.
    func changeShared(_ account: String, password: String?) async -> StoreChanges.SharedChange {
        let error = await shared.add(domain: domain, account: account, password: password)
        return error.map { .failed($0) } ?? .noErrorReported
    }
}

/// The changes to the keychain and the shared web credentials after a successful call.
package struct StoreChanges: Sendable, Equatable {
    package enum SharedChange: Sendable, Equatable {
        /// Nothing was changed.
        case untouched
        /// The function did not report an error. The user may still have declined the change.
        case noErrorReported
        case failed(SharedCredentialError)
    }

    /// The error that prevented a change of the keychain; nil if the keychain was changed.
    package let keychain: ExplainedFailure?
    package let shared: SharedChange
}
