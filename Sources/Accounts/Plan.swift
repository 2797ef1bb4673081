/// One row that a store has read.
package protocol StoredRow: Sendable {
    func integer(_ column: Int) throws -> Int64
    func text(_ column: Int) throws -> String
    func bytes(_ column: Int) throws -> [UInt8]
}

/// A statement with its parameters.
///
/// SQLite numbers the parameters in the order of their first use. A statement therefore uses `$1` first, then `$2`.
package struct Statement: Sendable {
    package enum Parameter: Sendable {
        case integer(Int64)
        case bytes([UInt8])
        case text(String)
    }

    package let sql: String
    package let parameters: [Parameter]

    package init(sql: String, parameters: [Parameter]) {
        (self.sql, self.parameters) = (sql, parameters)
    }
}

extension Statement {
    /// Inserts rows, except those that already exist, and returns a row for each inserted row. A secret replaces the
    /// existing secret. A unique violation would write the values to a server's log.
    init(inserting rows: [[Parameter]], into table: String) {
        let width = rows.first?.count ?? 0
        let values = rows.indices.map { row in
            "(" + (1...width).map { "$\(row * width + $0)" }.joined(separator: ",") + ")"
        }
        let conflict = table.hasPrefix("secret ") ? "(name) DO UPDATE SET value = excluded.value" : "DO NOTHING"
        self.init(
            sql: "INSERT INTO \(table) VALUES \(values.joined(separator: ",")) ON CONFLICT \(conflict) RETURNING 1",
            parameters: rows.flatMap(\.self))
    }
}

package struct Step: Sendable {
    package let statement: Statement
    /// The error if the statement returns no row; nil if rows do not matter.
    package let otherwise: StoreError?
    /// Whether a store with concurrent transactions locks the selected rows.
    package let locks: Bool
    /// The account's number or the prefix of the digest of the sessions that the statement changes. A store that keeps
    /// copies of sessions discards these everywhere, if the statement returns a row.
    package let changed: Int64?

    package init(_ statement: Statement, otherwise: StoreError? = nil, locks: Bool = false, changing key: Int64? = nil)
    {
        (self.statement, self.otherwise, self.locks, changed) = (statement, otherwise, locks, key)
    }

    /// Returns the rows of the statement, or throws the error of the step if there are none.
    package func checked(_ rows: [any StoredRow]) throws(StoreError) -> [any StoredRow] {
        if rows.isEmpty, let otherwise { throw otherwise }
        return rows
    }
}

/// The steps of one operation. Each step may depend on the rows of the earlier steps. A store that retries after a
/// conflict runs the whole plan again.
package enum Plan<Result: Sendable>: Sendable {
    /// Runs a step, and continues with the rows of its statement.
    case step(Step, then: @Sendable ([any StoredRow]) throws -> Plan)
    case commit(Result)
    case rollBack(Result)

    static func run(_ statement: Statement, then next: @escaping @Sendable ([any StoredRow]) throws -> Plan) -> Plan {
        .step(Step(statement), then: next)
    }

    /// Runs steps in order, and continues with another plan.
    static func steps(_ steps: [Step], then last: Plan) -> Plan {
        steps.reversed().reduce(last) { next, step in .step(step) { _ in next } }
    }
}

extension AccountStore {
    package func rows(_ query: Statement) async throws(StoreError) -> [any StoredRow] {
        try await run(.run(query) { .commit($0) }, inTransaction: false)
    }

    package func values<Value>(
        _ query: Statement, _ value: (any StoredRow) throws -> Value
    ) async throws(StoreError) -> [Value] {
        let rows = try await rows(query)
        do {
            return try rows.map(value)
        } catch {
            throw .unavailable(reason: "the database is damaged: a record is unreadable")
        }
    }

    /// Runs steps in one transaction, in order. If a step's statement returns no row, the transaction is rolled back.
    /// - Throws: the error of the step.
    package func apply(_ steps: [Step]) async throws(StoreError) {
        try await run(.steps(steps, then: .commit(())), inTransaction: true)
    }
}
