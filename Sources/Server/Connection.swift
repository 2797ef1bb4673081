import Dispatch
import HTTP
import HTTPTypes
import Platform
import TLS

/// One connection: moves bytes between its descriptor and the state machine, and performs what the machine asks for.
// Sendable unchecked: it is touched on its loop's queue alone; a handler's answer comes back through that queue.
final class Connection: @unchecked Sendable {
    /// How the connection ends once everything is written.
    enum Ending {
        case shutDown, close
    }

    /// Answers are collected up to this many bytes before they are written.
    static let outputLimit = 64 << 10

    /// Unowned, and unchecked because it is looked at dozens of times for a request: the server holds its loops until it
    /// is gone itself, and a loop's connections end with it.
    unowned(unsafe) let loop: EventLoop
    let descriptor: Int32
    let address: SocketAddress
    let isSecure: Bool
    var slot: SlotID?
    var transport: Transport
    var machine: ServerConnection
    var isHandshaking: Bool
    /// TLS has to write before it can read on: it answers a key update (RFC 8446 §4.6.3).
    private var readWaitsForWrite = false
    var interest: Interest = .read
    /// What could not be written yet: bytes of our own, then a part of a representation that is not copied.
    var pending: [UInt8] = []
    var pendingStart = 0
    var body: (content: [UInt8], range: Range<Int>)?
    var ending: Ending?
    /// The handler of the request whose content is being read.
    var handler: (any Handler, [String])?
    /// The handler at work; it is told when nobody waits for its answer any more.
    var answering: Task<Void, Never>?
    private(set) var phaseStart: Int64
    private var phase = ServerConnection.Phase.idle
    private var phaseRequests = 0
    private var contentBytes = 0
    private var lastProgress: Int64

    init(loop: EventLoop, descriptor: Int32, address: SocketAddress, session: TLSSession?) {
        self.loop = loop
        self.descriptor = descriptor
        self.address = address
        isSecure = session != nil
        isHandshaking = session != nil
        transport = session.map { .tls($0) } ?? .plain(descriptor)
        machine = ServerConnection(limits: loop.options.limits)
        phaseStart = loop.now
        lastProgress = loop.now
    }

    func start(_ slot: SlotID) {
        self.slot = slot
    }

    /// The descriptor is ready for something.
    @inline(__always)
    func ready(_ interest: Interest) {
        guard slot != nil else { return }
        // A reset is told whether it is asked for or not, and again until somebody listens: nothing else is told here.
        if self.interest.isEmpty, !interest.isEmpty { return finish() }
        if isHandshaking {
            shakeHands()
        } else {
            if interest.contains(.write) {
                readWaitsForWrite = false
                if hasPending { flush() }
                perform()
            }
            // The poller knows nothing of bytes that wait inside the TLS session.
            if slot != nil, interest.contains(.read) || transport.hasPending { readable() }
        }
        settle()
    }

    private func shakeHands() {
        guard case .tls(let session) = transport else { return }
        switch session.handshake() {
        case .done:
            isHandshaking = false
            readable()
        case .wantsRead: setInterest(.read)
        case .wantsWrite: setInterest(.write)
        case .closed: finish()
        case .failed(let failure):
            guard failure == .plainHTTP else {
                loop.noteFailedHandshake(address, failure)
                return finish()
            }
            // The client did not speak TLS, so it can read an answer without it.
            isHandshaking = false
            transport = .plain(descriptor)
            machine.refuse(.plainRequestOnTLSPort)
            perform()
        }
    }

    private func readable() {
        // Nothing is read that is not wanted; `settle` sees to it that nobody tells of it again.
        guard slot != nil, machine.wantsInput, !hasPending, ending == nil else { return }
        repeat {
            switch transport.read(into: loop.readBuffer) {
            case .done(let count):
                lastProgress = loop.now
                if phase == .content { contentBytes += count }
                machine.received(FieldBytes(rebasing: loop.readBuffer.bindMemory(to: UInt8.self)[..<count]))
                perform()
            case .ended:
                machine.inputEnded()
                perform()
                return
            case .wantsRead: return
            case .wantsWrite:
                readWaitsForWrite = true
                return
            case .failed: return finish()
            }
        } while slot != nil && machine.wantsInput && !hasPending && (transport.hasPending || loop.readsUntilEmpty)
    }

    /// Performs what the machine asks for, until it needs bytes or an answer, and writes what came of it.
    func perform() {
        while slot != nil, !hasPending, ending == nil {
            switch machine.next() {
            case .read, .wait:
                flushOutput()
                return
            case .route: route()
            case .sendContinue: loop.serializer.appendContinue(to: &loop.output)
            case .respond: respond()
            case .reject(let rejection): reject(rejection)
            case .shutDown: ending = .shutDown
            case .close: ending = .close
            }
            if loop.output.count >= Self.outputLimit || ending != nil { flushOutput() }
        }
        flushOutput()
    }

    /// The peer took too long.
    func timeOut() {
        guard slot != nil else { return }
        guard !isHandshaking, !hasPending else { return finish() }
        machine.timedOut(machine.phase == .content ? .contentTooSlow : .headTooSlow)
        perform()
        settle()
    }

    /// The next answer is the last one.
    func drain() {
        machine.drain()
    }

    /// Ends at once.
    func abandon() {
        finish()
    }

    /// Lets go of the descriptor; nothing happens on this connection any more.
    func finish() {
        guard let slot else { return }
        self.slot = nil
        answering?.cancel()
        answering = nil
        transport = .plain(descriptor)
        loop.remove(self, slot, descriptor: descriptor, address: address.bytes)
    }
}

// MARK: - What is waited for

extension Connection {
    var isIdle: Bool { !isHandshaking && !hasPending && machine.phase == .idle }

    /// Notes when the connection began to wait for what it waits for now, and what it has to be told about.
    private func settle() {
        guard slot != nil else { return }
        let current = machine.phase
        if current != phase || machine.requests != phaseRequests {
            phase = current
            phaseRequests = machine.requests
            phaseStart = loop.now
            // What came together with the head counts too.
            contentBytes = machine.contentReceived
        }
        updateInterest()
    }

    func progressed() {
        lastProgress = loop.now
    }

    private func updateInterest() {
        guard slot != nil, !isHandshaking else { return }
        if hasPending || readWaitsForWrite {
            setInterest(.write)
        } else {
            setInterest(machine.wantsInput ? .read : [])
        }
    }

    func setInterest(_ wanted: Interest) {
        guard wanted != interest, let slot else { return }
        interest = wanted
        loop.watch(descriptor, slot, wanted)
    }

    /// Whether a deadline has passed.
    ///
    /// - Parameters:
    ///   - now: milliseconds of the loop's clock.
    ///   - drainIdle: milliseconds that an idle connection has while the server stops; nil while it runs.
    func isOverdue(_ now: Int64, drainIdle: Int64?) -> Bool {
        let options = loop.options
        let inPhase = now - phaseStart
        if isHandshaking { return inPhase >= options.handshakeTimeout }
        if hasPending { return now - lastProgress >= options.writeTimeout }
        switch phase {
        case .idle: return inPhase >= min(options.idleTimeout, drainIdle ?? .max)
        case .head: return inPhase >= options.headTimeout
        case .content:
            if now - lastProgress >= options.contentTimeout { return true }
            return inPhase >= options.contentGrace && contentBytes < options.contentRate * Int(inPhase / 1_000)
        case .lingering: return inPhase >= options.lingerTimeout
        case .answer, .closed: return false
        }
    }
}
