import MotivatorPlatform

/// The queue of handlers, shared by the event loops of a server. Clients take turns.
typealias HandlerQueue = BoundedQueue<[UInt8]>

/// The executor of one request's handler.
///
/// Each part of a handler between two waits is a job in the queue. A handler that waits, for example for content, a
/// hash or a timer, therefore occupies neither a thread nor a slot. The queue can refuse only the first job.
final class HandlerExecutor: TaskExecutor {
    private enum State {
        case new, accepted, refused
    }

    private let queue: HandlerQueue
    let client: [UInt8]
    private let state = Guarded(State.new)

    init(_ queue: HandlerQueue, client: [UInt8]) {
        (self.queue, self.client) = (queue, client)
    }

    /// Whether the queue refused the request, so the handler must not start.
    var isRefused: Bool { state.withLock { $0 } == .refused }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let run: @Sendable () -> Void = { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
        let isFirst = state.withLock { state in
            guard case .new = state else { return false }
            state = .accepted
            return true
        }
        guard isFirst else { return queue.resume(client, run) }
        // A job must always run. After a refusal, it only reports the refusal.
        queue.submit(for: client, run) { refusal in
            if refusal == .full { self.state.withLock { $0 = .refused } }
            run()
        }
    }
}
