import Testing

@testable import MotivatorPlatform

@Suite("Public addresses") struct PublicAddressTests {
    @Test(
        "An address in a special-purpose network is not public (RFC 6890)",
        arguments: [
            "0.0.0.0", "0.255.255.255", "10.0.0.1", "100.64.0.1", "100.127.255.255", "127.0.0.1", "127.255.255.255",
            "169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.8", "192.0.2.1", "192.88.99.1", "192.168.0.1",
            "198.18.0.1", "198.19.255.255", "198.51.100.1", "203.0.113.1", "224.0.0.1", "240.0.0.1", "255.255.255.255",
            "::", "::1", "::7f00:1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254",
            "64:ff9b::127.0.0.1", "64:ff9b::192.168.0.1", "64:ff9b:1::8.8.8.8", "100::1", "2001::1",
            "2001:0:7f00:1::1", "2001:2::1", "2001:1ff::1", "2001:db8::1", "2002:7f00:1::1", "2002:808:808::1",
            "2620:4f:8000::1", "3fff::1", "3fff:fff::1", "5f00::1", "fc00::1", "fdff::1", "fe80::1", "fec0::1",
            "ff02::1",
        ])
    func special(_ text: String) throws {
        #expect(!(try #require(SocketAddress(text, port: 443)).isPublic))
    }

    @Test(
        "An address next to a special-purpose network is public",
        arguments: [
            "1.0.0.1", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255", "128.0.0.0",
            "169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0", "191.255.255.255", "192.0.1.0",
            "192.0.3.0", "192.31.195.255", "192.31.197.0", "192.52.192.255", "192.52.194.0", "192.88.98.1",
            "192.88.100.0", "192.167.255.255", "192.169.0.0", "192.175.47.255", "192.175.49.0", "198.17.255.255",
            "198.20.0.0", "198.51.99.1", "198.51.101.0", "203.0.112.1", "203.0.114.0", "223.255.255.255",
            "::ffff:8.8.8.8", "64:ff9b::8.8.8.8", "2000::1", "2001:200::1", "2001:db7::1", "2001:db9::1",
            "2001:4860:4860::8888", "2001:ffff::1", "2003::1", "2620:4f:7fff::1",
            "2620:4f:8001::1", "2a00::1", "3ffe::1", "3fff:1000::1",
        ])
    func ordinary(_ text: String) throws {
        #expect(try #require(SocketAddress(text, port: 443)).isPublic)
    }
}

@Suite("Addresses of local networks and of this machine") struct LocalAddressTests {
    @Test(
        "An address is private in its whole network and not next to it (RFC 1918, RFC 3927, RFC 4193, RFC 4291)",
        arguments: [
            ("9.255.255.255", false), ("10.0.0.0", true), ("10.255.255.255", true), ("11.0.0.0", false),
            ("172.15.255.255", false), ("172.16.0.0", true), ("172.31.255.255", true), ("172.32.0.0", false),
            ("192.167.255.255", false), ("192.168.0.0", true), ("192.168.255.255", true), ("192.169.0.0", false),
            ("169.253.255.255", false), ("169.254.0.0", true), ("169.254.255.255", true), ("169.255.0.0", false),
            ("127.0.0.1", false), ("100.64.0.1", false), ("fbff:ffff::1", false), ("fc00::", true),
            ("fdff:ffff::1", true), ("fe00::", false), ("fe7f:ffff::1", false), ("fe80::", true),
            ("febf:ffff::1", true), ("fec0::", false), ("::1", false), ("2001:db8::1", false),
        ])
    func isPrivate(_ text: String, _ isPrivate: Bool) throws {
        #expect(try #require(SocketAddress(text, port: 443)).isPrivate == isPrivate)
    }

    @Test(
        "A loopback address is in 127.0.0.0/8 or is ::1 (RFC 1122 §3.2.1.3, RFC 4291 §2.5.3)",
        arguments: [
            ("126.255.255.255", false), ("127.0.0.0", true), ("127.255.255.255", true), ("128.0.0.0", false),
            ("0.0.0.1", false), ("::", false), ("::1", true), ("::2", false), ("::101", false), ("1::1", false),
        ])
    func isLoopback(_ text: String, _ isLoopback: Bool) throws {
        #expect(try #require(SocketAddress(text, port: 443)).isLoopback == isLoopback)
    }

    @Test(
        "Only the unspecified address is every address",
        arguments: [("0.0.0.0", true), ("::", true), ("0.0.0.1", false), ("::1", false), ("1::", false)])
    func isEveryAddress(_ text: String, _ isEveryAddress: Bool) throws {
        #expect(try #require(SocketAddress(text, port: 443)).isEveryAddress == isEveryAddress)
    }
}

@Suite("Addresses of Unix sockets") struct UnixAddressTests {
    private static let capacity = MemoryLayout.size(ofValue: sockaddr_un().sun_path)
    private static let whole = MemoryLayout<sockaddr_un>.size

    private func length(_ path: String) throws -> Int {
        try SocketCalls.withUnixAddress(path) { _, length in Int(length) }
    }

    @Test("A path has a zero byte at its end, and an abstract name only at its start (unix(7))")
    func lengths() throws {
        #expect(try length("/a") == Self.whole - Self.capacity + 3)
        #expect(try length("@a") == Self.whole - Self.capacity + 2)
    }

    @Test("A name fits up to the limit of the system")
    func longest() throws {
        let name = String(repeating: "a", count: Self.capacity - 1)
        #expect(try length(name) == Self.whole)
        #expect(try length("@" + name) == Self.whole)
        for path in [name + "a", "@a" + name] {
            #expect(throws: SystemError("sendto", code: ENAMETOOLONG)) { try length(path) }
        }
    }
}

/// The entries of IANA's registries of special-purpose addresses (RFC 6890, RFC 8190; as of October 2024), with their
/// sources. The entries that IANA marks as globally reachable are also refused. Multicast (RFC 5771, RFC 4291) and the
/// deprecated IPv6 networks are not in these registries. The IPv6 entries ::ffff:0:0/96 (RFC 4291 §2.5.5.2) and
/// 64:ff9b::/96 (RFC 6052 §2.1) contain IPv4 addresses, and have the property of these.
@Suite("The special-purpose registries") struct SpecialPurposeRegistryTests {
    struct Entry: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let first: String
        let last: String

        init(_ source: String, _ first: String, _ last: String) {
            (testDescription, self.first, self.last) = ("\(first) (\(source))", first, last)
        }
    }

    static let ofIPv4 = [
        Entry("RFC 791 §3.2", "0.0.0.0", "0.255.255.255"), Entry("RFC 1918", "10.0.0.0", "10.255.255.255"),
        Entry("RFC 6598", "100.64.0.0", "100.127.255.255"), Entry("RFC 1122 §3.2.1.3", "127.0.0.0", "127.255.255.255"),
        Entry("RFC 3927", "169.254.0.0", "169.254.255.255"), Entry("RFC 1918", "172.16.0.0", "172.31.255.255"),
        Entry("RFC 6890 §2.1", "192.0.0.0", "192.0.0.255"), Entry("RFC 7335", "192.0.0.0", "192.0.0.7"),
        Entry("RFC 7600", "192.0.0.8", "192.0.0.8"), Entry("RFC 7723", "192.0.0.9", "192.0.0.9"),
        Entry("RFC 8155", "192.0.0.10", "192.0.0.10"), Entry("RFC 8880", "192.0.0.170", "192.0.0.171"),
        Entry("RFC 5737", "192.0.2.0", "192.0.2.255"), Entry("RFC 7535", "192.31.196.0", "192.31.196.255"),
        Entry("RFC 7450", "192.52.193.0", "192.52.193.255"), Entry("RFC 7526", "192.88.99.0", "192.88.99.255"),
        Entry("RFC 6751", "192.88.99.2", "192.88.99.2"), Entry("RFC 1122 §3.2.1.3", "0.0.0.0", "0.0.0.0"),
        Entry("RFC 1918", "192.168.0.0", "192.168.255.255"), Entry("RFC 7534", "192.175.48.0", "192.175.48.255"),
        Entry("RFC 2544", "198.18.0.0", "198.19.255.255"), Entry("RFC 5737", "198.51.100.0", "198.51.100.255"),
        Entry("RFC 5737", "203.0.113.0", "203.0.113.255"), Entry("RFC 5771", "224.0.0.0", "239.255.255.255"),
        Entry("RFC 1112 §4", "240.0.0.0", "255.255.255.254"), Entry("RFC 919 §7", "255.255.255.255", "255.255.255.255"),
    ]

    static let ofIPv6 = [
        Entry("RFC 4291 §2.5.3", "::1", "::1"), Entry("RFC 4291 §2.5.2", "::", "::"),
        // IPv4-compatible, IPv4-translated and site-local addresses are deprecated.
        Entry("RFC 4291 §2.5.5.1", "::", "::255.255.255.255"),
        Entry("RFC 2765 §2.1", "::ffff:0:0.0.0.0", "::ffff:0:255.255.255.255"),
        Entry("RFC 3879 §4", "fec0::", "feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
        Entry("RFC 8215", "64:ff9b:1::", "64:ff9b:1:ffff:ffff:ffff:ffff:ffff"),
        Entry("RFC 6666", "100::", "100::ffff:ffff:ffff:ffff"),
        Entry("RFC 9780", "100:0:0:1::", "100:0:0:1:ffff:ffff:ffff:ffff"),
        Entry("RFC 2928", "2001::", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff"),
        Entry("RFC 4380", "2001::", "2001:0:ffff:ffff:ffff:ffff:ffff:ffff"),
        Entry("RFC 7723", "2001:1::1", "2001:1::1"),
        Entry("RFC 8155", "2001:1::2", "2001:1::2"), Entry("RFC 9665", "2001:1::3", "2001:1::3"),
        Entry("RFC 5180", "2001:2::", "2001:2:0:ffff:ffff:ffff:ffff:ffff"),
        Entry("RFC 7450", "2001:3::", "2001:3:ffff:ffff:ffff:ffff:ffff:ffff"),
        Entry("RFC 7535", "2001:4:112::", "2001:4:112:ffff:ffff:ffff:ffff:ffff"),
        Entry("RFC 4843", "2001:10::", "2001:1f:ffff:ffff:ffff:ffff:ffff:ffff"),
        Entry("RFC 7343", "2001:20::", "2001:2f:ffff:ffff:ffff:ffff:ffff:ffff"),
        Entry("RFC 9374", "2001:30::", "2001:3f:ffff:ffff:ffff:ffff:ffff:ffff"),
        Entry("RFC 3849", "2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff"),
        Entry("RFC 3056", "2002::", "2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
        Entry("RFC 7534", "2620:4f:8000::", "2620:4f:8000:ffff:ffff:ffff:ffff:ffff"),
        Entry("RFC 9637", "3fff::", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff"),
        Entry("RFC 9602", "5f00::", "5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
        Entry("RFC 4193", "fc00::", "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
        Entry("RFC 4291 §2.5.6", "fe80::", "febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
        Entry("RFC 4291 §2.7", "ff00::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
    ]

    @Test("An IPv4 entry is not public, alone or inside an IPv6 address", arguments: ofIPv4)
    func special(_ entry: Entry) throws {
        for text in [entry.first, entry.last] {
            let bytes = text.split(separator: ".").compactMap { UInt16($0) }
            let (high, low) = (String(bytes[0] << 8 | bytes[1], radix: 16), String(bytes[2] << 8 | bytes[3], radix: 16))
            // Mapped (RFC 4291 §2.5.5.2), NAT64 with both prefixes (RFC 6052 §2.1, RFC 8215), compatible (RFC 4291
            // §2.5.5.1), translated (RFC 2765 §2.1), 6to4 (RFC 3056 §2), and Teredo as the server (RFC 4380 §4).
            let forms = [
                text, "::ffff:\(text)", "::ffff:\(high):\(low)", "0:0:0:0:0:ffff:\(high):\(low)", "64:ff9b::\(text)",
                "64:FF9B::\(high):\(low)", "64:ff9b:1::\(text)", "::\(text)", "::ffff:0:\(text)",
                "2002:\(high):\(low)::1", "2001:0:\(high):\(low)::1",
            ]
            for form in forms {
                #expect(!(try #require(SocketAddress(form, port: 443), "\(form)")).isPublic, "\(form)")
            }
        }
    }

    @Test("An IPv6 entry is not public", arguments: ofIPv6)
    func specialIPv6(_ entry: Entry) throws {
        for text in [entry.first, entry.last] {
            #expect(!(try #require(SocketAddress(text, port: 443))).isPublic, "\(text)")
        }
    }
}
