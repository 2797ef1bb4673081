/// A queue that selects the next request to run, and the request to evict when the queue is full.
///
/// Requests enter the queue before they are ready, so the queue also bounds the preceding work. Clients take turns. The
/// queue serves each client's requests in the order they became ready. The queue is a value without threads or locks.
/// Each operation takes time at most proportional to the number of waiting requests.
package struct FairQueue<Client: Hashable & Sendable, Element: Sendable>: Sendable {
    /// Identifies a request. A later request has a higher ticket.
    package typealias Ticket = UInt64

    private struct Request {
        let client: Client
        var element: Element?
    }

    private var requests: [Ticket: Request] = [:]
    /// The requests of each client, oldest first.
    private var tickets: [Client: [Ticket]] = [:]
    /// The ready requests of each client, in the order they became ready.
    private var ready: [Client: [Ticket]] = [:]
    /// The clients that have ready requests, in the order of their turns.
    private var turns: [Client] = []

    package init() {}

    /// The number of requests in the queue.
    package var count: Int { requests.count }
    /// The number of requests that are ready.
    package private(set) var readyCount = 0

    /// Adds a request that is not yet ready.
    package mutating func enter(_ ticket: Ticket, client: Client) {
        requests[ticket] = Request(client: client)
        tickets[client, default: []].append(ticket)
    }

    /// Marks a request as ready. The request then waits for its client's turn.
    ///
    /// - Parameters:
    ///   - ticket: the request; ignored if the queue does not contain it.
    ///   - element: the element of the request.
    package mutating func makeReady(_ ticket: Ticket, with element: Element) {
        guard let client = requests[ticket]?.client else { return }
        requests[ticket]?.element = element
        if ready[client] == nil { turns.append(client) }
        ready[client, default: []].append(ticket)
        readyCount += 1
    }

    /// Removes the oldest ready request of the client whose turn it is. The client's next turn comes after all others.
    ///
    /// - Parameter isEligible: whether a client may be served now. Other clients keep their turns.
    /// - Returns: the request; nil if no eligible client has a ready request.
    package mutating func next(
        where isEligible: (Client) -> Bool = { _ in true }
    ) -> (ticket: Ticket, client: Client, element: Element)? {
        guard let index = turns.firstIndex(where: isEligible) else { return nil }
        let client = turns[index]
        guard let ticket = ready[client]?.first, let element = remove(ticket) else { return nil }
        if ready[client] != nil { turns.append(turns.remove(at: index)) }
        return (ticket, client, element)
    }

    /// Removes a request.
    ///
    /// - Returns: the element of the request; nil if it was not ready.
    @discardableResult
    package mutating func remove(_ ticket: Ticket) -> Element? {
        guard let request = requests.removeValue(forKey: ticket) else { return nil }
        Self.remove(ticket, of: request.client, from: &tickets)
        guard let element = request.element else { return nil }
        Self.remove(ticket, of: request.client, from: &ready)
        if ready[request.client] == nil { turns.removeAll { $0 == request.client } }
        readyCount -= 1
        return element
    }

    /// Removes all ready requests.
    package mutating func removeReady() -> [Element] {
        var elements: [Element] = []
        while let next = next() { elements.append(next.element) }
        return elements
    }

    /// Returns the request to evict when a client sends a request to a full queue.
    ///
    /// The victim is the newest request of the client with the most requests. If several clients tie, the victim is the
    /// newest of their requests.
    ///
    /// - Returns: nil if no client has more requests than `arrival`. The new request then gets no slot.
    package func victim(for arrival: Client) -> Ticket? {
        let most = tickets.values.lazy.map(\.count).max() ?? 0
        guard most > tickets[arrival]?.count ?? 0 else { return nil }
        return tickets.values.lazy.filter { $0.count == most }.compactMap(\.last).max()
    }

    private static func remove(_ ticket: Ticket, of client: Client, from lists: inout [Client: [Ticket]]) {
        lists[client]?.removeAll { $0 == ticket }
        if lists[client]?.isEmpty == true { lists[client] = nil }
    }
}
