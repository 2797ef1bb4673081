import Foundation

/// Where passwords are hashed: on threads of its own, one for each core, with a bounded line of those that
/// wait, who take turns by where they come from.
///
/// The threads are not those of the event loops nor of the concurrency runtime, and give way to them: a hash is tens of
/// milliseconds of work that strangers ask for.
final class HashingQueue: Sendable {
    /// Why work was not done.
    enum Refusal: Error, Equatable {
        /// The line is full; there should be room again after this many seconds.
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

    /// A time that only goes forward, since some moment before.
    static func sinceStart() -> Duration {
        .nanoseconds(Int64(clamping: DispatchTime.now().uptimeNanoseconds))
    }

    /// Does work when its turn comes.
    ///
    /// - Parameters:
    ///   - party: for whom, as those who wait take turns; nil for nobody in particular.
    ///   - body: the work; once begun it is finished.
    /// - Returns: what `body` returns.
    /// - Throws: `Refusal`; the work was then not begun.
    func run<Result: Sendable>(
        for party: Digest? = nil, _ body: @escaping @Sendable () -> Result
    ) async throws(Refusal) -> Result {
        let ticket = line.takeTicket()
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<Swift.Result<Result, Refusal>, Never>) in
                line.enter(
                    HashingLine.Job(
                        ticket: ticket, party: party, work: { continuation.resume(returning: .success(body())) },
                        refuse: { continuation.resume(returning: .failure($0)) }))
            }
        } onCancel: {
            line.cancel(ticket)
        }
        line.handIn(ticket)
        return try outcome.get()
    }

    /// Looks whether work would be taken now.
    ///
    /// - Throws: `Refusal` that `run` would throw.
    func checkRoom() throws(Refusal) {
        if let refusal = line.refusal { throw refusal }
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
