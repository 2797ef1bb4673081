import Dispatch
import Platform

/// The requests that wait for a hash, and the threads that serve them.
final class HashingLine: Sendable {
    /// Work that waits for a thread.
    struct Job: Sendable {
        let work: @Sendable () -> Void
        let refuse: @Sendable (HashingQueue.Refusal) -> Void
    }

    /// What has happened to a request that has not left yet.
    private enum Phase {
        case waiting, evicted, cancelled, started
    }

    private struct State {
        var line = FairLine<Digest?, Job>()
        var phases: [UInt64: Phase] = [:]
        var running = 0
        var nextTicket: UInt64 = 0
        /// Signals that threads have not received yet and whose jobs have left the line.
        var spareSignals = 0
        var closed = false
        /// How long a hash takes, as a moving mean; the first value is a guess that the first hash corrects.
        var mean: Duration?

        /// Takes a request out of the line before its turn.
        mutating func withdraw(_ ticket: UInt64, _ phase: Phase) -> Job? {
            phases[ticket] = phase
            guard let job = line.remove(ticket) else { return nil }
            spareSignals += 1
            return job
        }
    }

    /// The range of Retry-After in seconds: a client should come back when there is a slot, but not at once.
    private static let waits = 1...60

    let threads: Int
    private let capacity: Int
    private let state = Guarded(State())
    private let work = DispatchSemaphore(value: 0)

    init(threads: Int, waiting: Int) {
        self.threads = threads
        capacity = threads + waiting
    }

    var waitingCount: Int { state.withLock { $0.line.readyCount } }

    /// Gives a request of a client a slot; when there is none, the newest request of the client with the most requests
    /// is refused in its place.
    func enter(_ client: Digest?) throws(HashingQueue.Refusal) -> UInt64 {
        let outcome = state.withLock { state in
            state.nextTicket += 1
            let ticket = state.nextTicket
            return self.enter(ticket, client, &state).map { (ticket, $0) }
        }
        let (ticket, evicted) = try outcome.get()
        evicted?.refuse()
        return ticket
    }

    /// Lets a request wait for a thread.
    ///
    /// - Parameters:
    ///   - ticket: what `enter` returned; if its work was already done once, it needs a slot again.
    ///   - client: the client that entered.
    ///   - job: what is done when its turn comes.
    func submit(_ ticket: UInt64, _ client: Digest?, _ job: Job) {
        let (refusal, evicted) = state.withLock { state -> (HashingQueue.Refusal?, Evicted?) in
            if state.closed { return (.closed, nil) }
            var evicted: Evicted?
            switch state.phases[ticket] {
            case .waiting: break
            case .started:
                switch self.enter(ticket, client, &state) {
                case .success(let other): evicted = other
                case .failure(let refusal): return (refusal, nil)
                }
            case .evicted: return (self.full(state), nil)
            case .cancelled, nil: return (.cancelled, nil)
            }
            state.line.makeReady(ticket, with: job)
            if state.spareSignals > 0 {
                state.spareSignals -= 1
            } else {
                work.signal()
            }
            return (nil, evicted)
        }
        evicted?.refuse()
        if let refusal { job.refuse(refusal) }
    }

    /// Withdraws a request whose task was cancelled; work that has started is finished.
    func cancel(_ ticket: UInt64) {
        let job = state.withLock { state in
            state.phases[ticket] == .waiting ? state.withdraw(ticket, .cancelled) : nil
        }
        job?.refuse(.cancelled)
    }

    /// Forgets a request; it gives up its slot if it still has one.
    func leave(_ ticket: UInt64) {
        state.withLock { state in
            _ = state.line.remove(ticket)
            state.phases[ticket] = nil
        }
    }

    func close() {
        let jobs = state.withLock { state -> [Job] in
            state.closed = true
            return state.line.removeReady()
        }
        for job in jobs { job.refuse(.closed) }
        for _ in 0..<threads { work.signal() }
    }

    /// What each thread does until the line is closed.
    func work(_ now: () -> Duration) {
        while true {
            work.wait()
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
            guard let (ticket, job) = state.line.next() else {
                // This signal was for a job that has left the line.
                state.spareSignals = max(state.spareSignals - 1, 0)
                return nil
            }
            state.phases[ticket] = .started
            state.running += 1
            return job
        }
    }

    private func finished(after time: Duration) {
        state.withLock { state in
            state.running -= 1
            state.mean = state.mean.map { ($0 * 7 + time) / 8 } ?? time
        }
    }

    /// A job that lost its slot, which is refused after the lock is released.
    private struct Evicted {
        let job: Job
        let refusal: HashingQueue.Refusal

        func refuse() { job.refuse(refusal) }
    }

    private func enter(
        _ ticket: UInt64, _ client: Digest?, _ state: inout State
    ) -> Result<Evicted?, HashingQueue.Refusal> {
        if state.closed { return .failure(.closed) }
        var evicted: Evicted?
        if state.line.count + state.running >= capacity {
            let full = full(state)
            guard let victim = state.line.victim(for: client) else { return .failure(full) }
            evicted = state.withdraw(victim, .evicted).map { Evicted(job: $0, refusal: full) }
        }
        state.line.enter(ticket, client: client)
        state.phases[ticket] = .waiting
        return .success(evicted)
    }

    private func full(_ state: State) -> HashingQueue.Refusal {
        let present = state.line.count + state.running
        let wait = (state.mean ?? .milliseconds(100)) * present / threads
        let seconds = Int(clamping: wait.components.seconds) + (wait.components.attoseconds > 0 ? 1 : 0)
        return .full(retryAfter: min(max(seconds, Self.waits.lowerBound), Self.waits.upperBound))
    }
}
