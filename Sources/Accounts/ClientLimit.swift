import MotivatorPlatform

/// A rate limit for each client, as a token bucket.
package struct ClientLimit: Sendable {
    /// The name of the limit. Servers that share a database combine their counts under this name.
    let name: String
    /// The number of tokens in a full bucket, at least 1.
    package let burst: Int
    /// The number of tokens refilled per hour. If 0, a bucket is refilled only when it expires.
    package let perHour: Int

    /// The limit for finished ceremonies of passkeys that fail.
    package static let ceremonies = ClientLimit("ceremonies", burst: 240, perHour: 4 * 3600)

    package init(_ name: String, burst: Int, perHour: Int) {
        (self.name, self.burst, self.perHour) = (name, burst, perHour)
    }

    /// Returns the key of a client's bucket. The key does not reveal the address to the store.
    package func key(of client: ClientAddress) -> SHA256 {
        SHA256(of: Array("limit:\(name):".utf8) + client.bytes)
    }
}

extension Accounts {
    /// The result of taking a token from a shared bucket.
    package enum SharedToken: Sendable, Equatable {
        case taken
        /// The bucket is empty. Try again after `retryAfter` seconds.
        case missing(retryAfter: Int)
    }

    /// Takes a token from a client's bucket, if several servers can share the store. A bucket expires an hour after the
    /// last token was taken.
    /// - Returns: the result; nil if the store is unavailable or cannot be shared. The server then counts locally.
    package func takeShared(_ limit: ClientLimit, of client: ClientAddress) async -> SharedToken? {
        guard store.isShared else { return nil }
        let bucket = ThrottleRules.Bucket(burst: limit.burst, perHour: limit.perHour)
        let take = ThrottleStatements.take(limit.key(of: client), bucket, at: clock.now())
        do {
            let wait = try await inStore(await store.run(take, inTransaction: true))
            return wait.map { .missing(retryAfter: Int($0)) } ?? .taken
        } catch {
            return nil
        }
    }

    /// Fills a client's bucket, if several servers can share the store.
    package func resetShared(_ limit: ClientLimit, of client: ClientAddress) async {
        guard store.isShared else { return }
        try? await inStore(await store.apply([ThrottleStatements.forget(limit.key(of: client))]))
    }
}
