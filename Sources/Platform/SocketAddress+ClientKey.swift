extension SocketAddress {
    /// The part of the address that identifies a client in connection limits and rate limits.
    ///
    /// 4 bytes for IPv4, the first 8 bytes for IPv6: one subscriber usually controls a whole /64 prefix (RFC 6177 §2).
    /// An IPv4-mapped IPv6 address has the key of the IPv4 address in it (RFC 4291 §2.5.5.2).
    package var clientKey: [UInt8] { Self.clientKey(ofAddress: bytes) }

    /// Returns the client key of an address in network order.
    ///
    /// - Parameter bytes: 4 or 16 bytes; any other count is returned unchanged.
    package static func clientKey(ofAddress bytes: [UInt8]) -> [UInt8] {
        guard bytes.count == 16 else { return bytes }
        let isIPv4Mapped = bytes[..<10].allSatisfy { $0 == 0 } && bytes[10] == 0xFF && bytes[11] == 0xFF
        return Array(isIPv4Mapped ? bytes[12...] : bytes[..<8])
    }
}
