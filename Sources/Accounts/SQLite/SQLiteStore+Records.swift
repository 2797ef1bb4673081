import GRDB

extension SQLiteStore: RecordStore {
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
