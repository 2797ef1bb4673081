import Dispatch
import HTTP
import Logging
import Platform
import TLS

/// A serial queue with a poller, and the connections that live on it.
///
/// Everything about a connection happens on the queue of the loop that accepted it; nothing of it is shared.
// Sendable unchecked: the loop's state is touched on its queue alone, which `dispatchPrecondition` asserts at each entry.
@safe final class EventLoop: @unchecked Sendable {
    private enum Slot {
        case free
        case listener(Listener)
        case connection(Connection)
    }

    /// Bytes that are read at once: one TLS record.
    private static let readBufferSize = 16 << 10
    /// Milliseconds between two looks at the deadlines, at which the log is also written: within 200 ms with the leeway.
    private static let sweepInterval = 150
    /// Milliseconds without accepting after the system ran out of descriptors or memory.
    private static let acceptPause = 500
    /// An idle connection is ended this soon once the server stops: a request may be on its way.
    private static let drainIdle: Int64 = 1_000

    let queue: DispatchQueue
    let options: ServerOptions
    let limiter: ConnectionLimiter
    let budget: MemoryBudget
    let logger: Logger
    let serverLog: ServerLog
    let log: AccessLog?
    /// What requests are answered with; replaced as a whole by a reload.
    private(set) var snapshot: ServerSnapshot
    let readBuffer: UnsafeMutableRawBufferPointer
    /// Answers of the connection that is being served, before they are written; its memory is kept.
    var output: [UInt8] = []
    var serializer: ResponseSerializer
    /// Milliseconds of a clock that never goes back, and seconds since 1970, both read once for a batch of events.
    private(set) var now: Int64 = 0
    private(set) var time: UnixTime = 0
    /// Which connection is closed when a new one needs its slot.
    var evictionOrder = EvictionOrder()
    /// Files that were looked at within the last second.
    var files = FileCache()

    private let clock: Clock
    private var poller: Poller?
    private var slots: [Slot] = []
    private var generations: [Int32] = []
    private var free: [Int32] = []
    /// Looks at the deadlines; it sleeps while there is no connection, so that an idle server costs nothing.
    private let timer: any DispatchSourceTimer
    private var isTimerRunning = false
    private var connections = 0 {
        didSet { runTimer(connections > 0) }
    }
    private var isDraining = false
    private var whenEmpty: (@Sendable () -> Void)?

    /// - Parameters:
    ///   - index: the loop's number, for its queue's name.
    ///   - options: the bounds.
    ///   - limiter: counts the connections of all loops.
    ///   - budget: the memory budget of all loops.
    ///   - snapshot: what requests are answered with.
    ///   - clock: the time that answers and logs carry.
    ///   - logger: receives errors.
    ///   - serverLog: receives the connections that cannot be served, of all loops.
    ///   - log: receives the requests; nil for none.
    init(
        index: Int, options: ServerOptions, limiter: ConnectionLimiter, budget: MemoryBudget, snapshot: ServerSnapshot,
        clock: Clock, logger: Logger, serverLog: ServerLog, log: AccessLog?
    ) throws(SystemError) {
        queue = DispatchQueue(label: "loop-\(index)")
        self.options = options
        self.limiter = limiter
        self.budget = budget
        self.snapshot = snapshot
        self.clock = clock
        self.logger = logger
        self.serverLog = serverLog
        self.log = log
        unsafe readBuffer = .allocate(byteCount: Self.readBufferSize, alignment: 16)
        serializer = ResponseSerializer(
            fields: options.fields, secureFields: options.secureFields, pageFields: options.pageFields)
        timer = DispatchSource.makeTimerSource(queue: queue)
        updateTime()
        poller = try makePoller()
        timer.schedule(
            deadline: .now(), repeating: .milliseconds(Self.sweepInterval),
            leeway: .milliseconds(Self.sweepInterval / 4))
        timer.setEventHandler { [unowned self] in sweep() }
    }

    /// A source that sleeps has to be woken before it may go away.
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

    private func makePoller() throws(SystemError) -> Poller {
        switch options.poller {
        #if os(Linux)
        case .epoll: return .epoll(try EpollPoller(self))
        #endif
        case .sources: return .sources(SourcePoller(self))
        }
    }

    func updateTime() {
        now = SocketCalls.monotonicMilliseconds()
        time = clock.now()
        serializer.update(now: time)
        files.forget(before: now)
    }

    /// Answers from now on with something else; what was remembered of its files may be of the old one.
    func reload(_ snapshot: ServerSnapshot) {
        dispatchPrecondition(condition: .onQueue(queue))
        self.snapshot = snapshot
        files = FileCache()
    }

    /// Whether a connection is read until nothing is there: libdispatch tells of the last bytes and of the end at once.
    var readsUntilEmpty: Bool { options.poller == .sources }

    /// Before a batch of events.
    func beginBatch() {
        dispatchPrecondition(condition: .onQueue(queue))
        updateTime()
    }

    /// A descriptor is ready.
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

    /// Lets go of a connection, whose descriptor is closed as soon as nothing watches it.
    ///
    /// - Parameters:
    ///   - slot: the connection's slot.
    ///   - descriptor: the connection's descriptor.
    ///   - client: the client that the connection was counted for; nil for none.
    func remove(_ slot: SlotID, descriptor: Int32, client: [UInt8]?) {
        release(slot)
        connections -= 1
        // Without connections, no sweep writes the log.
        if connections == 0 { log?.flush() }
        limiter.leave(client)
        // The connection holds the TLS session, which must be gone before its descriptor can be another's.
        poller?.remove(descriptor) { close(descriptor) }
        finishIfEmpty()
    }
}

// MARK: - Accepting

extension EventLoop {
    /// Starts to accept connections from a listener of this loop's own.
    func listen(_ listener: Listener) throws(SystemError) {
        dispatchPrecondition(condition: .onQueue(queue))
        listener.slot = try add(.listener(listener), descriptor: listener.number, .read)
    }

    private func accept(from listener: Listener) {
        // A bound on one turn, so that a flood of new connections does not starve those that are there.
        for _ in 0..<64 {
            do throws(SystemError) {
                guard let (client, address) = try listener.accept() else { return }
                admit(client, address, isSecure: listener.isSecure)
            } catch {
                pause(listener, after: error)
                return
            }
        }
    }

    /// Without descriptors or memory the listener stays ready: trying on at once would only heat the processor.
    private func pause(_ listener: Listener, after error: SystemError) {
        serverLog.acceptFailed(error, pause: Self.acceptPause)
        guard let slot = listener.slot else { return }
        watch(listener.number, slot, [])
        // A client with a request is not to blame for descriptors that others hold.
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
            serverLog.connectionRefused(address, total: entry.total, limiter)
            close(descriptor)
            return
        }
        if entry.total > limiter.highWaterMark { evict(1) }
        SocketCalls.set(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, 1)
        let connection = Connection(
            loop: self, descriptor: descriptor, address: address, isSecure: isSecure, isFromProxy: isFromProxy)
        do throws(SystemError) {
            connection.start(try add(.connection(connection), descriptor: descriptor, .read))
            connections += 1
            if isDraining { connection.drain() }
        } catch {
            logger.error("\(error); a connection from \(address.host) is dropped")
            limiter.leave(client)
            close(descriptor)
        }
    }

    /// Closes connections of this loop, so that new ones can have their slots.
    ///
    /// - Parameters:
    ///   - count: the number of connections to close, at least one.
    ///   - sparesTransfers: whether a connection with an unfinished request or response is kept.
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

// MARK: - Deadlines and the end

extension EventLoop {
    private var allConnections: [Connection] {
        slots.compactMap { slot in
            if case .connection(let connection) = slot { connection } else { nil }
        }
    }

    private func sweep() {
        dispatchPrecondition(condition: .onQueue(queue))
        updateTime()
        for connection in allConnections where connection.isOverdue(now, drainIdle: isDraining ? Self.drainIdle : nil) {
            connection.timeOut()
        }
        log?.flush()
    }

    /// Stops accepting, lets each connection end after the answer it is at, and then tells `done`.
    func drain(done: @escaping @Sendable () -> Void) {
        dispatchPrecondition(condition: .onQueue(queue))
        isDraining = true
        whenEmpty = done
        updateTime()
        for slot in slots {
            guard case .listener(let listener) = slot, let id = listener.slot else { continue }
            // Whoever is in the queue of the listener has connected: closing it would reset them.
            accept(from: listener)
            listener.slot = nil
            release(id)
            poller?.remove(listener.number) { _ = listener }
        }
        for connection in allConnections { connection.drain() }
        finishIfEmpty()
    }

    /// Ends what is still there.
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
