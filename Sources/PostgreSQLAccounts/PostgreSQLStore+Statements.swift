#if PostgreSQL
package import Accounts

extension PostgreSQLStore {
    package func rows(_ query: Statement) async throws(StoreError) -> [any StoredRow] {
        try await perform { try await $0.run(query) }
    }

    package func apply(_ steps: [Step]) async throws(StoreError) {
        try await transaction { connection in
            for step in steps {
                let sql = step.statement.sql + (step.locks ? " FOR UPDATE" : "")
                let rows = try await connection.run(
                    sql, step.statement.parameters.map { PostgreSQLConnection.Parameter($0) })
                if rows.isEmpty, let error = step.otherwise { throw error }
            }
        }
    }
}

extension PostgreSQLRow: StoredRow {
    func bytes(_ column: Int) throws(PostgreSQLFailure) -> [UInt8] {
        guard values.indices.contains(column) else { throw .unexpected("a value is missing") }
        return values[column]
    }
}
#endif
