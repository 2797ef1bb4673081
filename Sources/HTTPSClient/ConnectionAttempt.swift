import MotivatorPlatform

/// An attempt to connect to several addresses in turn, until one accepts the connection.
struct ConnectionAttempt {
    let deadline: Deadline
    /// The address of the connection or of the reported failure.
    private(set) var address: SocketAddress?

    /// Tries the addresses in turn. Each address gets an equal share of the remaining time.
    /// - Parameter addresses: at least one.
    /// - Returns: a connected, non-blocking socket.
    /// - Throws: the most informative `FetchFailure`.
    mutating func connect(to addresses: [SocketAddress]) throws(FetchFailure) -> FileDescriptor {
        var worst: (failure: FetchFailure, weight: Int)?
        for (index, next) in addresses.enumerated() {
            do throws(FetchFailure) {
                let descriptor = try connect(to: next, until: deadline.share(of: addresses.count - index))
                address = next
                return descriptor
            } catch {
                let weight = Self.weight(error)
                if worst.map({ weight > $0.weight }) ?? true {
                    worst = (error, weight)
                    address = next
                }
            }
        }
        throw worst?.failure ?? .noResources(reason: "no address")
    }

    /// Returns the weight of a failure. A failure that reveals more about the host has a higher weight.
    private static func weight(_ failure: FetchFailure) -> Int {
        switch failure {
        case .refused: 3
        case .connectTimedOut: 2
        case .unreachable: 1
        case _: 0
        }
    }

    private func connect(to address: SocketAddress, until limit: Deadline) throws(FetchFailure) -> FileDescriptor {
        let number = SocketCalls.socket(address.family)
        guard number >= 0 else {
            let error = SystemError("socket")
            // The system does not support IPv6.
            throw error.code == EAFNOSUPPORT
                ? .unreachable(address, reason: error.reason) : .noResources(reason: "\(error)")
        }
        let descriptor = FileDescriptor(owning: number)
        SocketCalls.set(number, Int32(IPPROTO_TCP), TCP_NODELAY, 1)
        guard unsafe address.withSystemAddress({ unsafe MotivatorPlatform.connect(number, $0, $1) }) != 0 else {
            return descriptor
        }
        guard errno == EINPROGRESS || errno == EINTR else { throw failure(address, errno, limit) }
        var entry = pollfd(fd: number, events: Int16(POLLOUT), revents: 0)
        while unsafe poll(&entry, 1, 0) <= 0 {
            guard !limit.isOver else { throw .connectTimedOut(address, seconds: deadline.seconds) }
            limit.wait(number, Int32(POLLOUT))
        }
        var code: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        guard unsafe getsockopt(number, SOL_SOCKET, SO_ERROR, &code, &length) == 0 else {
            throw .noResources(reason: "\(SystemError("getsockopt"))")
        }
        guard code == 0 else { throw failure(address, code, limit) }
        return descriptor
    }

    private func failure(_ address: SocketAddress, _ code: Int32, _ limit: Deadline) -> FetchFailure {
        switch code {
        case ECONNREFUSED: .refused(address)
        case ETIMEDOUT: .connectTimedOut(address, seconds: deadline.seconds)
        case ENOBUFS, ENOMEM, EAGAIN: .noResources(reason: "\(SystemError("connect", code: code))")
        case _: .unreachable(address, reason: SystemError("connect", code: code).reason)
        }
    }
}
