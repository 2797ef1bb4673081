#if PostgreSQL
import Accounts
import Dispatch
import MotivatorPlatform

/// The sessions that this server has read from the database in the last seconds.
///
/// The cache is on only while it knows that it has received all earlier notifications: for `lease` after the server
/// sent a heartbeat that the database has answered. A change that was confirmed before the heartbeat has then discarded
/// its sessions. A session that another server ended is therefore refused after at most `lease`, whatever happens to
/// the channel or to this process.
final class SessionCache: Sendable {
    /// The time after a check in which its result is used. This also bounds the effect of changes without a
    /// notification, for example by an older version of this program.
    static let lifetime = Duration.seconds(5)
    /// The time after a heartbeat in which the cache is on. With the time of a request, it is less than a second.
    static let lease = Duration.milliseconds(750)
    /// The maximum number of sessions, which then use about 8 MB. Sessions that share a slot replace each other.
    static let slots = 1 << 14
    /// The number of counters of changes. Keys that share a counter only cause more queries.
    static let counters = 1 << 16

    /// The state of the cache when a check began.
    struct Ticket: Sendable {
        fileprivate let number: UInt64
        fileprivate let time: ContinuousClock.Instant
    }

    private final class Entry: Sendable {
        let digest: SHA256
        let session: StoredSession
        let ticket: Ticket

        init(_ digest: SHA256, _ session: StoredSession, _ ticket: Ticket) {
            (self.digest, self.session, self.ticket) = (digest, session, ticket)
        }
    }

    private struct State: Sendable {
        /// The number of changes and openings until now.
        var number: UInt64 = 0
        /// The number of the last opening.
        var opening: UInt64 = 0
        var heartbeat: ContinuousClock.Instant?
        /// The number of the last change of each counter; empty while the channel is closed.
        var changes: [UInt64] = []
        var entries: [Entry?] = []
    }

    /// Returns the current time. The default clock does not stop while the process or the machine is suspended.
    let now: @Sendable () -> ContinuousClock.Instant
    // The lock is held for less than a microsecond. A hop to an actor would cost more than the rest of a check.
    private let state = Guarded(State())

    init(now: @escaping @Sendable () -> ContinuousClock.Instant) {
        self.now = now
    }

    /// Starts to keep sessions, after the channel has begun to receive notifications.
    func open() {
        state.withLock { state in
            state.number += 1
            state.opening = state.number
            state.changes = [UInt64](repeating: 0, count: Self.counters)
            state.entries = [Entry?](repeating: nil, count: Self.slots)
        }
    }

    /// Discards all sessions, because the channel may have missed notifications.
    func close() {
        state.withLock { state in (state.changes, state.entries, state.heartbeat) = ([], [], nil) }
    }

    /// Extends the lease after the database has answered a heartbeat.
    /// - Parameter sent: the time before the heartbeat was sent.
    func confirm(_ sent: ContinuousClock.Instant) {
        state.withLock { if !$0.entries.isEmpty { $0.heartbeat = sent } }
    }

    /// Discards the sessions with a key, including those whose check is in progress.
    /// - Parameter key: the account's number, or the prefix of the session's digest.
    func discard(_ key: Int64) {
        state.withLock { state in
            guard !state.changes.isEmpty else { return }
            state.number += 1
            state.changes[Self.counter(key)] = state.number
        }
    }

    /// Begins a check in the database. Returns nil while the channel is closed.
    func begin() -> Ticket? {
        state.withLock { $0.entries.isEmpty ? nil : Ticket(number: $0.number, time: now()) }
    }

    func insert(_ digest: SHA256, _ session: StoredSession, _ ticket: Ticket) {
        let entry = Entry(digest, session, ticket)
        state.withLock { state in
            guard !state.entries.isEmpty, ticket.number >= state.opening else { return }
            state.entries[Self.slot(digest)] = entry
        }
    }

    /// Returns a session that does not need a query: neither to check it, nor to record its use.
    func find(_ digest: SHA256, _ limits: SessionLimits, at time: UnixTime) -> StoredSession? {
        let entry = state.withLock { state -> Entry? in
            let current = now()
            guard let heartbeat = state.heartbeat, current - heartbeat < Self.lease,
                let entry = state.entries[Self.slot(digest)], entry.digest == digest,
                current - entry.ticket.time < Self.lifetime,
                state.changes[Self.counter(entry.session.account.id)] <= entry.ticket.number,
                state.changes[Self.counter(digest.prefix)] <= entry.ticket.number
            else { return nil }
            return entry
        }
        guard var session = entry?.session, !limits.hasExpired(began: session.began, used: session.used, at: time),
            time - session.used < SessionLimits.touchInterval
        else { return nil }
        session.isCached = true
        return session
    }

    private static func counter(_ key: Int64) -> Int { Int(truncatingIfNeeded: key) & (counters - 1) }

    /// Returns the slot of a digest. Clients cannot choose digests that share a slot with another client's session,
    /// because only existing sessions are kept, and their tokens are random.
    private static func slot(_ digest: SHA256) -> Int { Int(truncatingIfNeeded: digest.prefix >> 32) & (slots - 1) }
}

/// The connection on which all servers receive the changes of sessions.
struct SessionChannel: Sendable {
    /// The time between two heartbeats. The lease survives one heartbeat that is slow.
    static let heartbeatInterval = Duration.milliseconds(250)
    static let retryInterval = Duration.seconds(1)

    let name: String
    let cache: SessionCache
    let executor: QueueExecutor
    let timeouts: PostgreSQLStore.Timeouts
    let connect: PostgreSQLPool.Connect

    /// Keeps the cache up to date until the task is canceled, or the database turns out to have no notifications.
    /// Connects again after each failure. Meanwhile, the store reads each session from the database.
    func run() async {
        var isSupported = true
        while isSupported, !Task.isCancelled {
            let connection = PostgreSQLConnection(on: executor)
            isSupported = await withTaskCancellationHandler {
                (try? await follow(connection)) == nil
            } onCancel: {
                Task { await connection.close() }
            }
            await connection.close()
            cache.close()
            try? await Task.sleep(for: Self.retryInterval)
        }
    }

    /// Follows the channel until an error occurs. Returns if the database accepts LISTEN without effect.
    private func follow(_ connection: PostgreSQLConnection) async throws {
        await connection.arm(until: .now() + timeouts.connect)
        try await connect(connection, 0)
        await connection.arm(until: .now() + timeouts.operation)
        try await connection.listen(to: name) { [cache] content in
            guard let content else { return cache.close() }
            // An operator who changes sessions sends a notification without a key.
            if let key = Int64(content) { cache.discard(key) } else { cache.open() }
        }
        cache.open()
        // Some databases ignore LISTEN. The result is then empty.
        let heartbeat = "SELECT 1::BIGINT FROM pg_listening_channels() AS channel WHERE channel = $1"
        while true {
            let sent = cache.now()
            await connection.arm(until: .now() + timeouts.operation)
            guard try await !connection.run(heartbeat, [.text(name)]).isEmpty else { return }
            cache.confirm(sent)
            await connection.disarm()
            try await Task.sleep(for: Self.heartbeatInterval)
        }
    }
}
#endif
