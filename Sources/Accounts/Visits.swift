import Platform

/// Who is being served, so that the end can wait for them.
final class Visits: Sendable {
    private struct State {
        var count = 0
        var closed = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Guarded(State())

    /// - Returns: false when nobody is served any more.
    func begin() -> Bool {
        state.withLock { state in
            guard !state.closed else { return false }
            state.count += 1
            return true
        }
    }

    func leave() {
        let waiting = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            state.count -= 1
            guard state.count == 0 else { return [] }
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Lets nobody in any more.
    func close() {
        state.withLock { $0.closed = true }
    }

    /// Waits until everybody has left.
    func end() async {
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                if state.count > 0 { state.waiting.append(continuation) }
                return state.count == 0
            }
            if isOver { continuation.resume() }
        }
    }
}
