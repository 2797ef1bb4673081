import MotivatorHTTP
import MotivatorPlatform
import MotivatorTLS

// Writing responses and closing the connection.
extension Connection {
    enum WriteOutcome {
        case complete
        /// The socket cannot accept more bytes now, or the turn is over. The connection keeps the unwritten bytes.
        case pending
        case gone
    }

    enum Ending {
        /// Shuts down the write side. The server keeps reading, because a reset could destroy the response.
        case shutDown
        case close
    }

    var hasPending: Bool { !pending.isEmpty || body != nil || unsentBytes > 0 }

    /// Writes the output that the loop has collected for this connection, and performs `ending` after the last byte.
    @inline(__always)
    func flush() -> WriteOutcome {
        if loop.output.isEmpty, !hasPending, ending == nil { return .complete }
        return writeAll()
    }

    private func writeAll() -> WriteOutcome {
        var outcome = unsentBytes > 0 ? sendRecords() : .complete
        switch outcome {
        case .complete: outcome = writeOutput()
        case .pending, .gone:
            // All connections of the loop share this buffer, so it must not keep a response of this connection.
            if outcome == .pending { pending.append(contentsOf: loop.output) }
            loop.output.removeAll(keepingCapacity: true)
        }
        if outcome == .complete, let (content, range, owner) = body {
            var start = range.lowerBound
            outcome = write(content, from: &start, to: range.upperBound)
            body = outcome == .pending ? (content, start..<range.upperBound, owner) : nil
        }
        guard outcome == .complete else { return outcome }
        if ending != nil { sendCloseNotify() }
        outcome = sendRecords()
        guard outcome == .complete, let ending else { return outcome }
        self.ending = nil
        switch ending {
        case .shutDown where !mayReceiveMore:
            finish()
            return .gone
        case .shutDown:
            SocketCalls.endWriting(descriptor)
            return .complete
        case .close:
            finish()
            return .gone
        }
    }

    /// Whether the client may send bytes that cause a reset, which could destroy the response. After its last request,
    /// a client sends at most close_notify.
    ///
    /// Waiting for the client to close would add about a tenth to the CPU time of a plain HTTP request.
    private var mayReceiveMore: Bool { !machine.clientIsFinished || transport.hasPending }

    /// Writes the output except a large body, and keeps the bytes that the socket does not accept.
    @inline(__always)
    private func writeOutput() -> WriteOutcome {
        guard pending.isEmpty else {
            pending.append(contentsOf: loop.output)
            loop.output.removeAll(keepingCapacity: true)
            var start = pendingStart
            let outcome = write(pending, from: &start, to: pending.count)
            pendingStart = start
            if outcome != .pending { (pending, pendingStart) = ([], 0) }
            return outcome
        }
        guard !loop.output.isEmpty else { return .complete }
        var start = 0
        let outcome = write(loop.output, from: &start, to: loop.output.count)
        if outcome == .pending { pending = Array(loop.output[start...]) }
        loop.output.removeAll(keepingCapacity: loop.output.capacity <= 4 * Self.outputLimit)
        return outcome
    }

    /// Writes until the socket cannot accept more bytes or the turn is over.
    /// - Parameter start: the first byte to write; on return, the first unwritten byte.
    private func write(_ bytes: [UInt8], from start: inout Int, to end: Int) -> WriteOutcome {
        while start < end {
            guard turn > 0 else { return .pending }
            let outcome = unsafe bytes.withUnsafeBytes {
                unsafe transport.write(UnsafeRawBufferPointer(rebasing: $0[start..<min(end, start + turn)]))
            }
            switch outcome {
            case .done(let count):
                start += count
                turn -= count
                if case .plain = transport { progressed(count) }
            case .wantsRead, .wantsWrite: return .pending
            case .closed, .failed:
                finish()
                return .gone
            }
        }
        return .complete
    }

    /// Sends the TLS records that the session has buffered. One system call sends all records of an event.
    func sendRecords() -> WriteOutcome {
        guard case .tls(let session) = transport else { return .complete }
        let (count, progress) = session.sendRecords()
        if count > 0 { progressed(count) }
        unsentBytes = session.unsentBytes
        switch progress {
        case .done: return .complete
        case .wantsRead, .wantsWrite: return .pending
        case .closed, .failed:
            finish()
            return .gone
        }
    }

    /// Sends close_notify. Without this alert, the client could not detect a truncation attack (RFC 8446 §6.1).
    func sendCloseNotify() {
        if case .tls(let session) = transport { _ = session.closeNotify() }
    }
}
