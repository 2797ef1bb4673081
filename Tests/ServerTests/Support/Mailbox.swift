import Dispatch
import MotivatorPlatform

/// A mailbox for values from other threads. Each wait has a time limit.
final class Mailbox<Value: Sendable>: Sendable {
    enum Trouble: Error { case nothingCame(within: Int, others: [Value]) }

    private struct Waiter: Sendable {
        let number: Int
        let isWanted: @Sendable (Value) -> Bool
        let continuation: CheckedContinuation<Value, any Error>
    }

    private struct State: Sendable {
        var values: [Value] = []
        var waiters: [Waiter] = []
        var next = 0
    }

    private let state = Guarded(State())

    /// The received values.
    var values: [Value] { state.withLock { $0.values } }

    func put(_ value: Value) {
        let served = state.withLock { state in
            state.values.append(value)
            let served = state.waiters.filter { $0.isWanted(value) }
            state.waiters.removeAll { $0.isWanted(value) }
            return served
        }
        for waiter in served { waiter.continuation.resume(returning: value) }
    }

    /// Returns the first matching value. Waits if it has not arrived yet.
    ///
    /// - Parameter limit: The time limit in seconds.
    @discardableResult
    func first(within limit: Int = 20, where isWanted: @escaping @Sendable (Value) -> Bool) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            let (known, number) = state.withLock { state -> (Value?, Int) in
                if let known = state.values.first(where: isWanted) { return (known, 0) }
                state.next += 1
                state.waiters.append(Waiter(number: state.next, isWanted: isWanted, continuation: continuation))
                return (nil, state.next)
            }
            if let known { return continuation.resume(returning: known) }
            DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(limit)) { self.giveUp(number, limit) }
        }
    }

    private func giveUp(_ number: Int, _ limit: Int) {
        let (late, values) = state.withLock { state in
            let late = state.waiters.first { $0.number == number }
            state.waiters.removeAll { $0.number == number }
            return (late, state.values)
        }
        late?.continuation.resume(throwing: Trouble.nothingCame(within: limit, others: values))
    }
}

/// A gate that is closed until a test opens it.
final class Gate: Sendable {
    private let mailbox = Mailbox<Bool>()

    func open() { mailbox.put(true) }

    /// Returns when the gate is open.
    func pass() async throws { try await mailbox.first { $0 } }
}
