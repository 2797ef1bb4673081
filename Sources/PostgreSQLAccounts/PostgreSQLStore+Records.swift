#if PostgreSQL
package import Accounts
import MotivatorPlatform

extension PostgreSQLStore: RecordStore {
    /// The number of rows per statement. The protocol limits a statement to 65,535 parameters.
    private static let rowsPerStatement = 500

    package func records(
        after position: StoreRecord.Position?, most: Int
    ) async throws(StoreError) -> [StoreRecord] {
        try await perform { connection in
            let start = position ?? .account(.min)
            if case .account(let id) = start {
                let rows = try await connection.run(
                    """
                    SELECT id, name, name_key, hash, created, changed FROM account WHERE id > $1 ORDER BY id LIMIT $2
                    """, [.integer(id), .integer(Int64(most))])
                if !rows.isEmpty {
                    return try rows.map { row in
                        .account(
                            id: try row.integer(0), name: try row.text(1), key: try row.text(2), hash: try row.text(3),
                            created: try row.integer(4), changed: try row.integer(5))
                    }
                }
            }
            if start < .address("") {
                let digest = if case .session(let digest) = start { digest } else { "" }
                let rows = try await connection.run(
                    "SELECT digest, account, began, used FROM session WHERE digest > $1 ORDER BY digest LIMIT $2",
                    [.bytes([UInt8](hexadecimal: digest) ?? []), .integer(Int64(most))])
                if !rows.isEmpty {
                    return try rows.map { row in
                        .session(
                            digest: row.values[0].hexadecimal, account: try row.integer(1), began: try row.integer(2),
                            used: try row.integer(3))
                    }
                }
            }
            let key = if case .address(let key) = start { key } else { "" }
            let rows = try await connection.run(
                "SELECT key, at FROM known_address WHERE key > $1 ORDER BY key LIMIT $2",
                [.bytes([UInt8](hexadecimal: key) ?? []), .integer(Int64(most))])
            return try rows.map { row in .address(key: row.values[0].hexadecimal, at: try row.integer(1)) }
        }
    }

    package func insert(_ records: [StoreRecord]) async throws(StoreError) {
        var accounts: [[PostgreSQLConnection.Parameter]] = []
        var sessions: [[PostgreSQLConnection.Parameter]] = []
        var addresses: [[PostgreSQLConnection.Parameter]] = []
        var passkeys: [[PostgreSQLConnection.Parameter]] = []
        var secrets: [Statement] = []
        for record in records {
            switch record {
            case .account(let id, let name, let key, let hash, let created, let changed):
                accounts.append([
                    .integer(id), .text(name), .text(key), .text(hash), .bytes(Self.prefix(ofHash: hash)),
                    .integer(created), .integer(changed),
                ])
            case .session(let digest, let account, let began, let used):
                sessions.append([
                    .bytes([UInt8](hexadecimal: digest) ?? []), .integer(account), .integer(began), .integer(used),
                ])
            case .address(let key, let at): addresses.append([.bytes([UInt8](hexadecimal: key) ?? []), .integer(at)])
            case .passkey(let account, let passkey):
                passkeys.append(
                    PasskeyStatements.values(passkey, of: account).map { PostgreSQLConnection.Parameter($0) })
            case .secret(let name, let value):
                secrets.append(PasskeyStatements.replace(secret: name, with: value))
            }
        }
        let tables = [
            ("account (id, name, name_key, hash, hash_prefix, created, changed)", accounts),
            ("session (digest, account, began, used)", sessions), ("known_address (key, at)", addresses),
            ("passkey (\(PasskeyStatements.columns))", passkeys),
        ]
        try await transaction { [secrets] connection in
            for (table, rows) in tables {
                for start in stride(from: 0, to: rows.count, by: Self.rowsPerStatement) {
                    let part = rows[start..<min(start + Self.rowsPerStatement, rows.count)]
                    try await Self.insert(Array(part), into: table, connection)
                }
            }
            try await connection.run(secrets)
        }
    }

    private static func insert(
        _ rows: [[PostgreSQLConnection.Parameter]], into table: String, _ connection: PostgreSQLConnection
    ) async throws {
        let width = rows.first?.count ?? 0
        let values = rows.indices.map { row in
            "(" + (1...width).map { "$\(row * width + $0)" }.joined(separator: ",") + ")"
        }
        // Avoid a unique violation, which would write the name to the server's log.
        let sql = """
            INSERT INTO \(table) VALUES \(values.joined(separator: ",")) ON CONFLICT DO NOTHING RETURNING 1::BIGINT
            """
        do throws(PostgreSQLFailure) {
            let inserted = try await connection.run(sql, rows.flatMap(\.self))
            guard inserted.count < rows.count else { return }
        } catch {
            // SQLSTATE 23503 is a foreign key violation.
            guard case .server(let state, _) = error, state == "23503" else { throw error }
            throw StoreError.hashChanged
        }
        throw StoreError.nameTaken
    }

    /// Returns nil, because the server itself detects damage.
    package func damage() -> String? { nil }
}
#endif
