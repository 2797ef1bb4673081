import Dispatch
import Platform

/// Runs work that blocks or takes long, on a few threads, with a bounded queue that is fair between clients.
///
/// The threads are not those of the event loops or of the concurrency runtime, and have a lower priority.
final class BoundedQueue<Client: Hashable & Sendable>: Sendable {
    /// Why work was not done.
    enum Refusal: Error, Equatable {
        /// The queue is full, and no other client has more requests in it. Try again after this many seconds.
        case full(retryAfter: Int)
        /// The task was cancelled while its work waited.
        case cancelled
    }

    /// Runs a function on a thread. Functions that are given to one lane run one after the other.
    typealias Lane = @Sendable (_ work: @escaping @Sendable () -> Void) -> Void

    private struct Job: Sendable {
        let work: @Sendable () -> Void
        let refuse: @Sendable (Refusal) -> Void
    }

    private struct State: Sendable {
        var waiting: FairQueue<Client, Job>
        /// The number of running jobs of each client that has one.
        var running: [Client: Int] = [:]
        /// While a lane is idle, every waiting client has as many running jobs as it may have.
        var idle: [Int]
        var lastTicket: UInt64 = 0
        /// The moving mean of the duration of a job.
        var mean: Duration?
    }

    /// The range of `Refusal.full(retryAfter:)`, in seconds.
    private static var waits: ClosedRange<Int> { 1...60 }

    private let lanes: [Lane]
    private let perClient: Int
    private let expected: Duration
    private let now: @Sendable () -> Duration
    private let state: Guarded<State>

    /// - Parameters:
    ///   - lanes: the lanes; each runs one job at a time.
    ///   - waiting: the maximum number of jobs that wait.
    ///   - perClient: the maximum number of jobs of one client that run at the same time.
    ///   - expected: the duration of a job, until one was measured.
    ///   - now: the time since a fixed moment, from a clock that never goes back.
    init(
        lanes: [Lane], waiting: Int, perClient: Int = .max, expected: Duration = .milliseconds(100),
        now: @escaping @Sendable () -> Duration = { MonotonicTime.now }
    ) {
        self.lanes = lanes
        self.perClient = max(perClient, 1)
        self.expected = expected
        self.now = now
        state = Guarded(State(waiting: FairQueue(capacity: waiting), idle: Array(lanes.indices.reversed())))
    }

    /// - Parameters:
    ///   - label: the name of the dispatch queues.
    ///   - lanes: the number of jobs that run at the same time, at least 1.
    ///   - waiting: the maximum number of jobs that wait.
    ///   - perClient: the maximum number of jobs of one client that run at the same time.
    ///   - expected: the duration of a job, until one was measured.
    convenience init(
        label: String, lanes: Int, waiting: Int, perClient: Int = .max, expected: Duration = .milliseconds(100)
    ) {
        // Each serial queue gets its own thread; a concurrent queue shares a few threads with all others.
        let queues = (0..<max(lanes, 1)).map { DispatchQueue(label: "\(label).\($0)", qos: .utility) }
        self.init(
            lanes: queues.map { queue in { queue.async(execute: $0) } }, waiting: waiting, perClient: perClient,
            expected: expected)
    }

    /// Runs work when a lane is free and it is the client's turn.
    ///
    /// - Parameters:
    ///   - client: the client that the work is for.
    ///   - work: the work; once started, it runs to its end.
    /// - Returns: the result of `work`.
    /// - Throws: `Refusal`; the work was not started.
    func run<Value: Sendable>(
        for client: Client, _ work: @escaping @Sendable () -> Value
    ) async throws(Refusal) -> Value {
        let isCancelled = Guarded(false)
        let ticket = takeTicket()
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<Result<Value, Refusal>, Never>) in
                let refuse = { @Sendable in continuation.resume(returning: .failure($0)) }
                guard !isCancelled.withLock({ $0 }) else { return refuse(.cancelled) }
                submit(ticket, for: client, { continuation.resume(returning: .success(work())) }, refuse: refuse)
                // The task may have been cancelled before the job was in the queue.
                if isCancelled.withLock({ $0 }) { cancel(ticket) }
            }
        } onCancel: {
            isCancelled.withLock { $0 = true }
            cancel(ticket)
        }
        return try outcome.get()
    }

    /// The number of a job, with which it can be cancelled.
    func takeTicket() -> UInt64 {
        state.withLock { state in
            state.lastTicket += 1
            return state.lastTicket
        }
    }

    /// Adds a job.
    ///
    /// - Parameters:
    ///   - ticket: a number from `takeTicket`.
    ///   - client: the client that the job is for.
    ///   - work: called on a lane, when it is the client's turn.
    ///   - refuse: called instead of `work`, now or as soon as the job loses its slot.
    func submit(
        _ ticket: UInt64, for client: Client, _ work: @escaping @Sendable () -> Void,
        refuse: @escaping @Sendable (Refusal) -> Void
    ) {
        let job = Job(work: work, refuse: refuse)
        let (lane, evicted, retryAfter) = state.withLock { state -> (Int?, Job?, Int) in
            if state.running[client, default: 0] < perClient, let lane = state.idle.popLast() {
                state.running[client, default: 0] += 1
                return (lane, nil, 0)
            }
            let evicted = state.waiting.insert(job, for: client, ticket: ticket)
            return (nil, evicted, self.retryAfter(state))
        }
        evicted?.refuse(.full(retryAfter: retryAfter))
        if let lane { lanes[lane]({ self.serve(job, of: client, on: lane) }) }
    }

    /// Refuses a job that waits; one that was started runs to its end.
    func cancel(_ ticket: UInt64) {
        state.withLock { $0.waiting.remove(ticket: ticket) }?.refuse(.cancelled)
    }

    /// Runs a job and then those that wait, until none is left that may run.
    private func serve(_ first: Job, of client: Client, on lane: Int) {
        var current = (client: client, job: first)
        while true {
            let begin = now()
            current.job.work()
            guard let next = finish(current.client, after: now() - begin, on: lane) else { return }
            current = next
        }
    }

    private func finish(_ client: Client, after time: Duration, on lane: Int) -> (client: Client, job: Job)? {
        state.withLock { state in
            let left = state.running[client, default: 1] - 1
            state.running[client] = left > 0 ? left : nil
            state.mean = state.mean.map { ($0 * 7 + time) / 8 } ?? time
            let running = state.running
            guard let next = state.waiting.next(where: { running[$0, default: 0] < perClient }) else {
                state.idle.append(lane)
                return nil
            }
            state.running[next.client, default: 0] += 1
            return (next.client, next.element)
        }
    }

    /// The seconds after which the jobs that are in the queue now should be done.
    private func retryAfter(_ state: State) -> Int {
        let jobs = state.waiting.count + state.running.values.reduce(0, +)
        let time = (state.mean ?? expected) * jobs / lanes.count
        return min(max(time.wholeSeconds, Self.waits.lowerBound), Self.waits.upperBound)
    }
}
