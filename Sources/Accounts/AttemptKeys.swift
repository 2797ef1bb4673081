import Certificates
import MotivatorPlatform

/// The keys of the counts that throttle an attempt. The keys do not reveal names or addresses to the store.
package struct AttemptKeys: Sendable, Equatable {
    /// The account, which may not exist.
    package let account: SHA256
    /// The client that makes the attempt.
    package let address: SHA256
    package let pair: SHA256
    package let signUps: SHA256

    /// - Parameter key: the account's folded name.
    package init(key: String, from address: ClientAddress) {
        // Version 1 of the schema used the prefix "account:" for counts of consecutive failures.
        account = SHA256(of: Array("level:\(key)".utf8))
        self.address = SHA256(of: Array("address:".utf8) + address.bytes)
        pair = SHA256(of: Array("pair:".utf8) + address.bytes + Array(":\(key)".utf8))
        signUps = SHA256(of: Array("sign-ups:".utf8) + address.bytes)
    }
}

/// The kind of an attempt, which determines its counts.
package enum AttemptScope: Sendable {
    /// A password verification, counted for the address and for the pair of address and account.
    case password
    /// An account creation, counted for the address.
    case signUp
}

/// A client, as identified by rate limits: an IPv4 address or an IPv6 /64 prefix.
package struct ClientAddress: Sendable, Hashable {
    /// The client key: 4 bytes for IPv4, or 8 bytes for IPv6.
    let bytes: [UInt8]

    /// - Parameter bytes: the address in network order, 4 or 16 bytes.
    package init(_ bytes: [UInt8]) {
        self.bytes = SocketAddress.clientKey(ofAddress: bytes)
    }
}

/// A SHA-256 digest. The store identifies sessions and counts by digests, which do not reveal tokens, names or
/// addresses.
package struct SHA256: Sendable, Hashable {
    package static let length = 32
    package let bytes: [UInt8]

    init(of content: [UInt8]) {
        bytes = Certificates.Digest.sha256(content)
    }

    /// The first 64 bits. They identify a session in a notification, and reveal nothing about its token.
    package var prefix: Int64 { bytes.prefix(8).reduce(0) { $0 << 8 | Int64($1) } }
}
