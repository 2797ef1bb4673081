import Dispatch
import Foundation
package import Logging
package import MotivatorPlatform
package import MotivatorTLS

/// An HTTP/1.1 server: its listeners and event loops.
package final class HTTPServer: Sendable {
    package struct Endpoints: Sendable {
        package var tls: [SocketAddress] = []
        package var plain: [SocketAddress] = []
    }

    /// The addresses, with the ports that the system assigned.
    package let endpoints: Endpoints

    private let options: ServerOptions
    private let clock: Clock
    private let logger: Logger
    private let accessLog: AccessLogOptions?
    private let traffic: TrafficRecorder?
    /// The listeners of each loop, until `start` passes them to the loops. A listener keeps its port open.
    private let listeners: Guarded<[[Listener]]>
    private let loops = Guarded<[EventLoop]>([])
    private let routes = Guarded(RouteNames())

    /// Binds the addresses. Call `start` to serve requests.
    /// - Parameters:
    ///   - tls: the addresses for HTTPS. All addresses with port 0 share the port that the first address gets.
    ///   - plain: the addresses for plain HTTP, which also share one port.
    ///   - passed: listeners from another process, which the server uses instead of binding their addresses.
    package init(
        options: ServerOptions = ServerOptions(), tls: [SocketAddress], plain: [SocketAddress],
        passed: [PassedListener] = [], clock: Clock = .system, logger: Logger, accessLog: AccessLogOptions? = nil,
        traffic: TrafficRecorder? = nil
    ) throws(ListenError) {
        var endpoints = Endpoints()
        let processors = Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))
        var byLoop: [[Listener]] = (0..<max(options.loops ?? processors, 1)).map { _ in [] }
        for (addresses, isSecure) in [(tls, true), (plain, false)] {
            var port: UInt16?
            for address in addresses {
                var address = address
                if address.port == 0, let port { address.port = port }
                let listeners =
                    if let given = passed.first(where: { $0.address == address }) {
                        try Listener.open(given, count: byLoop.count, isSecure: isSecure)
                    } else {
                        try Listener.open(address, count: byLoop.count, isSecure: isSecure)
                    }
                port = listeners[0].address.port
                for (index, listener) in listeners.enumerated() { byLoop[index].append(listener) }
                if isSecure {
                    endpoints.tls.append(listeners[0].address)
                } else {
                    endpoints.plain.append(listeners[0].address)
                }
            }
        }
        (self.endpoints, self.options, self.clock, self.logger) = (endpoints, options, clock, logger)
        (self.accessLog, self.traffic) = (accessLog, traffic)
        listeners = Guarded(byLoop)
    }

    /// Starts serving requests.
    /// - Throws: `SystemError` if the system has no descriptors left.
    package func start(_ snapshot: ServerSnapshot) throws(SystemError) {
        // Writing to a closed connection must return an error instead of raising a signal that ends the process.
        signal(SIGPIPE, SIG_IGN)
        let descriptors = ConnectionLimiter.limitFromDescriptors()
        let limiter = ConnectionLimiter(limit: min(options.connections ?? descriptors, descriptors))
        let budget = MemoryBudget(options)
        let threads = max(ProcessInfo.processInfo.activeProcessorCount, 2)
        // One client always leaves a thread to the others.
        let handlers = HandlerQueue(
            threads: threads, priority: .short, waiting: options.waitingHandlers, perClient: threads - 1)
        let serverLog = ServerLog(logger, clock, options)
        let snapshot = numbered(snapshot)
        var started: [EventLoop] = []
        let given = listeners.withLock { listeners in
            defer { listeners = [] }
            return listeners
        }
        for (index, listeners) in given.enumerated() {
            let loop = try EventLoop(
                index: index, options: options, limiter: limiter, budget: budget, handlers: handlers,
                snapshot: snapshot, clock: clock, logger: logger, serverLog: serverLog,
                log: accessLog.map { AccessLog($0) }, traffic: traffic?.makeLane())
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

    /// Replaces the routes and the TLS identity for all later requests. Connections stay open.
    ///
    /// Do not call this method on a loop's queue.
    package func reload(_ snapshot: ServerSnapshot) {
        let snapshot = numbered(snapshot)
        let replaced = DispatchGroup()
        for loop in loops.withLock({ $0 }) {
            dispatchPrecondition(condition: .notOnQueue(loop.queue))
            replaced.enter()
            loop.perform {
                loop.reload(snapshot)
                replaced.leave()
            }
        }
        replaced.wait()
    }

    private func numbered(_ snapshot: ServerSnapshot) -> ServerSnapshot {
        var (router, plainRouter) = (snapshot.router, snapshot.plainRouter)
        var names = routes.withLock { $0 }
        router.number(&names)
        plainRouter.number(&names)
        routes.withLock { [names] in $0 = names }
        return ServerSnapshot(router: router, plainRouter: plainRouter, context: snapshot.context)
    }

    /// Returns the counts summed over all loops, the names of the routes, and the number of open connections.
    ///
    /// Each loop returns its counts on its queue, so the call does not return while a loop hangs.
    package func counts() async -> (counts: LoopCounts, routes: [String], connections: Int) {
        var sum = LoopCounts()
        let loops = loops.withLock { $0 }
        for loop in loops {
            sum.add(await loop.result { loop.counts })
        }
        return (sum, routes.withLock { $0.names }, loops.first?.limiter.total ?? 0)
    }

    /// Stops accepting connections and requests, and waits for current responses up to the drain timeout.
    package func stop() async {
        let deadline = DispatchTime.now() + .milliseconds(Int(options.drainTimeout))
        await withTaskGroup(of: Void.self) { group in
            for loop in loops.withLock({ $0 }) { group.addTask { await loop.drained(by: deadline) } }
        }
        await stopNow()
    }

    package func stopNow() async {
        for loop in loops.withLock({ $0 }) { await loop.result { loop.stop() } }
    }
}

extension EventLoop {
    fileprivate func result<Value: Sendable>(of work: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { done in
            perform { done.resume(returning: work()) }
        }
    }

    /// Drains the loop, and returns when its last connection has ended or the deadline has passed.
    fileprivate func drained(by deadline: DispatchTime) async {
        let drained = DispatchSemaphore(value: 0)
        perform { self.drain { drained.signal() } }
        await withCheckedContinuation { done in
            // A timer on the loop's own queue could be late, because the poller holds the queue.
            DispatchQueue.global().async {
                _ = drained.wait(timeout: deadline)
                done.resume()
            }
        }
    }
}

/// A snapshot of a server's routes and TLS identity. All loops share the snapshot, and a reload replaces it.
package final class ServerSnapshot: Sendable {
    /// The hosts and routes of the TLS ports.
    package let router: Router
    /// The hosts and routes of the plain HTTP ports.
    package let plainRouter: Router
    /// The TLS identity; nil if no port uses TLS.
    package let context: TLSContext?

    package init(router: Router, plainRouter: Router, context: TLSContext?) {
        (self.router, self.plainRouter, self.context) = (router, plainRouter, context)
    }
}
