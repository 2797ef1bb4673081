import Dispatch
import MotivatorPlatform

/// Writes log lines outside the event loops, so that a slow terminal does not slow down the server.
package final class LogSink: Sendable {
    /// The maximum number of waiting bytes. The sink drops and counts further lines.
    private static let backlog = 4 << 20

    private let descriptor: Int32
    private let queue = DispatchQueue(label: "log")
    private let waiting = Guarded((bytes: 0, dropped: 0))

    /// - Parameter descriptor: an open descriptor, which the sink does not close.
    package init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// Queues complete lines.
    package func write(_ lines: [UInt8]) {
        let isTaken = waiting.withLock { waiting in
            guard waiting.bytes + lines.count <= Self.backlog else {
                waiting.dropped += 1
                return false
            }
            waiting.bytes += lines.count
            return true
        }
        guard isTaken else { return }
        queue.async { [self] in
            put(lines)
            let dropped = waiting.withLock { waiting in
                waiting.bytes -= lines.count
                defer { waiting.dropped = 0 }
                return waiting.dropped
            }
            if dropped > 0 {
                put(Array("log: \(dropped) batches of lines were dropped because the reader is too slow\n".utf8))
            }
        }
    }

    /// Waits until all queued lines are written.
    ///
    /// - Parameter milliseconds: the maximum time to wait. The reader may have stopped.
    package func flush(within milliseconds: Int = 1_000) {
        let written = DispatchSemaphore(value: 0)
        queue.async { written.signal() }
        _ = written.wait(timeout: .now() + .milliseconds(milliseconds))
    }

    private func put(_ bytes: [UInt8]) {
        var start = 0
        while start < bytes.count {
            let count = unsafe bytes.withUnsafeBytes {
                unsafe MotivatorPlatform.write(descriptor, $0.baseAddress?.advanced(by: start), bytes.count - start)
            }
            if count < 0 {
                guard errno == EINTR else { return }
            } else {
                start += count
            }
        }
    }
}
