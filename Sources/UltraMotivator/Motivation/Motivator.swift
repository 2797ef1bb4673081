import Accounts
import Platform

/// Gives each session a quote on each visit, never the same one twice in a row.
///
/// What a session saw last is kept in memory: to lose it at a restart harms nobody.
final class Motivator: Sendable {
    /// Sessions that are remembered; then all are forgotten, so that memory stays bounded.
    private static let capacity = 100_000

    private let last = Guarded<[Int: Int]>([:])

    func next(for token: SessionToken) -> Quote {
        var hasher = Hasher()
        hasher.combine(token.text)
        let key = hasher.finalize()
        return last.withLock { last in
            var generator = SystemRandomNumberGenerator()
            let index = Motivation().next(after: last[key], using: &generator)
            if last.count >= Self.capacity, last[key] == nil { last = [:] }
            last[key] = index
            return Motivation.quotes[index]
        }
    }
}
