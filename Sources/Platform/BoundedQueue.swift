/// Runs blocking or slow work on a few worker threads. The queue is bounded, and clients take turns.
package final class BoundedQueue<Client: Hashable & Sendable>: Sendable {
    /// The reason why the queue did not start the work.
    package enum Refusal: Error, Equatable {
        /// The queue is full, and no other client has more requests. Try again after this many seconds.
        case full(retryAfter: Int)
        /// The task was canceled while its work waited.
        case cancelled
        /// The queue is closed.
        case closed
    }

    /// A request's slot in the queue. A request may take a slot before its work is ready, and must call `leave` later.
    package struct Slot: Sendable {
        fileprivate let ticket: UInt64
        fileprivate let client: Client
    }

    /// A worker thread that runs functions in order.
    package typealias Lane = @Sendable (_ work: @escaping @Sendable () -> Void) -> Void

    private struct Job: Sendable {
        /// Does the work and returns a function that delivers the result. The thread counts as idle before delivery.
        let work: @Sendable () -> @Sendable () -> Void
        let refuse: @Sendable (Refusal) -> Void
    }

    /// The state of a request that holds a slot.
    private enum Phase {
        case waiting, evicted, cancelled, started
    }

    /// The jobs to run or refuse after releasing the lock.
    private struct Effects: Sendable {
        var evicted: (job: Job, refusal: Refusal)?
        var start: (job: Job, client: Client, lane: Int)?
    }

    private struct State: Sendable {
        var line = FairQueue<Client, Job>()
        var phases: [UInt64: Phase] = [:]
        /// The number of running jobs by client. Clients without running jobs are absent.
        var running: [Client: Int] = [:]
        /// The idle worker threads. While a thread is idle, every client with a ready job is at its job limit.
        var idle: [Int]
        var lastTicket: UInt64 = 0
        var isClosed = false
        /// The moving average of job durations.
        var mean: Duration?
    }

    /// The range of `Refusal.full(retryAfter:)`, in seconds.
    private static var waits: ClosedRange<Int> { 1...60 }

    private let lanes: [Lane]
    private let slots: Int
    private let perClient: Int
    private let expected: Duration
    private let now: @Sendable () -> Duration
    private let state: Guarded<State>

    /// Creates a queue.
    ///
    /// - Parameters:
    ///   - lanes: the worker threads; each runs one job at a time.
    ///   - waiting: the maximum number of waiting requests.
    ///   - perClient: the maximum number of concurrent jobs per client.
    ///   - expected: the assumed duration of a job before the first measurement.
    ///   - now: returns the time of a monotonic clock.
    package init(
        lanes: [Lane], waiting: Int, perClient: Int = .max, expected: Duration = .milliseconds(100),
        now: @escaping @Sendable () -> Duration = { MonotonicTime.now }
    ) {
        self.lanes = lanes
        slots = max(waiting, 0)
        self.perClient = max(perClient, 1)
        self.expected = expected
        self.now = now
        state = Guarded(State(idle: Array(lanes.indices.reversed())))
    }

    /// Creates a queue with low-priority worker threads, separate from the event loops and the concurrency runtime.
    ///
    /// - Parameters:
    ///   - threads: the number of worker threads, at least 1.
    ///   - waiting: the maximum number of waiting requests.
    ///   - perClient: the maximum number of concurrent jobs per client.
    ///   - expected: the assumed duration of a job before the first measurement.
    ///   - now: returns the time of a monotonic clock.
    package convenience init(
        threads: Int, waiting: Int, perClient: Int = .max, expected: Duration = .milliseconds(100),
        now: @escaping @Sendable () -> Duration = { MonotonicTime.now }
    ) {
        let threads = (0..<max(threads, 1)).map { _ in LowPriorityThread() }
        self.init(
            lanes: threads.map { thread in { thread.run($0) } }, waiting: waiting, perClient: perClient,
            expected: expected, now: now)
    }

    /// The number of worker threads.
    package var threads: Int { lanes.count }

    /// The number of jobs that wait for a worker thread.
    package var waiting: Int { state.withLock { $0.line.readyCount } }

    /// Takes a slot for a request. The caller can submit its work later.
    ///
    /// When the queue is full, it refuses the newest waiting request of the client with the most requests. The new
    /// request counts as the newest request of its client.
    ///
    /// - Parameter client: the client that sent the request.
    /// - Throws: `Refusal` if the queue refuses this request.
    package func enter(for client: Client) throws(Refusal) -> Slot {
        let outcome = state.withLock { state -> Result<(Slot, Effects), Refusal> in
            state.lastTicket += 1
            let slot = Slot(ticket: state.lastTicket, client: client)
            var effects = Effects()
            if let refusal = self.enter(slot, &state, &effects) { return .failure(refusal) }
            return .success((slot, effects))
        }
        let (slot, effects) = try outcome.get()
        perform(effects)
        return slot
    }

    /// Releases a slot. Call it exactly once for each successful `enter`.
    package func leave(_ slot: Slot) {
        state.withLock { state in
            state.line.remove(slot.ticket)
            state.phases[slot.ticket] = nil
        }
    }

    /// Runs work when a worker thread is idle and it is the client's turn.
    ///
    /// - Parameters:
    ///   - slot: the request's slot. Starting the work frees the slot, so a second run takes a slot again.
    ///   - work: the work, which always finishes once started.
    /// - Returns: the result of `work`.
    /// - Throws: `Refusal` if the work did not start.
    package func run<Value: Sendable>(
        in slot: Slot, _ work: @escaping @Sendable () -> Value
    ) async throws(Refusal) -> Value {
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<Result<Value, Refusal>, Never>) in
                let job = Job {
                    let value = work()
                    return { continuation.resume(returning: .success(value)) }
                } refuse: {
                    continuation.resume(returning: .failure($0))
                }
                submit(slot, job)
            }
        } onCancel: {
            cancel(slot)
        }
        return try outcome.get()
    }

    /// Takes a slot, runs work when it is the client's turn, and releases the slot.
    package func run<Value: Sendable>(
        for client: Client, _ work: @escaping @Sendable () -> Value
    ) async throws(Refusal) -> Value {
        let slot = try enter(for: client)
        defer { leave(slot) }
        return try await run(in: slot, work)
    }

    /// Submits the work of a request.
    ///
    /// - Parameters:
    ///   - slot: the request's slot.
    ///   - work: called on a worker thread when it is the client's turn.
    ///   - refuse: called instead of `work`, immediately or when the request loses its slot.
    package func submit(
        _ slot: Slot, _ work: @escaping @Sendable () -> Void, refuse: @escaping @Sendable (Refusal) -> Void
    ) {
        let job = Job {
            work()
            return {}
        } refuse: {
            refuse($0)
        }
        submit(slot, job)
    }

    private func submit(_ slot: Slot, _ job: Job) {
        let outcome = state.withLock { state -> Result<Effects, Refusal> in
            if state.isClosed { return .failure(.closed) }
            var effects = Effects()
            switch state.phases[slot.ticket] {
            case .waiting: break
            case .started: if let refusal = self.enter(slot, &state, &effects) { return .failure(refusal) }
            case .evicted: return .failure(self.full(state))
            case .cancelled, nil: return .failure(.cancelled)
            }
            state.line.makeReady(slot.ticket, with: job)
            if let lane = state.idle.popLast() {
                if let next = self.next(&state) {
                    effects.start = (next.job, next.client, lane)
                } else {
                    state.idle.append(lane)
                }
            }
            return .success(effects)
        }
        switch outcome {
        case .success(let effects): perform(effects)
        case .failure(let refusal): job.refuse(refusal)
        }
    }

    /// Refuses the request if its work has not started.
    package func cancel(_ slot: Slot) {
        let job = state.withLock { state -> Job? in
            guard state.phases[slot.ticket] == .waiting else { return nil }
            state.phases[slot.ticket] = .cancelled
            return state.line.remove(slot.ticket)
        }
        job?.refuse(.cancelled)
    }

    /// Refuses all waiting and future requests. Work that has started still finishes.
    package func close() {
        let jobs = state.withLock { state in
            state.isClosed = true
            return state.line.removeReady()
        }
        for job in jobs { job.refuse(.closed) }
    }

    /// Adds a request to the queue. If the queue is full, evicts a request.
    ///
    /// - Returns: the reason why the request gets no slot; nil if the request gets a slot.
    private func enter(_ slot: Slot, _ state: inout State, _ effects: inout Effects) -> Refusal? {
        if state.isClosed { return .closed }
        // A client at its job limit cannot use idle threads, so these do not count as slots for the client.
        let isAtLimit = state.running[slot.client, default: 0] >= perClient
        if state.line.count >= slots + (isAtLimit ? 0 : state.idle.count) {
            let full = full(state)
            guard let victim = state.line.victim(for: slot.client) else { return full }
            state.phases[victim] = .evicted
            effects.evicted = state.line.remove(victim).map { ($0, full) }
        }
        state.line.enter(slot.ticket, client: slot.client)
        state.phases[slot.ticket] = .waiting
        return nil
    }

    private func perform(_ effects: Effects) {
        if let (job, refusal) = effects.evicted { job.refuse(refusal) }
        if let (job, client, lane) = effects.start { lanes[lane]({ self.serve(job, of: client, on: lane) }) }
    }

    /// Runs a job, then waiting jobs until no job may run.
    private func serve(_ first: Job, of client: Client, on lane: Int) {
        var current = (job: first, client: client)
        while true {
            let begin = now()
            let deliver = current.job.work()
            let next = finish(current.client, after: now() - begin, on: lane)
            deliver()
            guard let next else { return }
            current = next
        }
    }

    private func finish(_ client: Client, after time: Duration, on lane: Int) -> (job: Job, client: Client)? {
        state.withLock { state in
            let left = state.running[client, default: 1] - 1
            state.running[client] = left > 0 ? left : nil
            state.mean = state.mean.map { ($0 * 7 + time) / 8 } ?? time
            guard let next = self.next(&state) else {
                state.idle.append(lane)
                return nil
            }
            return next
        }
    }

    private func next(_ state: inout State) -> (job: Job, client: Client)? {
        let running = state.running
        guard let next = state.line.next(where: { running[$0, default: 0] < perClient }) else { return nil }
        state.phases[next.ticket] = .started
        state.running[next.client, default: 0] += 1
        return (next.element, next.client)
    }

    /// Returns the refusal with the estimated time in seconds to finish all current jobs.
    private func full(_ state: State) -> Refusal {
        let jobs = state.line.count + lanes.count - state.idle.count
        let time = (state.mean ?? expected) * jobs / lanes.count
        return .full(retryAfter: min(max(time.wholeSeconds, Self.waits.lowerBound), Self.waits.upperBound))
    }
}
