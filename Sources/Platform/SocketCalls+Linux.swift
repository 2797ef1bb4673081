#if os(Linux)
import CLinux

/// The socket calls that differ between the platforms.
package enum SocketCalls {
    package static var stream: Int32 { Int32(SOCK_STREAM.rawValue) }
    /// The flags of `send`. They prevent SIGPIPE.
    package static var sendFlags: Int32 { Int32(MSG_NOSIGNAL) }
    /// The value of `EAI_NODATA`: the name has no address. glibc hides the constant.
    package static var noData: Int32 { -5 }
    /// Whether the system distributes connections among all sockets that share a port (socket(7), `SO_REUSEPORT`).
    package static var balancesSharedPorts: Bool { true }

    package static func commandToFindListener(onPort port: UInt16) -> String { "ss -ltnp 'sport = :\(port)'" }

    /// Creates a non-blocking stream socket that `exec` closes.
    package static func socket(_ family: Int32) -> Int32 {
        MotivatorPlatform.socket(
            family, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0)
    }

    package static func accept(
        _ listener: Int32, _ address: UnsafeMutablePointer<sockaddr>, _ length: UnsafeMutablePointer<socklen_t>
    ) -> Int32 {
        unsafe accept4(listener, address, length, Int32(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue))
    }

    package static func datagramSocket() -> Int32 {
        MotivatorPlatform.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    }

    package static func endWriting(_ socket: Int32) {
        shutdown(socket, Int32(SHUT_WR))
    }

    /// Returns the milliseconds of a monotonic clock. The clock is cheap to read and precise to a few milliseconds.
    package static func monotonicMilliseconds() -> Int64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC_COARSE, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }
}
#endif
