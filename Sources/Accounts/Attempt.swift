import Certificates
import Platform

/// An attempt that is throttled, as the keys of its counts. The store learns neither names nor addresses from them.
public struct Attempt: Sendable, Equatable {
    /// The account whose password is tried, whether or not there is such an account.
    public let account: Digest
    /// The client that makes the attempt.
    public let address: Digest
    /// The account at this address.
    public let pair: Digest
    /// The client that signs up.
    public let signUps: Digest

    /// - Parameters:
    ///   - key: the account's folded name.
    ///   - address: the client that makes the attempt.
    public init(key: String, from address: ClientAddress) {
        // Version 1 of the schema counted failures in a row under "account:".
        account = Digest(of: Array("level:\(key)".utf8))
        self.address = Digest(of: Array("address:".utf8) + address.bytes)
        pair = Digest(of: Array("pair:".utf8) + address.bytes + Array(":\(key)".utf8))
        signUps = Digest(of: Array("sign-ups:".utf8) + address.bytes)
    }
}

/// What an attempt is counted as.
public enum AttemptScope: Sendable {
    /// A password is verified: a failure of the address, and of the address with the account.
    case password
    /// An account is created: a sign-up of the address.
    case signUp
}

/// The client that a request comes from, as rate limits count it: an IPv4 address or an IPv6 /64 prefix.
public struct ClientAddress: Sendable, Hashable {
    /// The client key: 4 bytes of IPv4 or 8 of IPv6.
    let bytes: [UInt8]

    /// - Parameter bytes: the address in network order, 4 or 16 bytes.
    public init(_ bytes: [UInt8]) {
        self.bytes = SocketAddress.clientKey(ofAddress: bytes)
    }
}

/// A SHA-256 digest, by which the store identifies sessions and counts. The store thus cannot reveal tokens, names or
/// addresses.
public struct Digest: Sendable, Hashable {
    /// The number of bytes of every digest.
    public static let length = 32
    /// The 32 bytes.
    public let bytes: [UInt8]

    /// - Parameter content: the bytes to digest.
    init(of content: [UInt8]) {
        bytes = Certificates.Digest.sha256(content)
    }
}
