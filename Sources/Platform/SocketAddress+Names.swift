extension SocketAddress {
    /// Whether a socket can bind to the IPv6 loopback address of this machine.
    package static var hasIPv6Loopback: Bool {
        guard let address = SocketAddress("::1", port: 0) else { return false }
        let number = SocketCalls.socket(AF_INET6)
        guard number >= 0 else { return false }
        defer { close(number) }
        return unsafe address.withSystemAddress { unsafe bind(number, $0, $1) } == 0
    }

    /// Returns whether this machine resolves a name to a loopback address.
    package static func isLoopback(name: String) -> Bool {
        var found: UnsafeMutablePointer<addrinfo>?
        guard unsafe getaddrinfo(name, nil, nil, &found) == 0 else { return false }
        defer { unsafe freeaddrinfo(found) }
        var next = unsafe found
        while let entry = unsafe next?.pointee {
            if unsafe SocketAddress(entry)?.isLoopback == true { return true }
            unsafe next = entry.ai_next
        }
        return false
    }

    /// Converts a resolver entry. The port is 0.
    package init?(_ entry: addrinfo) {
        guard let address = unsafe entry.ai_addr else { return nil }
        unsafe self.init(copying: address)
    }

    /// Copies an address of the system; nil if it is neither an IPv4 nor an IPv6 address.
    init?(copying address: UnsafePointer<sockaddr>) {
        let family = unsafe Int32(address.pointee.sa_family)
        guard family == AF_INET || family == AF_INET6 else { return nil }
        let length = family == AF_INET ? MemoryLayout<sockaddr_in>.size : MemoryLayout<sockaddr_in6>.size
        var storage = sockaddr_storage()
        unsafe withUnsafeMutableBytes(of: &storage) { bytes in
            unsafe bytes.copyMemory(from: UnsafeRawBufferPointer(start: address, count: length))
        }
        self.init(storage)
    }
}
