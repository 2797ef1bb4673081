import MotivatorPlatform
import Testing

/// The rules are in docs/site-and-api.md, "Queues and rates".
@Suite("Queue that is fair between clients") struct FairQueueTests {
    private struct Filled {
        var queue = FairQueue<Character, String>()
        private let capacity: Int
        private var ticket: UInt64 = 0

        init(capacity: Int) { self.capacity = capacity }

        /// Adds requests such as "a1", where the first character is the client. Returns the evicted requests.
        mutating func add(_ requests: String...) -> [String?] {
            requests.map { request in
                ticket += 1
                let client = request.first ?? "?"
                var evicted: String?
                if queue.count >= capacity {
                    guard let victim = queue.victim(for: client) else { return request }
                    evicted = queue.remove(victim.ticket, of: victim.client)
                }
                queue.add(ticket, of: client, request)
                return evicted
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
        #expect(filled.queue.remove(1, of: "a") == "a1")
        #expect(filled.queue.remove(1, of: "a") == nil)
        #expect(filled.queue.remove(9, of: "b") == nil)
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

@Suite("The order of waiting requests") struct FairQueueOrderTests {
    /// Returns a queue with these requests. Each character is a request and its client. The first ticket is 1.
    private func line(_ requests: String) -> FairQueue<Character, UInt64> {
        var line = FairQueue<Character, UInt64>()
        for (ticket, client) in zip(UInt64(1)..., requests) { line.add(ticket, of: client, ticket) }
        return line
    }

    struct Case: CustomTestStringConvertible, Sendable {
        let rule: String
        let line: String
        let arrival: Character
        let victim: UInt64?
        var testDescription: String { rule }
    }

    @Test(
        "Without a free slot, the newest request of the client with the most requests loses its slot",
        arguments: [
            Case(rule: "the client with the most gives up its newest", line: "aaabb", arrival: "c", victim: 3),
            Case(rule: "whichever of them came last", line: "baab", arrival: "c", victim: 4),
            Case(rule: "a client with fewer requests is not displaced", line: "abbbc", arrival: "a", victim: 4),
            Case(rule: "the arrival leaves if its client has the most", line: "aaab", arrival: "a", victim: nil),
            Case(rule: "the arrival leaves if its client is one of those", line: "aabb", arrival: "a", victim: nil),
            Case(rule: "the arrival counts only for its own client", line: "aab", arrival: "b", victim: 2),
            Case(rule: "among clients with one each, the last gives way", line: "abc", arrival: "d", victim: 3),
            Case(rule: "the queue is empty", line: "", arrival: "a", victim: nil),
        ])
    func victims(_ example: Case) {
        #expect(line(example.line).victim(for: example.arrival)?.ticket == example.victim)
    }

    @Test(
        "Clients take turns, and each is served in its own order",
        arguments: [
            ("aaaabb", [1, 5, 2, 6, 3, 4]), ("abcabc", [1, 2, 3, 4, 5, 6]), ("aabbc", [1, 3, 5, 2, 4]), ("", []),
        ])
    func turns(_ requests: String, _ order: [UInt64]) {
        var line = line(requests)
        #expect(line.count == order.count)
        #expect((0..<order.count).compactMap { _ in line.next()?.element } == order)
        #expect(line.next() == nil && line.count == 0)
    }

    @Test("A client that returns goes to the end of the turns, so that newcomers do not overtake for ever")
    func noStarvation() {
        var line = line("aab")
        #expect(line.next()?.element == 1)
        line.add(4, of: "c", 4)
        #expect(line.next()?.element == 3)
        line.add(5, of: "b", 5)
        #expect(line.removeAll() == [2, 4, 5])
    }

    @Test("A request that leaves is not counted or served, and its client's next request takes its turn")
    func removed() {
        var line = line("abab")
        #expect(line.remove(1, of: "a") == 1)
        #expect(line.remove(1, of: "a") == nil)
        #expect(line.remove(3, of: "a") == 3)
        #expect(line.count == 2)
        #expect(line.victim(for: "a")?.ticket == 4)
        #expect(line.removeAll() == [2, 4])
        #expect(line.count == 0 && line.victim(for: "a") == nil)
    }

    @Test("A client's resumed jobs come before its new requests, and share its turns")
    func resumed() {
        var line = line("aab")
        line.resume("a", 11)
        line.resume("a", 12)
        line.resume("c", 13)
        #expect(line.removeAll() == [11, 3, 13, 12, 1, 2])
    }

    @Test("A resumed job is neither counted nor evicted")
    func resumedStays() {
        var line = line("ab")
        line.resume("a", 11)
        line.resume("a", 12)
        #expect(line.count == 2)
        #expect(line.victim(for: "c")?.ticket == 2)
        #expect(line.remove(1, of: "a") == 1)
        #expect(line.remove(11, of: "a") == nil)
        #expect(line.removeAll() == [11, 2, 12])
    }
}
