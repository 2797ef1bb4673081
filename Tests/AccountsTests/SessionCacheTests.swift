#if PostgreSQL
import MotivatorPlatform
import TestSupport
import Testing

@testable import Accounts
@testable import PostgreSQLAccounts

/// A clock for the lease of a cache. Only the test advances it.
final class LeaseClock: Sendable {
    private let time = Guarded(ContinuousClock.now)

    var now: ContinuousClock.Instant { time.withLock { $0 } }

    func advance(_ duration: Duration) { time.withLock { $0 += duration } }
}

@Suite("The cache of sessions") struct SessionCacheTests {
    private let clock = LeaseClock()
    private let cache: SessionCache
    private static let account: Int64 = 7

    init() {
        cache = SessionCache { [clock] in clock.now }
    }

    private static func checked(account: Int64 = account, began: UnixTime = 0, used: UnixTime = 0) -> StoredSession {
        StoredSession(
            account: StoredAccount(id: account, name: "Ada", key: "ada", hash: "first"), began: began, used: used,
            confirmed: 0, passwordConfirmed: 0)
    }

    /// Checks a session in a database that contains it.
    private func check(_ session: String = "s", began: UnixTime = 0, used: UnixTime = 0) {
        guard let ticket = cache.begin() else { return }
        cache.insert(StoreBench.digest(session), Self.checked(began: began, used: used), ticket)
    }

    private func start() {
        cache.open()
        cache.confirm(clock.now)
    }

    private func isCached(_ session: String = "s", at time: UnixTime = 0) -> Bool {
        cache.find(StoreBench.digest(session), StoreBench.limits, at: time) != nil
    }

    /// A sequence of events after which a session is in the cache, or not.
    struct Case: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let isCached: Bool
        let events: @Sendable (SessionCacheTests) -> Void

        init(_ rule: String, isCached: Bool, _ events: @escaping @Sendable (SessionCacheTests) -> Void) {
            (testDescription, self.isCached, self.events) = (rule, isCached, events)
        }
    }

    static let cases = [
        Case("a checked session is found", isCached: true) {
            $0.start(); $0.check()
        },
        Case("before the channel opens, no session is kept", isCached: false) {
            $0.check(); $0.start()
        },
        Case("before the first heartbeat, no session is found", isCached: false) {
            $0.cache.open(); $0.check()
        },
        Case("a check between the opening and the first heartbeat counts", isCached: true) {
            $0.cache.open(); $0.check(); $0.cache.confirm($0.clock.now)
        },
        Case("the lease has not ended", isCached: true) {
            $0.start(); $0.check(); $0.clock.advance(SessionCache.lease - .milliseconds(1))
        },
        Case("the lease has ended", isCached: false) {
            $0.start(); $0.check(); $0.clock.advance(SessionCache.lease)
        },
        Case("a heartbeat extends the lease", isCached: true) {
            $0.start(); $0.check(); $0.clock.advance(SessionCache.lease); $0.cache.confirm($0.clock.now)
        },
        Case("a late answer extends the lease only from the time of its heartbeat", isCached: false) {
            $0.start(); $0.check()
            let sent = $0.clock.now
            $0.clock.advance(SessionCache.lease)
            $0.cache.confirm(sent)
        },
        Case("a session is used until its lifetime ends", isCached: true) {
            $0.start(); $0.check(); $0.clock.advance(SessionCache.lifetime - .milliseconds(1))
            $0.cache.confirm($0.clock.now)
        },
        Case("a session is not used after its lifetime", isCached: false) {
            $0.start(); $0.check(); $0.clock.advance(SessionCache.lifetime); $0.cache.confirm($0.clock.now)
        },
        Case("a change of the account discards the session", isCached: false) {
            $0.start(); $0.check(); $0.cache.discard(account)
        },
        Case("a change of the session discards it", isCached: false) {
            $0.start(); $0.check(); $0.cache.discard(StoreBench.digest("s").prefix)
        },
        Case("a change of another session does not discard it", isCached: true) {
            $0.start(); $0.check(); $0.cache.discard(account + 1)
        },
        Case("a session that is checked after the change is found", isCached: true) {
            $0.start(); $0.cache.discard(account); $0.check()
        },
        Case("a check that began before the change is not kept after it", isCached: false) {
            $0.start()
            guard let ticket = $0.cache.begin() else { return }
            $0.cache.discard(account)
            $0.cache.insert(StoreBench.digest("s"), checked(), ticket)
        },
        Case("a check that began before the channel closed is not kept after it opens again", isCached: false) {
            $0.start()
            guard let ticket = $0.cache.begin() else { return }
            $0.cache.close()
            $0.start()
            $0.cache.insert(StoreBench.digest("s"), checked(), ticket)
        },
        Case("the end of the channel discards all sessions", isCached: false) {
            $0.start(); $0.check(); $0.cache.close()
        },
        Case("a heartbeat of a closed channel has no effect", isCached: false) {
            $0.start(); $0.check(); $0.cache.close(); $0.cache.confirm($0.clock.now); $0.check()
        },
        Case("a new opening discards all sessions", isCached: false) {
            $0.start(); $0.check(); $0.start()
        },
        Case("an idle session has expired", isCached: false) {
            $0.start(); $0.check(began: 0, used: -1000)
        },
        Case("a session past its lifetime has expired", isCached: false) {
            $0.start(); $0.check(began: -5000)
        },
        Case("a session whose use must be recorded is read", isCached: false) {
            $0.start(); $0.check(used: -SessionLimits.touchInterval)
        },
        Case("a session whose use was just recorded is found", isCached: true) {
            $0.start(); $0.check(used: 1 - SessionLimits.touchInterval)
        },
    ]

    @Test("A session is found only while the cache knows that it has not ended", arguments: cases)
    func rule(_ one: Case) {
        one.events(self)
        #expect(isCached() == one.isCached)
        #expect(!isCached("another session"))
    }

    @Test("The number of sessions is bounded")
    func bounded() throws {
        start()
        let sessions = (0..<3 * SessionCache.slots).map { StoreBench.digest("\($0)") }
        for digest in sessions { cache.insert(digest, Self.checked(), try #require(cache.begin())) }
        let kept = sessions.filter { cache.find($0, StoreBench.limits, at: 0) != nil }.count
        #expect(kept <= SessionCache.slots && kept > SessionCache.slots / 2)
    }

    /// A database and a channel that deliver their messages in order, at any later time.
    private struct Model {
        enum Message { case change(Int64), heartbeat(ContinuousClock.Instant) }
        var ended: [Int: ContinuousClock.Instant] = [:]
        var channel: [Message] = []
        var checks: [(session: Int, hasEnded: Bool, ticket: SessionCache.Ticket)] = []
    }

    @Test("In any order of events, a session is refused at most one lease after its end", arguments: 0..<40)
    func anyOrder(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var model = Model()
        var hits = 0
        cache.open()
        for step in 0..<4000 {
            let session = step / 200 * 4 + Int.random(in: 0..<4, using: &random)
            let digest = StoreBench.digest("\(session)")
            switch Int.random(in: 0..<20, using: &random) {
            case 0..<4:
                guard let ticket = cache.begin() else { continue }
                model.checks.append((session, model.ended[session] != nil, ticket))
            case 4..<9:
                // Checks finish in any order, long after they began.
                guard let index = model.checks.indices.randomElement(using: &random) else { continue }
                let check = model.checks.remove(at: index)
                guard !check.hasEnded else { continue }
                let account = Self.checked(account: Int64(check.session / 2))
                cache.insert(StoreBench.digest("\(check.session)"), account, check.ticket)
            case 9:
                guard model.ended[session] == nil else { continue }
                model.ended[session] = clock.now
                // A change concerns one session, or all sessions of the account.
                let concernsAccount = Bool.random(using: &random)
                if concernsAccount, model.ended[session ^ 1] == nil { model.ended[session ^ 1] = clock.now }
                model.channel.append(.change(concernsAccount ? Int64(session / 2) : digest.prefix))
            case 10..<12: model.channel.append(.heartbeat(clock.now))
            case 12..<17:
                guard !model.channel.isEmpty else { continue }
                switch model.channel.removeFirst() {
                case .change(let key): cache.discard(key)
                case .heartbeat(let sent): cache.confirm(sent)
                }
            case 17..<19: clock.advance(.milliseconds(Int.random(in: 0..<200, using: &random)))
            case _:
                guard Int.random(in: 0..<10, using: &random) == 0 else { continue }
                // The channel loses its messages, and opens again.
                cache.close()
                model.channel = []
                cache.open()
            }
            for session in step / 200 * 4..<step / 200 * 4 + 4 {
                guard cache.find(StoreBench.digest("\(session)"), StoreBench.limits, at: 0) != nil else { continue }
                hits += 1
                if let end = model.ended[session] {
                    #expect(clock.now - end < SessionCache.lease, "step \(step), session \(session)")
                }
            }
        }
        // Otherwise, the test would prove nothing.
        #expect(hits > 100)
    }
}
#endif
