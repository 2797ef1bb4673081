/// The addresses and the name of this machine on its local networks.
package enum LocalNetwork {
    /// The private addresses of this machine's interfaces, IPv4 first, without loopback and link-local addresses.
    package static var addresses: [SocketAddress] {
        var list: UnsafeMutablePointer<ifaddrs>?
        guard unsafe getifaddrs(&list) == 0 else { return [] }
        defer { unsafe freeifaddrs(list) }
        var found: [SocketAddress] = []
        var next = unsafe list
        while let entry = unsafe next?.pointee {
            if let address = unsafe address(of: entry), !found.contains(address) { found.append(address) }
            unsafe next = entry.ifa_next
        }
        return found.filter { $0.family == AF_INET } + found.filter { $0.family == AF_INET6 }
    }

    private static func address(of entry: ifaddrs) -> SocketAddress? {
        guard unsafe Int32(bitPattern: entry.ifa_flags) & Int32(IFF_UP) != 0, let pointer = unsafe entry.ifa_addr
        else { return nil }
        guard var address = unsafe SocketAddress(copying: pointer), address.isPrivate, !address.isLoopback,
            !address.isLinkLocal
        else { return nil }
        address.port = 0
        return address
    }

    /// The name of this machine in multicast DNS, such as `laptop.local`; nil if it has no usable name.
    package static var name: String? {
        var buffer = [CChar](repeating: 0, count: 256)
        guard unsafe gethostname(&buffer, buffer.count - 1) == 0 else { return nil }
        let text = String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let label = text.lowercased().prefix { $0 != "." }
        let isUsable = label.utf8.allSatisfy { ($0 >= 0x61 && $0 <= 0x7A) || ($0 >= 0x30 && $0 <= 0x39) || $0 == 0x2D }
        return isUsable && !label.isEmpty && label != "localhost" ? "\(label).local" : nil
    }
}
