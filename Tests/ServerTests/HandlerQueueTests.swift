import Dispatch
import Foundation
import HTTPTypes
import MotivatorHTTP
import MotivatorPlatform
import TestSupport
import Testing

@testable import MotivatorServer

/// The rules are in docs/http.md, "Handlers".
@Suite("Handlers of several clients") struct HandlerQueueTests {
    /// A queue with one lane, whose jobs the test runs.
    private final class Bench: Sendable {
        private let jobs = Guarded<[@Sendable () -> Void]>([])
        /// The steps of the handlers, in order.
        let steps = Guarded<[String]>([])

        func queue(waiting: Int) -> HandlerQueue {
            HandlerQueue(lanes: [{ work in self.jobs.withLock { $0.append(work) } }], waiting: waiting)
        }

        var started: Int { jobs.withLock { $0.count } }

        /// Runs the jobs on the lane until none has started.
        func run() {
            while let job = jobs.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { job() }
        }

        /// Runs the jobs on the lane until a handler has recorded a step.
        func run(until step: String) async throws {
            try await ProgressLimit.wait {
                run()
                return steps.withLock { $0.contains(step) }
            }
        }

        /// Starts a handler that records its steps. It returns false if the queue refused it.
        func handle(
            _ name: String, _ queue: HandlerQueue, waitFor body: @escaping @Sendable () async -> Void = {}
        ) -> Task<Bool, Never> {
            let executor = HandlerExecutor(queue, client: Array(name.utf8.prefix(1)))
            return Task(executorPreference: executor) { [steps] in
                if executor.isRefused { return false }
                steps.withLock { $0.append(name) }
                await body()
                steps.withLock { $0.append("\(name)+") }
                return true
            }
        }
    }

    private let bench = Bench()

    @Test("Clients take turns, in the order of their requests")
    func turns() async {
        let queue = bench.queue(waiting: 8)
        let tasks = ["a1", "a2", "a3", "b1"].map { bench.handle($0, queue) }
        bench.run()
        for task in tasks { #expect(await task.value) }
        #expect(bench.steps.withLock { $0 } == ["a1", "a1+", "a2", "a2+", "b1", "b1+", "a3", "a3+"])
    }

    @Test("A handler that waits occupies no thread and no slot, and continues before its client's other requests")
    func waits() async throws {
        let queue = bench.queue(waiting: 1)
        let (opened, gate) = AsyncStream.makeStream(of: Void.self)
        let first = bench.handle("a1", queue) { for await _ in opened {} }
        bench.run()
        #expect(bench.steps.withLock { $0 } == ["a1"])
        #expect(queue.waiting == 0)
        let others = ["a2", "a3"].map { bench.handle($0, queue) }
        gate.finish()
        // The lane still runs the first job of a2, so a1 waits for its turn.
        try await ProgressLimit.wait { bench.started > 0 }
        #expect(queue.waiting == 1)
        bench.run()
        while bench.started > 0 { bench.run() }
        for task in [first] + others { #expect(await task.value) }
    }

    @Test("A full queue refuses the newest request of the client with the most, and never a started handler")
    func refuses() async throws {
        let queue = bench.queue(waiting: 2)
        let (opened, gate) = AsyncStream.makeStream(of: Void.self)
        let started = bench.handle("a1", queue) { for await _ in opened {} }
        bench.run()
        let tasks = ["a2", "a3", "a4", "a5", "b1"].map { bench.handle($0, queue) }
        // One job runs. Of three requests for two slots, the newest is refused; b1 then displaces the newest of a.
        #expect(await !tasks[3].value)
        #expect(await !tasks[2].value)
        gate.finish()
        for number in [0, 1, 4] {
            try await bench.run(until: ["a2", "a3", "", "", "b1"][number])
            #expect(await tasks[number].value)
        }
        try await bench.run(until: "a1+")
        #expect(await started.value)
        #expect(bench.steps.withLock { !$0.contains("a4") && !$0.contains("a5") })
    }

    /// The number of handlers of one client that can run at a time.
    private static let perClient = max(ProcessInfo.processInfo.activeProcessorCount, 2) - 1

    @Test(
        "While a client's handlers use all their threads, others are served, and its newest request gets 503",
        arguments: Way.all)
    func live(_ way: Way) async throws {
        let (entered, left) = (Mailbox<String>(), DispatchSemaphore(value: 0))
        @Sendable func block(_ target: String) {
            entered.put(target)
            left.wait()
        }
        let router = Router.serving { site in
            site.route(
                .get, "/block/{number}",
                to: ClosureHandler { request in
                    block(request.head.targetText)
                    return Response(.ok)
                })
            site.route(.get, "/api/quick", to: ClosureHandler("quick"))
        }
        try await Live.run(way.poller, router, { $0.waitingHandlers = 1 }) { live in
            func connect(_ source: String) async throws -> Wire {
                try await live.connect(Wire.Wishes(isSecure: way.isSecure, source: source))
            }
            var blocked: [Wire] = []
            for number in 0..<Self.perClient {
                blocked.append(try await connect("127.0.0.2"))
                try await blocked[number].send(TestRequest("GET", "/block/\(number)").bytes)
                try await entered.first { $0 == "/block/\(number)" }
            }
            // One of these two requests waits, and the other is refused.
            let wires = [try await connect("127.0.0.2"), try await connect("127.0.0.2")]
            try await withThrowingTaskGroup(of: TestResponse.self) { group in
                for wire in wires { group.addTask { try await wire.ask(TestRequest("GET", "/api/quick")) } }
                let refusal = try #require(try await group.next())
                #expect(refusal.status == 503)
                #expect(refusal["retry-after"] == "1")
                #expect(refusal.text.contains("Too many requests are waiting. Try again in 1 s."))
                let served = try await connect("127.0.0.3")
                #expect(try await served.ask(TestRequest("GET", "/api/quick")).text == "quick")
                for _ in blocked { left.signal() }
                #expect(try await group.next()?.text == "quick")
            }
            for wire in blocked { #expect(try await wire.response().status == 200) }
        }
    }
}
