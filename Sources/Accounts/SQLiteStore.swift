import Foundation
import GRDB
import Platform

/// Accounts in one SQLite file, which one process uses at a time.
///
/// One connection does everything: SQLite before 3.51.3 can damage a write-ahead log when two connections write and
/// checkpoint at once. A transaction that was acknowledged is on the disk (`synchronous = FULL`).
public final class SQLiteStore: Sendable {
    /// How many operations may wait for the connection: more than a working disk ever lets wait.
    static let mostWaiting = 256

    let database: DatabaseQueue
    /// Held as long as the file is used; nil once it is let go.
    private let claim: Guarded<FileClaim?>
    private let waiting = Guarded(0)
    /// When a look-up last failed to write down that a session is used: it is not tried again within the same second,
    /// as each try may wait for a lock, and everybody behind it too.
    let touchFailed = Guarded<UnixTime?>(nil)
    /// Counts operations in the order in which they came.
    private let tickets = Guarded(0)
    /// The last operation that had come when the lock was found taken. What had come until then fails too if it writes:
    /// each try may wait for the lock, and whoever reads would wait behind them all.
    private let lockedOut = Guarded(0)

    init(_ database: DatabaseQueue, claim: FileClaim) {
        self.database = database
        self.claim = Guarded(claim)
    }

    /// Does something with the connection when its turn comes; it is not interrupted when the task is cancelled.
    func perform<Result: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Result
    ) async throws(StoreError) -> Result {
        guard claim.withLock({ $0 != nil }) else { throw .unavailable(reason: "the database is closed") }
        let mayWait = waiting.withLock { count in
            guard count < Self.mostWaiting else { return false }
            count += 1
            return true
        }
        guard mayWait else { throw .unavailable(reason: "\(Self.mostWaiting) operations wait for the database") }
        let outcome = await withCheckedContinuation { continuation in
            database.asyncWriteWithoutTransaction { database in
                continuation.resume(returning: Swift.Result { try body(database) }.mapError { Self.explain($0) })
            }
        }
        waiting.withLock { $0 -= 1 }
        return try outcome.get()
    }

    /// Does something in one transaction, which is undone when `body` throws.
    func transaction<Result: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Result
    ) async throws(StoreError) -> Result {
        try await write { database in (try body(database), .commit) }
    }

    /// Does something in one transaction, which is undone when `body` throws or says so.
    func write<Result: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> (Result, Database.TransactionCompletion)
    ) async throws(StoreError) -> Result {
        let ticket = tickets.withLock { count in
            count += 1
            return count
        }
        return try await perform { [self] database in
            guard ticket > lockedOut.withLock({ $0 }) else {
                throw StoreError.unavailable(reason: "another program had the database locked")
            }
            var result: Result?
            do {
                // Immediate, so that a lock of somebody else is met at the beginning, and not after reading.
                try database.inTransaction(.immediate) {
                    let (made, completion) = try body(database)
                    result = made
                    return completion
                }
            } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
                lockedOut.withLock { $0 = tickets.withLock { $0 } }
                throw error
            }
            guard let result else { throw StoreError.unavailable(reason: "the transaction did nothing") }
            return result
        }
    }

    /// What went wrong, in words that hold no value of any row.
    static func explain(_ error: any Error) -> StoreError {
        switch error {
        case let error as StoreError: error
        case let error as DatabaseError: .unavailable(reason: reason(error))
        default: .unavailable(reason: "\(error)")
        }
    }

    static func reason(_ error: DatabaseError) -> String {
        "SQLite error \(error.extendedResultCode.rawValue): \(error.message ?? "\(error.extendedResultCode)")"
    }
}

extension SQLiteStore {
    public func checkHealth(at now: UnixTime) async throws(StoreError) {
        try await transaction { database in
            try database.cachedStatement(sql: "UPDATE health SET checked = ? WHERE id = 1").execute(arguments: [now])
        }
    }

    public func close() async {
        // Whoever comes later is refused; whoever came before is served first, as the connection has one queue.
        guard let claim = claim.withLock({ $0.take() }) else { return }
        await withCheckedContinuation { continuation in
            database.asyncWriteWithoutTransaction { database in
                // What is left in the log is read back at the next opening, so this may fail.
                _ = try? database.checkpoint(.truncate)
                continuation.resume()
            }
        }
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async { [database] in
                try? database.close()
                continuation.resume()
            }
        }
        claim.release()
    }
}
