#if PostgreSQL
package import Accounts
import MotivatorPlatform

extension PostgreSQLStore: RecordStore {
    /// The number of rows per statement. The protocol limits a statement to 65,535 parameters.
    private static let rowsPerStatement = 500

    package func insert(_ records: [StoreRecord]) async throws(StoreError) {
        var accounts: [[Statement.Parameter]] = []
        var sessions: [[Statement.Parameter]] = []
        var addresses: [[Statement.Parameter]] = []
        var passkeys: [[Statement.Parameter]] = []
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
                passkeys.append(PasskeyStatements.values(passkey, of: account))
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
        _ rows: [[Statement.Parameter]], into table: String, _ connection: PostgreSQLConnection
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
