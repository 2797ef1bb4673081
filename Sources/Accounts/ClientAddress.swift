/// Where a request comes from, for throttling.
///
/// Of an IPv6 address the first 64 bits count, as whoever has one address there has the whole network (RFC 6177 §2); an
/// IPv4-mapped one counts as the IPv4 address in it (RFC 4291 §2.5.5.2).
public struct ClientAddress: Sendable, Hashable {
    /// What counts: 4 bytes of IPv4 or 8 of IPv6; anything else is taken as it is.
    let bytes: [UInt8]

    /// - Parameter bytes: 4 or 16 bytes, the first one first as on the wire.
    public init(_ bytes: [UInt8]) {
        let mapped = [UInt8](repeating: 0, count: 10) + [255, 255]
        switch bytes.count {
        case 16 where bytes.starts(with: mapped): self.bytes = Array(bytes[12...])
        case 16: self.bytes = Array(bytes[..<8])
        default: self.bytes = bytes
        }
    }
}
