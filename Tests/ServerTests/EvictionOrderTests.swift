import Testing

@testable import MotivatorServer

@Suite("Eviction order") struct EvictionOrderTests {
    private static let one: [UInt8] = [192, 0, 2, 1]
    private static let two: [UInt8] = [192, 0, 2, 2]

    @Test("The client with the most connections loses one")
    func mostConnections() {
        var order = EvictionOrder()
        order.add(0, of: Self.one)
        order.add(1, of: Self.two)
        order.add(2, of: Self.two)
        for slot in Int32(0)...2 { order.wait(slot, for: .idle) }
        #expect(order.victim() == 1)
        order.remove(1)
        order.remove(2)
        #expect(order.victim() == 0)
        order.remove(0)
        #expect(order.victim() == nil)
    }

    @Test("Of one client, an unfinished handshake is closed first, then the oldest idle connection, then a transfer")
    func preference() {
        var order = EvictionOrder()
        for slot in Int32(0)..<6 { order.add(slot, of: Self.one) }
        order.wait(0, for: .transfer)
        order.wait(1, for: .idle)
        order.wait(2, for: .idle)
        order.wait(3, for: .handshake)
        order.wait(4, for: .handshake)
        var closed: [Int32] = []
        while let victim = order.victim() {
            closed.append(victim)
            order.remove(victim)
        }
        // Slot 5 has a running handler.
        #expect(closed == [3, 4, 1, 2, 0])
    }

    @Test("The heaviest client loses a connection, even if another one has more of them here")
    func weights() {
        var order = EvictionOrder()
        for slot in Int32(0)..<2 { order.add(slot, of: Self.one) }
        order.add(2, of: Self.two)
        for slot in Int32(0)..<3 { order.wait(slot, for: .handshake) }
        let weight = { (client: [UInt8]) in client == Self.two ? 30 : 2 }
        #expect(order.victim(weight: weight) == 2)
        #expect(order.victim(atLeast: 30, weight: weight) == 2)
        #expect(order.victim(atLeast: 31, weight: weight) == nil)
        order.remove(2)
        #expect(order.victim(atLeast: 3, weight: weight) == nil)
        #expect(order.victim(atLeast: 2, weight: weight) == 0)
    }

    @Test("Of clients with as many connections, the least recently active one loses its own, before any transfer")
    func equalClients() {
        var order = EvictionOrder()
        for slot in Int32(0)..<4 {
            order.add(slot, of: [UInt8(slot)])
            order.wait(slot, for: slot == 0 ? .transfer : slot == 3 ? .handshake : .idle)
        }
        // A client whose connection is used again was active last.
        order.wait(1, for: nil)
        order.wait(1, for: .idle)
        var closed: [Int32] = []
        while let victim = order.victim() {
            closed.append(victim)
            order.remove(victim)
        }
        #expect(closed == [2, 3, 1, 0])
    }

    @Test("A transfer can be spared")
    func sparedTransfer() {
        var order = EvictionOrder()
        order.add(0, of: Self.one)
        order.add(1, of: Self.one)
        order.wait(0, for: .transfer)
        #expect(order.victim(sparesTransfers: true) == nil)
        order.wait(1, for: .idle)
        #expect(order.victim(sparesTransfers: true) == 1)
        #expect(order.victim() == 1)
    }

    @Test("A connection that is used again is the youngest")
    func used() {
        var order = EvictionOrder()
        for slot in Int32(0)..<3 {
            order.add(slot, of: Self.one)
            order.wait(slot, for: .idle)
        }
        order.wait(0, for: nil)
        order.wait(0, for: .idle)
        #expect(order.victim() == 1)
        order.wait(1, for: .idle)
        #expect(order.victim() == 2)
    }

    @Test("A client whose handlers are all running is skipped")
    func busyClient() {
        var order = EvictionOrder()
        for slot in Int32(0)..<3 { order.add(slot, of: Self.one) }
        order.add(3, of: Self.two)
        order.wait(3, for: .idle)
        #expect(order.victim() == 3)
    }

    @Test("When a client with many connections has left, the others can lose theirs")
    func departed() {
        var order = EvictionOrder()
        for slot in Int32(0)..<200 { order.add(slot, of: Self.one) }
        order.add(200, of: Self.two)
        order.wait(200, for: .idle)
        // A search that starts at a former highest count would stop before it reaches the current highest count.
        for slot in Int32(0)..<200 { order.remove(slot) }
        #expect(order.victim() == 200)
    }

    @Test("Any sequence of changes chooses what a search over all connections chooses", arguments: UInt64(1)...20)
    func model(_ seed: UInt64) {
        var generator = Numbers(seed: seed)
        var order = EvictionOrder()
        var model = Model()
        for step in 0..<2_000 {
            let slot = Int32(generator.next(below: 24))
            if model.connections[slot] == nil {
                let client = [UInt8(generator.next(below: 5))]
                order.add(slot, of: client)
                model.connections[slot] = Model.Connection(client: client)
            } else if generator.next(below: 4) == 0 {
                order.remove(slot)
                model.connections[slot] = nil
            } else {
                let waiting =
                    [nil, .handshake, .idle, .transfer][Int(generator.next(below: 4))] as EvictionOrder.Waiting?
                order.wait(slot, for: waiting)
                model.connections[slot]?.waiting = waiting
                model.connections[slot]?.since = step
            }
            guard model.allows(order.victim()) else {
                Issue.record("step \(step): \(String(describing: order.victim())) of \(model.connections)")
                return
            }
        }
    }

    /// The eviction rule, implemented as a search over all connections.
    private struct Model {
        struct Connection {
            var client: [UInt8]
            var waiting: EvictionOrder.Waiting?
            var since = 0
        }

        var connections: [Int32: Connection] = [:]

        /// Returns whether the rule permits this victim. Clients with the same number of connections are equivalent.
        func allows(_ victim: Int32?) -> Bool {
            let clients = Dictionary(grouping: connections, by: \.value.client)
            let evictable = clients.values.filter { $0.contains { $0.value.waiting != nil } }
            guard let most = evictable.map(\.count).max() else { return victim == nil }
            let best = evictable.filter { $0.count == most }.compactMap { connections in
                connections.filter { $0.value.waiting != nil }.min {
                    ($0.value.waiting?.rawValue ?? 9, $0.value.since) < (
                        $1.value.waiting?.rawValue ?? 9, $1.value.since
                    )
                }?.key
            }
            return victim.map(best.contains) ?? false
        }
    }

    /// SplitMix64.
    private struct Numbers {
        var seed: UInt64

        mutating func next(below bound: UInt64) -> UInt64 {
            seed &+= 0x9E37_79B9_7F4A_7C15
            var value = (seed ^ (seed >> 30)) &* 0xBF58_476D_1CE4_E5B9
            value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
            return (value ^ (value >> 31)) % bound
        }
    }
}
