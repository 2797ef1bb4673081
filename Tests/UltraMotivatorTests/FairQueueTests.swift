import Testing

@testable import UltraMotivator

/// The rules are in docs/site-and-api.md, "Queues and rates".
@Suite("Queue that is fair between clients") struct FairQueueTests {
    private struct Filled {
        var queue: FairQueue<Character, String>
        private var ticket: UInt64 = 0

        init(capacity: Int) { queue = FairQueue(capacity: capacity) }

        /// Adds requests such as "a1", whose first character is the client; returns what was evicted.
        mutating func add(_ requests: String...) -> [String?] {
            requests.map { request in
                ticket += 1
                return queue.insert(request, for: request.first ?? "?", ticket: ticket)
            }
        }

        mutating func drain(where isEligible: (Character) -> Bool = { _ in true }) -> [String] {
            var served: [String] = []
            while let next = queue.next(where: isEligible) { served.append(next.element) }
            return served
        }
    }

    @Test("A free slot is given to every client")
    func room() {
        var filled = Filled(capacity: 3)
        #expect(filled.add("a1", "a2", "a3") == [nil, nil, nil])
        #expect(filled.queue.count == 3)
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let waiting: [String]
        let arrival: String
        let evicted: String
        let left: [String]

        init(_ rule: String, _ waiting: [String], _ arrival: String, evicts evicted: String, leaves left: [String]) {
            testDescription = rule
            (self.waiting, self.arrival, self.evicted, self.left) = (waiting, arrival, evicted, left)
        }
    }

    static let full: [Case] = [
        Case(
            "The newest of the client with the most", ["a1", "a2", "a3"], "b1", evicts: "a3",
            leaves: ["a1", "b1", "a2"]),
        Case(
            "A client with the most gets no more", ["a1", "a2", "b1"], "a3", evicts: "a3", leaves: ["a1", "b1", "a2"]),
        Case("The same with a tie", ["a1", "b1"], "a2", evicts: "a2", leaves: ["a1", "b1"]),
        Case(
            "An arrival is not the newest of another client", ["a1", "a2", "b1"], "b2", evicts: "a2",
            leaves: ["a1", "b1", "b2"]),
        Case(
            "The position in the queue does not count", ["b1", "a1", "a2", "a3"], "c1", evicts: "a3",
            leaves: ["b1", "a1", "c1", "a2"]),
        Case("Of equal clients, the one that waited least", ["a1", "b1"], "c1", evicts: "b1", leaves: ["a1", "c1"]),
        Case(
            "Of two that flood, the larger", ["a1", "b1", "a2", "b2", "b3"], "c1", evicts: "b3",
            leaves: ["a1", "b1", "c1", "a2", "b2"]),
    ]

    @Test("A full queue evicts the newest request of the client with the most", arguments: full)
    func evicts(_ example: Case) {
        var filled = Filled(capacity: example.waiting.count)
        for request in example.waiting { #expect(filled.add(request) == [nil]) }
        #expect(filled.add(example.arrival) == [example.evicted])
        #expect(filled.queue.count == example.waiting.count)
        #expect(filled.drain() == example.left)
        #expect(filled.queue.count == 0)
    }

    @Test("Without slots, every request is refused")
    func noSlots() {
        var filled = Filled(capacity: 0)
        #expect(filled.add("a1", "b1") == ["a1", "b1"])
        #expect(filled.drain().isEmpty)
    }

    @Test("Clients take turns, each with its oldest request")
    func turns() {
        var filled = Filled(capacity: 9)
        _ = filled.add("a1", "a2", "a3", "b1", "b2", "c1")
        #expect(filled.queue.next { _ in true }?.element == "a1")
        _ = filled.add("d1")
        #expect(filled.drain() == ["b1", "c1", "a2", "d1", "b2", "a3"])
    }

    @Test("A client that cannot be served keeps its turn")
    func eligible() {
        var filled = Filled(capacity: 9)
        _ = filled.add("a1", "a2", "b1", "c1")
        #expect(filled.queue.next { $0 != "a" }?.element == "b1")
        #expect(filled.queue.next { _ in false } == nil)
        #expect(filled.drain() == ["a1", "c1", "a2"])
    }

    @Test("A request can be removed by its number, and leaves no trace")
    func removes() {
        var filled = Filled(capacity: 2)
        _ = filled.add("a1", "b1")
        #expect(filled.queue.remove(ticket: 1) == "a1")
        #expect(filled.queue.remove(ticket: 1) == nil)
        #expect(filled.queue.remove(ticket: 9) == nil)
        #expect(filled.queue.count == 1)
        #expect(filled.add("c1") == [nil])
        #expect(filled.drain() == ["b1", "c1"])
    }

    @Test(
        "Two clients that flood a full queue never displace a third, and delay it by one turn each",
        arguments: [3, 7, 32])
    func flood(_ capacity: Int) {
        var filled = Filled(capacity: capacity)
        for number in 0..<capacity { _ = filled.add("a\(number)", "b\(number)") }
        #expect(filled.add("z1") != ["z1"])
        for number in 0..<100 { _ = filled.add("a\(number)", "b\(number)") }
        #expect(filled.drain().firstIndex(of: "z1") == 2)
    }
}
