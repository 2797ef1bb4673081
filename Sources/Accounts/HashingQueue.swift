import Foundation
import Platform

/// Hashes passwords on threads of its own, one for each core, with a bounded queue of requests whose clients take turns.
///
/// The threads are not those of the event loops nor of the concurrency runtime, and give way to them: a hash is tens of
/// milliseconds of work that strangers ask for.
final class HashingQueue: Sendable {
    /// Why work was not done.
    enum Refusal: Error, Equatable {
        /// The queue is full; there should be a slot again after this many seconds.
        case full(retryAfter: Int)
        /// The task that waited was cancelled before its turn.
        case cancelled
        /// The queue is closed.
        case closed
    }

    private let line: HashingLine

    /// - Parameters:
    ///   - threads: how many hashes are computed at a time, at least 1.
    ///   - waiting: how many more may wait.
    ///   - now: a time that only goes forward, to learn how long a hash takes.
    init(threads: Int, waiting: Int, now: @escaping @Sendable () -> Duration = HashingQueue.sinceStart) {
        line = HashingLine(threads: max(threads, 1), waiting: max(waiting, 0))
        for _ in 0..<line.threads {
            let thread = Thread { [line] in
                Self.leaveSignalsToOthers()
                Self.giveWayToOthers()
                line.work(now)
            }
            thread.start()
        }
    }

    deinit {
        line.close()
    }

    /// The number of cores that this process may use.
    static var cores: Int { ProcessInfo.processInfo.activeProcessorCount }

    /// A signal that the process ignores but watches for would be dropped by a thread that does not block it, and lost to
    /// whoever watches.
    private static func leaveSignalsToOthers() {
        var every = sigset_t()
        unsafe sigfillset(&every)
        unsafe pthread_sigmask(SIG_BLOCK, &every, nil)
    }

    /// A time that only goes forward, since some moment before.
    static func sinceStart() -> Duration {
        .nanoseconds(Int64(clamping: DispatchTime.now().uptimeNanoseconds))
    }

    /// A request's slot in the queue, from before its work is ready until `leave`.
    struct Place: Sendable {
        fileprivate let ticket: UInt64
        fileprivate let client: Digest?
    }

    /// Takes a slot for a request; its work may come later.
    ///
    /// When the queue is full, the newest waiting request of the client with the most requests is refused. The arrival
    /// counts as its client's newest request.
    ///
    /// - Parameter client: the client to count the request for; all requests without a client count as one client.
    /// - Throws: `Refusal` when it is this request that is refused.
    func enter(for client: Digest? = nil) throws(Refusal) -> Place {
        Place(ticket: try line.enter(client), client: client)
    }

    /// Gives up a slot; every `enter` needs one call.
    func leave(_ place: Place) {
        line.leave(place.ticket)
    }

    /// Does work when the client's turn comes.
    ///
    /// - Parameters:
    ///   - place: the request's slot. Starting the work uses it up, so that a second run needs a slot again.
    ///   - body: the work; once started it is finished.
    /// - Returns: what `body` returns.
    /// - Throws: `Refusal`; the work was then not started.
    func run<Result: Sendable>(
        in place: Place, _ body: @escaping @Sendable () -> Result
    ) async throws(Refusal) -> Result {
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<Swift.Result<Result, Refusal>, Never>) in
                let job = HashingLine.Job(
                    work: { continuation.resume(returning: .success(body())) },
                    refuse: { continuation.resume(returning: .failure($0)) })
                line.submit(place.ticket, place.client, job)
            }
        } onCancel: {
            line.cancel(place.ticket)
        }
        return try outcome.get()
    }

    /// Takes a slot, does work when the client's turn comes, and leaves.
    func run<Result: Sendable>(
        for client: Digest? = nil, _ body: @escaping @Sendable () -> Result
    ) async throws(Refusal) -> Result {
        let place = try enter(for: client)
        defer { leave(place) }
        return try await run(in: place, body)
    }

    /// How many are served at a time.
    var threads: Int { line.threads }

    /// How many wait.
    var waiting: Int { line.waitingCount }

    /// Refuses what waits and what comes; what has begun is finished.
    func close() {
        line.close()
    }
}
