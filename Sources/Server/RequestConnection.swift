import Dispatch
import MotivatorHTTP
import MotivatorPlatform
package import MotivatorTLS

/// The connection of a request while its handler runs.
package struct RequestConnection: ResponseWriter {
    let connection: Connection
    /// Retained, because the connection does not retain its loop.
    let loop: EventLoop
    let number: Int

    package func write(_ bytes: [UInt8]) async -> Bool {
        await withCheckedContinuation { done in
            onLoop { $0.write(bytes, of: number, done) }
        }
    }

    package func reset() {
        onLoop { $0.reset(during: number) }
    }

    package func stall(status: Int) {
        onLoop { $0.stall(status: status, during: number) }
    }

    /// Returns the properties of the TLS session; nil over plain HTTP, or after the connection has ended.
    package func tls() async -> TLSDetails? {
        await withCheckedContinuation { done in
            onLoop { connection in
                guard connection.isHandling(number), case .tls(let session) = connection.transport else {
                    return done.resume(returning: nil)
                }
                done.resume(returning: session.details)
            }
        }
    }

    private func onLoop(_ body: @escaping @Sendable (Connection) -> Void) {
        loop.perform { withExtendedLifetime(loop) { body(connection) } }
    }
}

extension Connection {
    fileprivate func isHandling(_ number: Int) -> Bool { slot != nil && exchange?.number == number }

    fileprivate func write(_ bytes: [UInt8], of number: Int, _ done: CheckedContinuation<Bool, Never>) {
        guard isHandling(number) else { return done.resume(returning: false) }
        // The handler does not read the content.
        if exchange?.contentLimit != nil { machine.respondNow() }
        exchange?.contentLimit = nil
        let written = exchange?.writtenBytes
        if written == nil, unsafe loop.traffic?.keepsContent(of: machine.head) == true {
            exchange?.written = ResponseParser(limits: Limits.ofResponse(content: Self.outputLimit * 4))
        }
        bytes.withFieldBytes { exchange?.written?.append($0) }
        exchange?.writtenBytes = (written ?? 0) + bytes.count
        exchange?.writer = done
        resume { connection in unsafe connection.loop.output.append(contentsOf: bytes) }
    }

    fileprivate func reset(during number: Int) {
        guard isHandling(number) else { return }
        logResponse(to: machine.head, status: 0, bytes: exchange?.writtenBytes ?? 0)
        var option = linger(l_onoff: 1, l_linger: 0)
        _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        finish()
    }

    fileprivate func stall(status: Int, during number: Int) {
        guard isHandling(number) else { return }
        isStalled = true
        logResponse(to: machine.head, status: status, bytes: exchange?.writtenBytes ?? 0)
        if unsafe loop.isDraining { finish() } else { setInterest(.read) }
    }

    func continueWriter() {
        guard let writer = exchange?.writer else { return }
        exchange?.writer = nil
        writer.resume(returning: true)
    }
}
