import MotivatorHTTP
import MotivatorTLS

// The TLS handshake.
extension Connection {
    /// Reads the ClientHello, and starts the handshake when it is complete.
    func readClientHello(_ received: ClientHelloReader) {
        var reader = received
        while true {
            switch reader.next() {
            case .complete: return startHandshake(reader)
            case .refused(let failure): return handshakeFailed(nil, failure)
            case .needMore: break
            }
            let buffer = unsafe UnsafeMutableRawBufferPointer(
                rebasing: loop.readBuffer[..<min(reader.space, loop.readBuffer.count)])
            switch unsafe transport.read(into: buffer) {
            case .done(let count): unsafe reader.append(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            case .wantsRead, .wantsWrite: return opening = .clientHello(reader)
            case .closed, .failed:
                guard reader.isEmpty else { return handshakeFailed(nil, .truncated) }
                loop.counts.add(.closed)
                return finish()
            }
        }
    }

    /// Creates the TLS session if the memory budget allows it. Otherwise, the client waits or, if the budget of all
    /// clients is exhausted, other connections end.
    private func startHandshake(_ hello: ClientHelloReader) {
        opening = .handshake
        let excess = reserveMemory()
        if excess == .memoryOfClient, let slot {
            opening = .clientHello(hello)
            setInterest([])
            // The connection's deadline applies.
            return loop.waitingForMemory.append(slot)
        }
        guard excess == nil, let context = loop.snapshot.context,
            let session = try? TLSSession(context: context, descriptor: descriptor, buffer: loop.records, hello: hello)
        else { return finish() }
        transport = .tls(session)
        continueHandshake(session)
    }

    /// Continues the handshake, and reads the first request when the handshake is complete.
    func continueHandshake(_ session: TLSSession) {
        guard unsentBytes == 0 || sendRecords() == .complete else { return }
        switch session.handshake() {
        case .done:
            opening = .done
            loop.counts.add(session.isResumed ? .resumed : .full, session.protocolVersion)
            readable()
        case .wantsRead:
            if case .stall = session.reply {
                isStalled = true
                recordFailure(session, "the server stopped responding on purpose")
                if loop.isDraining { return finish() }
            }
            setInterest(.read)
        case .wantsWrite: setInterest(.write)
        case .closed:
            if case .close = session.reply { recordFailure(session, "the server closed the connection on purpose") }
            loop.counts.add(.closed)
            finish()
        case .failed(let failure): handshakeFailed(session, failure)
        }
    }

    /// Logs and records a failed handshake, and ends the connection. A client that sent plain HTTP gets a response.
    private func handshakeFailed(_ session: TLSSession?, _ failure: TLSFailure) {
        guard failure == .plainHTTP else {
            reportFailure(of: session, failure)
            return finish()
        }
        opening = .done
        machine.refuse(.plainRequestOnTLSPort)
        perform()
    }

    func reportFailure(of session: TLSSession?, _ failure: TLSFailure) {
        loop.counts.add(.failed, session?.protocolVersion)
        loop.serverLog.handshakeFailed(address, failure)
        recordFailure(session, failure.reason)
    }
}
