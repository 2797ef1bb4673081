import MotivatorHTTP
import MotivatorPlatform
import MotivatorTLS

// The TLS handshake.
extension Connection {
    /// Continues the handshake, and reads the first request when the handshake is complete.
    func continueHandshake(_ session: TLSSession) {
        guard unsentBytes == 0 || sendRecords() == .complete else { return }
        switch session.handshake() {
        case .done:
            opening = .done
            unsafe loop.counts.addHandshake(of: session)
            readable()
        case .wantsRead:
            if session.reply == .stall {
                isStalled = true
                recordFailure(session, "the server stopped responding on purpose")
                if unsafe loop.isDraining { return finish() }
            }
            setInterest(.read)
        case .wantsWrite: setInterest(.write)
        case .closed:
            if session.reply == .close { recordFailure(session, "the server closed the connection on purpose") }
            unsafe loop.counts.add(.closed)
            finish()
        case .failed(let failure):
            guard failure == .plainHTTP else {
                handshakeFailed(session, failure)
                return finish()
            }
            // The client sent plain HTTP, so it understands a response without TLS.
            opening = .done
            transport = .plain(descriptor)
            machine.refuse(.plainRequestOnTLSPort)
            perform()
        }
    }

    /// Logs and records a failed handshake.
    func handshakeFailed(_ session: TLSSession, _ failure: TLSFailure) {
        unsafe loop.counts.add(.failed, session.protocolVersion)
        unsafe loop.serverLog.handshakeFailed(address, failure)
        recordFailure(session, failure.reason)
    }
}
