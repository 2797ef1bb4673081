import Dispatch
import MotivatorPlatform

/// Runs blocking work on a few threads.
enum Workers {
    /// Calls `body` for each job, and waits until all calls have returned. Requests the next job only when a thread is
    /// free, so memory does not depend on the number of jobs.
    static func run<Job: Sendable>(_ count: Int, next: () throws -> Job?, body: @escaping @Sendable (Job) -> Void)
        rethrows
    {
        let jobs = Guarded<[Job]>([])
        let (slots, isReady) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let group = DispatchGroup()
        for index in 0..<count {
            slots.signal()
            // Each thread has its own queue. A concurrent queue would run only one call for each core. One block runs
            // all jobs of a thread: Dispatch keeps the memory of 1,024 blocks for each thread that ran them.
            DispatchQueue(label: "worker-\(index)").async(group: group) {
                while true {
                    isReady.wait()
                    guard let job = jobs.withLock({ $0.popLast() }) else { return }
                    body(job)
                    slots.signal()
                }
            }
        }
        defer {
            for _ in 0..<count { isReady.signal() }
            group.wait()
        }
        while true {
            slots.wait()
            guard let job = try next() else { return }
            jobs.withLock { $0.append(job) }
            isReady.signal()
        }
    }
}
