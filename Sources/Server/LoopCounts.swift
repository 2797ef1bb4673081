package import MotivatorTLS

/// The counts of an event loop. Only code on the loop's queue changes them, so counting needs no lock.
package struct LoopCounts: Sendable {
    package enum Handshake: String, CaseIterable, Sendable {
        case full, resumed
        /// The client or the server refused the handshake. A TLS 1.3 client can refuse it after the server has
        /// finished.
        case failed
        /// The client disconnected before the handshake was complete.
        case closed
        case timeout
    }

    /// The upper bounds of the duration histogram in milliseconds. A loop's clock has millisecond resolution.
    package static let bounds: [Int64] = [1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000]

    private struct Route {
        /// The number of responses without a status, and with 1xx to 5xx.
        var classes: [UInt64] = Array(repeating: 0, count: 6)
        /// The number of durations up to each bound, and above the last bound.
        var buckets: [UInt64] = Array(repeating: 0, count: bounds.count + 1)
        /// The sum of the durations in milliseconds.
        var sum: UInt64 = 0
    }

    /// The counts by route number.
    private var routes: [Route] = []
    private var handshakes: [UInt64] = Array(
        repeating: 0, count: (Int(TLSVersion.tls13.rawValue) + 2) * Handshake.allCases.count)
    package internal(set) var acceptedConnections = 0
    package internal(set) var refusedConnections = 0

    package init() {}

    /// Counts a response.
    /// - Parameters:
    ///   - status: the status; 0 if the server reset the connection.
    ///   - duration: the time from the end of the request's head to the response, in milliseconds.
    mutating func addResponse(route: Int, status: Int, duration: Int64) {
        grow(to: route + 1)
        routes[route].classes[min(max(status / 100, 0), 5)] += 1
        routes[route].buckets[Self.bounds.firstIndex { duration <= $0 } ?? Self.bounds.count] += 1
        routes[route].sum += UInt64(max(duration, 0))
    }

    private mutating func grow(to count: Int) {
        while routes.count < count { routes.append(Route()) }
    }

    /// Counts a handshake.
    /// - Parameter version: the TLS version; nil if it was not negotiated.
    mutating func add(_ outcome: Handshake, _ version: TLSVersion? = nil) {
        handshakes[Self.index(outcome, version)] += 1
    }

    private static func index(_ outcome: Handshake, _ version: TLSVersion?) -> Int {
        let row = version.map { Int($0.rawValue) + 1 } ?? 0
        return row * Handshake.allCases.count + (Handshake.allCases.firstIndex(of: outcome) ?? 0)
    }

    mutating func add(_ other: LoopCounts) {
        grow(to: other.routes.count)
        for (index, route) in other.routes.enumerated() {
            for (status, count) in route.classes.enumerated() { routes[index].classes[status] += count }
            for (bucket, count) in route.buckets.enumerated() { routes[index].buckets[bucket] += count }
            routes[index].sum += route.sum
        }
        for (index, count) in other.handshakes.enumerated() { handshakes[index] += count }
        acceptedConnections += other.acceptedConnections
        refusedConnections += other.refusedConnections
    }

    /// Returns the number of responses by status class, from "none" and "1xx" to "5xx"; empty for a route without
    /// responses.
    package func responses(route: Int) -> [(statusClass: String, count: UInt64)] {
        guard route < routes.count else { return [] }
        return routes[route].classes.enumerated().map { ($0 == 0 ? "none" : "\($0)xx", $1) }.filter { $0.1 > 0 }
    }

    /// Returns the number of durations in each bucket and the sum of all durations in milliseconds; nil for a route
    /// without responses. The last bucket counts the durations above the last bound.
    package func durations(route: Int) -> (counts: [UInt64], sum: UInt64)? {
        guard !responses(route: route).isEmpty else { return nil }
        return (routes[route].buckets, routes[route].sum)
    }

    package func handshakes(_ outcome: Handshake, _ version: TLSVersion?) -> UInt64 {
        handshakes[Self.index(outcome, version)]
    }
}

/// The route numbers that a loop uses instead of names. A route keeps its number when the server reloads.
package struct RouteNames: Sendable {
    /// Requests rejected before route selection or because of their content.
    static let rejected = 0
    /// Requests for a host that the server does not serve, and `OPTIONS *`.
    static let noSite = 1
    static let files = 2
    /// Requests that match neither a route nor a file, or whose method is not supported.
    static let noRoute = 3

    /// The names, ordered by number: the path of a route with its parameters, or the name of a group.
    package private(set) var names = ["rejected", "no site", "files", "no route"]
    private var numbers: [String: Int] = [:]

    /// Returns the number of a route.
    /// - Parameter path: the path of the route with its parameters. Paths come from the program, never from clients.
    mutating func number(of path: String) -> Int {
        if let known = numbers[path] { return known }
        numbers[path] = names.count
        names.append(path)
        return names.count - 1
    }
}
