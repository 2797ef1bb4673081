import MotivatorHTTP
import MotivatorTLS

// The memory that a connection holds, and what happens when it exceeds a limit.
extension Connection {
    /// Charges the memory that this connection holds.
    /// - Returns: the limit that it would exceed; nil if it is charged.
    @inline(__always)
    func chargeMemory() -> MemoryBudget.Excess? {
        let memory = memory
        guard memory != charged else { return nil }
        if let excess = loop.budget.charge(from: charged, to: memory, of: client) { return excess }
        charged = memory
        return nil
    }

    /// Charges the memory that this connection needs next. Other connections end if all together exceed their limit.
    /// - Returns: the limit that it would exceed; nil if it is charged.
    func reserveMemory() -> MemoryBudget.Excess? {
        var excess = chargeMemory()
        if excess == .memory, let slot {
            // This connection must not end to make room for itself.
            loop.evictionOrder.wait(slot.index, for: nil)
            excess = loop.makeRoom(atLeast: loop.limiter.count(of: client), for: chargeMemory)
            loop.evictionOrder.wait(slot.index, for: waiting.evictedAs)
            if excess == .memory { loop.serverLog.budgetExceeded(address, .memory) }
        }
        return excess
    }

    @inline(__always)
    private var memory: MemoryBudget.Charge {
        let unread = pending.count - pendingStart + unsentBytes
        let held = machine.heldMemory
        let content = held.buffered + unread + (exchange?.contentBytes ?? 0)
        var memory = MemoryBudget.Charge(idle: Self.idleMemory)
        if content > Self.unchargedBytes { memory.content = content }
        if held.head > Self.unchargedBytes { memory.buffers = held.head }
        switch opening {
        case .proxyHeader: break
        case .clientHello(let reader):
            if reader.heldBytes > Self.unchargedBytes { memory.buffers = reader.heldBytes }
        case .handshake:
            memory.idle += TLSSession.idleMemory
            memory.buffers = TLSSession.handshakeMemory
        case .done:
            guard case .tls(let session) = transport else { break }
            memory.idle += TLSSession.idleMemory
            memory.buffers += session.bufferedMemory
        }
        return memory
    }

    func exceed(_ excess: MemoryBudget.Excess) {
        loop.serverLog.budgetExceeded(address, excess)
        let isContentDeferred = exchange?.contentLimit != nil && exchange?.writtenBytes == nil
        let isRequestOpen = machine.phase == .head || machine.phase == .content || isContentDeferred
        guard isRequestOpen, !isOpening, !hasPending else { return finish() }
        if isContentDeferred {
            machine.refuse(.tooMuchUnhandledContent)
        } else {
            machine.abort(.tooMuchUnhandledContent)
        }
        perform()
        settle()
    }
}
