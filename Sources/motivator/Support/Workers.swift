import Dispatch
import MotivatorPlatform

/// Runs blocking work on a few threads.
enum Workers {
    /// Calls `body` for each job, and waits until all calls have returned. Requests the next job only when a thread is
    /// free, so memory does not depend on the number of jobs.
    static func run<Job: Sendable>(_ count: Int, next: () throws -> Job?, body: @escaping @Sendable (Job) -> Void)
        rethrows
    {
        // Each thread has its own queue. A concurrent queue would run only one call for each core.
        let free = Guarded((0..<count).map { DispatchQueue(label: "worker-\($0)") })
        let slots = DispatchSemaphore(value: 0)
        for _ in 0..<count { slots.signal() }
        let group = DispatchGroup()
        defer { group.wait() }
        while true {
            slots.wait()
            guard let job = try next(), let queue = free.withLock({ $0.popLast() }) else { return }
            queue.async(group: group) {
                body(job)
                free.withLock { $0.append(queue) }
                slots.signal()
            }
        }
    }
}
