public import AssociatedDomains

extension SimulatedDevice {
    /// What an app keeps for a domain in its own keychain, which outlasts the app as it does on a device.
    ///
    /// - Parameters:
    ///   - app: the app.
    ///   - domain: the domain in lower case.
    public func keychainItem(of app: AppIdentifier, for domain: String) -> KeychainItem? {
        state.keychain.first { $0.app == app && $0.domain == domain }
    }

    /// Keeps an item in place of the one that its app has for its domain.
    ///
    /// - Parameter item: what is kept.
    public func keep(_ item: KeychainItem) {
        state.keychain.removeAll { $0.app == item.app && $0.domain == item.domain }
        state.keychain.append(item)
    }

    /// Forgets the item of an account; one that is not there is no mistake.
    ///
    /// - Parameters:
    ///   - account: the user name, compared byte for byte.
    ///   - app: the app.
    ///   - domain: the domain in lower case.
    public func forget(_ account: String, of app: AppIdentifier, for domain: String) {
        state.keychain.removeAll {
            $0.app == app && $0.domain == domain && $0.account.isSameText(as: account)
        }
    }
}
