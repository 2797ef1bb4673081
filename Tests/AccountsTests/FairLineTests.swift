import Testing

@testable import Accounts

@Suite("The order of waiting requests") struct FairLineTests {
    /// A line with these requests, one character each, which is its client; the first has the ticket 1.
    private func line(_ requests: String, ready: Bool = true) -> FairLine<Character, Character> {
        var line = FairLine<Character, Character>()
        for (index, client) in requests.enumerated() {
            line.enter(UInt64(index + 1), client: client)
            if ready { line.makeReady(UInt64(index + 1), with: client) }
        }
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
        "When there is no slot, the newest request of the client with the most leaves",
        arguments: [
            Case(rule: "the client with the most gives up its newest", line: "aaabb", arrival: "c", victim: 3),
            Case(rule: "whichever of them came last", line: "baab", arrival: "c", victim: 4),
            Case(rule: "a client with fewer requests is not displaced", line: "abbbc", arrival: "a", victim: 4),
            Case(rule: "the arrival leaves if its client has the most", line: "aaab", arrival: "a", victim: nil),
            Case(rule: "the arrival leaves if its client is one of those", line: "aabb", arrival: "a", victim: nil),
            Case(rule: "the arrival counts only for its own client", line: "aab", arrival: "b", victim: 2),
            Case(rule: "among clients with one each, the last gives way", line: "abc", arrival: "d", victim: 3),
            Case(rule: "nobody waits", line: "", arrival: "a", victim: nil),
        ])
    func victims(_ example: Case) {
        #expect(line(example.line).victim(for: example.arrival) == example.victim)
        // Requests that are not ready yet count too.
        #expect(line(example.line, ready: false).victim(for: example.arrival) == example.victim)
    }

    @Test(
        "Clients take turns, and each is served in its own order",
        arguments: [
            ("aaaabb", [1, 5, 2, 6, 3, 4]), ("abcabc", [1, 2, 3, 4, 5, 6]), ("aabbc", [1, 3, 5, 2, 4]), ("", []),
        ])
    func turns(_ requests: String, _ order: [UInt64]) {
        var line = line(requests)
        #expect(line.count == order.count && line.readyCount == order.count)
        #expect((0..<order.count).compactMap { _ in line.next()?.ticket } == order)
        #expect(line.next() == nil && line.count == 0 && line.readyCount == 0)
    }

    @Test("A client that returns goes to the end of the turns, so that newcomers do not overtake for ever")
    func noStarvation() {
        var line = line("aab")
        #expect(line.next()?.ticket == 1)
        line.enter(4, client: "c")
        line.makeReady(4, with: "c")
        #expect(line.next()?.ticket == 3)
        line.enter(5, client: "b")
        line.makeReady(5, with: "b")
        #expect((0..<3).compactMap { _ in line.next()?.ticket } == [2, 4, 5])
    }

    @Test("A request that leaves is neither counted nor served, and its client's turn goes to the next one")
    func removed() {
        var line = line("abab")
        line.enter(5, client: "a")
        #expect(line.remove(5) == nil)
        #expect(line.remove(1) == "a")
        #expect(line.remove(1) == nil)
        #expect(line.remove(3) == "a")
        #expect(line.count == 2 && line.readyCount == 2)
        #expect(line.victim(for: "a") == 4)
        #expect((0..<2).compactMap { _ in line.next()?.ticket } == [2, 4])
        #expect(line.victim(for: "a") == nil)
    }

    @Test("Only ready requests are served")
    func unready() {
        var line = line("ab", ready: false)
        #expect(line.next() == nil)
        line.makeReady(2, with: "b")
        line.makeReady(9, with: "x")
        #expect(line.next()?.ticket == 2)
        #expect(line.next() == nil && line.count == 1)
        line.makeReady(1, with: "a")
        #expect(line.removeReady() == ["a"] && line.count == 0)
    }
}
