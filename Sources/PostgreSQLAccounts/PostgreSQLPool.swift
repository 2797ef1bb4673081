#if PostgreSQL
import Dispatch
import MotivatorPlatform

/// A bounded pool of connections.
///
/// If the server cannot be reached, operations fail immediately while the pool keeps trying to connect.
actor PostgreSQLPool {
    /// The maximum number of connections. By default, PostgreSQL allows 100 connections for all servers together.
    static let size = 8
    /// The maximum number of operations that can wait for a connection.
    static let mostWaiting = 256
    /// The time between two connection attempts during an outage.
    static let retryInterval = DispatchTimeInterval.milliseconds(500)

    /// Connects to the server and prepares the session. The number selects the address to try first; 0 selects the
    /// address that worked last.
    typealias Connect = @Sendable (PostgreSQLConnection, Int) async throws(PostgreSQLFailure) -> Void

    private typealias Waiter = CheckedContinuation<Result<PostgreSQLConnection, PostgreSQLFailure>, Never>

    nonisolated let executor = QueueExecutor(label: "accounts")
    private let connectTimeout: DispatchTimeInterval
    private let alternatives: @Sendable () -> Int
    private let connect: Connect
    private var idle: [PostgreSQLConnection] = []
    /// The number of established connections, idle or in use.
    private var established = 0
    private var connecting = 0
    /// The waiting operations. Clients take turns, so one client's operations do not delay those of others.
    private var waiting = FairQueue<[UInt8], Waiter>()
    private var lastTicket: UInt64 = 0
    /// The reason the server cannot be reached; nil without an outage. During an outage, the pool keeps trying to
    /// connect.
    private var outage: PostgreSQLFailure?
    private var isClosed = false
    private var closing: [CheckedContinuation<Void, Never>] = []

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    /// - Parameters:
    ///   - alternatives: returns the number of addresses. During an outage, the pool connects to all addresses in
    ///     parallel, because libpq waits for addresses that do not respond.
    init(
        connectTimeout: DispatchTimeInterval, alternatives: @escaping @Sendable () -> Int, connect: @escaping Connect
    ) {
        (self.connectTimeout, self.alternatives, self.connect) = (connectTimeout, alternatives, connect)
    }

    var inUse: Int { established - idle.count }

    /// Takes a connection from the pool.
    /// - Parameter deadline: the deadline for the wait and for the operations on the connection.
    /// - Returns: a connection. The caller must pass it to `release`.
    func acquire(until deadline: DispatchTime) async throws(PostgreSQLFailure) -> PostgreSQLConnection {
        guard !isClosed else { throw .closed }
        if let connection = takeIdle() {
            arm(connection, until: deadline)
            return connection
        }
        if let outage { throw outage }
        let client = CurrentClient.value.key
        if waiting.count >= Self.mostWaiting {
            guard let victim = waiting.victim(for: client) else { throw .full }
            waiting.remove(victim.ticket, of: victim.client)?.resume(returning: .failure(.full))
        }
        lastTicket += 1
        let ticket = lastTicket
        let result = await withCheckedContinuation { continuation in
            waiting.add(ticket, of: client, continuation)
            executor.queue.asyncAfter(deadline: deadline) { [weak self] in
                self?.assumeIsolated { $0.expire(ticket, of: client) }
            }
            connectIfNeeded()
        }
        let connection = try result.get()
        arm(connection, until: deadline)
        return connection
    }

    /// Returns a connection to the pool.
    func release(_ connection: PostgreSQLConnection, after failure: PostgreSQLFailure? = nil) {
        connection.assumeIsolated { $0.disarm() }
        let isSilent = failure == .timedOut && connection.assumeIsolated { $0.isSilent }
        if isClosed || failure?.isReadOnly == true || !connection.assumeIsolated({ $0.isIdle }) {
            discard(connection)
            if isSilent { suspectOutage() }
            connectIfNeeded()
        } else {
            outage = nil
            hand(connection)
        }
    }

    /// Refuses new operations. Closes the connections after the operations in progress finish.
    func close() async {
        isClosed = true
        fail(.closed)
        for connection in idle { discard(connection) }
        idle = []
        guard established + connecting > 0 else { return }
        await withCheckedContinuation { closing.append($0) }
    }

    private func takeIdle() -> PostgreSQLConnection? {
        while let connection = idle.popLast() {
            if connection.assumeIsolated({ $0.isIdle }) { return connection }
            discard(connection)
        }
        return nil
    }

    private func arm(_ connection: PostgreSQLConnection, until deadline: DispatchTime) {
        connection.assumeIsolated { $0.arm(until: deadline) }
    }

    /// Makes operations fail immediately until the server responds. The other connections would not respond either.
    private func suspectOutage() {
        for connection in idle { discard(connection) }
        idle = []
        guard !isClosed else { return }
        let isKnown = outage != nil
        outage = .timedOut
        fail(.timedOut)
        if !isKnown { retry() }
    }

    private func hand(_ connection: PostgreSQLConnection) {
        guard let next = waiting.next() else { return idle.append(connection) }
        next.element.resume(returning: .success(connection))
    }

    private func discard(_ connection: PostgreSQLConnection) {
        if let process = connection.assumeIsolated({ $0.busyProcess }) {
            Task { await cancel(process, of: connection) }
        } else {
            connection.assumeIsolated { $0.close() }
        }
        established -= 1
        resumeClosing()
    }

    /// Cancels a statement, and closes its connection. Otherwise, a commit would wait for its synchronous standby even
    /// without a client. Each of these waits would occupy a server connection.
    ///
    /// Uses a new connection, because before version 17, libpq sends the key of a cancel request without TLS. The old
    /// connection stays open until then, so no other server process can get the same ID.
    private func cancel(_ process: Int64, of connection: PostgreSQLConnection) async {
        let other = PostgreSQLConnection(on: executor)
        arm(other, until: .now() + connectTimeout)
        do throws(PostgreSQLFailure) {
            try await connect(other, 0)
            try await other.execute("SELECT pg_cancel_backend(\(process)::int)")
        } catch {
            // The server process then stays busy, because the server cannot be reached.
        }
        await other.close()
        await connection.close()
    }

    private func resumeClosing() {
        guard isClosed, established + connecting == 0 else { return }
        for continuation in closing { continuation.resume() }
        closing = []
    }

    private func fail(_ failure: PostgreSQLFailure) {
        for waiter in waiting.removeAll() { waiter.resume(returning: .failure(failure)) }
    }

    private func expire(_ ticket: UInt64, of client: [UInt8]) {
        waiting.remove(ticket, of: client)?.resume(returning: .failure(.timedOut))
    }

    private func connectIfNeeded() {
        while outage == nil, connecting < waiting.count, established + connecting < Self.size { startConnecting() }
    }

    private func startConnecting(_ number: Int = 0) {
        connecting += 1
        Task { await self.connectOnce(number) }
    }

    private func connectOnce(_ number: Int) async {
        let connection = PostgreSQLConnection(on: executor)
        arm(connection, until: .now() + connectTimeout)
        do throws(PostgreSQLFailure) {
            try await connect(connection, number)
            connecting -= 1
            established += 1
            release(connection)
        } catch {
            connectFailed(connection, error)
        }
    }

    private func connectFailed(_ connection: PostgreSQLConnection, _ failure: PostgreSQLFailure) {
        connection.assumeIsolated { $0.close() }
        connecting -= 1
        resumeClosing()
        // While other connections work, operations wait for them. The server may have reached its connection limit.
        guard established == 0 || outage != nil, !isClosed else { return }
        outage = failure
        fail(failure)
        guard connecting == 0 else { return }
        executor.queue.asyncAfter(deadline: .now() + Self.retryInterval) { [weak self] in
            self?.assumeIsolated { $0.retry() }
        }
    }

    private func retry() {
        guard !isClosed, outage != nil, connecting == 0 else { return }
        for number in 0..<min(alternatives(), Self.size) { startConnecting(number) }
    }
}
#endif
