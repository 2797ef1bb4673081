import Dispatch
import HTTP
public import Logging
public import Platform
public import TLS

/// An HTTP/1.1 server: listeners, event loops and what they answer with.
public final class HTTPServer: Sendable {
    /// Where the server listens; the ports are the ones that it got.
    public struct Endpoints: Sendable {
        /// Where HTTPS is spoken.
        public var tls: [SocketAddress] = []
        /// Where plain HTTP is spoken.
        public var plain: [SocketAddress] = []
    }

    /// The addresses with the ports that the server got.
    public let endpoints: Endpoints

    private let options: ServerOptions
    private let clock: Clock
    private let logger: Logger
    private let requestLog: AccessLogOptions?
    /// The listeners of each loop until `start` gives them away: whoever holds one keeps its port open.
    private let listeners: Guarded<[[Listener]]>
    private let loops = Guarded<[EventLoop]>([])

    /// Takes the addresses; nothing is answered before `start`.
    ///
    /// - Parameters:
    ///   - options: the bounds.
    ///   - tls: where HTTPS is spoken; with port 0 all addresses share the port that the first one gets.
    ///   - plain: where plain HTTP is spoken, likewise.
    ///   - clock: the time that answers and logs carry.
    ///   - logger: where events go.
    ///   - requestLog: where each request is logged; nil for nowhere.
    /// - Throws: `ListenError` when an address is taken, foreign or not allowed.
    public init(
        options: ServerOptions = ServerOptions(), tls: [SocketAddress], plain: [SocketAddress], clock: Clock = .system,
        logger: Logger, requestLog: AccessLogOptions? = nil
    ) throws(ListenError) {
        var endpoints = Endpoints()
        var byLoop: [[Listener]] = (0..<max(options.loops ?? Self.processors, 1)).map { _ in [] }
        for (addresses, isSecure) in [(tls, true), (plain, false)] {
            var port: UInt16?
            for address in addresses {
                var address = address
                if address.port == 0, let port { address.port = port }
                let listeners = try Listener.open(address, count: byLoop.count, isSecure: isSecure)
                port = listeners[0].address.port
                for (index, listener) in listeners.enumerated() { byLoop[index].append(listener) }
                if isSecure {
                    endpoints.tls.append(listeners[0].address)
                } else {
                    endpoints.plain.append(listeners[0].address)
                }
            }
        }
        self.endpoints = endpoints
        self.options = options
        self.clock = clock
        self.logger = logger
        self.requestLog = requestLog
        listeners = Guarded(byLoop)
    }

    private static var processors: Int { max(Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))), 1) }

    /// Starts to answer.
    ///
    /// - Parameter snapshot: what requests are answered with.
    /// - Throws: `SystemError` when the system has no descriptors left.
    public func start(_ snapshot: ServerSnapshot) throws(SystemError) {
        // A peer that is gone is an error of the write, not a signal that ends the process.
        signal(SIGPIPE, SIG_IGN)
        let descriptors = ConnectionLimiter.limitFromDescriptors()
        let limiter = ConnectionLimiter(limit: min(options.connections ?? descriptors, descriptors))
        let budget = MemoryBudget(total: options.bufferedBytes, perClient: options.bufferedBytesPerClient)
        let serverLog = ServerLog(logger, clock, options)
        var started: [EventLoop] = []
        let given = listeners.withLock { listeners in
            defer { listeners = [] }
            return listeners
        }
        for (index, listeners) in given.enumerated() {
            let loop = try EventLoop(
                index: index, options: options, limiter: limiter, budget: budget, snapshot: snapshot, clock: clock,
                logger: logger, serverLog: serverLog, log: requestLog.map(AccessLog.init))
            started.append(loop)
            let failure: SystemError? = loop.queue.sync {
                for listener in listeners {
                    do throws(SystemError) { try loop.listen(listener) } catch { return error }
                }
                return nil
            }
            if let failure { throw failure }
        }
        let all = started
        loops.withLock { $0 = all }
    }

    /// Answers every request with another snapshot from when it returns; connections stay. Not to be called from a loop.
    public func reload(_ snapshot: ServerSnapshot) {
        for loop in loops.withLock({ $0 }) { loop.queue.sync { loop.reload(snapshot) } }
    }

    /// Stops: no new connections, no new requests; waits for the answers under way up to the drain timeout.
    public func stop() async {
        let deadline = DispatchTime.now() + .milliseconds(Int(options.drainTimeout))
        await withTaskGroup(of: Void.self) { group in
            for loop in loops.withLock({ $0 }) { group.addTask { await loop.drained(by: deadline) } }
        }
        await stopNow()
    }

    /// Ends all connections at once.
    public func stopNow() async {
        for loop in loops.withLock({ $0 }) {
            await withCheckedContinuation { done in
                loop.queue.async {
                    loop.stop()
                    done.resume()
                }
            }
        }
    }
}

extension EventLoop {
    /// Drains and returns when the last connection is gone or the deadline has passed.
    fileprivate func drained(by deadline: DispatchTime) async {
        let once = Guarded(false)
        await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
            let finish: @Sendable () -> Void = {
                let isFirst = once.withLock { finished in
                    defer { finished = true }
                    return !finished
                }
                if isFirst { done.resume() }
            }
            queue.async { self.drain(done: finish) }
            queue.asyncAfter(deadline: deadline, execute: finish)
        }
    }
}

/// What a server answers with and as whom; a reload replaces it as a whole, and each loop holds its own copy.
public struct ServerSnapshot: Sendable {
    /// Hosts and routes of the TLS ports.
    public var router: Router
    /// Hosts and routes of the plain port.
    public var plainRouter: Router
    /// The identity for TLS; nil when no TLS port is open.
    public var context: TLSContext?

    /// - Parameters:
    ///   - router: hosts and routes of the TLS ports.
    ///   - plainRouter: hosts and routes of the plain port.
    ///   - context: the identity for TLS.
    public init(router: Router, plainRouter: Router, context: TLSContext?) {
        self.router = router
        self.plainRouter = plainRouter
        self.context = context
    }
}
