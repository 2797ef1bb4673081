import AssociatedDomains
public import MotivatorPlatform

/// The three functions for sharing saved passwords between an app and its website.
///
/// They behave as described in Apple's archived "Shared Web Credentials Reference". `SimulatedDevice` implements them
/// on every platform. `SystemSharedWebCredentials` calls the system's functions, or their replacements on iOS 26.2 and
/// later.
public protocol SharedWebCredentials: Sendable {
    /// Saves, changes or deletes a password, after a prompt if required (`SecAddSharedWebCredential`).
    /// - Parameters:
    ///   - domain: a host from the app's `webcredentials` entries, with a port if it is not 443. Case is ignored.
    ///   - password: the password; nil deletes the account's password.
    /// - Returns: the error, if any. nil does not prove that the password was saved, because the user may have
    ///   declined.
    func add(domain: String, account: String, password: String?) async -> SharedCredentialError?

    /// Lets the user pick one of the saved passwords (`SecRequestSharedWebCredential`).
    /// - Parameters:
    ///   - domain: the host, as in `add`; nil for the hosts of the app's `webcredentials` entries. Up to iOS 13, nil
    ///     means all these hosts. Since iOS 14, nil means the first host.
    ///   - account: the user name to search for; nil for any user name.
    /// - Returns: an array with the picked password, or an error. With an error, Apple's function passes an empty
    ///   array.
    func request(domain: String?, account: String?) async -> Result<[SharedCredential], SharedCredentialError>

    /// Returns a new password such as `kFp-8dX-Qm4-zRt` (`SecCreateSharedWebCredentialPassword`).
    func createPassword() -> String
}

extension SharedWebCredentials {
    public func createPassword() -> String { PasswordGenerator().next() }
}

/// A saved password for an account on a site. Its descriptions omit the password.
public struct SharedCredential: Sendable, Hashable, Codable {
    /// The keys of Apple's dictionary.
    public enum Key: String, CaseIterable, Sendable, CodingKey {
        /// `kSecAttrServer`.
        case server = "srvr"
        /// `kSecAttrAccount`.
        case account = "acct"
        /// `kSecSharedPassword`.
        case password = "spwd"
        /// `kSecAttrPort`.
        case port = "port"
    }

    typealias CodingKeys = Key

    /// The host in lower case.
    public let server: String
    /// The user name.
    public let account: String
    /// The password in plain text.
    public let password: String
    /// The port from 1 to 65,535; nil for 443.
    public let port: UInt16?

    /// Creates a credential.
    /// - Parameters:
    ///   - server: the host. Case is ignored.
    ///   - account: the user name.
    ///   - password: the password.
    ///   - port: the port from 1 to 65,535; nil and 443 are equivalent.
    public init(server: String, account: String, password: String, port: UInt16? = nil) {
        self.server = server.loweredASCII
        (self.account, self.password) = (account, password)
        self.port = port == 443 ? nil : port
    }

    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: Key.self)
        let number = try members.decodeIfPresent(Int.self, forKey: .port)
        let port = number.flatMap { UInt16(exactly: $0) }
        guard number == nil || port != nil, port != 0 else {
            throw DecodingError.dataCorruptedError(forKey: .port, in: members, debugDescription: "")
        }
        self.init(
            server: try members.decode(String.self, forKey: .server),
            account: try members.decode(String.self, forKey: .account),
            password: try members.decode(String.self, forKey: .password), port: port)
    }

    var authority: String { server + (port.map { ":\($0)" } ?? "") }

    /// Apple's dictionary as JSON. `port` is present only if it is not 443.
    package var json: JSONNode {
        let members: JSONNode = ["srvr": .text(server), "acct": .text(account), "spwd": .text(password)]
        return members.adding("port", port.map { .number(Int($0)) })
    }

    /// Compares credentials byte by byte, as a keychain does. The two encodings of "é" are different accounts and
    /// passwords.
    public static func == (one: SharedCredential, other: SharedCredential) -> Bool {
        one.server == other.server && one.port == other.port && one.account.isSameText(as: other.account)
            && one.password.isSameText(as: other.password)
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(server)
        hasher.combine(port)
    }
}

extension SharedCredential: SecretHolder {
    public var description: String { "\(account.quoted) at \(authority)" }
}

extension String {
    /// The text with the letters A to Z in lower case, for comparing host names.
    ///
    /// Apps copy this file without the checker, so it does not use `HostText`.
    var loweredASCII: String {
        String(decoding: utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
    }

    func isSameText(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}
