import MotivatorPlatform

/// A limiter that counts the connections of all loops, in total and per client.
final class ConnectionLimiter: Sendable {
    private struct Counts: Sendable {
        var total = 0
        var byClient: [[UInt8]: Int] = [:]

        mutating func add(_ client: [UInt8]?, limit: Int) -> Bool {
            guard let client else { return true }
            let ofClient = byClient[client, default: 0]
            guard ofClient < limit else { return false }
            byClient[client] = ofClient + 1
            return true
        }
    }

    let limit: Int
    /// The maximum number of connections per client. It is a quarter of the total, so one client cannot use all slots.
    let limitForClient: Int
    /// The number of connections above which each new connection evicts another connection.
    let highWaterMark: Int
    private let counts = Guarded(Counts())

    init(limit: Int) {
        self.limit = max(limit, 1)
        limitForClient = max(limit / 4, 1)
        highWaterMark = self.limit - max(limit / 16, 1)
    }

    /// Raises the descriptor limit to the system's maximum, and returns the number of connections that it allows.
    static func limitFromDescriptors() -> Int {
        var limits = rlimit()
        #if canImport(Darwin)
        let resource = RLIMIT_NOFILE
        // On macOS, setrlimit(2) rejects RLIM_INFINITY, the usual maximum.
        let most = rlim_t(OPEN_MAX)
        #else
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        let most = rlim_t.max
        #endif
        guard unsafe getrlimit(resource, &limits) == 0 else { return 256 }
        let target = min(limits.rlim_max, most)
        if limits.rlim_cur < target {
            var raised = limits
            raised.rlim_cur = target
            if unsafe setrlimit(resource, &raised) == 0 { limits = raised }
        }
        // The server reserves 64 descriptors for files, listeners, the database and the log.
        return max(Int(clamping: min(limits.rlim_cur, 1 << 20)) - 64, 8)
    }

    var total: Int { counts.withLock { $0.total } }

    /// Returns the number of a client's connections on all loops.
    func count(of client: [UInt8]) -> Int { counts.withLock { $0.byClient[client] ?? 0 } }

    struct Entry: Equatable {
        var isAdmitted: Bool
        /// Whether the connection was refused because the server, not the client, has too many connections.
        var isServerFull = false
        var total: Int
    }

    /// Counts a new connection.
    /// - Parameter client: the key of the client; nil for a proxy, whose client is not yet known.
    func enter(_ client: [UInt8]?) -> Entry {
        counts.withLock { counts in
            guard counts.total < limit else { return Entry(isAdmitted: false, isServerFull: true, total: counts.total) }
            guard counts.add(client, limit: limitForClient) else {
                return Entry(isAdmitted: false, total: counts.total)
            }
            counts.total += 1
            return Entry(isAdmitted: true, total: counts.total)
        }
    }

    /// Counts a connection for a client that a proxy has reported.
    /// - Returns: false if the client has too many connections.
    func assign(_ client: [UInt8]) -> Bool {
        counts.withLock { $0.add(client, limit: limitForClient) }
    }

    /// Removes a connection.
    /// - Parameter client: the client that the connection was counted for; nil if it was counted only in total.
    func leave(_ client: [UInt8]?) {
        counts.withLock { counts in
            counts.total -= 1
            guard let client, let ofClient = counts.byClient[client] else { return }
            counts.byClient[client] = ofClient == 1 ? nil : ofClient - 1
        }
    }
}
