import Dispatch
import Platform

@testable import Accounts

/// Holds threads back until it is opened; not for tasks, which must not wait like that.
final class Gate: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)
    private let arrived = Guarded(0)

    /// The number of arrivals at the gate.
    var arrivals: Int { arrived.withLock { $0 } }

    func pass() {
        arrived.withLock { $0 += 1 }
        semaphore.wait()
        // Open for the next one too.
        semaphore.signal()
    }

    func open() {
        semaphore.signal()
    }
}

/// Waits, giving way to other tasks, until something is so that does not depend on this task.
func eventually(_ condition: () -> Bool) async {
    while !condition() { await Task.yield() }
}

extension HashingQueue {
    /// Takes a slot for a request without a client.
    func enter() throws(Refusal) -> Slot { try enter(for: nil) }

    /// Does work for a request without a client.
    func run<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async throws(Refusal) -> Value {
        try await run(for: nil, work)
    }

    /// Occupies the queue, and waits until that is so.
    ///
    /// - Returns: the tasks, which finish when the gate opens.
    func occupy(_ gate: Gate, jobs: Int) async -> [Task<Bool, Never>] {
        var tasks: [Task<Bool, Never>] = []
        for _ in 0..<jobs {
            let present = gate.arrivals + waiting + 1
            tasks.append(Task { (try? await self.run { gate.pass() }) != nil })
            await eventually { gate.arrivals == min(present, threads) && waiting == max(present - threads, 0) }
        }
        return tasks
    }
}
