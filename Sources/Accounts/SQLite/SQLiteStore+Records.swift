import Foundation
import GRDB
import MotivatorPlatform

extension SQLiteStore: RecordStore {
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
}
