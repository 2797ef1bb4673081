/// The requests that wait for a turn, sorted by client: which one is next, and which one leaves when there is no slot.
///
/// A request enters the line before it is ready, so that the work before its turn is bounded too. Clients take turns,
/// and each client's requests are served in the order in which they became ready. Client is the key by which limits
/// count, and an element is what a ready request waits with.
struct FairLine<Client: Hashable & Sendable, Element: Sendable>: Sendable {
    /// Identifies a request; a later request has a higher ticket.
    typealias Ticket = UInt64

    private struct Request {
        let client: Client
        var element: Element?
    }

    private var requests: [Ticket: Request] = [:]
    /// The requests of each client, oldest first.
    private var tickets: [Client: [Ticket]] = [:]
    /// The ready requests of each client, in the order in which they became ready.
    private var ready: [Client: [Ticket]] = [:]
    /// The clients that have ready requests, in the order of their turns.
    private var turns: [Client] = []

    /// The number of requests in the line.
    var count: Int { requests.count }
    /// The number of requests that are ready.
    private(set) var readyCount = 0

    /// Adds a request that is not ready yet.
    mutating func enter(_ ticket: Ticket, client: Client) {
        requests[ticket] = Request(client: client)
        tickets[client, default: []].append(ticket)
    }

    /// Makes a request ready: it now waits for its client's turn.
    mutating func makeReady(_ ticket: Ticket, with element: Element) {
        guard let client = requests[ticket]?.client else { return }
        requests[ticket]?.element = element
        if ready[client] == nil { turns.append(client) }
        ready[client, default: []].append(ticket)
        readyCount += 1
    }

    /// Takes the next ready request out of the line; its client goes to the end of the turns.
    mutating func next() -> (ticket: Ticket, element: Element)? {
        guard let client = turns.first, let ticket = ready[client]?.first, let element = remove(ticket) else {
            return nil
        }
        if turns.first == client { turns.append(turns.removeFirst()) }
        return (ticket, element)
    }

    /// Takes a request out of the line.
    ///
    /// - Returns: what it waited with; nil if it was not ready.
    @discardableResult
    mutating func remove(_ ticket: Ticket) -> Element? {
        guard let request = requests.removeValue(forKey: ticket) else { return nil }
        Self.remove(ticket, of: request.client, from: &tickets)
        guard let element = request.element else { return nil }
        Self.remove(ticket, of: request.client, from: &ready)
        if ready[request.client] == nil { turns.removeAll { $0 == request.client } }
        readyCount -= 1
        return element
    }

    /// Takes all ready requests out of the line.
    mutating func removeReady() -> [Element] {
        var elements: [Element] = []
        while let (_, element) = next() { elements.append(element) }
        return elements
    }

    /// Returns the request that leaves when a client arrives and there is no slot: the newest one of the client with
    /// the most requests. Among several such clients, the one that sent a request last gives one up.
    ///
    /// - Returns: nil when the arrival itself is that request, because no client has more requests than its own.
    func victim(for arrival: Client) -> Ticket? {
        let most = tickets.values.lazy.map(\.count).max() ?? 0
        guard most > tickets[arrival]?.count ?? 0 else { return nil }
        return tickets.values.lazy.filter { $0.count == most }.compactMap(\.last).max()
    }

    private static func remove(_ ticket: Ticket, of client: Client, from lists: inout [Client: [Ticket]]) {
        lists[client]?.removeAll { $0 == ticket }
        if lists[client]?.isEmpty == true { lists[client] = nil }
    }
}
