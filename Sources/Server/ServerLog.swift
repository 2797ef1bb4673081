import Logging
import MotivatorPlatform
import MotivatorTLS

/// A log of connections that the server cannot serve. Clients control the number of these connections, so all loops
/// together write at most one line of each kind per second.
struct ServerLog: Sendable {
    private let handshakes, refusals, proxies, contents, memory, accepts: RateLimitedLogger
    private let options: ServerOptions

    init(_ logger: Logger, _ clock: Clock, _ options: ServerOptions) {
        func limited() -> RateLimitedLogger { RateLimitedLogger(logger, clock) }
        (handshakes, refusals, proxies) = (limited(), limited(), limited())
        (contents, memory, accepts) = (limited(), limited(), limited())
        self.options = options
    }

    func handshakeFailed(_ address: SocketAddress, _ failure: TLSFailure) {
        handshakes.write(.info, "TLS handshake with \(address.host) failed: \(failure.reason)")
    }

    func connectionRefused(_ address: SocketAddress, total: Int, _ limiter: ConnectionLimiter) {
        let limits = "the limits are \(limiter.limit) in total and \(limiter.limitForClient) per client"
        refusals.write(.warning, "connection from \(address.host) refused: \(total) connections are open, \(limits)")
    }

    /// Reports a trusted proxy that does not send a valid PROXY header.
    func proxyFailed(_ address: SocketAddress, _ fault: ProxyHeader.Failure) {
        proxies.write(.warning, "connection from the trusted proxy \(address.host) closed: \(fault)")
    }

    func budgetExceeded(_ address: SocketAddress, _ excess: MemoryBudget.Excess) {
        switch excess {
        case .content:
            let limits = "at most \(options.bufferedBytes) bytes, \(options.bufferedBytesPerClient) per client"
            contents.write(.warning, "request from \(address.host) rejected: too much unfinished content (\(limits))")
        case .memory, .memoryOfClient:
            let limits = "at most \(options.memory) bytes, \(options.memory / 4) per client"
            memory.write(.warning, "connection from \(address.host) closed: too much memory in use (\(limits))")
        }
    }

    /// Reports that the system has no descriptors or memory for new connections.
    func acceptFailed(_ error: SystemError, pause milliseconds: Int) {
        accepts.write(
            .warning,
            "accept: \(error.reason); no new connections for \(milliseconds) ms. Raise the limit (ulimit -n).")
    }
}
