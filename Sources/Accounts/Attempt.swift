import Certificates
import MotivatorPlatform

/// The keys of the counts that throttle an attempt. The keys do not reveal names or addresses to the store.
package struct Attempt: Sendable, Equatable {
    /// The account, whether or not it exists.
    package let account: Digest
    /// The client that makes the attempt.
    package let address: Digest
    /// The combination of account and address.
    package let pair: Digest
    /// The client, for sign-ups.
    package let signUps: Digest

    /// - Parameters:
    ///   - key: the account's folded name.
    ///   - address: the client that makes the attempt.
    package init(key: String, from address: ClientAddress) {
        // Version 1 of the schema counted consecutive failures under "account:".
        account = Digest(of: Array("level:\(key)".utf8))
        self.address = Digest(of: Array("address:".utf8) + address.bytes)
        pair = Digest(of: Array("pair:".utf8) + address.bytes + Array(":\(key)".utf8))
        signUps = Digest(of: Array("sign-ups:".utf8) + address.bytes)
    }
}

/// The kind of an attempt, which determines its counts.
package enum AttemptScope: Sendable {
    /// The verification of a password: counted for the address, and for the address with the account.
    case password
    /// The creation of an account: counted for the address.
    case signUp
}

/// The client of a request for rate limits: an IPv4 address or an IPv6 /64 prefix.
package struct ClientAddress: Sendable, Hashable {
    /// The client key: 4 bytes of IPv4 or 8 of IPv6.
    let bytes: [UInt8]

    /// - Parameter bytes: the address in network order, 4 or 16 bytes.
    package init(_ bytes: [UInt8]) {
        self.bytes = SocketAddress.clientKey(ofAddress: bytes)
    }
}

/// A SHA-256 digest. The store identifies sessions and counts by digests, so it cannot reveal tokens, names or
/// addresses.
package struct Digest: Sendable, Hashable {
    /// The number of bytes of every digest.
    package static let length = 32
    /// The 32 bytes.
    package let bytes: [UInt8]

    /// - Parameter content: the bytes to digest.
    init(of content: [UInt8]) {
        bytes = Certificates.Digest.sha256(content)
    }
}
