import Platform

/// Counts the connections of all loops, in total and for each client address.
final class ConnectionLimiter: Sendable {
    private struct Counts: Sendable {
        var total = 0
        var byAddress: [[UInt8]: Int] = [:]
        var refused = 0
        var lastLogged = Int64.min
    }

    /// The most connections at once.
    let limit: Int
    /// The most connections of one client address: a quarter, so that no single client can take them all.
    let limitForAddress: Int
    /// Above this many, one idle connection goes for each that comes.
    let comfortable: Int
    private let counts = Guarded(Counts())

    init(limit: Int) {
        self.limit = max(limit, 1)
        limitForAddress = max(limit / 4, 1)
        comfortable = self.limit - max(limit / 16, 1)
    }

    /// The number of connections that the descriptor limit leaves, after it is raised as far as the system allows.
    static func limitFromDescriptors() -> Int {
        var limits = rlimit()
        #if canImport(Darwin)
        let resource = RLIMIT_NOFILE
        #else
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        #endif
        guard getrlimit(resource, &limits) == 0 else { return 256 }
        if limits.rlim_cur < limits.rlim_max {
            var raised = limits
            raised.rlim_cur = limits.rlim_max
            if setrlimit(resource, &raised) == 0 { limits = raised }
        }
        // Some descriptors are for files, listeners, the database and the log.
        return max(Int(clamping: min(limits.rlim_cur, 1 << 20)) - 64, 8)
    }

    /// Takes a place for a connection.
    ///
    /// - Parameters:
    ///   - address: the client's address.
    ///   - now: milliseconds of the loop's clock.
    /// - Returns: whether there was one, the number of all, and how many were refused, once a second.
    func enter(_ address: [UInt8], now: Int64) -> (entered: Bool, total: Int, refusedToLog: Int?) {
        counts.withLock { counts in
            let ofAddress = counts.byAddress[address, default: 0]
            guard counts.total < limit, ofAddress < limitForAddress else {
                counts.refused += 1
                guard counts.lastLogged == .min || now - counts.lastLogged >= 1_000 else {
                    return (false, counts.total, nil)
                }
                counts.lastLogged = now
                defer { counts.refused = 0 }
                return (false, counts.total, counts.refused)
            }
            counts.total += 1
            counts.byAddress[address] = ofAddress + 1
            return (true, counts.total, nil)
        }
    }

    /// Gives the place back.
    func leave(_ address: [UInt8]) {
        counts.withLock { counts in
            counts.total -= 1
            guard let ofAddress = counts.byAddress[address] else { return }
            counts.byAddress[address] = ofAddress == 1 ? nil : ofAddress - 1
        }
    }
}
