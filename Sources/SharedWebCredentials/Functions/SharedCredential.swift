public import Platform

/// A password that is saved for an account of a site; its texts for people and logs leave the password out.
public struct SharedCredential: Sendable, Hashable {
    /// The names that Apple's dictionary has for the parts.
    public enum Key: String, CaseIterable, Sendable {
        /// `kSecAttrServer`.
        case server = "srvr"
        /// `kSecAttrAccount`.
        case account = "acct"
        /// `kSecSharedPassword`.
        case password = "spwd"
        /// `kSecAttrPort`.
        case port = "port"
    }

    /// The host in lower case.
    public let server: String
    /// The user name.
    public let account: String
    /// The password, as it is.
    public let password: String
    /// The port from 1 to 65,535; nil for 443.
    public let port: UInt16?

    /// - Parameters:
    ///   - server: the host, which is kept in lower case.
    ///   - account: the user name.
    ///   - password: the password.
    ///   - port: the port from 1 to 65,535; nil and 443 are the same.
    public init(server: String, account: String, password: String, port: UInt16? = nil) {
        self.server = server.loweredASCII
        self.account = account
        self.password = password
        self.port = port == 443 ? nil : port
    }

    /// Apple's dictionary as JSON; `port` is there only when it is not 443.
    public var json: JSONNode {
        var members: [(key: String, value: JSONNode)] = [
            (Key.server.rawValue, .text(server)), (Key.account.rawValue, .text(account)),
            (Key.password.rawValue, .text(password)),
        ]
        if let port { members.append((Key.port.rawValue, .number(Int(port)))) }
        return .members(members)
    }

    /// Byte for byte, as a keychain compares: two spellings of "é" are two accounts, and two passwords.
    public static func == (one: SharedCredential, other: SharedCredential) -> Bool {
        one.server == other.server && one.port == other.port && one.account.isSameText(as: other.account)
            && one.password.isSameText(as: other.password)
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(server)
        hasher.combine(port)
    }
}

extension SharedCredential: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "\(account.quoted) at \(server)\(port.map { ":\($0)" } ?? "")" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["server": server, "account": account]) }
}

extension String {
    /// The text with the letters A to Z in lower case, as host names are compared.
    var loweredASCII: String {
        String(decoding: utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
    }

    func isSameText(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}
