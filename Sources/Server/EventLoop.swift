import Dispatch
import Logging
import MotivatorHTTP
import MotivatorLog
import MotivatorPlatform
import MotivatorTLS

/// A serial queue with a poller, and the connections that it serves.
///
/// A connection stays on the loop that accepted it. Loops do not share connection state.
// Sendable unchecked: only code on its queue uses its state. `dispatchPrecondition` asserts this at each entry.
@safe final class EventLoop: @unchecked Sendable {
    private enum Slot {
        case free
        case listener(Listener)
        case connection(Connection)
    }

    /// The maximum number of bytes per read: one TLS record.
    private static let readBufferSize = 16 << 10
    /// The maximum number of connections to close for one new connection or handshake. A connection without TLS session
    /// frees a ninth of the memory of a handshake.
    private static let maximumEvictions = 16
    /// The maximum number of handshakes to continue per sweep, as many as the events of one round.
    private static let handshakesPerSweep = 256
    /// The pause after the system runs out of descriptors or memory, in milliseconds.
    private static let acceptPause = 500
    /// The maximum time, in milliseconds, that a connection may be idle while the server shuts down.
    private static let drainIdleTimeout: Int64 = 1_000

    let queue: DispatchQueue
    let options: ServerOptions
    let limiter: ConnectionLimiter
    let budget: MemoryBudget
    let handlers: HandlerQueue
    let logger: Logger
    let serverLog: ServerLog
    let log: AccessLog?
    /// The recorder of this loop's last requests; nil to keep none.
    let traffic: TrafficRecorder.Lane?
    /// The routes and the TLS identity. A reload replaces them.
    private(set) var snapshot: ServerSnapshot
    let readBuffer: UnsafeMutableRawBufferPointer
    /// The unwritten output of the current connection. All connections reuse its memory.
    var output: [UInt8] = []
    /// The TLS records that the current connection has written.
    let records = RecordBuffer()
    var serializer: ResponseSerializer
    /// The time of a monotonic clock in milliseconds. Like `time`, it is updated once per batch of events.
    private(set) var now: Int64 = 0
    private(set) var time: UnixTime = 0
    /// `time` in milliseconds.
    private(set) var milliseconds: Int64 = 0
    /// The order for closing connections when a new connection needs a slot.
    var evictionOrder = EvictionOrder()
    /// The scheduled deadline checks of the connections.
    var deadlines: DeadlineWheel
    /// The files checked within the last second.
    var files = FileCache()
    /// The counts of this loop, for metrics.
    var counts = LoopCounts()

    private let clock: Clock
    #if os(Linux)
    let waker: Waker
    #endif
    private var poller: Poller?
    private var slots: [Slot] = []
    private var generations: [Int32] = []
    private var free: [Int32] = []
    /// The connections whose handshakes wait until other connections of their client need less memory, oldest first.
    private var waitingForMemory: [SlotID] = []
    /// The timer of the deadline sweep. It is suspended while the loop has no connections, so an idle server uses no
    /// CPU time.
    private let timer: any DispatchSourceTimer
    private var isTimerRunning = false
    private var connections = 0 {
        didSet { runTimer(connections > 0) }
    }
    private(set) var isDraining = false
    private var whenEmpty: (@Sendable () -> Void)?

    /// - Parameters:
    ///   - index: the loop's number, used in the name of its queue.
    ///   - options: the limits and timeouts.
    ///   - limiter: the limiter that counts the connections of all loops.
    ///   - budget: the memory budget of all loops.
    ///   - handlers: the queue of the handlers of all loops.
    ///   - snapshot: the routes and the TLS identity.
    ///   - clock: the clock for responses and logs.
    ///   - logger: the logger for errors.
    ///   - serverLog: the log of connections that the server cannot serve, shared by all loops.
    ///   - log: the access log; nil for no log.
    ///   - traffic: the recorder of the last requests; nil to keep none.
    init(
        index: Int, options: ServerOptions, limiter: ConnectionLimiter, budget: MemoryBudget, handlers: HandlerQueue,
        snapshot: ServerSnapshot, clock: Clock, logger: Logger, serverLog: ServerLog, log: AccessLog?,
        traffic: TrafficRecorder.Lane? = nil
    ) throws(SystemError) {
        queue = DispatchQueue(label: "loop-\(index)")
        self.options = options
        self.limiter = limiter
        self.budget = budget
        self.handlers = handlers
        self.traffic = traffic
        self.snapshot = snapshot
        self.clock = clock
        self.logger = logger
        self.serverLog = serverLog
        self.log = log
        unsafe readBuffer = .allocate(byteCount: Self.readBufferSize, alignment: 16)
        serializer = ResponseSerializer(
            fields: options.fields, secureFields: options.secureFields, pageFields: options.pageFields)
        timer = DispatchSource.makeTimerSource(queue: queue)
        deadlines = DeadlineWheel(interval: options.sweepInterval, now: options.monotonicTime())
        #if os(Linux)
        waker = try Waker()
        #endif
        updateTime()
        poller = try makePoller()
        timer.schedule(
            deadline: .now(), repeating: .milliseconds(Int(options.sweepInterval)),
            leeway: .milliseconds(Int(options.sweepInterval) / 4))
        timer.setEventHandler { [unowned self] in sweep() }
    }

    /// Resumes or suspends the timer. A suspended source must be resumed before it is released.
    private func runTimer(_ isWanted: Bool) {
        guard isWanted != isTimerRunning else { return }
        isTimerRunning = isWanted
        if isWanted { timer.resume() } else { timer.suspend() }
    }

    deinit {
        timer.cancel()
        runTimer(true)
        unsafe readBuffer.deallocate()
    }

    /// Adds work to the queue, even while the poller waits for events on the queue.
    func perform(_ work: @escaping @Sendable () -> Void) {
        #if os(Linux)
        waker.add(work, to: queue)
        #else
        queue.async(execute: work)
        #endif
    }

    private func makePoller() throws(SystemError) -> Poller {
        switch options.poller {
        #if os(Linux)
        case .epoll: return .epoll(try EpollPoller(self))
        #endif
        case .sources: return .sources(SourcePoller(self))
        }
    }

    func updateTime() {
        now = options.monotonicTime()
        milliseconds = clock.milliseconds()
        time = Clock.seconds(milliseconds)
        serializer.update(now: time)
        files.forget(before: now)
    }

    /// Replaces the routes and the TLS identity, and drops cached files, which may belong to the old site.
    func reload(_ snapshot: ServerSnapshot) {
        dispatchPrecondition(condition: .onQueue(queue))
        self.snapshot = snapshot
        files = FileCache()
    }

    /// Whether to read a connection until it is empty. libdispatch reports the last bytes and the end of the input as
    /// one event.
    var readsUntilEmpty: Bool { options.poller == .sources }

    /// The maximum time that a connection may be idle, in milliseconds.
    var idleTimeout: Int64 {
        isDraining ? min(options.idleTimeout, Self.drainIdleTimeout) : options.idleTimeout
    }

    /// Prepares a batch of events.
    func beginBatch() {
        dispatchPrecondition(condition: .onQueue(queue))
        updateTime()
    }

    /// Handles an event on a descriptor.
    func handle(_ id: SlotID, _ interest: Interest) {
        guard generations[Int(id.index)] == id.generation else { return }
        switch slots[Int(id.index)] {
        case .free: break
        case .connection(let connection): connection.ready(interest)
        case .listener(let listener): accept(from: listener)
        }
    }
}

// MARK: - Slots

extension EventLoop {
    private func add(_ slot: Slot, descriptor: Int32, _ interest: Interest) throws(SystemError) -> SlotID {
        let index: Int32
        if let last = free.popLast() {
            index = last
        } else {
            index = Int32(slots.count)
            slots.append(.free)
            generations.append(0)
        }
        let id = SlotID(index: index, generation: generations[Int(index)])
        do throws(SystemError) {
            try poller?.add(descriptor, id, interest)
        } catch {
            free.append(index)
            throw error
        }
        slots[Int(index)] = slot
        return id
    }

    private func release(_ id: SlotID) {
        slots[Int(id.index)] = .free
        generations[Int(id.index)] &+= 1
        free.append(id.index)
    }

    func watch(_ descriptor: Int32, _ slot: SlotID, _ interest: Interest) {
        poller?.update(descriptor, slot, interest)
    }

    /// Removes a connection. The loop closes its descriptor after the poller releases it.
    ///
    /// - Parameters:
    ///   - slot: the slot of the connection.
    ///   - descriptor: the descriptor of the connection.
    ///   - client: the client that the connection was counted for; nil if it was counted only in total.
    func remove(_ slot: SlotID, descriptor: Int32, client: [UInt8]?) {
        release(slot)
        connections -= 1
        // Without connections, the sweep does not run and does not write the log.
        if connections == 0 { log?.flush() }
        limiter.leave(client)
        // The connection owns the TLS session, which must be released before another connection gets the descriptor.
        poller?.remove(descriptor) { close(descriptor) }
        finishIfEmpty()
    }
}

// MARK: - Accepting

extension EventLoop {
    /// Starts accepting connections from one of this loop's listeners.
    func listen(_ listener: Listener) throws(SystemError) {
        dispatchPrecondition(condition: .onQueue(queue))
        listener.slot = try add(.listener(listener), descriptor: listener.number, .read)
    }

    /// Accepts a limited number of connections, so new connections do not starve existing connections.
    ///
    /// - Returns: whether more clients may be in the accept queue.
    @discardableResult
    private func accept(from listener: Listener) -> Bool {
        for _ in 0..<64 {
            do throws(SystemError) {
                guard let (client, address) = try listener.accept() else { return false }
                admit(client, address, isSecure: listener.isSecure)
            } catch {
                pause(listener, after: error)
                return false
            }
        }
        return true
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
        if entry.isServerFull, evict(1) { entry = limiter.enter(client) }
        guard entry.isAdmitted else {
            reportRefusal(of: address, total: entry.total)
            close(descriptor)
            return
        }
        if entry.total > limiter.highWaterMark || budget.isNearlyExhausted { evict(1) }
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

    /// Counts and logs a connection that exceeds a limit.
    func reportRefusal(of address: SocketAddress, total: Int) {
        counts.refusedConnections += 1
        serverLog.connectionRefused(address, total: total, limiter)
    }

    /// Closes connections until a charge no longer exceeds the memory of all connections.
    ///
    /// Call it before the current connection writes: the loop's connections share the buffer for records.
    func makeRoom(for charge: () -> MemoryBudget.Excess?) -> MemoryBudget.Excess? {
        for _ in 0..<Self.maximumEvictions {
            guard evict(1) else { break }
            let excess = charge()
            guard excess == .memory else { return excess }
        }
        return .memory
    }

    /// Lets a handshake wait until other connections of its client need less memory. The connection's deadline applies.
    func waitForMemory(_ slot: SlotID) { waitingForMemory.append(slot) }

    /// Continues handshakes that wait for memory.
    private func continueHandshakes() {
        let slots = waitingForMemory.prefix(Self.handshakesPerSweep)
        waitingForMemory.removeFirst(slots.count)
        for slot in slots where generations[Int(slot.index)] == slot.generation {
            guard case .connection(let connection) = self.slots[Int(slot.index)] else { continue }
            connection.ready([])
        }
    }

    /// Closes connections of this loop to free slots for new connections.
    ///
    /// - Parameters:
    ///   - count: the number of connections to close, at least one.
    ///   - sparesTransfers: whether to keep connections with an unfinished request or response.
    /// - Returns: whether a connection was closed.
    @discardableResult
    private func evict(_ count: Int, sparesTransfers: Bool = false) -> Bool {
        var evicted = false
        for _ in 0..<max(count, 1) {
            guard let slot = evictionOrder.victim(sparesTransfers: sparesTransfers),
                case .connection(let connection) = slots[Int(slot)]
            else { break }
            connection.evict()
            evicted = true
        }
        return evicted
    }
}

// MARK: - Deadlines and shutdown

extension EventLoop {
    private var allConnections: [Connection] {
        slots.compactMap { slot in
            if case .connection(let connection) = slot { connection } else { nil }
        }
    }

    private func sweep() {
        dispatchPrecondition(condition: .onQueue(queue))
        updateTime()
        for due in deadlines.takeDue(now) where generations[Int(due.slot.index)] == due.slot.generation {
            guard case .connection(let connection) = slots[Int(due.slot.index)] else { continue }
            connection.checkDeadlines(due.time)
        }
        if !waitingForMemory.isEmpty { continueHandshakes() }
        log?.flush()
    }

    /// Stops accepting, closes each connection after its current response, and then calls `done`.
    func drain(done: @escaping @Sendable () -> Void) {
        dispatchPrecondition(condition: .onQueue(queue))
        isDraining = true
        whenEmpty = done
        updateTime()
        for slot in slots {
            guard case .listener(let listener) = slot, let id = listener.slot else { continue }
            // Closing the listener would reset the established connections in the accept queue. More clients may keep
            // connecting, so the number of turns is limited.
            for _ in 0..<64 { guard accept(from: listener) else { break } }
            listener.slot = nil
            release(id)
            poller?.remove(listener.number) { _ = listener }
        }
        for connection in allConnections {
            connection.drain()
            connection.scheduleCheck()
        }
        finishIfEmpty()
    }

    /// Closes the remaining connections.
    func stop() {
        dispatchPrecondition(condition: .onQueue(queue))
        for connection in allConnections { connection.finish() }
        timer.cancel()
        poller?.stop()
        poller = nil
        log?.flush()
    }

    private func finishIfEmpty() {
        guard connections == 0, let done = whenEmpty else { return }
        whenEmpty = nil
        done()
    }
}
