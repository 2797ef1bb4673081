#if PostgreSQL
import Accounts
import CPostgreSQL
import Dispatch
import MotivatorPlatform

/// The executor of a pool and its connections, which share one serial queue.
final class QueueExecutor: SerialExecutor {
    let queue: DispatchQueue

    init(label: String) {
        queue = DispatchQueue(label: label)
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { [self] in unsafe job.runSynchronously(on: asUnownedSerialExecutor()) }
    }

    func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }
}

/// A connection to a PostgreSQL server. Operations must use the connection one at a time.
///
/// No call blocks: libpq runs in non-blocking mode, and dispatch sources watch its socket.
@safe actor PostgreSQLConnection {
    private let executor: QueueExecutor
    /// The `PGconn`, which this actor owns; nil after `close`.
    // Unsafe, because pointers are not Sendable. Only the actor's methods and `deinit` use the handle, never at the
    // same time.
    private nonisolated(unsafe) var handle: OpaquePointer?
    /// The watch for readable bytes; nil until the connection is established.
    private var reading: Watch?
    private var waiter: CheckedContinuation<Void, Never>?
    /// Whether an event arrived when no operation was waiting.
    private var hasEvent = false
    private var timer: DispatchWorkItem?
    private var isExpired = false
    private var lastRequest = DispatchTime.now()
    private var isLost = false
    /// Receives notifications; nil if the connection does not listen.
    private var receiver: (@Sendable (String?) -> Void)?
    /// The names of the prepared statements, by SQL text.
    private var prepared: [String: String] = [:]

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    init(on executor: QueueExecutor) {
        self.executor = executor
    }

    deinit {
        unsafe PQfinish(handle)
    }

    var isUsable: Bool { unsafe handle != nil && !isLost && !isExpired }

    /// Whether more than a second has passed since the last request.
    var isSilent: Bool { DispatchTime.now() > lastRequest + .seconds(1) }

    /// Whether the connection is usable and outside a transaction. Another operation can then use the connection.
    var isIdle: Bool { unsafe isUsable && PQtransactionStatus(handle) == PQTRANS_IDLE }

    func open(_ options: [(name: String, value: String)]) async throws(PostgreSQLFailure) {
        unsafe handle = unsafe withCStrings(options.map { Array($0.name.utf8) }) { names in
            unsafe withCStrings(options.map { Array($0.value.utf8) }) { unsafe PQconnectStartParams(names, $0, 0) }
        }
        // Without a receiver, libpq writes notices to standard error.
        unsafe PQsetNoticeReceiver(handle, { _, _ in }, nil)
        guard unsafe PQstatus(handle) != CONNECTION_BAD else { throw lost() }
        var step = PGRES_POLLING_WRITING
        while step != PGRES_POLLING_OK {
            guard step != PGRES_POLLING_FAILED else { throw lost() }
            // libpq may replace its socket in each step.
            let watch = try watch(forWriting: step == PGRES_POLLING_WRITING)
            defer { withExtendedLifetime(watch) {} }
            try await wait()
            step = unsafe PQconnectPoll(handle)
        }
        guard unsafe PQsetnonblocking(handle, 1) == 0 else { throw lost() }
        reading = try watch(forWriting: false)
    }

    /// The ID of the server process that still executes a statement; nil if there is none.
    var busyProcess: Int64? {
        unsafe PQtransactionStatus(handle) == PQTRANS_ACTIVE ? Int64(PQbackendPID(handle)) : nil
    }

    /// Closes the connection. An operation in progress fails.
    func close() {
        isLost = true
        disarm()
        reading = nil
        unsafe PQfinish(handle)
        unsafe handle = nil
        resume()
    }

    func arm(until deadline: DispatchTime) {
        timer?.cancel()
        let timer = DispatchWorkItem { [weak self] in self?.assumeIsolated { $0.expire() } }
        self.timer = timer
        executor.queue.asyncAfter(deadline: deadline, execute: timer)
    }

    func disarm() {
        timer?.cancel()
        timer = nil
    }

    private func expire() {
        isExpired = true
        resume()
    }

    /// Returns the value that the server reported for a setting, if any.
    func setting(_ name: String) -> String? {
        guard let value = unsafe PQparameterStatus(handle, name) else { return nil }
        return unsafe String(cString: value)
    }

    /// Executes statements without parameters.
    /// - Returns: the command tag of the last statement.
    @discardableResult
    func execute(_ sql: String) async throws(PostgreSQLFailure) -> String {
        try checkUsable()
        guard unsafe PQsendQuery(handle, sql) == 1 else { throw lost() }
        return try await results().tag
    }

    /// Executes a statement. Each connection prepares the statement once.
    /// - Returns: the rows, with the values in the server's binary format.
    @discardableResult
    func run(_ sql: String, _ parameters: [Statement.Parameter] = []) async throws(PostgreSQLFailure) -> [PostgreSQLRow]
    {
        try checkUsable()
        let count = Int32(parameters.count)
        let name: String
        if let known = prepared[sql] {
            name = known
        } else {
            name = "s\(prepared.count)"
            let types = parameters.map(\.type)
            guard unsafe PQsendPrepare(handle, name, sql, count, types) == 1 else { throw lost() }
            _ = try await results()
            prepared[sql] = name
        }
        let values = parameters.map(\.bytes)
        let lengths = values.map { Int32(clamping: $0.count) }
        let formats = [Int32](repeating: 1, count: parameters.count)
        let isSent = unsafe withCStrings(values) {
            unsafe PQsendQueryPrepared(handle, name, count, $0, lengths, formats, 1)
        }
        guard isSent == 1 else { throw lost() }
        return try await results().rows
    }

    /// Starts to receive the notifications of a channel.
    /// - Parameter receiver: called with the content of each notification, and with nil when the connection is lost. When
    ///   a later operation returns, the receiver has received everything that the server sent before its response.
    func listen(
        to channel: String, _ receiver: @escaping @Sendable (String?) -> Void
    ) async throws(PostgreSQLFailure) {
        self.receiver = receiver
        try await execute("LISTEN \(channel)")
    }

    private func receiveNotifications() {
        guard let receiver else { return }
        while let notification = unsafe PQnotifies(handle) {
            unsafe receiver(String(cString: notification.pointee.extra))
            unsafe PQfreemem(notification)
        }
    }

    private func checkUsable() throws(PostgreSQLFailure) {
        if isExpired { throw .timedOut }
        guard isUsable else { throw .lost("the connection was closed") }
    }

    /// Sends the request and collects the results.
    private func results() async throws(PostgreSQLFailure) -> (rows: [PostgreSQLRow], tag: String) {
        lastRequest = .now()
        try await flush()
        var outcome: Result<(rows: [PostgreSQLRow], tag: String), PostgreSQLFailure>?
        while true {
            // After the connection is lost, PQgetResult returns the error without waiting.
            while unsafe !isLost && PQisBusy(handle) == 1 { try await wait() }
            guard let result = unsafe PQgetResult(handle) else { break }
            defer { unsafe PQclear(result) }
            // Keep the first error, because it causes the later ones.
            if case .failure = outcome { continue }
            outcome = unsafe decode(result)
        }
        guard let outcome else { throw lost() }
        receiveNotifications()
        return try outcome.get()
    }

    private func decode(
        _ result: OpaquePointer
    ) -> Result<(rows: [PostgreSQLRow], tag: String), PostgreSQLFailure> {
        let status = unsafe PQresultStatus(result)
        guard status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK else {
            // The fields are PG_DIAG_SQLSTATE and PG_DIAG_MESSAGE_PRIMARY, which Swift imports as characters. Other
            // fields of an error contain row values.
            guard let state = unsafe PQresultErrorField(result, Int32(UInt8(ascii: "C"))),
                let message = unsafe PQresultErrorField(result, Int32(UInt8(ascii: "M")))
            else { return .failure(lost()) }
            return unsafe .failure(.server(state: String(cString: state), message: String(cString: message)))
        }
        let rows = unsafe (0..<PQntuples(result)).map { row in
            unsafe PostgreSQLRow(
                values: (0..<PQnfields(result)).map { column in
                    guard let start = unsafe PQgetvalue(result, row, column) else { return [] }
                    let count = unsafe Int(PQgetlength(result, row, column))
                    return unsafe [UInt8](UnsafeRawBufferPointer(start: start, count: count))
                })
        }
        let tag = unsafe PQcmdStatus(result).map { unsafe String(cString: $0) }
        return .success((rows, tag ?? ""))
    }

    private func flush() async throws(PostgreSQLFailure) {
        while true {
            switch unsafe PQflush(handle) {
            case 0: return
            case 1:
                let watch = try watch(forWriting: true)
                defer { withExtendedLifetime(watch) {} }
                try await wait()
                if isLost { throw lost() }
            case _: throw lost()
            }
        }
    }

    /// Waits for an event, or returns immediately after an event that no operation waited for.
    ///
    /// Each call in this actor can suspend the task, so an event can arrive after the check that requires the wait.
    private func wait() async throws(PostgreSQLFailure) {
        if !isExpired {
            await withCheckedContinuation { if hasEvent { $0.resume() } else { waiter = $0 } }
            hasEvent = false
        }
        if isExpired { throw .timedOut }
    }

    private func watch(forWriting: Bool) throws(PostgreSQLFailure) -> Watch {
        do {
            return try Watch(unsafe PQsocket(handle), forWriting: forWriting, on: executor.queue) { [weak self] in
                self?.assumeIsolated { $0.ready() }
            }
        } catch {
            throw .lost("\(error)")
        }
    }

    /// Reads available bytes and resumes the operation that waits for the socket. Also detects a lost connection.
    private func ready() {
        if reading != nil, unsafe PQconsumeInput(handle) == 0 {
            isLost = true
            reading = nil
            receiver?(nil)
        }
        receiveNotifications()
        resume()
    }

    private func resume() {
        hasEvent = waiter == nil
        waiter?.resume()
        waiter = nil
    }

    private func lost() -> PostgreSQLFailure {
        isLost = true
        guard let message = unsafe PQerrorMessage(handle) else { return .lost("out of memory") }
        return unsafe .lost(String(cString: message))
    }
}

/// A watch on a socket. Releasing this value ends the watch.
private final class Watch {
    private let source: any DispatchSourceProtocol

    /// - Parameters:
    ///   - socket: the socket. The source uses a copy, because libpq may close a watched socket.
    ///   - forWriting: whether to wait until the socket is writable instead of readable.
    ///   - handler: called when the socket is ready.
    init(
        _ socket: Int32, forWriting: Bool, on queue: DispatchQueue, _ handler: @escaping @Sendable () -> Void
    ) throws(SystemError) {
        let copy = fcntl(socket, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0 else { throw SystemError("fcntl") }
        source =
            forWriting
            ? DispatchSource.makeWriteSource(fileDescriptor: copy, queue: queue)
            : DispatchSource.makeReadSource(fileDescriptor: copy, queue: queue)
        source.setEventHandler(handler: handler)
        source.setCancelHandler { MotivatorPlatform.close(copy) }
        source.activate()
    }

    deinit {
        source.cancel()
    }
}

/// A result row, with values in the server's binary format. A null value is empty.
struct PostgreSQLRow: StoredRow {
    let values: [[UInt8]]

    func integer(_ column: Int) throws(PostgreSQLFailure) -> Int64 {
        let bytes = values.indices.contains(column) ? values[column] : []
        guard bytes.count == 8 else { throw .unexpected("a value is not a 64-bit integer") }
        return bytes.reduce(0) { $0 << 8 | Int64($1) }
    }

    func text(_ column: Int) throws(PostgreSQLFailure) -> String {
        String(decoding: try bytes(column), as: UTF8.self)
    }

    func bytes(_ column: Int) throws(PostgreSQLFailure) -> [UInt8] {
        guard values.indices.contains(column) else { throw .unexpected("a value is missing") }
        return values[column]
    }
}

extension Statement.Parameter {
    /// The object identifier of the type in the database, which is the same in all PostgreSQL versions (`pg_type.dat`).
    fileprivate var type: UInt32 {
        switch self {
        case .bytes: 17
        case .integer: 20
        case .text: 25
        }
    }

    /// The value in the server's binary format.
    fileprivate var bytes: [UInt8] {
        switch self {
        case .integer(let value): (0..<8).map { UInt8(truncatingIfNeeded: value >> (56 - 8 * $0)) }
        case .text(let value): Array(value.utf8)
        case .bytes(let value): value
        }
    }
}

/// Calls `body` with a null-terminated array of null-terminated values.
private func withCStrings<Result>(
    _ values: [[UInt8]], _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Result
) -> Result {
    unsafe values.flatMap { value -> [UInt8] in value + [0] }.withUnsafeBytes { buffer in
        var next = unsafe buffer.baseAddress?.assumingMemoryBound(to: CChar.self)
        var pointers = unsafe values.map { value in
            defer { unsafe next? += value.count + 1 }
            return unsafe next
        }
        unsafe pointers.append(nil)
        return unsafe body(pointers)
    }
}
#endif
