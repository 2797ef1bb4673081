import Dispatch
import MotivatorPlatform
import TestSupport

/// A mailbox for values from other threads. Each wait has a limit that starts again with each value.
final class Mailbox<Value: Sendable>: Sendable {
    enum Trouble: Error { case nothingCame(others: [Value]) }

    private struct Waiter: Sendable {
        let number: Int
        let isWanted: @Sendable (Value) -> Bool
        let continuation: CheckedContinuation<Value, any Error>
    }

    private struct State: Sendable {
        var values: [Value] = []
        var waiters: [Waiter] = []
        var next = 0
        var limit = ProgressLimit()
    }

    private let state = Guarded(State())

    /// The received values.
    var values: [Value] { state.withLock { $0.values } }

    func put(_ value: Value) {
        let served = state.withLock { state in
            state.values.append(value)
            state.limit.restart()
            let served = state.waiters.filter { $0.isWanted(value) }
            state.waiters.removeAll { $0.isWanted(value) }
            return served
        }
        for waiter in served { waiter.continuation.resume(returning: value) }
    }

    /// Returns the first matching value. Waits if it has not arrived yet.
    @discardableResult
    func first(where isWanted: @escaping @Sendable (Value) -> Bool) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            let (known, number) = state.withLock { state -> (Value?, Int) in
                if let known = state.values.first(where: isWanted) { return (known, 0) }
                state.next += 1
                state.limit.restart()
                state.waiters.append(Waiter(number: state.next, isWanted: isWanted, continuation: continuation))
                return (nil, state.next)
            }
            if let known { return continuation.resume(returning: known) }
            giveUpLater(number)
        }
    }

    private func giveUpLater(_ number: Int) {
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(Int(ProgressLimit.milliseconds))) {
            self.giveUp(number)
        }
    }

    private func giveUp(_ number: Int) {
        let (late, values, isOver) = state.withLock { state in
            let late = state.waiters.first { $0.number == number }
            let isOver = state.limit.isOver
            if isOver { state.waiters.removeAll { $0.number == number } }
            return (late, state.values, isOver)
        }
        guard isOver else { return late == nil ? () : giveUpLater(number) }
        late?.continuation.resume(throwing: Trouble.nothingCame(others: values))
    }
}

/// A gate that is closed until a test opens it.
final class Gate: Sendable {
    private let mailbox = Mailbox<Bool>()

    func open() { mailbox.put(true) }

    /// Returns when the gate is open.
    func pass() async throws { try await mailbox.first { $0 } }
}
