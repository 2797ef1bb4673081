import Dispatch
import MotivatorHTTP
import MotivatorPlatform
import MotivatorTLS

/// A connection, which moves bytes between a socket and a state machine. `perform` is the request loop.
// Sendable unchecked: only code on its loop's queue uses it. A handler's response returns through that queue.
final class Connection: @unchecked Sendable {
    enum Opening {
        /// A trusted proxy sends the client's address.
        case proxyHeader(received: [UInt8])
        /// The client starts the TLS handshake. The TLS session is created when the ClientHello is complete.
        case clientHello(ClientHelloReader)
        case handshake
        case done
    }

    /// The output size, in bytes, above which the connection writes before it handles the next request.
    static let outputLimit = 64 << 10
    /// The maximum number of bytes to write per event. The limit prevents a fast download from blocking the loop.
    static let turnLimit = 512 << 10
    /// The maximum number of buffered bytes that are not charged separately. Most requests are smaller.
    static let unchargedBytes = 4 << 10
    /// The memory of a connection without TLS, in bytes, including `unchargedBytes`. Its objects need about 2 KiB.
    static let idleMemory = 2 << 10 + unchargedBytes

    /// The loop and its connections refer to each other until each connection finishes.
    let loop: EventLoop
    let descriptor: Int32
    /// The client's address: the peer's address, or the address that a trusted proxy reports.
    private(set) var address: SocketAddress
    /// The key of the client in the connection limits and the memory budget.
    private(set) var client: [UInt8]
    /// Whether this connection counts toward the client's limit; false until a trusted proxy reports the client.
    private var isCountedForClient: Bool
    let isSecure: Bool
    var slot: SlotID?
    var transport: Transport
    var machine: ServerConnection
    var opening: Opening
    /// Whether TLS must write before it can read more, such as after a key update (RFC 8446 §4.6.3).
    private var readWaitsForWrite = false
    var interest: Interest = .read
    /// The output that the socket has not yet accepted.
    var pending: [UInt8] = []
    /// The number of bytes of TLS records that the socket has not yet accepted.
    var unsentBytes = 0
    /// The index of the first unwritten byte in `pending`.
    var pendingStart = 0
    /// A large part of a representation that follows `pending`. It is not copied, and all connections share it.
    var body: (content: [UInt8], range: Range<Int>, owner: Representation)?
    /// The number of bytes that the current turn may still write. Each poller event starts a turn.
    var turn = turnLimit
    /// The action after the last byte is written; nil if the connection stays open.
    var ending: Ending?
    var exchange: PendingRequest?
    /// The parts that all log lines for this connection share; nil before the first line.
    var logClient: AccessLog.Client?
    /// The client that the inspector shows; nil before the first entry.
    var recordedPeer: Peer?
    /// The loop's time when the head of the current request was complete.
    var routedAt: Int64 = 0
    var routeNumber = RouteNames.rejected
    /// Whether the server keeps the client waiting on purpose, in the handshake or during a response. Such a connection
    /// ends when the client sends a byte or disconnects, or when the server shuts down.
    var isStalled = false
    var waiting: Waiting
    private var waitingSince: Int64
    private var waitingRequests = 0
    private var lastProgress: Int64
    private var rate: TransferRate
    /// The time of the next deadline check, in the loop's milliseconds.
    private var checkTime = Int64.max
    var charged = MemoryBudget.Charge()

    init(loop: EventLoop, descriptor: Int32, address: SocketAddress, isSecure: Bool, isFromProxy: Bool) {
        self.loop = loop
        (self.descriptor, self.address) = (descriptor, address)
        client = address.clientKey
        isCountedForClient = !isFromProxy
        self.isSecure = isSecure
        opening = isFromProxy ? .proxyHeader(received: []) : isSecure ? .clientHello(ClientHelloReader()) : .done
        transport = .plain(descriptor)
        machine = ServerConnection(limits: loop.options.limits)
        waiting = isFromProxy || isSecure ? .opening : .idle
        waitingSince = loop.now
        lastProgress = loop.now
        rate = TransferRate(now: loop.now)
    }

    func start(_ slot: SlotID) {
        self.slot = slot
        loop.evictionOrder.add(slot.index, of: client)
        loop.evictionOrder.wait(slot.index, for: waiting.evictedAs)
        scheduleCheck()
    }

    @inline(__always)
    func ready(_ events: Interest) {
        guard slot != nil else { return }
        turn = Self.turnLimit
        // If `interest` is empty, the poller reports only a reset.
        if !events.isEmpty, interest.isEmpty || isStalled { return finish() }
        if isOpening {
            open()
        } else {
            if events.contains(.write) {
                readWaitsForWrite = false
                perform()
            }
            // The poller does not report bytes that are buffered in the TLS session.
            if slot != nil, events.contains(.read) || transport.hasPending { readable() }
        }
        settle()
    }

    var isOpening: Bool {
        if case .done = opening { false } else { true }
    }

    /// Whether the client has started the TLS handshake, and it is not complete.
    private var isHandshaking: Bool {
        switch opening {
        case .clientHello(let reader): !reader.isEmpty
        case .handshake: true
        case .proxyHeader, .done: false
        }
    }

    private func open() {
        switch opening {
        case .proxyHeader(let received): readProxyHeader(received)
        case .clientHello(let reader): readClientHello(reader)
        case .handshake:
            if case .tls(let session) = transport { continueHandshake(session) }
        case .done: break
        }
    }

    /// Reads the PROXY header, but not the bytes after the header.
    private func readProxyHeader(_ received: [UInt8]) {
        var received = received
        while true {
            switch ProxyHeader.parse(received) {
            case .needMore(let count):
                let buffer = unsafe UnsafeMutableRawBufferPointer(
                    rebasing: loop.readBuffer[..<min(count, loop.readBuffer.count)])
                switch unsafe transport.read(into: buffer) {
                case .done(let count): unsafe received.append(contentsOf: buffer[..<count])
                case .wantsRead, .wantsWrite: return opening = .proxyHeader(received: received)
                case .closed, .failed: return finish()
                }
            case .header(let source, _):
                opening = isSecure ? .clientHello(ClientHelloReader()) : .done
                if let source { identify(source) }
                if slot != nil { isSecure ? open() : readable() }
                return
            case .malformed(let fault):
                loop.serverLog.proxyFailed(address, fault)
                return finish()
            }
        }
    }

    /// Sets the client's address as reported by a trusted proxy, and counts the connection for this client.
    private func identify(_ source: SocketAddress) {
        guard let slot else { return }
        (address, client) = (source, source.clientKey)
        isCountedForClient = loop.limiter.assign(client)
        loop.evictionOrder.remove(slot.index)
        loop.evictionOrder.add(slot.index, of: client)
        loop.evictionOrder.wait(slot.index, for: .handshake)
        guard !isCountedForClient else { return }
        loop.reportRefusal(of: address, total: loop.limiter.total)
        finish()
    }

    func readable() {
        // If this check fails, `settle` stops the poller from reporting the same bytes again.
        guard slot != nil, machine.wantsInput, !hasPending else { return }
        repeat {
            switch unsafe transport.read(into: loop.readBuffer) {
            case .done(let count):
                progressed(count)
                unsafe machine.received(FieldBytes(rebasing: loop.readBuffer.bindMemory(to: UInt8.self)[..<count]))
                perform()
            case .closed:
                machine.inputEnded()
                perform()
                return
            case .wantsRead: return
            case .wantsWrite:
                readWaitsForWrite = true
                return
            case .failed:
                // A TLS 1.3 client that rejects the certificate sends its alert after the server completes the
                // handshake.
                if machine.requests == 0, case .tls(let session) = transport, let failure = session.alert {
                    reportFailure(of: session, failure)
                }
                return finish()
            }
        } while slot != nil && machine.wantsInput && !hasPending
            && (transport.hasPending || loop.readsUntilEmpty)
    }

    /// Performs the actions of the state machine until it waits for bytes, a handler, or the socket.
    func perform() {
        var outcome = flush()
        while outcome == .complete {
            switch machine.next() {
            case .read:
                _ = flush()
                return
            case .wait:
                if flush() == .complete { continueWriter() }
                return
            case .route: route()
            case .sendContinue: loop.serializer.appendContinue(to: &loop.output)
            case .respond: deliverContent()
            case .reject(let rejection): reject(rejection)
            case .shutDown: ending = .shutDown
            case .close: ending = .close
            }
            if loop.output.count >= Self.outputLimit || body != nil || ending != nil { outcome = flush() }
        }
    }

    func timeOut() {
        guard slot != nil else { return }
        if isHandshaking { loop.counts.add(.timeout) }
        guard !isOpening, !hasPending else { return finish() }
        machine.abort(machine.phase == .content ? .contentTooSlow : .headTooSlow)
        perform()
        settle()
    }

    /// Closes the connection immediately to free its slot for a new connection.
    func evict() {
        if !isOpening, !hasPending { sendCloseNotify() }
        finish()
    }

    /// Closes the connection after the next response, or immediately if that response never completes.
    func drain() {
        machine.drain()
        if isStalled { finish() }
    }

    /// Releases the descriptor. Later calls do nothing.
    func finish() {
        guard let slot else { return }
        self.slot = nil
        endExchange()
        loop.budget.refund(charged, of: client)
        // The remaining records are alerts. An error does not matter, because the client may have disconnected.
        if case .tls(let session) = transport { _ = session.sendRecords() }
        transport = .plain(descriptor)
        loop.evictionOrder.remove(slot.index)
        loop.remove(slot, descriptor: descriptor, client: isCountedForClient ? client : nil)
    }

    // MARK: - Deadlines

    /// The kind of event that the connection waits for. It determines the deadline and the eviction order.
    enum Waiting {
        case opening, idle, head, content, handler, write, lingering

        var evictedAs: EvictionOrder.Waiting? {
            switch self {
            case .opening: .handshake
            // The response of a lingering connection is written.
            case .idle, .lingering: .idle
            case .head, .content, .write: .transfer
            case .handler: nil
            }
        }
    }

    private var currentlyWaiting: Waiting {
        if isOpening { return .opening }
        if hasPending { return .write }
        return switch machine.phase {
        case .idle: .idle
        case .head: .head
        case .content: .content
        case .response: .handler
        case .lingering, .closed: .lingering
        }
    }

    /// Starts the deadline of a new phase, charges the memory in use, and sets the events that the poller reports.
    func settle() {
        // If the socket did not accept all records, `perform` sends the rest after an event. Otherwise, it would not
        // notice that the output is complete.
        guard slot != nil, unsentBytes > 0 || sendRecords() != .gone, let slot else { return }
        let current = currentlyWaiting
        if current != waiting || machine.requests != waitingRequests {
            waiting = current
            waitingRequests = machine.requests
            waitingSince = loop.now
            // The count includes content that arrived with the head.
            rate = TransferRate(now: loop.now, bytes: current == .content ? machine.contentReceived : 0)
            loop.evictionOrder.wait(slot.index, for: current.evictedAs)
            scheduleCheck()
        }
        if let excess = chargeMemory() { return exceed(excess) }
        updateInterest()
    }

    func progressed(_ count: Int) {
        lastProgress = loop.now
        rate.add(count)
    }

    private func updateInterest() {
        guard slot != nil, !isStalled else { return }
        if hasPending || readWaitsForWrite {
            setInterest(.write)
        } else if !isOpening {
            setInterest(machine.wantsInput ? .read : [])
        }
    }

    func setInterest(_ wanted: Interest) {
        guard wanted != interest, let slot else { return }
        interest = wanted
        loop.watch(descriptor, slot, wanted)
    }

    /// Schedules a check of the deadlines for the earliest possible expiry, unless an earlier check is scheduled.
    func scheduleCheck() {
        let time = min(deadline, rateWindow.map(rate.end) ?? .max)
        guard let slot, time < checkTime else { return }
        checkTime = time
        loop.deadlines.add(slot, at: time)
    }

    /// Checks the deadlines. They may have moved since the check was scheduled.
    func checkDeadlines(_ time: Int64) {
        // An earlier check has replaced this one.
        guard time == checkTime else { return }
        checkTime = .max
        let now = loop.now
        let isTooSlow = rateWindow.map { rate.isBelow(loop.options.minimumRate, over: $0, now: now) } ?? false
        if isTooSlow || deadline <= now { timeOut() }
        scheduleCheck()
    }

    /// The deadline of the current phase in the loop's milliseconds.
    private var deadline: Int64 {
        switch waiting {
        case .opening: waitingSince + loop.options.handshakeTimeout
        case .idle: waitingSince + loop.idleTimeout
        case .head: waitingSince + loop.options.headTimeout
        case .content:
            min(waitingSince + loop.options.contentTotalTimeout, lastProgress + loop.options.contentTimeout)
        case .write: lastProgress + loop.options.writeTimeout
        case .lingering: waitingSince + loop.options.lingerTimeout
        case .handler: .max
        }
    }

    /// The window for measuring the transfer rate, in milliseconds; nil if no transfer is in progress.
    private var rateWindow: Int64? {
        switch waiting {
        case .content: loop.options.contentRateWindow
        case .write: loop.options.writeRateWindow
        case .opening, .idle, .head, .lingering, .handler: nil
        }
    }
}
