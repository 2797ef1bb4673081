import Dispatch
import Platform

/// Those who wait for a hash, and the threads that serve them.
final class HashingLine: Sendable {
    /// Work with a place in the line.
    struct Job: Sendable {
        let ticket: UInt64
        let party: Digest?
        let work: @Sendable () -> Void
        let refuse: @Sendable (HashingQueue.Refusal) -> Void
    }

    private struct State {
        var waiting: [Job] = []
        var running = 0
        var nextTicket: UInt64 = 0
        /// When each party that waits had its last turn.
        var turns: [Digest: UInt64] = [:]
        var turn: UInt64 = 0
        /// Tickets given up by tasks that are still with us, which may not have entered the line yet.
        var givenUp: Set<UInt64> = []
        var closed = false
        /// How long a hash takes, as a moving mean; the first value is a guess that the first hash corrects.
        var mean: Duration?
    }

    /// The most and the least seconds that anybody is told to wait: longer than it takes, and not to be hammered.
    private static let waits = 1...60

    let threads: Int
    private let capacity: Int
    /// How many of one party may wait, so that there is room for another.
    private let share: Int
    private let state = Guarded(State())
    private let work = DispatchSemaphore(value: 0)

    init(threads: Int, waiting: Int) {
        self.threads = threads
        capacity = threads + waiting
        share = max(waiting * 3 / 4, 1)
    }

    var waitingCount: Int { state.withLock { $0.waiting.count } }

    var refusal: HashingQueue.Refusal? { state.withLock { self.refusal(in: $0) } }

    func takeTicket() -> UInt64 {
        state.withLock { state in
            state.nextTicket += 1
            return state.nextTicket
        }
    }

    func enter(_ job: Job) {
        let refusal = state.withLock { state -> HashingQueue.Refusal? in
            if state.givenUp.contains(job.ticket) { return .cancelled }
            if let refusal = self.refusal(in: state, for: job.party) { return refusal }
            state.waiting.append(job)
            return nil
        }
        if let refusal {
            job.refuse(refusal)
        } else {
            work.signal()
        }
    }

    func cancel(_ ticket: UInt64) {
        let job = state.withLock { state -> Job? in
            state.givenUp.insert(ticket)
            return state.waiting.firstIndex { $0.ticket == ticket }.map { state.waiting.remove(at: $0) }
        }
        job?.refuse(.cancelled)
    }

    func handIn(_ ticket: UInt64) {
        state.withLock { _ = $0.givenUp.remove(ticket) }
    }

    func close() {
        let jobs = state.withLock { state -> [Job] in
            state.closed = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for job in jobs { job.refuse(.closed) }
        for _ in 0..<threads { work.signal() }
    }

    /// What each thread does until the line is closed.
    func work(_ now: () -> Duration) {
        while true {
            work.wait()
            // Nobody is there when a task gave up its place, whose signal is still counted.
            guard let job = next() else {
                if state.withLock({ $0.closed }) { return }
                continue
            }
            let begin = now()
            job.work()
            finished(after: now() - begin)
        }
    }

    private func next() -> Job? {
        state.withLock { state in
            // Whose turn is longest ago; of the same party, who came first. The line is short.
            let turns = state.turns
            func turn(_ index: Int) -> UInt64 { state.waiting[index].party.flatMap { turns[$0] } ?? 0 }
            guard let index = state.waiting.indices.min(by: { turn($0) < turn($1) }) else { return nil }
            let job = state.waiting.remove(at: index)
            state.running += 1
            state.turn += 1
            if let party = job.party { state.turns[party] = state.turn }
            // Who is not here has no turn to remember, so that memory stays bounded.
            if state.waiting.isEmpty { state.turns = [:] }
            return job
        }
    }

    private func finished(after time: Duration) {
        state.withLock { state in
            state.running -= 1
            state.mean = state.mean.map { ($0 * 7 + time) / 8 } ?? time
        }
    }

    private func refusal(in state: State, for party: Digest? = nil) -> HashingQueue.Refusal? {
        if state.closed { return .closed }
        let present = state.waiting.count + state.running
        let isTooMany = party != nil && state.waiting.count { $0.party == party } >= share
        guard present >= capacity || isTooMany else { return nil }
        let wait = (state.mean ?? .milliseconds(100)) * present / threads
        let seconds = Int(clamping: wait.components.seconds) + (wait.components.attoseconds > 0 ? 1 : 0)
        return .full(retryAfter: min(max(seconds, Self.waits.lowerBound), Self.waits.upperBound))
    }
}
