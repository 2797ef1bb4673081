/// Requests that wait, up to a limit, with fairness between clients.
///
/// Clients take turns. When the queue is full, the client that has the most requests in it loses its newest one. A value
/// without threads or locks; an operation costs at most one step per waiting request.
struct FairQueue<Client: Hashable & Sendable, Element: Sendable>: Sendable {
    private struct Entry: Sendable {
        let ticket: UInt64
        let element: Element
    }

    /// The maximum number of waiting requests.
    let capacity: Int
    /// The number of waiting requests.
    private(set) var count = 0

    /// The waiting requests of each client, oldest first. A client without requests is not in it.
    private var entries: [Client: [Entry]] = [:]
    /// The clients that have waiting requests, in the order of their turns.
    private var turns: [Client] = []

    /// - Parameter capacity: the maximum number of waiting requests.
    init(capacity: Int) {
        self.capacity = max(capacity, 0)
    }

    /// Adds a request.
    ///
    /// - Parameters:
    ///   - element: the request.
    ///   - client: the client that sent it.
    ///   - ticket: the number of the request, larger than all numbers before.
    /// - Returns: the request that does not get a slot: the newest of the client with the most requests. This is
    ///   `element` itself if no other client has more requests than `client`. Nil if a slot was free.
    mutating func insert(_ element: Element, for client: Client, ticket: UInt64) -> Element? {
        var evicted: Element?
        if count >= capacity {
            guard let largest = largestClient(), requests(of: client) < requests(of: largest) else { return element }
            evicted = removeRequest(of: largest, at: requests(of: largest) - 1)
        }
        if entries[client] == nil { turns.append(client) }
        entries[client, default: []].append(Entry(ticket: ticket, element: element))
        count += 1
        return evicted
    }

    /// Removes the oldest request of the client whose turn it is.
    ///
    /// - Parameter isEligible: whether a client can be served now; a client that cannot keeps its turn.
    /// - Returns: nil if no eligible client has a request.
    mutating func next(where isEligible: (Client) -> Bool) -> (client: Client, element: Element)? {
        guard let index = turns.firstIndex(where: isEligible) else { return nil }
        let client = turns[index]
        guard let element = removeRequest(of: client, at: 0) else { return nil }
        if entries[client] != nil { turns.append(turns.remove(at: index)) }
        return (client, element)
    }

    /// Removes a request that is no longer needed.
    ///
    /// - Parameter ticket: the number of the request.
    /// - Returns: the request; nil if it does not wait.
    mutating func remove(ticket: UInt64) -> Element? {
        for (client, requests) in entries {
            guard let index = requests.firstIndex(where: { $0.ticket == ticket }) else { continue }
            return removeRequest(of: client, at: index)
        }
        return nil
    }

    private func requests(of client: Client) -> Int { entries[client]?.count ?? 0 }

    /// The client with the most requests; of several, the one whose newest request has waited least.
    private func largestClient() -> Client? {
        entries.max { one, other in
            (one.value.count, one.value.last?.ticket ?? 0) < (other.value.count, other.value.last?.ticket ?? 0)
        }?.key
    }

    private mutating func removeRequest(of client: Client, at index: Int) -> Element? {
        guard let entry = entries[client]?.remove(at: index) else { return nil }
        count -= 1
        if entries[client]?.isEmpty == true {
            entries[client] = nil
            turns.removeAll { $0 == client }
        }
        return entry.element
    }
}
