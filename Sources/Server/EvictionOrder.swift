/// The order for closing connections when a new connection needs a slot. Each operation takes constant time.
///
/// `victim` selects a connection of the heaviest client. It prefers the oldest unfinished handshake, then the oldest idle
/// connection, then the oldest unfinished transfer. It never selects a connection with a running handler.
struct EvictionOrder {
    /// The kinds of waiting connections, in eviction order.
    enum Waiting: Int, CaseIterable {
        case handshake, idle, transfer
    }

    private struct List {
        var first: Int32 = -1
        var last: Int32 = -1
    }

    /// The elements of doubly linked lists. Each element is in at most one list.
    private struct Links {
        private var links: [(previous: Int32, next: Int32)] = []

        func next(after element: Int32) -> Int32 { links[Int(element)].next }

        mutating func grow(to count: Int) {
            while links.count < count { links.append((-1, -1)) }
        }

        mutating func append(_ element: Int32, to list: inout List) {
            links[Int(element)] = (list.last, -1)
            if list.last >= 0 { links[Int(list.last)].next = element } else { list.first = element }
            list.last = element
        }

        mutating func remove(_ element: Int32, from list: inout List) {
            let (previous, next) = links[Int(element)]
            if previous >= 0 { links[Int(previous)].next = next } else { list.first = next }
            if next >= 0 { links[Int(next)].previous = previous } else { list.last = previous }
        }
    }

    private struct Node {
        var client: Int32 = -1
        var waiting: Waiting?
    }

    private struct Client {
        var key: [UInt8]
        var count = 0
        var lists = [List](repeating: List(), count: Waiting.allCases.count)
    }

    /// The maximum number of clients and connection counts to examine when selecting a connection.
    private static let maximumSteps = 64

    private var nodes: [Node] = []
    private var nodeLinks = Links()
    private var clients: [Client] = []
    private var clientLinks = Links()
    private var freeClients: [Int32] = []
    private var indices: [[UInt8]: Int32] = [:]
    /// The clients by their number of connections, and then by the time when they were active.
    private var byCount: [List] = [List()]
    private var highestCount = 0

    /// Adds a connection. `victim` can select it only after a call to `wait`.
    mutating func add(_ slot: Int32, of key: [UInt8]) {
        while nodes.count <= Int(slot) { nodes.append(Node()) }
        nodeLinks.grow(to: nodes.count)
        let client = indices[key] ?? addClient(key)
        nodes[Int(slot)] = Node(client: client)
        changeCount(of: client, by: 1)
    }

    mutating func remove(_ slot: Int32) {
        wait(slot, for: nil)
        let client = nodes[Int(slot)].client
        nodes[Int(slot)].client = -1
        changeCount(of: client, by: -1)
        guard clients[Int(client)].count == 0 else { return }
        indices[clients[Int(client)].key] = nil
        freeClients.append(client)
    }

    /// Moves a connection to the end of its client's list for a state.
    /// - Parameter waiting: what the connection waits for; nil while its handler is running.
    mutating func wait(_ slot: Int32, for waiting: Waiting?) {
        let index = Int(slot), client = Int(nodes[index].client)
        if let old = nodes[index].waiting { nodeLinks.remove(slot, from: &clients[client].lists[old.rawValue]) }
        nodes[index].waiting = waiting
        if let waiting { nodeLinks.append(slot, to: &clients[client].lists[waiting.rawValue]) }
        guard waiting == .idle else { return }
        // The client has just been active.
        let count = clients[client].count
        clientLinks.remove(Int32(client), from: &byCount[count])
        clientLinks.append(Int32(client), to: &byCount[count])
    }

    /// Returns the slot of the connection to close.
    /// - Parameters:
    ///   - sparesTransfers: whether to keep connections with an unfinished request or response.
    ///   - least: the minimum weight of a client whose connection may be closed.
    ///   - weight: the weight of a client; by default, its number of connections. The heaviest of the examined clients is
    ///     selected. Of equal ones, a client with more than transfers comes first, and then the client that was active
    ///     least recently.
    /// - Returns: the slot; nil if none of the examined clients has such a connection.
    func victim(
        sparesTransfers: Bool = false, atLeast least: Int = 0, weight: (([UInt8]) -> Int)? = nil
    ) -> Int32? {
        var victim: (slot: Int32, weight: Int, isTransfer: Int)?
        let lists = sparesTransfers ? Waiting.handshake.rawValue...Waiting.idle.rawValue : 0...Waiting.transfer.rawValue
        var steps = 0, count = highestCount
        while count > 0, steps < Self.maximumSteps {
            var client = byCount[count].first
            while client >= 0, steps < Self.maximumSteps {
                let waiting = clients[Int(client)].lists
                if let kind = lists.first(where: { waiting[$0].first >= 0 }) {
                    let weight = weight?(clients[Int(client)].key) ?? count
                    let isTransfer = kind == Waiting.transfer.rawValue ? 1 : 0
                    let isBetter = victim.map { (weight, $0.isTransfer) > ($0.weight, isTransfer) } ?? true
                    if weight >= least, isBetter { victim = (waiting[kind].first, weight, isTransfer) }
                }
                client = clientLinks.next(after: client)
                steps += 1
            }
            count -= 1
            steps += 1
        }
        return victim?.slot
    }

    private mutating func addClient(_ key: [UInt8]) -> Int32 {
        let client: Int32
        if let free = freeClients.popLast() {
            client = free
            clients[Int(free)] = Client(key: key)
        } else {
            client = Int32(clients.count)
            clients.append(Client(key: key))
            clientLinks.grow(to: clients.count)
        }
        indices[key] = client
        return client
    }

    private mutating func changeCount(of client: Int32, by change: Int) {
        let index = Int(client), old = clients[index].count, new = old + change
        if old > 0 { clientLinks.remove(client, from: &byCount[old]) }
        clients[index].count = new
        if new == byCount.count { byCount.append(List()) }
        if new > 0 { clientLinks.append(client, to: &byCount[new]) }
        // Counts change by one, so this client now has the highest count.
        if new > highestCount || (old == highestCount && byCount[old].first < 0) { highestCount = new }
    }
}
