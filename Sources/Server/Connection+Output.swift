import HTTP
import Platform
import TLS

// From an answer to bytes on the wire.
extension Connection {
    var hasPending: Bool { !pending.isEmpty || body != nil }

    /// Writes what the loop has collected for this connection; what the peer does not take yet is kept.
    @inline(__always)
    func flushOutput() {
        if unsafe !loop.output.isEmpty {
            if slot != nil {
                if pending.isEmpty {
                    let written = unsafe write(loop.output, 0..<loop.output.count)
                    if unsafe written < loop.output.count, slot != nil {
                        pending = unsafe Array(loop.output[written...])
                        pendingStart = 0
                    }
                } else {
                    unsafe pending.append(contentsOf: loop.output)
                }
            }
            unsafe loop.output.removeAll(keepingCapacity: loop.output.capacity <= 4 * Self.outputLimit)
        }
        if slot != nil, body != nil, pending.isEmpty { flush() }
        if slot != nil, ending != nil, !hasPending { end() }
    }

    /// Writes what is pending.
    func flush() {
        if !pending.isEmpty {
            pendingStart += write(pending, pendingStart..<pending.count)
            guard slot != nil, pendingStart == pending.count else { return }
            pending = []
            pendingStart = 0
        }
        if let (content, range) = body {
            let written = write(content, range)
            guard slot != nil else { return }
            body = written == range.count ? nil : (content, range.lowerBound + written..<range.upperBound)
        }
        if ending != nil, !hasPending { end() }
    }

    /// Writes as much as the peer takes.
    ///
    /// - Returns: how many bytes it took; the connection is finished when it took none because it is gone.
    private func write(_ bytes: [UInt8], _ range: Range<Int>) -> Int {
        var start = range.lowerBound
        while start < range.upperBound {
            let outcome = unsafe bytes.withUnsafeBytes {
                unsafe transport.write(UnsafeRawBufferPointer(rebasing: $0[start..<range.upperBound]))
            }
            switch outcome {
            case .done(let count):
                start += count
                progressed(count)
            case .wantsRead, .wantsWrite: return start - range.lowerBound
            case .ended, .failed:
                finish()
                return start - range.lowerBound
            }
        }
        return start - range.lowerBound
    }

    /// The end of a TLS session is told, or it could be taken for an attack (RFC 8446 §6.1).
    func sendCloseNotify() {
        if case .tls(let session) = transport { _ = session.closeNotify() }
    }

    /// Everything is written: closes, or ends the write side and reads on, so that a reset cannot overtake the answer.
    private func end() {
        guard let ending else { return }
        self.ending = nil
        switch ending {
        case .close:
            sendCloseNotify()
            finish()
        case .shutDown:
            sendCloseNotify()
            SocketCalls.endWriting(descriptor)
            perform()
        }
    }
}
