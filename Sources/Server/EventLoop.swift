import Dispatch
import Logging
import MotivatorHTTP
import MotivatorPlatform
import MotivatorTLS

/// A serial queue with a poller, and the connections that it serves.
///
/// A connection stays on the loop that accepted it. Loops do not share connection state.
// Sendable unchecked: only code on its queue uses its state. `dispatchPrecondition` asserts this at each entry.
@safe final class EventLoop: @unchecked Sendable {
    enum Slot {
        case free
        case listener(Listener)
        case connection(Connection)
    }

    /// The maximum number of bytes per read: one TLS record.
    private static let readBufferSize = 16 << 10
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
    /// The unwritten output of the current connection. All connections reuse its memory, so idle connections have none.
    /// A new array for each response would make four allocations and take 660 more instructions (2%).
    var output: [UInt8] = []
    /// The TLS records that the current connection has written.
    let records = RecordBuffer()
    var serializer: ResponseSerializer
    /// The time of a monotonic clock in milliseconds. Like `time`, it is updated once per batch of events.
    private(set) var now: Int64 = 0
    private(set) var time: UnixTime = 0
    /// `time` in milliseconds.
    private(set) var milliseconds: Int64 = 0
    var evictionOrder = EvictionOrder()
    var deadlines: DeadlineWheel
    var files = FileCache()
    var counts = LoopCounts()

    private let clock: Clock
    #if os(Linux)
    let waker: Waker
    #endif
    private var poller: (any Poller)?
    var slots: [Slot] = []
    var generations: [Int32] = []
    private var free: [Int32] = []
    /// The connections whose handshakes wait until other connections of their client need less memory, oldest first.
    var waitingForMemory: [SlotID] = []
    /// The timer of the deadline sweep. It is suspended while the loop has no connections, so an idle server uses no
    /// CPU time.
    private let timer: any DispatchSourceTimer
    private var isTimerRunning = false
    var connections = 0 {
        didSet { runTimer(connections > 0) }
    }
    private(set) var isDraining = false
    private var whenEmpty: (@Sendable () -> Void)?

    /// - Parameter serverLog: the log of connections that the server cannot serve, shared by all loops.
    init(
        index: Int, options: ServerOptions, limiter: ConnectionLimiter, budget: MemoryBudget, handlers: HandlerQueue,
        snapshot: ServerSnapshot, clock: Clock, logger: Logger, serverLog: ServerLog, log: AccessLog?,
        traffic: TrafficRecorder.Lane? = nil
    ) throws(SystemError) {
        queue = DispatchQueue(label: "loop-\(index)")
        (self.options, self.limiter, self.budget, self.handlers) = (options, limiter, budget, handlers)
        (self.traffic, self.snapshot, self.clock, self.logger) = (traffic, snapshot, clock, logger)
        (self.serverLog, self.log) = (serverLog, log)
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

    private func makePoller() throws(SystemError) -> any Poller {
        switch options.poller {
        #if os(Linux)
        case .epoll: return try EpollPoller(self)
        #endif
        case .sources: return SourcePoller(self)
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

    func beginBatch() {
        dispatchPrecondition(condition: .onQueue(queue))
        updateTime()
    }

    func handle(_ id: SlotID, _ interest: Interest) {
        guard generations[Int(id.index)] == id.generation else { return }
        switch slots[Int(id.index)] {
        case .free: break
        case .connection(let connection): connection.ready(interest)
        case .listener(let listener): accept(from: listener, atMost: 64)
        }
    }

    // MARK: - Slots

    func add(_ slot: Slot, descriptor: Int32, _ interest: Interest) throws(SystemError) -> SlotID {
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
    /// - Parameter client: the client that the connection was counted for; nil if it was counted only in total.
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

    // MARK: - Deadlines and shutdown

    private var allConnections: [Connection] {
        slots.compactMap { slot in
            if case .connection(let connection) = slot { connection } else { nil }
        }
    }

    func sweep() {
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
            // connecting, so the number is limited.
            accept(from: listener, atMost: 4096)
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
