/// Runs blocking or slow work on a few worker threads. The queue is bounded, and clients take turns.
package final class BoundedQueue<Client: Hashable & Sendable>: Sendable {
    /// The reason why the queue did not start the work.
    package enum Refusal: Error, Equatable {
        /// The queue is full, and no other client has more requests.
        case full
        /// The task was canceled while its work waited.
        case canceled
        case closed
    }

    /// A worker thread that a request uses until it calls `end`.
    package struct Turn: Sendable {
        fileprivate let client: Client
        fileprivate let lane: Int
    }

    /// A worker thread that runs functions in order.
    package typealias Lane = @Sendable (_ work: @escaping @Sendable () -> Void) -> Void

    private struct Job: Sendable {
        let start: @Sendable (Turn) -> Void
        let refuse: @Sendable (Refusal) -> Void
    }

    private struct State: Sendable {
        var line = FairQueue<Client, Job>()
        /// The number of turns in progress by client. Clients without turns are absent.
        var running: [Client: Int] = [:]
        /// The idle worker threads. While a thread is idle, every client with a waiting job is at its limit.
        var idle: [Int]
        var lastTicket: UInt64 = 0
        var isClosed = false
    }

    /// A function to call after releasing the lock.
    private typealias Effect = @Sendable () -> Void

    private let lanes: [Lane]
    private let slots: Int
    private let perClient: Int
    private let state: Guarded<State>

    package init(lanes: [Lane], waiting: Int, perClient: Int = .max) {
        self.lanes = lanes
        slots = max(waiting, 0)
        self.perClient = max(perClient, 1)
        state = Guarded(State(idle: Array(lanes.indices.reversed())))
    }

    /// Creates a queue with low-priority worker threads, separate from the event loops and the concurrency runtime.
    /// - Parameter threads: the number of worker threads, at least 1.
    package convenience init(
        threads: Int, priority: LowPriorityThread.Priority = .long, waiting: Int, perClient: Int = .max
    ) {
        let threads = (0..<max(threads, 1)).map { _ in LowPriorityThread(priority) }
        self.init(lanes: threads.map { thread in { thread.run($0) } }, waiting: waiting, perClient: perClient)
    }

    package var threads: Int { lanes.count }

    package var waiting: Int { state.withLock { $0.line.count } }

    /// Waits until a worker thread is idle and it is the client's turn.
    ///
    /// When the queue is full, it refuses the newest waiting request of the client with the most requests. The new
    /// request counts as the newest request of its client.
    /// - Returns: the turn. Pass it to `end` exactly once.
    package func turn(for client: Client) async throws(Refusal) -> Turn {
        if Task.isCancelled { throw .canceled }
        let ticket = newTicket()
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<Result<Turn, Refusal>, Never>) in
                let job = Job(
                    start: { continuation.resume(returning: .success($0)) },
                    refuse: { continuation.resume(returning: .failure($0)) })
                submit(ticket, client, job)
                // The cancellation handler may have run before `submit`.
                if Task.isCancelled { cancel(ticket, client) }
            }
        } onCancel: {
            cancel(ticket, client)
        }
        return try outcome.get()
    }

    package func run<Value: Sendable>(in turn: Turn, _ work: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            lanes[turn.lane]({ continuation.resume(returning: work()) })
        }
    }

    /// Ends a turn, and starts the next waiting job.
    package func end(_ turn: Turn) {
        let next = state.withLock { state -> Effect? in
            let left = state.running[turn.client, default: 1] - 1
            state.running[turn.client] = left > 0 ? left : nil
            let running = state.running
            guard let next = state.line.next(where: { running[$0, default: 0] < perClient }) else {
                state.idle.append(turn.lane)
                return nil
            }
            return start(next.element, of: next.client, on: turn.lane, &state)
        }
        next?()
    }

    /// Runs work when it is the client's turn.
    /// - Parameter work: the work, which always finishes once started.
    package func run<Value: Sendable>(
        for client: Client, _ work: @escaping @Sendable () -> Value
    ) async throws(Refusal) -> Value {
        let turn = try await turn(for: client)
        defer { end(turn) }
        return await run(in: turn, work)
    }

    /// Submits a request without waiting.
    /// - Parameters:
    ///   - work: called on a worker thread when it is the client's turn.
    ///   - refuse: called instead of `work`, immediately or when another request evicts this request.
    package func submit(
        for client: Client, _ work: @escaping @Sendable () -> Void, refuse: @escaping @Sendable (Refusal) -> Void
    ) {
        submit(newTicket(), client, job(work, refuse: refuse))
    }

    /// Submits further work of a request that has already had a turn. The queue never refuses it.
    package func resume(_ client: Client, _ work: @escaping @Sendable () -> Void) {
        submit(nil, client, job(work) { _ in })
    }

    /// Refuses all waiting requests and all later requests. Work that has started still finishes.
    package func close() {
        let jobs = state.withLock { state in
            state.isClosed = true
            return state.line.removeAll()
        }
        for job in jobs { job.refuse(.closed) }
    }

    private func job(
        _ work: @escaping @Sendable () -> Void, refuse: @escaping @Sendable (Refusal) -> Void
    ) -> Job {
        Job(
            start: { turn in
                self.lanes[turn.lane]({
                    work()
                    self.end(turn)
                })
            }, refuse: refuse)
    }

    private func newTicket() -> UInt64 {
        state.withLock { state in
            state.lastTicket += 1
            return state.lastTicket
        }
    }

    /// Starts a job or adds it to the queue. If the queue is full, refuses a request.
    /// - Parameter ticket: the ticket of a new request; nil for further work of a request.
    private func submit(_ ticket: UInt64?, _ client: Client, _ job: Job) {
        let effect = state.withLock { state -> Effect? in
            if state.isClosed { return { job.refuse(.closed) } }
            // A client at its limit cannot use idle threads.
            if state.running[client, default: 0] < perClient, let lane = state.idle.popLast() {
                return start(job, of: client, on: lane, &state)
            }
            guard let ticket else {
                state.line.resume(client, job)
                return nil
            }
            var refused: Job?
            if state.line.count >= slots {
                guard let victim = state.line.victim(for: client) else { return { job.refuse(.full) } }
                refused = state.line.remove(victim.ticket, of: victim.client)
            }
            state.line.add(ticket, of: client, job)
            guard let refused else { return nil }
            return { refused.refuse(.full) }
        }
        effect?()
    }

    private func start(_ job: Job, of client: Client, on lane: Int, _ state: inout State) -> Effect {
        state.running[client, default: 0] += 1
        let turn = Turn(client: client, lane: lane)
        return { job.start(turn) }
    }

    /// Refuses the request if its turn has not started.
    private func cancel(_ ticket: UInt64, _ client: Client) {
        state.withLock { $0.line.remove(ticket, of: client) }?.refuse(.canceled)
    }
}
