import MotivatorPlatform
import Testing

@testable import Accounts

@Suite("The hashing queue") struct HashingQueueTests {
    private func outcome(_ body: () async throws(HashingQueue.Refusal) -> Void) async -> HashingQueue.Refusal? {
        do {
            try await body()
            return nil
        } catch {
            return error
        }
    }

    /// Returns the reason why the queue would refuse a client now, or nil.
    private func refusal(_ queue: HashingQueue) async -> HashingQueue.Refusal? {
        await outcome { () throws(HashingQueue.Refusal) in try await queue.run {} }
    }

    @Test("As many jobs run at a time as there are threads, and the others wait", arguments: [1, 2, 3])
    func threads(_ threads: Int) async throws {
        let queue = HashingQueue(threads: threads, waiting: 10)
        let gate = Gate()
        let tasks = await queue.occupy(gate, jobs: threads)
        #expect(gate.arrivals == threads)
        #expect(queue.waiting == 0)
        let others = await queue.occupy(gate, jobs: 4)
        #expect(gate.arrivals == threads)
        #expect(queue.waiting == 4)
        gate.open()
        for task in tasks + others { #expect(await task.value) }
    }

    @Test("Jobs run in the order of their arrival and return their results")
    func order() async throws {
        let queue = HashingQueue(threads: 1, waiting: 20)
        let gate = Gate()
        let first = await queue.occupy(gate, jobs: 1)
        let order = Guarded<[Int]>([])
        var tasks: [Task<Int?, Never>] = []
        for number in 0..<20 {
            tasks.append(
                Task {
                    try? await queue.run {
                        order.withLock { $0.append(number) }
                        return number * 2
                    }
                })
            await eventually { queue.waiting == number + 1 }
        }
        gate.open()
        for (number, task) in tasks.enumerated() { #expect(await task.value == number * 2) }
        #expect(order.withLock { $0 } == Array(0..<20))
        #expect(await first[0].value)
    }

    @Test("Clients take turns, regardless of the order and number of their requests")
    func turns() async throws {
        let queue = HashingQueue(threads: 1, waiting: 20)
        let gate = Gate()
        let first = await queue.occupy(gate, jobs: 1)
        let (many, few) = (SHA256(of: [1]), SHA256(of: [2]))
        let order = Guarded<[Int]>([])
        var tasks: [Task<Void, Never>] = []
        for (number, client) in [many, many, many, many, few, few].enumerated() {
            tasks.append(Task { try? await queue.run(for: client) { order.withLock { $0.append(number) } } })
            await eventually { queue.waiting == number + 1 }
        }
        gate.open()
        for task in tasks { await task.value }
        #expect(order.withLock { $0 } == [0, 4, 1, 5, 2, 3])
        #expect(await first[0].value)
    }

    @Test("A newcomer to a full queue displaces the newest request of the client with the most")
    func displaced() async throws {
        let queue = HashingQueue(threads: 1, waiting: 4)
        let gate = Gate()
        let first = await queue.occupy(gate, jobs: 1)
        let (many, other) = (SHA256(of: [1]), SHA256(of: [2]))
        var tasks: [Task<HashingQueue.Refusal?, Never>] = []
        for number in 1...4 {
            tasks.append(
                Task { await outcome { () throws(HashingQueue.Refusal) in try await queue.run(for: many) {} } })
            await eventually { queue.waiting == number }
        }
        #expect(
            await outcome { () throws(HashingQueue.Refusal) in try await queue.run(for: many) {} }
                == .full, "the arrival is its client's newest request")
        tasks.append(Task { await outcome { () throws(HashingQueue.Refusal) in try await queue.run(for: other) {} } })
        #expect(await tasks[3].value == .full)
        gate.open()
        for number in [0, 1, 2, 4] { #expect(await tasks[number].value == nil, "request \(number)") }
        #expect(await first[0].value)
        #expect(await refusal(queue) == nil)
    }

    @Test("A full queue refuses, and accepts again when its work is done")
    func full() async throws {
        let queue = HashingQueue(threads: 1, waiting: 2)
        let gate = Gate()
        let tasks = await queue.occupy(gate, jobs: 3)
        #expect(await refusal(queue) == .full)
        gate.open()
        for task in tasks { #expect(await task.value) }
        #expect(await refusal(queue) == nil)
    }

    @Test("A cancelled request leaves the queue, and its work is not done")
    func cancelled() async throws {
        let queue = HashingQueue(threads: 1, waiting: 2)
        let gate = Gate()
        let first = await queue.occupy(gate, jobs: 1)
        let done = Guarded<[String]>([])
        let patient = Task { try? await queue.run { done.withLock { $0.append("patient") } } }
        await eventually { queue.waiting == 1 }
        let impatient = Task {
            await outcome { () throws(HashingQueue.Refusal) in
                try await queue.run { done.withLock { $0.append("impatient") } }
            }
        }
        await eventually { queue.waiting == 2 }
        impatient.cancel()
        #expect(await impatient.value == .canceled)
        #expect(queue.waiting == 1)
        // The canceled job's slot is free.
        let next = Task { try? await queue.run { done.withLock { $0.append("next") } } }
        await eventually { queue.waiting == 2 }
        gate.open()
        _ = await (patient.value, next.value, first[0].value)
        #expect(done.withLock { $0 } == ["patient", "next"])
    }

    @Test("A task that was cancelled before does not enter the queue")
    func cancelledBefore() async throws {
        let queue = HashingQueue(threads: 1, waiting: 2)
        let task = Task { () -> HashingQueue.Refusal? in
            withUnsafeCurrentTask { $0?.cancel() }
            return await outcome { () throws(HashingQueue.Refusal) in try await queue.run {} }
        }
        #expect(await task.value == .canceled)
        #expect(queue.waiting == 0)
    }

    @Test("Work that has started is finished, also when its task is cancelled")
    func begun() async throws {
        let queue = HashingQueue(threads: 1, waiting: 2)
        let gate = Gate()
        let tasks = await queue.occupy(gate, jobs: 1)
        tasks[0].cancel()
        gate.open()
        #expect(await tasks[0].value)
    }

    @Test("A closed queue finishes started work, and refuses waiting and new requests")
    func closed() async throws {
        let queue = HashingQueue(threads: 1, waiting: 2)
        let gate = Gate()
        let begun = await queue.occupy(gate, jobs: 1)
        let waiting = await queue.occupy(gate, jobs: 1)
        queue.close()
        #expect(await !waiting[0].value)
        #expect(await outcome { () throws(HashingQueue.Refusal) in try await queue.run {} } == .closed)
        #expect(await refusal(queue) == .closed)
        gate.open()
        #expect(await begun[0].value)
    }

    #if os(Linux)
    @Test("The threads have a lower priority than the others of the process")
    func niceness() async throws {
        let (process, leader) = (Int32(0), UInt32(getpid()))
        let before = getpriority(process, leader)
        let queue = HashingQueue(threads: 1, waiting: 1)
        #expect(try await queue.run { getpriority(process, 0) } == max(before, 10))
        #expect(getpriority(process, leader) == before)
    }
    #endif
}
