import Foundation
import GRDB
import MotivatorPlatform

extension SQLiteStore: RecordStore {
    package func records(
        after position: StoreRecord.Position?, most: Int
    ) async throws(StoreError) -> [StoreRecord] {
        try await perform { database in
            let start = position ?? .account(.min)
            if case .account(let id) = start {
                let page = try Self.rows(
                    "SELECT id, name, name_key, hash, created, changed FROM account WHERE id > ? ORDER BY id LIMIT ?",
                    [id, most], database
                ) { row in
                    .account(
                        id: try row.value(0), name: try row.value(1), key: try row.value(2), hash: try row.value(3),
                        created: try row.value(4), changed: try row.value(5))
                }
                if !page.isEmpty { return page }
            }
            if start < .address("") {
                let digest = if case .session(let digest) = start { digest } else { "" }
                let page = try Self.rows(
                    "SELECT digest, account, began, used FROM session WHERE digest > ? ORDER BY digest LIMIT ?",
                    [Data([UInt8](hexadecimal: digest) ?? []), most], database
                ) { row in
                    .session(
                        digest: try row.digest(0), account: try row.value(1), began: try row.value(2),
                        used: try row.value(3))
                }
                if !page.isEmpty { return page }
            }
            let key = if case .address(let key) = start { key } else { "" }
            return try Self.rows(
                "SELECT key, at FROM known_address WHERE key > ? ORDER BY key LIMIT ?",
                [Data([UInt8](hexadecimal: key) ?? []), most], database
            ) { row in .address(key: try row.digest(0), at: try row.value(1)) }
        }
    }

    package func insert(_ records: [StoreRecord]) async throws(StoreError) {
        try await transaction { database in
            for record in records {
                switch record {
                case .account(let id, let name, let key, let hash, let created, let changed):
                    let statement = try database.cachedStatement(
                        sql: """
                            INSERT INTO account (id, name, name_key, hash, created, changed) VALUES (?, ?, ?, ?, ?, ?)
                            ON CONFLICT (name_key) DO NOTHING
                            """)
                    try statement.execute(arguments: [id, name, key, hash, created, changed])
                    guard database.changesCount == 1 else { throw StoreError.nameTaken }
                case .session(let digest, let account, let began, let used):
                    let statement = try database.cachedStatement(
                        sql: """
                            INSERT INTO session (digest, account, began, used) SELECT ?, id, ?, ? FROM account WHERE id = ?
                            """)
                    try statement.execute(arguments: [Data([UInt8](hexadecimal: digest) ?? []), began, used, account])
                    guard database.changesCount == 1 else { throw StoreError.hashChanged }
                case .address(let key, let at):
                    try database.cachedStatement(sql: "INSERT INTO known_address (key, at) VALUES (?, ?)")
                        .execute(arguments: [Data([UInt8](hexadecimal: key) ?? []), at])
                case .passkey(let account, let passkey):
                    try Self.apply(PasskeyStatements.transfer(passkey, of: account), database)
                case .secret(let name, let value):
                    try Self.apply([Step(PasskeyStatements.replace(secret: name, with: value))], database)
                }
            }
        }
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

    private static func rows(
        _ sql: String, _ arguments: StatementArguments, _ database: Database, _ record: (Row) throws -> StoreRecord
    ) throws -> [StoreRecord] {
        let cursor = try Row.fetchCursor(try database.cachedStatement(sql: sql), arguments: arguments)
        var records: [StoreRecord] = []
        while let row = try cursor.next() { records.append(try record(row)) }
        return records
    }
}

extension Row {
    /// Returns the value of a column. GRDB's own conversion traps if a value in a damaged file has an unexpected type.
    fileprivate func value<Value: DatabaseValueConvertible>(_ index: Int) throws(StoreError) -> Value {
        guard let value = Value.fromDatabaseValue(self[index]) else {
            throw .unavailable(reason: "the database is damaged: a record is unreadable")
        }
        return value
    }

    fileprivate func digest(_ index: Int) throws(StoreError) -> String {
        let data: Data = try value(index)
        return data.hexadecimal
    }
}
