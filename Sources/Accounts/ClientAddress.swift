import Platform

/// The client that a request comes from, as rate limits count it: an IPv4 address or an IPv6 /64 prefix.
public struct ClientAddress: Sendable, Hashable {
    /// The client key: 4 bytes of IPv4 or 8 of IPv6.
    let bytes: [UInt8]

    /// - Parameter bytes: the address in network order, 4 or 16 bytes.
    public init(_ bytes: [UInt8]) {
        self.bytes = SocketAddress.clientKey(ofAddress: bytes)
    }
}
