package import AssociationChecker
import HTTPSClient
import MotivatorPlatform

/// The limits of a public checker that protect the checked sites: few checks of one host at a time, and the reuse of
/// recent responses.
package final class SiteFetches: Sendable {
    /// The parts of a check that determine its requests.
    private struct Key: Hashable, Sendable {
        let site: String
        let entry: String?
    }

    private struct Recent: Sendable {
        let fetches: [FileFetch]
        let time: Duration
    }

    private struct State: Sendable {
        var recent: [Key: Recent] = [:]
        /// The number of checks in progress by host. Hosts without checks are absent.
        var running: [String: Int] = [:]
    }

    /// The time during which checks of a site reuse its responses.
    static let lifetime = Duration.seconds(60)
    /// The maximum number of checks of one host at a time.
    static let checksPerHost = 4
    /// The maximum number of redirects for each of the two paths. Redirects can lead to other hosts, whose checks the
    /// limit for a host does not count. So a check causes at most eight requests.
    static let maximumRedirects = 3
    /// The maximum number of sites whose responses are kept: with their content, 20 MB.
    static let capacity = 64
    /// The maximum size of all responses of a kept site. Two files with the maximum size fit.
    static let maximumContent = 300_000

    private let now: @Sendable () -> Duration
    private let state = Guarded(State())

    package convenience init() { self.init { MonotonicTime.now } }

    init(now: @escaping @Sendable () -> Duration) { self.now = now }

    /// Returns the responses of a recent check with the same requests, or nil if there are none.
    package func recent(_ input: CheckInput) -> [FileFetch]? {
        guard let key = Self.key(input) else { return nil }
        let oldest = now() - Self.lifetime
        return state.withLock { state in state.recent[key].flatMap { $0.time > oldest ? $0.fetches : nil } }
    }

    /// Counts the start of a check. Call `end` once after each successful call.
    /// - Returns: whether the host of the check has fewer checks than the limit.
    package func begin(_ input: CheckInput) -> Bool {
        guard let host = input.site?.host else { return true }
        return state.withLock { state in
            guard state.running[host, default: 0] < Self.checksPerHost else { return false }
            state.running[host, default: 0] += 1
            return true
        }
    }

    package func end(_ input: CheckInput) {
        guard let host = input.site?.host else { return }
        state.withLock { state in
            let left = state.running[host, default: 1] - 1
            state.running[host] = left > 0 ? left : nil
        }
    }

    /// Keeps the responses of a check for other checks with the same requests.
    func keep(_ fetches: [FileFetch], of input: CheckInput) {
        let size = fetches.flatMap(\.steps).reduce(0) { $0 + ($1.fetched.response?.content.count ?? 0) }
        guard let key = Self.key(input), size <= Self.maximumContent else { return }
        let time = now()
        state.withLock { state in
            if state.recent.count >= Self.capacity {
                state.recent = state.recent.filter { $0.value.time > time - Self.lifetime }
            }
            let oldest = state.recent.min { $0.value.time < $1.value.time }
            if state.recent.count >= Self.capacity, let oldest { state.recent[oldest.key] = nil }
            state.recent[key] = Recent(fetches: fetches, time: time)
        }
    }

    private static func key(_ input: CheckInput) -> Key? { input.site.map { Key(site: $0.text, entry: input.entry) } }
}
