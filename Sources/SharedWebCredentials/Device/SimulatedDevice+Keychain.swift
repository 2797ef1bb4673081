public import AssociatedDomains
public import MotivatorPlatform

/// An item in an app's own keychain for one domain. Other apps cannot read the item.
public struct KeychainItem: Sendable, Hashable, Codable {
    /// The app.
    public let app: AppIdentifier
    /// The domain in lower case, possibly with a port.
    public let domain: String
    /// The user name.
    public let account: String
    /// The password in plain text.
    public let password: String

    public init(app: AppIdentifier, domain: String, account: String, password: String) {
        (self.app, self.domain, self.account, self.password) = (app, domain, account, password)
    }
}

extension KeychainItem: SecretHolder {
    public var description: String { "\(account.quoted) of \(app) for \(domain)" }
}

extension SimulatedDevice {
    /// Returns an app's keychain item for a domain in lower case. As on a device, items remain after the app is
    /// uninstalled.
    public func keychainItem(of app: AppIdentifier, for domain: String) -> KeychainItem? {
        state.keychain.first { $0.app == app && $0.domain == domain }
    }

    /// Stores an item. The new item replaces the existing item of the same app and domain.
    public func keep(_ item: KeychainItem) {
        state.keychain.removeAll { $0.app == item.app && $0.domain == item.domain }
        state.keychain.append(item)
    }

    /// Removes the item of an account, if it exists.
    /// - Parameters:
    ///   - account: the user name, compared byte by byte.
    ///   - app: the app.
    ///   - domain: the domain in lower case.
    public func forget(_ account: String, of app: AppIdentifier, for domain: String) {
        state.keychain.removeAll { $0.app == app && $0.domain == domain && $0.account.isSameText(as: account) }
    }
}
