public import AssociatedDomains
import Platform

/// What one app keeps in its own keychain for one domain; no other app sees it.
public struct KeychainItem: Sendable, Hashable {
    /// The app.
    public let app: AppIdentifier
    /// The domain in lower case, with a port perhaps.
    public let domain: String
    /// The user name.
    public let account: String
    /// The password, as it is.
    public let password: String

    /// - Parameters: as of the properties.
    public init(app: AppIdentifier, domain: String, account: String, password: String) {
        (self.app, self.domain, self.account, self.password) = (app, domain, account, password)
    }
}

extension KeychainItem: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "\(account.quoted) of \(app) for \(domain)" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["app": app, "account": account, "domain": domain]) }
}
