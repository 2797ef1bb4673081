import Dispatch
import MotivatorHTTP
import MotivatorPlatform
package import MotivatorTLS

/// The connection of a request while its handler runs.
///
/// A handler can write the response itself, such as a streamed, slow, malformed or incomplete response. After the
/// handler's first `write`, the server ignores the returned response except for its status, which the server logs. When
/// the handler returns, the server closes the connection. The handler must limit its own running time.
package struct RequestConnection: Sendable {
    let connection: Connection
    let number: Int
    /// Whether the handler must call `readContent` to get the content.
    let hasUnreadContent: Bool

    func readContent() async -> [UInt8]? {
        await withCheckedContinuation { reader in
            onLoop { $0.readContent(of: number, reader) }
        }
    }

    /// Writes bytes unchanged, and waits until the socket has accepted them.
    /// - Parameter bytes: a part of the response, at most 64 kB.
    /// - Returns: whether the connection is still open. Otherwise, further calls have no effect.
    package func write(_ bytes: [UInt8]) async -> Bool {
        await withCheckedContinuation { done in
            onLoop { $0.write(bytes, of: number, done) }
        }
    }

    /// Resets the connection: the client receives RST instead of FIN, and no close_notify. The logged status is 0.
    package func reset() {
        onLoop { $0.reset(during: number) }
    }

    /// Logs the response now, because it never completes. The connection then ends when the client sends a byte or
    /// disconnects, or when the server shuts down. The handler must limit the time for clients that do neither.
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
        connection.loop.perform { body(connection) }
    }
}

extension Connection {
    fileprivate func isHandling(_ number: Int) -> Bool { slot != nil && exchange?.number == number }

    fileprivate func readContent(of number: Int, _ reader: CheckedContinuation<[UInt8]?, Never>) {
        guard isHandling(number), let limit = exchange?.contentLimit else { return reader.resume(returning: nil) }
        exchange?.contentLimit = nil
        exchange?.reader = reader
        resume { $0.machine.proceed(contentLimit: limit) }
    }

    fileprivate func write(_ bytes: [UInt8], of number: Int, _ done: CheckedContinuation<Bool, Never>) {
        guard isHandling(number) else { return done.resume(returning: false) }
        // The handler does not read the content.
        if exchange?.contentLimit != nil { machine.respondNow() }
        exchange?.contentLimit = nil
        let written = exchange?.writtenBytes
        if written == nil, loop.traffic?.keepsContent(of: machine.head) == true {
            exchange?.written = ResponseParser(limits: Limits.ofResponse(content: Self.outputLimit * 4))
        }
        bytes.withFieldBytes { exchange?.written?.append($0) }
        exchange?.writtenBytes = (written ?? 0) + bytes.count
        exchange?.writer = done
        resume { connection in connection.loop.output.append(contentsOf: bytes) }
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
        if loop.isDraining { finish() } else { setInterest(.read) }
    }

    func continueWriter() {
        guard let writer = exchange?.writer else { return }
        exchange?.writer = nil
        writer.resume(returning: true)
    }
}
