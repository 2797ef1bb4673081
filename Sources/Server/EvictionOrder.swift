/// The order for closing connections when a new connection needs a slot. Each operation takes constant time.
///
/// `victim` selects a connection of the client with the most connections. It prefers the oldest unfinished handshake,
/// then the oldest idle connection, then the oldest unfinished transfer. It never selects a connection with a running
/// handler.
struct EvictionOrder {
    /// The kinds of waiting connections, in eviction order.
    enum Waiting: Int, CaseIterable {
        case handshake, idle, transfer
    }

    /// A doubly linked list in an array.
    private struct List {
        var first: Int32 = -1
        var last: Int32 = -1
    }

    private struct Links {
        var previous: Int32 = -1
        var next: Int32 = -1
    }

    private struct Node {
        var links = Links()
        var client: Int32 = -1
        var waiting: Waiting?
    }

    private struct Client {
        var links = Links()
        var key: [UInt8]
        var count = 0
        var lists = [List](repeating: List(), count: Waiting.allCases.count)
    }

    /// The maximum number of clients and connection counts to examine when selecting a connection.
    private static let maximumSteps = 64

    /// The connections, by slot.
    private var nodes: [Node] = []
    private var clients: [Client] = []
    private var freeClients: [Int32] = []
    private var indices: [[UInt8]: Int32] = [:]
    /// The clients by their number of connections.
    private var byCount: [List] = [List()]
    private var highestCount = 0

    /// Adds a connection. `victim` can select it only after a call to `wait`.
    mutating func add(_ slot: Int32, of key: [UInt8]) {
        while nodes.count <= Int(slot) { nodes.append(Node()) }
        let client = indices[key] ?? addClient(key)
        nodes[Int(slot)] = Node(client: client)
        changeCount(of: client, by: 1)
    }

    /// Removes a connection.
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
        if let old = nodes[index].waiting { unlinkNode(slot, from: old, of: client) }
        nodes[index].waiting = waiting
        guard let waiting else { return }
        let last = clients[client].lists[waiting.rawValue].last
        nodes[index].links = Links(previous: last, next: -1)
        if last >= 0 {
            nodes[Int(last)].links.next = slot
        } else {
            clients[client].lists[waiting.rawValue].first = slot
        }
        clients[client].lists[waiting.rawValue].last = slot
    }

    /// Returns the slot of the connection to close.
    /// - Parameter sparesTransfers: whether to keep connections with an unfinished request or response.
    /// - Returns: the slot; nil if none of the examined clients has such a connection.
    func victim(sparesTransfers: Bool = false) -> Int32? {
        let lists = sparesTransfers ? Waiting.handshake.rawValue...Waiting.idle.rawValue : 0...Waiting.transfer.rawValue
        var steps = 0, count = highestCount
        while count > 0, steps < Self.maximumSteps {
            var client = byCount[count].first
            while client >= 0, steps < Self.maximumSteps {
                for list in clients[Int(client)].lists[lists] where list.first >= 0 { return list.first }
                client = clients[Int(client)].links.next
                steps += 1
            }
            count -= 1
            steps += 1
        }
        return nil
    }

    private mutating func addClient(_ key: [UInt8]) -> Int32 {
        let client: Int32
        if let free = freeClients.popLast() {
            client = free
            clients[Int(free)] = Client(key: key)
        } else {
            client = Int32(clients.count)
            clients.append(Client(key: key))
        }
        indices[key] = client
        return client
    }

    private mutating func changeCount(of client: Int32, by change: Int) {
        let index = Int(client), old = clients[index].count, new = old + change
        if old > 0 { unlinkClient(client, from: old) }
        clients[index].count = new
        if new == byCount.count { byCount.append(List()) }
        if new > 0 {
            let first = byCount[new].first
            clients[index].links = Links(previous: -1, next: first)
            if first >= 0 { clients[Int(first)].links.previous = client } else { byCount[new].last = client }
            byCount[new].first = client
        }
        // Counts change by one, so this client now has the highest count.
        if new > highestCount || (old == highestCount && byCount[old].first < 0) { highestCount = new }
    }

    private mutating func unlinkNode(_ slot: Int32, from waiting: Waiting, of client: Int) {
        let links = nodes[Int(slot)].links
        if links.previous >= 0 {
            nodes[Int(links.previous)].links.next = links.next
        } else {
            clients[client].lists[waiting.rawValue].first = links.next
        }
        if links.next >= 0 {
            nodes[Int(links.next)].links.previous = links.previous
        } else {
            clients[client].lists[waiting.rawValue].last = links.previous
        }
    }

    private mutating func unlinkClient(_ client: Int32, from count: Int) {
        let links = clients[Int(client)].links
        if links.previous >= 0 {
            clients[Int(links.previous)].links.next = links.next
        } else {
            byCount[count].first = links.next
        }
        if links.next >= 0 {
            clients[Int(links.next)].links.previous = links.previous
        } else {
            byCount[count].last = links.previous
        }
    }
}
