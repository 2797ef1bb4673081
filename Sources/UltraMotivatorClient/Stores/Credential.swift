/// An account's name with its password, which no description shows.
public struct Credential: Sendable, Hashable {
    /// The account's name as the person or the store has it.
    public let account: String
    /// The password: a secret.
    public let password: String

    /// - Parameters:
    ///   - account: the account's name.
    ///   - password: the password.
    public init(account: String, password: String) {
        self.account = account
        self.password = password
    }
}

extension Credential: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "[credential]" }
    public var debugDescription: String { description }
    /// Without children: `dump` and the messages of tests print a mirror.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
