import Dispatch
import Logging
import MotivatorPlatform

// Accepting connections, and making room for them.
extension EventLoop {
    /// The maximum number of connections to close for one new connection or handshake. A connection without TLS session
    /// frees a ninth of the memory of a handshake.
    private static let maximumEvictions = 16
    /// A client with so few connections loses one only if the server is full.
    private static let fewConnections = 2
    /// The maximum number of handshakes to continue per sweep, as many as the events of one round.
    private static let handshakesPerSweep = 256
    /// The pause after the system runs out of descriptors or memory, in milliseconds.
    private static let acceptPause = 500

    func listen(_ listener: Listener) throws(SystemError) {
        dispatchPrecondition(condition: .onQueue(queue))
        listener.slot = try add(.listener(listener), descriptor: listener.number, .read)
    }

    /// Accepts a limited number of connections, so new connections do not starve existing connections.
    func accept(from listener: Listener, atMost count: Int) {
        for _ in 0..<count {
            do throws(SystemError) {
                guard let (client, address) = try listener.accept() else { return }
                admit(client, address, isSecure: listener.isSecure)
            } catch {
                return pause(listener, after: error)
            }
        }
    }

    /// Pauses a listener. While the system has no descriptors or memory, the listener stays ready, so immediate retries
    /// would waste CPU time.
    private func pause(_ listener: Listener, after error: SystemError) {
        serverLog.acceptFailed(error, pause: Self.acceptPause)
        guard let slot = listener.slot else { return }
        watch(listener.number, slot, [])
        // Idle connections must not occupy descriptors that a client with a request needs.
        evict(connections / 16, sparesTransfers: true)
        queue.asyncAfter(deadline: .now() + .milliseconds(Self.acceptPause)) { [self] in
            guard let slot = listener.slot else { return }
            watch(listener.number, slot, .read)
        }
    }

    private func admit(_ descriptor: Int32, _ address: SocketAddress, isSecure: Bool) {
        let isFromProxy = options.trustedProxies.contains(address.bytes)
        let client = isFromProxy ? nil : address.clientKey
        var entry = limiter.enter(client)
        if entry.isServerFull, evict(1, atLeast: client.map(limiter.count) ?? 0) { entry = limiter.enter(client) }
        guard entry.isAdmitted else {
            reportRefusal(of: address, total: entry.total)
            close(descriptor)
            return
        }
        if budget.isNearlyExhausted {
            evict(1, atLeast: client.map(limiter.count) ?? 0)
        } else if entry.total > limiter.highWaterMark {
            // Another loop may have only clients with few connections, and evict none. This loop then evicts two.
            let least = min(Self.fewConnections + 1, limiter.limitForClient)
            evict(
                entry.total > limiter.highWaterMark + 1 ? 2 : 1,
                atLeast: max(client.map(limiter.count) ?? 0, least))
        }
        SocketCalls.set(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, 1)
        let connection = Connection(
            loop: self, descriptor: descriptor, address: address, isSecure: isSecure, isFromProxy: isFromProxy)
        do throws(SystemError) {
            connection.start(try add(.connection(connection), descriptor: descriptor, .read))
            connections += 1
            guard connection.reserveMemory() == nil else {
                counts.refusedConnections += 1
                return connection.finish()
            }
            counts.acceptedConnections += 1
            if isDraining { connection.drain() }
        } catch {
            logger.error("\(error); dropped a connection from \(address.host)")
            limiter.leave(client)
            close(descriptor)
        }
    }

    func reportRefusal(of address: SocketAddress, total: Int) {
        counts.refusedConnections += 1
        serverLog.connectionRefused(address, total: total, limiter)
    }

    /// Closes connections of clients with at least `least` connections until a charge no longer exceeds all memory.
    ///
    /// Call it before the current connection writes: the loop's connections share the buffer for records.
    func makeRoom(atLeast least: Int, for charge: () -> MemoryBudget.Excess?) -> MemoryBudget.Excess? {
        for _ in 0..<Self.maximumEvictions {
            guard evict(1, atLeast: least) else { break }
            let excess = charge()
            guard excess == .memory else { return excess }
        }
        return .memory
    }

    func continueHandshakes() {
        let slots = waitingForMemory.prefix(Self.handshakesPerSweep)
        waitingForMemory.removeFirst(slots.count)
        for slot in slots where generations[Int(slot.index)] == slot.generation {
            guard case .connection(let connection) = self.slots[Int(slot.index)] else { continue }
            connection.ready([])
        }
    }

    /// Closes connections of this loop to free slots for new connections.
    /// - Parameters:
    ///   - sparesTransfers: whether to keep connections with an unfinished request or response.
    ///   - least: the minimum number of connections, on all loops, of a client that may lose one.
    @discardableResult
    private func evict(_ count: Int, sparesTransfers: Bool = false, atLeast least: Int = 0) -> Bool {
        var evicted = false
        for _ in 0..<max(count, 1) {
            guard
                let slot = evictionOrder.victim(
                    sparesTransfers: sparesTransfers, atLeast: least, weight: limiter.count),
                case .connection(let connection) = slots[Int(slot)]
            else { break }
            connection.evict()
            evicted = true
        }
        return evicted
    }
}
