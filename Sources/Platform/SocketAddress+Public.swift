extension SocketAddress {
    /// Whether the address is reachable from the whole internet: it is in none of the special-purpose networks of IANA's
    /// registries (RFC 6890). An address that contains an IPv4 address has the property of this IPv4 address.
    package var isPublic: Bool {
        if let embedded { return embedded.isPublic }
        return !isIn(bytes.count == 4 ? Self.specialIPv4 : Self.specialIPv6)
    }

    /// Whether the address is private (RFC 1918, RFC 4193) or link-local (RFC 3927, RFC 4291).
    package var isPrivate: Bool {
        isLinkLocal || isIn(bytes.count == 4 ? [([10], 8), ([172, 16], 12), ([192, 168], 16)] : [([0xFC], 7)])
    }

    /// Whether the address is valid only on one link, such as 169.254.0.1 or fe80::1.
    var isLinkLocal: Bool { isIn(bytes.count == 4 ? [([169, 254], 16)] : [([0xFE, 0x80], 10)]) }

    /// The IPv4 address in an IPv4-mapped address (RFC 4291 §2.5.5.2) or a NAT64 address (RFC 6052 §2.1).
    private var embedded: SocketAddress? {
        let prefixes: [[UInt8]] = [
            [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF], [0, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0],
        ]
        guard bytes.count == 16, prefixes.contains(where: { bytes.starts(with: $0) }) else { return nil }
        return SocketAddress(bytes: Array(bytes[12...]), port: port)
    }

    private typealias Network = (prefix: [UInt8], bits: Int)

    private func isIn(_ networks: [Network]) -> Bool {
        networks.contains { prefix, bits in
            prefix.enumerated().allSatisfy { index, byte in
                let mask = UInt8(truncatingIfNeeded: 0xFF00 >> min(max(bits - 8 * index, 0), 8))
                return bytes[index] & mask == byte & mask
            }
        }
    }

    private static let specialIPv4: [Network] = [
        ([0], 8), ([10], 8), ([100, 64], 10), ([127], 8), ([169, 254], 16), ([172, 16], 12), ([192, 0, 0], 24),
        ([192, 0, 2], 24), ([192, 31, 196], 24), ([192, 52, 193], 24), ([192, 88, 99], 24), ([192, 168], 16),
        ([192, 175, 48], 24), ([198, 18], 15), ([198, 51, 100], 24), ([203, 0, 113], 24),
        // Multicast, reserved and broadcast.
        ([224], 3),
    ]
    /// Unicast addresses are in 2000::/3. 6to4 (2002::/16) and Teredo (in 2001::/23) contain IPv4 addresses.
    private static let specialIPv6: [Network] = [
        ([0x00], 3), ([0x40], 2), ([0x80], 1), ([0x20, 0x01, 0x00], 23), ([0x20, 0x01, 0x0D, 0xB8], 32),
        ([0x20, 0x02], 16), ([0x26, 0x20, 0x00, 0x4F, 0x80, 0x00], 48), ([0x3F, 0xFF, 0x00], 20),
    ]
}
