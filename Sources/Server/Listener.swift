package import MotivatorPlatform

package enum ListenError: ExplainedError {
    case inUse(SocketAddress)
    case notPermitted(SocketAddress)
    case noSuchAddress(SocketAddress)
    case failed(SocketAddress, SystemError)

    package var problem: String {
        switch self {
        case .inUse(let address): "another process uses \(address)"
        case .notPermitted(let address): "this user is not permitted to listen on \(address)"
        case .noSuchAddress(let address): "this machine has no address \(address.host)"
        case .failed(let address, let error): "cannot listen on \(address): \(error)"
        }
    }

    package var fix: String {
        switch self {
        case .inUse(let address):
            "Stop that process (find it with: \(SocketCalls.commandToFindListener(onPort: address.port))), "
                + "or choose another port with --port, --plain-port or --admin"
        case .notPermitted: "Choose a port above 1023"
        case .noSuchAddress: "Choose an address of this machine with --host"
        case .failed: "Check the address and the limits of this process"
        }
    }

    package var exitCode: ExitCode {
        switch self {
        case .inUse, .noSuchAddress, .failed: .unavailable
        case .notPermitted: .notPermitted
        }
    }
}

extension SocketAddress {
    /// The reason why a server cannot listen on this address; nil if it can. No client can connect during this check.
    package var listenError: ListenError? {
        do throws(ListenError) {
            _ = try Listener.bound(self, shared: false)
            return nil
        } catch {
            return error
        }
    }
}

/// A listening socket that another process, such as a service manager, opened and passed to this process.
package struct PassedListener: Sendable {
    package let address: SocketAddress
    fileprivate let number: Int32

    /// - Parameter number: a descriptor, which the server closes.
    /// - Throws: `ExplainedFailure` unless the descriptor is a listening IPv4 or IPv6 socket.
    package init(_ number: Int32) throws(ExplainedFailure) {
        var isListening: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        guard unsafe getsockopt(number, SOL_SOCKET, SO_ACCEPTCONN, &isListening, &length) == 0, isListening != 0,
            let address = Listener.address(of: number)
        else {
            throw ExplainedFailure(
                "the passed descriptor \(number) is not a listening IPv4 or IPv6 socket",
                fix: "In the socket unit, use ListenStream with an address, and Accept=no", exitCode: .configuration)
        }
        (self.address, self.number) = (address, number)
    }
}

/// A listening socket of one loop.
///
/// On Linux, the system distributes new connections among the sockets of all loops. On other systems, and for a passed
/// listener, all loops accept from copies of one socket. Each connection goes to the first loop that accepts it.
// Sendable unchecked: only its loop uses it. The poller keeps a reference until the socket may be closed.
final class Listener: @unchecked Sendable {
    let address: SocketAddress
    let isSecure: Bool
    var slot: SlotID?
    private let descriptor: FileDescriptor

    /// Opens the listeners for an address, one for each loop.
    /// - Parameters:
    ///   - address: the address. With port 0, all listeners share the port that the first listener gets.
    ///   - sharesPort: whether each loop has its own socket. Otherwise, all loops use the same socket.
    static func open(
        _ address: SocketAddress, count: Int, isSecure: Bool, sharesPort: Bool = SocketCalls.balancesSharedPorts
    ) throws(ListenError) -> [Listener] {
        // A shared port could also be shared with another server. Binding once without sharing detects this case.
        if address.port != 0 { _ = try bound(address, shared: false) }
        let first = try Listener(address, isSecure, sharesPort: sharesPort)
        var all = [first]
        for _ in 1..<max(count, 1) {
            all.append(sharesPort ? try Listener(first.address, isSecure, sharesPort: true) : try Listener(copy: first))
        }
        return all
    }

    /// Returns copies of a passed listener, one for each loop. The socket stays open in the process that passed it.
    static func open(_ passed: PassedListener, count: Int, isSecure: Bool) throws(ListenError) -> [Listener] {
        var all = [Listener(passed, isSecure)]
        for _ in 1..<max(count, 1) { all.append(try Listener(copy: all[0])) }
        return all
    }

    private init(copy other: Listener) throws(ListenError) {
        let number = fcntl(other.number, F_DUPFD_CLOEXEC, 0)
        guard number >= 0 else { throw .failed(other.address, SystemError("fcntl")) }
        descriptor = FileDescriptor(owning: number)
        (address, isSecure) = (other.address, other.isSecure)
    }

    private init(_ passed: PassedListener, _ isSecure: Bool) {
        // The non-blocking mode belongs to the socket, so it applies to all copies.
        _ = fcntl(passed.number, F_SETFL, fcntl(passed.number, F_GETFL) | O_NONBLOCK)
        _ = fcntl(passed.number, F_SETFD, FD_CLOEXEC)
        descriptor = FileDescriptor(owning: passed.number)
        (address, self.isSecure) = (passed.address, isSecure)
    }

    private init(_ address: SocketAddress, _ isSecure: Bool, sharesPort: Bool) throws(ListenError) {
        descriptor = try Self.bound(address, shared: sharesPort)
        guard listen(descriptor.number, 1024) == 0 else { throw Self.error(address, SystemError("listen")) }
        guard let actual = Self.address(of: descriptor.number) else {
            throw .failed(address, SystemError("getsockname"))
        }
        (self.address, self.isSecure) = (actual, isSecure)
    }

    /// Returns the address of a bound socket; nil if it is not an IPv4 or IPv6 socket.
    fileprivate static func address(of number: Int32) -> SocketAddress? {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let status = unsafe withUnsafeMutablePointer(to: &storage) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe getsockname(number, $0, &length) }
        }
        return status == 0 ? SocketAddress(storage) : nil
    }

    var number: Int32 { descriptor.number }

    /// Accepts a connection with a non-blocking descriptor.
    /// - Returns: the descriptor, which the caller closes, and the client's address; nil if no connection is waiting.
    /// - Throws: the error of `accept`, unless the client has already closed the connection.
    func accept() throws(SystemError) -> (Int32, SocketAddress)? {
        while true {
            var storage = sockaddr_storage()
            var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
            let accepted = unsafe withUnsafeMutablePointer(to: &storage) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    unsafe SocketCalls.accept(descriptor.number, $0, &length)
                }
            }
            guard accepted >= 0 else {
                if errno == EAGAIN || errno == EWOULDBLOCK { return nil }
                if errno == EINTR || errno == ECONNABORTED { continue }
                throw SystemError("accept")
            }
            if let address = SocketAddress(storage) { return (accepted, address) }
            close(accepted)
        }
    }

    fileprivate static func bound(_ address: SocketAddress, shared: Bool) throws(ListenError) -> FileDescriptor {
        let number = SocketCalls.socket(address.family)
        guard number >= 0 else { throw .failed(address, SystemError("socket")) }
        let descriptor = FileDescriptor(owning: number)
        SocketCalls.set(number, SOL_SOCKET, SO_REUSEADDR, 1)
        if shared { SocketCalls.set(number, SOL_SOCKET, SO_REUSEPORT, 1) }
        if address.family == AF_INET6 { SocketCalls.set(number, Int32(IPPROTO_IPV6), IPV6_V6ONLY, 1) }
        let status = unsafe address.withSystemAddress { unsafe bind(number, $0, $1) }
        guard status == 0 else { throw error(address, SystemError("bind")) }
        return descriptor
    }

    private static func error(_ address: SocketAddress, _ error: SystemError) -> ListenError {
        switch error.code {
        case EADDRINUSE: .inUse(address)
        case EACCES, EPERM: .notPermitted(address)
        case EADDRNOTAVAIL: .noSuchAddress(address)
        default: .failed(address, error)
        }
    }
}
