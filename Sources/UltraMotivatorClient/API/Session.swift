/// A session that the server began: what signing in or up gives.
public struct Session: Sendable, Equatable {
    /// The account's name as it was sent, under which the stores keep it.
    public let account: String
    /// The account's name as the server shows it; it may be in another case.
    public let name: String
    /// The bearer token: a secret.
    public let token: String

    /// - Parameters: as of the properties.
    public init(account: String, name: String, token: String) {
        self.account = account
        self.name = name
        self.token = token
    }
}

extension Session: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "[session]" }
    public var debugDescription: String { description }
    /// Without children: `dump` and the messages of tests print a mirror.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
