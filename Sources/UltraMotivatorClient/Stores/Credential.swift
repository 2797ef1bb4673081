/// An account's name and password. Its descriptions omit both.
public struct Credential: Sendable, Hashable {
    /// The account's name.
    public let account: String
    /// The password, a secret.
    public let password: String

    public init(account: String, password: String) {
        self.account = account
        self.password = password
    }
}

extension Credential: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "[credential]" }
    public var debugDescription: String { description }
    /// A mirror without children, because `dump` and test failures print mirrors.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// A session: the result of a sign-in or sign-up.
public struct Session: Sendable, Equatable {
    /// The account's name as sent and stored.
    public let account: String
    /// The account's name as the server displays it, possibly in a different case.
    public let name: String
    /// The bearer token, a secret.
    public let token: String

    public init(account: String, name: String, token: String) {
        self.account = account
        self.name = name
        self.token = token
    }
}

extension Session: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "[session]" }
    public var debugDescription: String { description }
    /// A mirror without children, because `dump` and test failures print mirrors.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// A motivational quote.
public struct Quote: Sendable, Hashable {
    /// The text.
    public let text: String
    /// The author.
    public let author: String

    public init(text: String, author: String) {
        self.text = text
        self.author = author
    }
}
