#if canImport(Darwin)
/// The socket calls that differ between the platforms.
package enum SocketCalls {
    package static var stream: Int32 { SOCK_STREAM }
    /// The flags of `send`: none. Each socket has the option `SO_NOSIGPIPE`, which prevents SIGPIPE.
    package static var sendFlags: Int32 { 0 }
    /// The value of `EAI_NODATA`: the name has no address.
    package static var noData: Int32 { EAI_NODATA }
    /// Whether the system distributes connections among all sockets that share a port. On macOS, setsockopt(2)
    /// describes `SO_REUSEPORT` only for datagrams.
    package static var balancesSharedPorts: Bool { false }

    package static func commandToFindListener(onPort port: UInt16) -> String { "lsof -nP -iTCP:\(port) -sTCP:LISTEN" }

    /// Creates a non-blocking stream socket that `exec` closes.
    package static func socket(_ family: Int32) -> Int32 {
        prepared(MotivatorPlatform.socket(family, SOCK_STREAM, 0))
    }

    package static func accept(
        _ listener: Int32, _ address: UnsafeMutablePointer<sockaddr>, _ length: UnsafeMutablePointer<socklen_t>
    ) -> Int32 {
        prepared(unsafe MotivatorPlatform.accept(listener, address, length))
    }

    package static func datagramSocket() -> Int32 {
        MotivatorPlatform.socket(AF_UNIX, SOCK_DGRAM, 0)
    }

    package static func endWriting(_ socket: Int32) {
        shutdown(socket, SHUT_WR)
    }

    /// Returns the milliseconds of a monotonic clock. The clock is cheap to read and precise to a few milliseconds.
    package static func monotonicMilliseconds() -> Int64 {
        Int64(clock_gettime_nsec_np(CLOCK_MONOTONIC_RAW_APPROX) / 1_000_000)
    }

    private static func prepared(_ socket: Int32) -> Int32 {
        guard socket >= 0 else { return socket }
        _ = fcntl(socket, F_SETFL, fcntl(socket, F_GETFL) | O_NONBLOCK)
        _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
        set(socket, SOL_SOCKET, SO_NOSIGPIPE, 1)
        return socket
    }
}
#endif
