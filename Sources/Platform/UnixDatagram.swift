extension SocketCalls {
    package static func set(_ socket: Int32, _ level: Int32, _ option: Int32, _ value: Int32) {
        var value = value
        unsafe setsockopt(socket, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Sends one datagram to a Unix socket.
    /// - Parameters:
    ///   - path: the path of the socket. On Linux, a path that begins with `@` is in the abstract namespace (unix(7)).
    /// - Throws: `SystemError`, with `ENAMETOOLONG` if the path is longer than the system allows.
    package static func send(_ bytes: [UInt8], toUnixSocket path: String) throws(SystemError) {
        let number = datagramSocket()
        guard number >= 0 else { throw SystemError("socket") }
        let descriptor = FileDescriptor(owning: number)
        let sent = try unsafe withUnixAddress(path) { unsafe sendto(number, bytes, bytes.count, 0, $0, $1) }
        guard sent == bytes.count else { throw SystemError("sendto") }
        _ = consume descriptor
    }

    /// Calls `body` with the address of a Unix socket, and returns its result.
    /// - Throws: `SystemError`, with `ENAMETOOLONG` if the path is longer than the system allows.
    package static func withUnixAddress<Result>(
        _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) throws(SystemError) -> Result {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var name = Array(path.utf8)
        // A file path ends with a zero byte. In an abstract name, every byte counts.
        if name.first == UInt8(ascii: "@") { name[0] = 0 } else { name.append(0) }
        let capacity = MemoryLayout.size(ofValue: address.sun_path)
        guard name.count <= capacity else { throw SystemError("sendto", code: ENAMETOOLONG) }
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: name) }
        let length = socklen_t(MemoryLayout<sockaddr_un>.size - capacity + name.count)
        return unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe body($0, length) }
        }
    }
}
