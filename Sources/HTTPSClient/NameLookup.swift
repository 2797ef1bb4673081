import Dispatch
import Foundation
package import MotivatorPlatform

/// Resolves a host name within a deadline, which the system resolver does not support.
package struct NameLookup: Sendable {
    /// The maximum number of addresses to try.
    static let mostAddresses = 8

    /// Blocks until the name is resolved.
    let resolve: @Sendable (_ host: String, _ port: UInt16) -> Result<[SocketAddress], FetchFailure>

    package static let system = NameLookup { host, port in
        var hints = unsafe addrinfo()
        unsafe hints.ai_family = AF_UNSPEC
        unsafe hints.ai_socktype = SocketCalls.stream
        var list: UnsafeMutablePointer<addrinfo>?
        // A name below localhost is this machine, even if the resolver does not know it (RFC 6761, 6.3).
        let name = host.hasSuffix(".localhost") ? "localhost" : host
        let code = unsafe getaddrinfo(name, nil, &hints, &list)
        guard code == 0 else { return .failure(failure(code, host)) }
        defer { unsafe freeaddrinfo(list) }
        var found: [SocketAddress] = []
        var next = unsafe list
        while let entry = unsafe next?.pointee, found.count < mostAddresses {
            if var address = unsafe SocketAddress(entry) {
                address.port = port
                if !found.contains(address) { found.append(address) }
            }
            unsafe next = entry.ai_next
        }
        return found.isEmpty ? .failure(.unknownHost(host)) : .success(found)
    }

    /// Resolves a name on a separate thread. After the deadline, the lookup continues, but its result is discarded.
    /// - Returns: at least one address, in resolver order.
    package func addresses(
        of host: String, port: UInt16, until deadline: Deadline
    ) throws(FetchFailure) -> [SocketAddress] {
        if let address = SocketAddress(host, port: port) { return [address] }
        let lookup = Guarded<Result<[SocketAddress], FetchFailure>?>(nil)
        let isDone = DispatchSemaphore(value: 0)
        // A block on a queue would leave memory: Dispatch keeps up to 1,024 blocks for each thread that ran them.
        Thread.detachNewThread {
            LowPriorityThread.blockSignals()
            let result = resolve(host, port)
            lookup.withLock { $0 = result }
            isDone.signal()
        }
        _ = isDone.wait(timeout: .now() + .milliseconds(deadline.left))
        guard let result = lookup.withLock({ $0 }) else { throw .nameTimedOut(host, seconds: deadline.seconds) }
        return try result.get()
    }

    private static func failure(_ code: Int32, _ host: String) -> FetchFailure {
        if code == EAI_NONAME || code == SocketCalls.noData { return .unknownHost(host) }
        return unsafe .nameFailed(host, reason: String(cString: gai_strerror(code)))
    }
}
