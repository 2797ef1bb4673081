import Foundation
import GRDB
package import MotivatorPlatform

extension SQLiteStore: AccountStore {
    package var isShared: Bool { false }

    package func run<Result: Sendable>(
        _ plan: Plan<Result>, inTransaction: Bool
    ) async throws(StoreError) -> Result {
        guard inTransaction else { return try await perform { try Self.run(plan, $0).result } }
        return try await write { try Self.run(plan, $0) }
    }

    private static func run<Result>(
        _ plan: Plan<Result>, _ database: Database
    ) throws -> (result: Result, Database.TransactionCompletion) {
        var plan = plan
        while true {
            switch plan {
            case .step(let step, let next):
                let statement = try database.cachedStatement(sql: step.statement.sql)
                let rows = try Row.fetchAll(statement, arguments: StatementArguments(step.statement))
                plan = try next(step.checked(rows.map { SQLiteRow(values: Array($0.databaseValues)) }))
            case .commit(let result): return (result, .commit)
            case .rollBack(let result): return (result, .rollback)
            }
        }
    }

    package func checkHealth(at now: UnixTime) async throws(StoreError) {
        let write = Statement(sql: "UPDATE health SET checked = $1 WHERE id = 1", parameters: [.integer(now)])
        try await apply([Step(write)])
    }

    package func damage() async throws(StoreError) -> String? {
        try await perform { database in
            do {
                let verdict = try String.fetchOne(database, sql: "PRAGMA integrity_check(1)")
                guard verdict == "ok" else { return verdict ?? "the check returned no result" }
                return try Row.fetchOne(database, sql: "PRAGMA foreign_key_check") == nil
                    ? nil : "a session or passkey belongs to an account that does not exist"
            } catch let error as DatabaseError where error.resultCode == .SQLITE_CORRUPT {
                return Self.reason(error)
            }
        }
    }
}

/// A row that SQLite returned. GRDB's own conversion traps if a value in a damaged file has an unexpected type.
struct SQLiteRow: StoredRow {
    let values: [DatabaseValue]

    func integer(_ column: Int) throws -> Int64 { try value(column) }
    func text(_ column: Int) throws -> String { try value(column) }
    func bytes(_ column: Int) throws -> [UInt8] { [UInt8](try value(column) as Data) }

    private func value<Value: DatabaseValueConvertible>(_ column: Int) throws -> Value {
        guard values.indices.contains(column), let value = Value.fromDatabaseValue(values[column]) else {
            throw StoreError.unavailable(reason: "the database is damaged: a record is unreadable")
        }
        return value
    }
}

extension StatementArguments {
    fileprivate init(_ statement: Statement) {
        self.init(
            statement.parameters.map { parameter -> DatabaseValue in
                switch parameter {
                case .integer(let number): number.databaseValue
                case .bytes(let bytes): Data(bytes).databaseValue
                case .text(let text): text.databaseValue
                }
            })
    }
}
