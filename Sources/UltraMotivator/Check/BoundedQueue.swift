import Dispatch
import Platform

/// Threads for work that blocks or takes long, and a bound on how much of it is taken on.
///
/// The threads are not those of the event loops nor of the concurrency runtime, and give way to them.
final class BoundedQueue: Sendable {
    /// Why work was not done.
    enum Refusal: Error {
        /// All places are taken.
        case full
        /// The task that waited was cancelled before its turn.
        case cancelled
    }

    private let lanes: [DispatchQueue]
    private let places: Int
    /// How many places of each lane are taken.
    private let taken: Guarded<[Int]>

    /// - Parameters:
    ///   - label: the name of the queues.
    ///   - lanes: how much is done at the same time, at least 1.
    ///   - places: how much a lane takes on at the most, what is under way included, at least 1.
    init(label: String, lanes: Int, places: Int) {
        // Serial queues each have a thread when they need one; a concurrent queue shares few among all.
        self.lanes = (0..<max(lanes, 1)).map { DispatchQueue(label: "\(label).\($0)", qos: .utility) }
        self.places = max(places, 1)
        taken = Guarded([Int](repeating: 0, count: max(lanes, 1)))
    }

    /// Does work when its turn comes.
    ///
    /// - Parameter work: the work; once begun it is finished.
    /// - Returns: what `work` returns.
    /// - Throws: `Refusal`; the work was then not begun.
    func run<Result: Sendable>(_ work: @escaping @Sendable () -> Result) async throws(Refusal) -> Result {
        let places = places
        let free = taken.withLock { taken -> Int? in
            guard let lane = taken.indices.min(by: { taken[$0] < taken[$1] }), taken[lane] < places else { return nil }
            taken[lane] += 1
            return lane
        }
        guard let lane = free else { throw .full }
        defer { taken.withLock { $0[lane] -= 1 } }
        let isCancelled = Guarded(false)
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<Result?, Never>) in
                lanes[lane].async {
                    continuation.resume(returning: isCancelled.withLock { $0 } ? nil : work())
                }
            }
        } onCancel: {
            isCancelled.withLock { $0 = true }
        }
        guard let result else { throw .cancelled }
        return result
    }
}
