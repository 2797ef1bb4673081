import Foundation
import GRDB
package import MotivatorPlatform

extension SQLiteStore: AccountStore {
    package func hashPrefixes(most: Int) async throws(StoreError) -> [String] {
        try await perform { database in
            // Search the index once per prefix, regardless of the number of accounts.
            let statement = try database.cachedStatement(
                sql: """
                    SELECT substr(hash, 1, length(hash) - 67) FROM account
                    WHERE substr(hash, 1, length(hash) - 67) > ?
                    ORDER BY substr(hash, 1, length(hash) - 67) LIMIT 1
                    """)
            var prefixes: [String] = []
            while prefixes.count < most,
                let row = try Row.fetchOne(statement, arguments: [prefixes.last ?? ""]),
                let prefix = String.fromDatabaseValue(row[0])
            {
                prefixes.append(prefix)
            }
            return prefixes
        }
    }

    @discardableResult
    package func createAccount(
        _ name: UserName, hash: String, session: SHA256, settling attempt: AttemptKeys, at now: UnixTime
    ) async throws(StoreError) -> StoredAccount {
        try await transaction { database in
            let statement = try database.cachedStatement(
                sql: """
                    INSERT INTO account (name, name_key, hash, created, changed) VALUES (?, ?, ?, ?, ?)
                    ON CONFLICT (name_key) DO NOTHING
                    """)
            try statement.execute(arguments: [name.text, name.key, hash, now, now])
            guard database.changesCount == 1 else { throw StoreError.nameTaken }
            let account = StoredAccount(id: database.lastInsertedRowID, name: name.text, key: name.key, hash: hash)
            try Self.insert(session, database, for: account, at: now)
            try Self.execute(ThrottleStatements.settleSignUp(attempt, at: now), database)
            return account
        }
    }

    package func beginSession(
        _ session: SHA256, for account: StoredAccount, rehash: String?, settling attempt: AttemptKeys, at now: UnixTime
    ) async throws(StoreError) {
        try await transaction { database in
            var account = account
            if let rehash { account = try Self.replaceHash(of: account, with: rehash, database, at: now) }
            try Self.insert(session, database, for: account, at: now)
            try Self.execute(ThrottleStatements.settle(attempt, at: now), database)
        }
    }

    package func replaceHash(
        of account: StoredAccount, with hash: String, session: SHA256, settling attempt: AttemptKeys, at now: UnixTime
    ) async throws(StoreError) {
        try await transaction { database in
            let changed = try Self.replaceHash(of: account, with: hash, database, at: now)
            try database.cachedStatement(sql: SessionStatements.removeAll).execute(arguments: [account.id])
            try Self.insert(session, database, for: changed, at: now)
            try Self.execute(ThrottleStatements.settle(attempt, at: now), database)
        }
    }

    package func deleteAccount(
        _ account: StoredAccount, settling attempt: AttemptKeys
    ) async throws(StoreError) {
        try await transaction { database in
            // The foreign keys also delete the sessions and the passkeys.
            try database.cachedStatement(sql: "DELETE FROM account WHERE id = ? AND hash = ?")
                .execute(arguments: [account.id, account.hash])
            guard database.changesCount == 1 else { throw StoreError.hashChanged }
            try Self.execute(ThrottleStatements.settleDeletion(attempt), database)
        }
    }

    private static func replaceHash(
        of account: StoredAccount, with hash: String, _ database: Database, at now: UnixTime
    ) throws -> StoredAccount {
        try database.cachedStatement(sql: "UPDATE account SET hash = ?, changed = ? WHERE id = ? AND hash = ?")
            .execute(arguments: [hash, now, account.id, account.hash])
        guard database.changesCount == 1 else { throw StoreError.hashChanged }
        return StoredAccount(id: account.id, name: account.name, key: account.key, hash: hash)
    }

    /// Inserts a session if the account still has this hash.
    private static func insert(
        _ session: SHA256, _ database: Database, for account: StoredAccount, at now: UnixTime
    ) throws {
        let statement = try database.cachedStatement(
            sql: """
                INSERT INTO session (digest, account, began, used, confirmed, password_confirmed)
                SELECT ?, id, ?, ?, ?, ? FROM account WHERE id = ? AND hash = ?
                """)
        try statement.execute(arguments: [Data(session.bytes), now, now, now, now, account.id, account.hash])
        guard database.changesCount == 1 else { throw StoreError.hashChanged }
    }
}
