import Foundation
import GRDB
package import MotivatorPlatform

/// An accounts store in one SQLite file. The store locks the file, so no other process can open a store in it.
///
/// The store uses one connection. In SQLite before 3.51.3, two connections that write and checkpoint at the same time
/// can damage a write-ahead log. An acknowledged transaction is on disk (`synchronous = FULL`).
package final class SQLiteStore: Sendable {
    /// The maximum number of operations that can wait for the connection. If the disk works, fewer operations wait.
    static let mostWaiting = 256

    let database: DatabaseQueue
    /// The lock on the file; nil after `close`.
    private let claim: Guarded<FileClaim?>
    /// The number of operations that use the connection or wait for it.
    let waiting = Guarded(0)
    package let touchFailed = Guarded<UnixTime?>(nil)
    /// The number of the last operation, in order of arrival.
    private let tickets = Guarded(0)
    /// The number of the last operation before the store found the database locked. Writes up to this number also fail,
    /// because each write could wait for the lock and delay later reads.
    private let lockedOut = Guarded(0)

    init(_ database: DatabaseQueue, claim: FileClaim) {
        self.database = database
        self.claim = Guarded(claim)
    }

    /// Runs `body` on the connection. Canceling the task does not interrupt `body`.
    func perform<Result: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Result
    ) async throws(StoreError) -> Result {
        guard claim.withLock({ $0 != nil }) else { throw .unavailable(reason: "the database is closed") }
        let mayWait = waiting.withLock { count in
            guard count < Self.mostWaiting else { return false }
            count += 1
            return true
        }
        guard mayWait else {
            throw .unavailable(reason: "\(Self.mostWaiting) operations are waiting for the database")
        }
        let outcome = await withCheckedContinuation { continuation in
            database.asyncWriteWithoutTransaction { database in
                continuation.resume(returning: Swift.Result { try body(database) }.mapError { Self.explain($0) })
            }
        }
        waiting.withLock { $0 -= 1 }
        return try outcome.get()
    }

    /// Runs `body` in a transaction, and rolls back if `body` throws or returns `.rollback`.
    func write<Result: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> (Result, Database.TransactionCompletion)
    ) async throws(StoreError) -> Result {
        let ticket = tickets.withLock { count in
            count += 1
            return count
        }
        return try await perform { [self] database in
            guard ticket > lockedOut.withLock({ $0 }) else {
                throw StoreError.unavailable(reason: "another program had locked the database")
            }
            var result: Result?
            do {
                // An immediate transaction detects another program's lock at the start, before any read.
                try database.inTransaction(.immediate) {
                    let (made, completion) = try body(database)
                    result = made
                    return completion
                }
            } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
                lockedOut.withLock { $0 = tickets.withLock { $0 } }
                throw error
            }
            guard let result else { throw StoreError.unavailable(reason: "the transaction returned no result") }
            return result
        }
    }

    /// Describes an error without row values.
    static func explain(_ error: any Error) -> StoreError {
        switch error {
        case let error as StoreError: error
        // The account of a session or passkey does not exist.
        case DatabaseError.SQLITE_CONSTRAINT_FOREIGNKEY: .hashChanged
        case let error as DatabaseError: .unavailable(reason: reason(error))
        default: .unavailable(reason: "\(error)")
        }
    }

    static func reason(_ error: DatabaseError) -> String {
        "SQLite error \(error.extendedResultCode.rawValue): \(error.message ?? "\(error.extendedResultCode)")"
    }

    package func close() async {
        // Later operations fail. Earlier operations run first, because the connection has a serial queue.
        guard let claim = claim.withLock({ $0.take() }) else { return }
        await withCheckedContinuation { continuation in
            database.asyncWriteWithoutTransaction { [database] connection in
                // If the checkpoint fails, SQLite reads the rest of the log when the file is next opened.
                _ = try? connection.checkpoint(.truncate)
                DispatchQueue.global().async {
                    try? database.close()
                    continuation.resume()
                }
            }
        }
        withExtendedLifetime(claim) {}
    }
}
