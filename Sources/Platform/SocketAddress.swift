/// An IPv4 or IPv6 address with a port.
package struct SocketAddress: Sendable, Hashable, CustomStringConvertible {
    /// The address in network order: 4 or 16 bytes.
    package let bytes: [UInt8]
    /// The port. For port 0, the system chooses a port when a socket binds to the address.
    package var port: UInt16

    /// - Parameter text: an address such as `127.0.0.1` or `::1`, without brackets.
    /// - Returns: nil if the text is not a numeric address.
    package init?(_ text: String, port: UInt16) {
        var bytes = [UInt8](repeating: 0, count: 16)
        if unsafe inet_pton(AF_INET, text, &bytes) == 1 {
            bytes.removeLast(12)
        } else {
            guard unsafe inet_pton(AF_INET6, text, &bytes) == 1 else { return nil }
        }
        (self.bytes, self.port) = (bytes, port)
    }

    /// - Parameter bytes: the address in network order.
    /// - Returns: nil unless `bytes` contains 4 or 16 bytes.
    package init?(bytes: [UInt8], port: UInt16) {
        guard bytes.count == 4 || bytes.count == 16 else { return nil }
        (self.bytes, self.port) = (bytes, port)
    }

    /// Returns the 4 bytes of an IPv4-mapped IPv6 address (RFC 4291 §2.5.5.2), and any other address unchanged.
    package static func unmapped(_ bytes: [UInt8]) -> [UInt8] {
        let isMapped = bytes.count == 16 && bytes.starts(with: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF])
        return isMapped ? Array(bytes[12...]) : bytes
    }

    /// Converts the result of `accept` or `getsockname`.
    package init?(_ storage: sockaddr_storage) {
        switch Int32(storage.ss_family) {
        case AF_INET:
            var four = unsafe withUnsafeBytes(of: storage) { unsafe $0.loadUnaligned(as: sockaddr_in.self) }
            bytes = unsafe withUnsafeBytes(of: &four.sin_addr) { unsafe Array($0) }
            port = UInt16(bigEndian: four.sin_port)
        case AF_INET6:
            var six = unsafe withUnsafeBytes(of: storage) { unsafe $0.loadUnaligned(as: sockaddr_in6.self) }
            // The address of an IPv4 client, if a passed socket accepts both families.
            bytes = Self.unmapped(unsafe withUnsafeBytes(of: &six.sin6_addr) { unsafe Array($0) })
            port = UInt16(bigEndian: six.sin6_port)
        default: return nil
        }
    }

    package var family: Int32 { bytes.count == 4 ? AF_INET : AF_INET6 }

    package var isLoopback: Bool {
        bytes.count == 4 ? bytes[0] == 127 : bytes.dropLast().allSatisfy { $0 == 0 } && bytes[15] == 1
    }

    /// Whether this is the unspecified address, `0.0.0.0` or `::`. A socket bound to it listens on all addresses.
    package var isEveryAddress: Bool { bytes.allSatisfy { $0 == 0 } }

    /// The address in its usual text form, without the port.
    package var host: String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        _ = unsafe bytes.withUnsafeBytes { unsafe inet_ntop(family, $0.baseAddress, &text, socklen_t(text.count)) }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// The authority of a URL: `127.0.0.1:8443` or `[::1]:8443`.
    package var description: String { family == AF_INET ? "\(host):\(port)" : "[\(host)]:\(port)" }

    package func withSystemAddress<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        var storage = sockaddr_storage()
        let length: Int
        if family == AF_INET {
            var four = sockaddr_in()
            four.sin_family = sa_family_t(AF_INET)
            four.sin_port = port.bigEndian
            unsafe withUnsafeMutableBytes(of: &four.sin_addr) { unsafe $0.copyBytes(from: bytes) }
            length = MemoryLayout<sockaddr_in>.size
            unsafe withUnsafeMutableBytes(of: &storage) { unsafe $0.storeBytes(of: four, as: sockaddr_in.self) }
        } else {
            var six = sockaddr_in6()
            six.sin6_family = sa_family_t(AF_INET6)
            six.sin6_port = port.bigEndian
            unsafe withUnsafeMutableBytes(of: &six.sin6_addr) { unsafe $0.copyBytes(from: bytes) }
            length = MemoryLayout<sockaddr_in6>.size
            unsafe withUnsafeMutableBytes(of: &storage) { unsafe $0.storeBytes(of: six, as: sockaddr_in6.self) }
        }
        return unsafe withUnsafePointer(to: &storage) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe body($0, socklen_t(length)) }
        }
    }
}
