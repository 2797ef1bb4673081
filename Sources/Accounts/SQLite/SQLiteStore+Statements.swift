import Foundation
import GRDB

extension SQLiteStore {
    package func rows(_ query: Statement) async throws(StoreError) -> [any StoredRow] {
        try await perform { database in
            try Row.fetchAll(try database.cachedStatement(sql: query.sql), arguments: StatementArguments(query))
                .map { SQLiteRow(values: Array($0.databaseValues)) }
        }
    }

    package func apply(_ steps: [Step]) async throws(StoreError) {
        try await transaction { try Self.apply(steps, $0) }
    }

    static func apply(_ steps: [Step], _ database: Database) throws {
        for step in steps {
            let statement = try database.cachedStatement(sql: step.statement.sql)
            let arguments = StatementArguments(step.statement)
            if let error = step.otherwise {
                guard try Row.fetchOne(statement, arguments: arguments) != nil else { throw error }
            } else {
                try statement.execute(arguments: arguments)
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
