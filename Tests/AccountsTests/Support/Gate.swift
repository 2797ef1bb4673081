import Dispatch
import MotivatorPlatform
import TestSupport

@testable import Accounts

/// A gate that blocks threads until a test opens it. Tasks must not use it, because they must not block.
final class Gate: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)
    private let arrived = Guarded(0)

    /// The number of arrivals at the gate.
    var arrivals: Int { arrived.withLock { $0 } }

    func pass() {
        arrived.withLock { $0 += 1 }
        semaphore.wait()
        // Let the next thread pass as well.
        semaphore.signal()
    }

    func open() {
        semaphore.signal()
    }
}

/// Yields until a condition holds. Other tasks must be able to fulfill the condition.
func eventually(_ condition: () -> Bool) async {
    try? await ProgressLimit.wait { condition() }
}

extension HashingQueue {
    /// Does work for a request without a client.
    func run<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async throws(Refusal) -> Value {
        try await run(for: nil, work)
    }

    /// Adds jobs to the queue, and waits until each of them is running or waiting.
    ///
    /// - Returns: The tasks. They finish when the gate opens.
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
