extension SocketAddress {
    /// Connects a blocking socket.
    /// - Parameter seconds: the timeout for the connection attempt, and for each read and write.
    /// - Throws: `SystemError`, with `ETIMEDOUT` after the timeout.
    package func connect(seconds: Int) throws(SystemError) -> FileDescriptor {
        let number = SocketCalls.socket(family)
        guard number >= 0 else { throw SystemError("socket") }
        let descriptor = FileDescriptor(owning: number)
        if unsafe withSystemAddress({ unsafe MotivatorPlatform.connect(number, $0, $1) }) != 0 {
            guard errno == EINPROGRESS else { throw SystemError("connect") }
            var waiting = pollfd(fd: number, events: Int16(POLLOUT), revents: 0)
            let ready = unsafe poll(&waiting, 1, Int32(seconds * 1_000))
            guard ready > 0 else { throw SystemError("connect", code: ready == 0 ? ETIMEDOUT : errno) }
            var code: Int32 = 0
            var length = socklen_t(MemoryLayout<Int32>.size)
            guard unsafe getsockopt(number, SOL_SOCKET, SO_ERROR, &code, &length) == 0 else {
                throw SystemError("getsockopt")
            }
            guard code == 0 else { throw SystemError("connect", code: code) }
        }
        guard fcntl(number, F_SETFL, fcntl(number, F_GETFL) & ~O_NONBLOCK) == 0 else { throw SystemError("fcntl") }
        var limit = timeval()
        limit.tv_sec = .init(seconds)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            unsafe setsockopt(number, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
        }
        return descriptor
    }

    /// The part of the address that identifies a client in connection limits and rate limits.
    ///
    /// The key of an IPv4 address is the whole address. The key of an IPv6 address is its first 8 bytes, because one
    /// subscriber usually controls a whole /64 prefix (RFC 6177 §2). An IPv4-mapped IPv6 address has the key of its
    /// IPv4 address (RFC 4291 §2.5.5.2).
    package var clientKey: [UInt8] { Self.clientKey(ofAddress: bytes) }

    /// Returns the client key of an address in network order.
    /// - Parameter bytes: 4 or 16 bytes; an array of any other length is returned unchanged.
    package static func clientKey(ofAddress bytes: [UInt8]) -> [UInt8] {
        let address = unmapped(bytes)
        return address.count == 16 ? Array(address[..<8]) : address
    }
}
