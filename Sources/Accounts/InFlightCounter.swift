import Dispatch
import MotivatorPlatform

/// A counter of the operations in progress, for a graceful shutdown.
final class InFlightCounter: Sendable {
    private let operations = DispatchGroup()
    private let isClosed = Guarded(false)

    /// Counts the start of an operation. Call `end` once after each successful call.
    /// - Throws: `AccountError.unavailable` after `close`.
    func begin() throws(AccountError) {
        let isOpen = isClosed.withLock { isClosed in
            if !isClosed { operations.enter() }
            return !isClosed
        }
        guard isOpen else { throw .unavailable }
    }

    func end() { operations.leave() }

    func close() { isClosed.withLock { $0 = true } }

    func waitUntilIdle() async {
        await withCheckedContinuation { continuation in
            operations.notify(queue: .global()) { continuation.resume() }
        }
    }
}
