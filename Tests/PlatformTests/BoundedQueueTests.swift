import MotivatorPlatform
import TestSupport
import Testing

/// The rules are in docs/site-and-api.md, "Queues and rates".
@Suite("Lanes with a bounded queue") struct BoundedQueueTests {
    private typealias Queue = BoundedQueue<Character>

    /// A queue with lanes that the test runs manually.
    private final class Workshop: Sendable {
        /// The work of each lane, in the order of its start.
        private let lanes = Guarded<[(lane: Int, work: @Sendable () -> Void)]>([])
        /// The results of the jobs, in order: a name, or a name with the refusal.
        let events = Guarded<[String]>([])

        func queue(lanes: Int, waiting: Int, perClient: Int = .max) -> Queue {
            Queue(
                lanes: (0..<lanes).map { lane in { work in self.lanes.withLock { $0.append((lane, work)) } } },
                waiting: waiting, perClient: perClient)
        }

        /// The number of started lanes that have not run yet.
        var started: Int { lanes.withLock { $0.count } }

        /// Runs the lane that was started first until it has no more work.
        func runLane() {
            guard let first = lanes.withLock({ $0.first?.lane }) else { return }
            while let work = take(from: first) { work() }
        }

        /// Runs the job that was started first.
        func runJob() {
            guard let first = lanes.withLock({ $0.first?.lane }) else { return }
            take(from: first)?()
        }

        private func take(from lane: Int) -> (@Sendable () -> Void)? {
            lanes.withLock { lanes in
                lanes.firstIndex { $0.lane == lane }.map { lanes.remove(at: $0).work }
            }
        }

        /// Adds jobs such as "a1". The first character is the client.
        func submit(_ names: String..., to queue: Queue) {
            for name in names {
                queue.submit(for: name.first ?? "?") {
                    self.run(name)
                } refuse: { refusal in
                    self.events.withLock { $0.append("\(name) \(refusal)") }
                }
            }
        }

        func run(_ name: String) { events.withLock { $0.append(name) } }

        func takeEvents() -> [String] {
            events.withLock { events in
                defer { events = [] }
                return events
            }
        }
    }

    private let workshop = Workshop()

    @Test("A free lane starts a job, and one lane does the waiting jobs of all clients in turns")
    func oneLane() {
        let queue = workshop.queue(lanes: 1, waiting: 4)
        workshop.submit("a1", "a2", "a3", "b1", to: queue)
        #expect(workshop.started == 1)
        workshop.runLane()
        #expect(workshop.takeEvents() == ["a1", "a2", "b1", "a3"])
        workshop.submit("a4", to: queue)
        #expect(workshop.started == 1, "an idle lane must start again")
    }

    @Test("The jobs that run have no slot in the queue; with all slots taken, the newest of the largest client loses")
    func evicts() {
        let queue = workshop.queue(lanes: 1, waiting: 2)
        workshop.submit("a1", "a2", "a3", to: queue)
        #expect(workshop.takeEvents().isEmpty)
        workshop.submit("b1", to: queue)
        #expect(workshop.takeEvents() == ["a3 full"])
        workshop.submit("a4", to: queue)
        #expect(workshop.takeEvents() == ["a4 full"])
        workshop.runLane()
        #expect(workshop.takeEvents() == ["a1", "a2", "b1"])
    }

    @Test("Without slots, a job needs a free lane")
    func noSlots() {
        let queue = workshop.queue(lanes: 2, waiting: 0)
        workshop.submit("a1", "b1", "c1", to: queue)
        #expect(workshop.takeEvents() == ["c1 full"])
        workshop.runLane()
        workshop.submit("c2", to: queue)
        #expect(workshop.started == 2)
    }

    @Test("A client has no more running jobs than it may have, and leaves the other lanes to other clients")
    func perClient() {
        let queue = workshop.queue(lanes: 3, waiting: 4, perClient: 1)
        workshop.submit("a1", "a2", "a3", to: queue)
        #expect(workshop.started == 1)
        workshop.submit("b1", to: queue)
        #expect(workshop.started == 2)
        workshop.runLane()
        #expect(workshop.takeEvents() == ["a1", "a2", "a3"])
        workshop.runLane()
        workshop.submit("a4", "a5", to: queue)
        #expect(workshop.started == 1)
        workshop.runLane()
        #expect(workshop.takeEvents() == ["b1", "a4", "a5"])
    }

    @Test("A lane that becomes free starts no job of a client that has as many running as it may have")
    func perClientWaits() {
        let queue = workshop.queue(lanes: 2, waiting: 4, perClient: 1)
        workshop.submit("b1", "a1", "a2", to: queue)
        workshop.runLane()
        #expect(workshop.takeEvents() == ["b1"], "a1 must still be running")
        workshop.runLane()
        #expect(workshop.takeEvents() == ["a1", "a2"])
    }

    @Test("Further work of a request is never refused, and comes before the client's new requests")
    func resumes() {
        let queue = workshop.queue(lanes: 1, waiting: 1)
        workshop.submit("a1", "a2", to: queue)
        for name in ["a1+", "a1++"] { queue.resume("a") { workshop.run(name) } }
        #expect(queue.waiting == 1)
        workshop.submit("a3", to: queue)
        #expect(workshop.takeEvents() == ["a3 full"])
        workshop.submit("b1", to: queue)
        #expect(workshop.takeEvents() == ["a2 full"])
        workshop.runLane()
        #expect(workshop.takeEvents() == ["a1", "a1+", "b1", "a1++"])
    }

    @Test("Further work also counts toward the limit of its client")
    func resumesWithinLimit() {
        let queue = workshop.queue(lanes: 2, waiting: 4, perClient: 1)
        workshop.submit("a1", to: queue)
        queue.resume("a") { workshop.run("a0+") }
        #expect(workshop.started == 1)
        workshop.submit("b1", to: queue)
        #expect(workshop.started == 2)
    }

    @Test("A turn keeps its lane until it ends, also between two pieces of work")
    func turn() async throws {
        let queue = workshop.queue(lanes: 1, waiting: 2)
        let turn = try await queue.turn(for: "a")
        workshop.submit("b1", to: queue)
        #expect(workshop.started == 0 && queue.waiting == 1)
        for number in 1...2 {
            async let result = queue.run(in: turn) { number * 2 }
            try await ProgressLimit.wait { workshop.started > 0 }
            workshop.runJob()
            #expect(await result == number * 2)
        }
        #expect(workshop.takeEvents().isEmpty)
        queue.end(turn)
        workshop.runLane()
        #expect(workshop.takeEvents() == ["b1"])
    }

    @Test("On threads, each caller gets its own result")
    func threads() async throws {
        let queue = BoundedQueue<Int>(threads: 2, waiting: 100)
        let results = try await withThrowingTaskGroup(of: (Int, Int).self) { group in
            for number in 0..<100 { group.addTask { (number, try await queue.run(for: number % 5) { number * 2 }) } }
            return try await group.reduce(into: [Int: Int]()) { $0[$1.0] = $1.1 }
        }
        #expect(results == Dictionary(uniqueKeysWithValues: (0..<100).map { ($0, $0 * 2) }))
    }

    @Test("A caller whose job is refused gets the reason")
    func refusedCaller() async {
        let queue = workshop.queue(lanes: 1, waiting: 0)
        workshop.submit("a1", to: queue)
        await #expect(throws: Queue.Refusal.full) { try await queue.run(for: "b") { 1 } }
    }

    @Test("A task that was cancelled does not start its work, and one that is cancelled later stops waiting")
    func cancelledTask() async {
        let free = workshop.queue(lanes: 1, waiting: 1)
        let early = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await free.run(for: "a") { 1 }
        }
        await #expect(throws: Queue.Refusal.canceled) { try await early.value }
        #expect(workshop.started == 0)
        let busy = workshop.queue(lanes: 1, waiting: 1)
        workshop.submit("a1", to: busy)
        let late = Task { try await busy.run(for: "b") { 2 } }
        late.cancel()
        await #expect(throws: Queue.Refusal.canceled) { try await late.value }
    }
}
