/// The client whose request the current task is handling.
package struct CurrentClient: Sendable {
    @TaskLocal package static var value = CurrentClient(key: [])
    /// The key of the client; empty in a task that does not handle a request.
    package let key: [UInt8]

    package init(key: [UInt8]) { self.key = key }
}

/// A queue that selects the next job to run, and the request to evict when the queue is full.
///
/// Clients take turns. A client's resumed jobs come before its new requests, because an unfinished request may hold
/// what other clients wait for. Only new requests count, and only they can be evicted. The queue is a value without
/// threads or locks. Each operation takes time at most proportional to the number of waiting jobs.
package struct FairQueue<Client: Hashable & Sendable, Element: Sendable>: Sendable {
    /// Identifies a request. A later request has a higher ticket.
    package typealias Ticket = UInt64

    private struct Line {
        var resumed: [Element] = []
        /// The new requests, oldest first.
        var requests: [(ticket: Ticket, element: Element)] = []

        var isEmpty: Bool { resumed.isEmpty && requests.isEmpty }

        mutating func removeFirst() -> Element {
            resumed.isEmpty ? requests.removeFirst().element : resumed.removeFirst()
        }
    }

    /// The jobs of each client. Clients without jobs are absent.
    private var lines: [Client: Line] = [:]
    /// The clients that have jobs, in the order of their turns.
    private var turns: [Client] = []

    package init() {}

    package private(set) var count = 0

    package mutating func add(_ ticket: Ticket, of client: Client, _ element: Element) {
        append(client)
        lines[client]?.requests.append((ticket, element))
        count += 1
    }

    /// Adds a job of a request that has already had a turn.
    package mutating func resume(_ client: Client, _ element: Element) {
        append(client)
        lines[client]?.resumed.append(element)
    }

    /// Removes the first job of the client whose turn it is. The client's next turn comes after all others.
    /// - Parameter isEligible: whether a client may be served now. Other clients keep their turns.
    /// - Returns: the job; nil if no eligible client has a job.
    package mutating func next(
        where isEligible: (Client) -> Bool = { _ in true }
    ) -> (client: Client, element: Element)? {
        guard let index = turns.firstIndex(where: isEligible) else { return nil }
        let client = turns.remove(at: index)
        guard let isRequest = lines[client]?.resumed.isEmpty, let element = lines[client]?.removeFirst() else {
            return nil
        }
        if isRequest { count -= 1 }
        if lines[client]?.isEmpty == true { lines[client] = nil } else { turns.append(client) }
        return (client, element)
    }

    /// Removes a new request.
    /// - Returns: the element of the request; nil if the queue does not contain it.
    @discardableResult
    package mutating func remove(_ ticket: Ticket, of client: Client) -> Element? {
        guard let index = lines[client]?.requests.firstIndex(where: { $0.ticket == ticket }) else { return nil }
        let request = lines[client]?.requests.remove(at: index)
        count -= 1
        if lines[client]?.isEmpty == true {
            lines[client] = nil
            turns.removeAll { $0 == client }
        }
        return request?.element
    }

    package mutating func removeAll() -> [Element] {
        var elements: [Element] = []
        while let next = next() { elements.append(next.element) }
        return elements
    }

    /// Returns the request to evict when a client sends a request to a full queue.
    ///
    /// The victim is the newest request of the client with the most new requests. If several clients tie, the victim is
    /// the newest of their requests.
    /// - Returns: nil if no client has more new requests than `arrival`. The queue then refuses the arriving request.
    package func victim(for arrival: Client) -> (ticket: Ticket, client: Client)? {
        let most = lines.values.lazy.map(\.requests.count).max() ?? 0
        guard most > lines[arrival]?.requests.count ?? 0 else { return nil }
        return lines.lazy.filter { $0.value.requests.count == most }
            .compactMap { client, line in line.requests.last.map { ($0.ticket, client) } }.max { $0.0 < $1.0 }
    }

    /// Gives a client a turn, unless it has one.
    private mutating func append(_ client: Client) {
        guard lines[client] == nil else { return }
        lines[client] = Line()
        turns.append(client)
    }
}
