import Foundation
import GRDB
import MotivatorPlatform

/// The tables and their migrations.
enum SQLiteSchema {
    /// The application ID in the file header, "UMot", which identifies an accounts database.
    static let applicationID: Int64 = 0x554D_6F74
    /// The schema version: the number of migrations. The file stores it as `user_version`.
    static var version: Int { steps.count }

    /// The migrations. Each migration runs in a transaction that also updates the version.
    static let steps = [
        """
        CREATE TABLE account (
            id INTEGER PRIMARY KEY,
            name TEXT NOT NULL,
            name_key TEXT NOT NULL UNIQUE,
            hash TEXT NOT NULL,
            created INTEGER NOT NULL,
            changed INTEGER NOT NULL
        ) STRICT;
        CREATE TABLE session (
            digest BLOB PRIMARY KEY CHECK (length(digest) = 32),
            account INTEGER NOT NULL REFERENCES account (id) ON DELETE CASCADE,
            began INTEGER NOT NULL,
            used INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX session_account ON session (account);
        CREATE INDEX session_used ON session (used);
        CREATE TABLE throttle (
            key BLOB PRIMARY KEY CHECK (length(key) = 32),
            amount INTEGER NOT NULL,
            at INTEGER NOT NULL,
            before INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX throttle_at ON throttle (at);
        CREATE TABLE acquaintance (
            key BLOB PRIMARY KEY CHECK (length(key) = 32),
            at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX acquaintance_at ON acquaintance (at);
        CREATE TABLE health (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            checked INTEGER NOT NULL
        ) STRICT;
        INSERT INTO health VALUES (1, 0);
        """,
        // Counts expire at different times. The index on the hash prefix finds the parameters in use. The prefix ends
        // before the last 67 characters: "$", 22 characters of salt, "$", and 43 characters of hash.
        """
        ALTER TABLE throttle ADD COLUMN expires INTEGER NOT NULL DEFAULT 0;
        UPDATE throttle SET expires = at + 3600;
        DROP INDEX throttle_at;
        CREATE INDEX throttle_expires ON throttle (expires);
        CREATE INDEX account_hash_prefix ON account (substr(hash, 1, length(hash) - 67));
        """,
        """
        ALTER TABLE acquaintance RENAME TO known_address;
        DROP INDEX acquaintance_at;
        CREATE INDEX known_address_at ON known_address (at);
        """,
        // `used` is 0 until the first use of the passkey. `transports` has one line for each transport.
        """
        CREATE TABLE passkey (
            credential BLOB PRIMARY KEY CHECK (length(credential) BETWEEN 16 AND 1023),
            account INTEGER NOT NULL REFERENCES account (id) ON DELETE CASCADE,
            rp_id TEXT NOT NULL,
            public_key BLOB NOT NULL,
            sign_count INTEGER NOT NULL,
            aaguid BLOB NOT NULL CHECK (length(aaguid) = 16),
            backup_eligible INTEGER NOT NULL,
            backed_up INTEGER NOT NULL,
            user_verified INTEGER NOT NULL,
            transports TEXT NOT NULL,
            name TEXT NOT NULL,
            created INTEGER NOT NULL,
            used INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX passkey_account ON passkey (account);
        CREATE TABLE used_challenge (
            digest BLOB PRIMARY KEY CHECK (length(digest) = 32),
            expires INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX used_challenge_expires ON used_challenge (expires);
        CREATE TABLE secret (
            name TEXT PRIMARY KEY,
            value BLOB NOT NULL CHECK (length(value) = 32)
        ) STRICT, WITHOUT ROWID;
        ALTER TABLE session ADD COLUMN confirmed INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE session ADD COLUMN password_confirmed INTEGER NOT NULL DEFAULT 0;
        """,
    ]

    /// Applies the missing migrations.
    /// - Parameter checkedSize: the maximum size in bytes of a file whose pages are all checked.
    /// - Throws: `SQLiteStoreError` if the file belongs to another program, is newer than this program, or does not
    ///   match its version.
    static func update(_ database: Database, _ file: String, checkedSize: Int64) throws {
        var version = try Int64.fetchOne(database, sql: "PRAGMA user_version") ?? 0
        let identifier = try Int64.fetchOne(database, sql: "PRAGMA application_id") ?? 0
        let isEmpty = try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_schema") == 0
        guard identifier == applicationID || (identifier == 0 && version == 0 && isEmpty) else {
            throw SQLiteStoreError.foreign(path: file)
        }
        guard version <= Int64(self.version) else {
            throw SQLiteStoreError.newer(path: file, version: version, known: self.version)
        }
        guard version >= 0 else { throw SQLiteStoreError.damaged(path: file, reason: "its version is \(version)") }
        for step in steps[Int(version)...] {
            version += 1
            try database.inTransaction(.immediate) {
                try database.execute(sql: step)
                if version == secretVersion { try makeSecret(database) }
                try database.execute(sql: "PRAGMA application_id = \(applicationID)")
                try database.execute(sql: "PRAGMA user_version = \(version)")
                return .commit
            }
        }
        try check(database, file, checkedSize)
    }

    /// The version whose migration creates the secret of the passkeys.
    private static let secretVersion: Int64 = 4

    private static func makeSecret(_ database: Database) throws {
        guard let secret = RandomBytes.make(32) else {
            throw StoreError.unavailable(reason: "OpenSSL could not generate random bytes")
        }
        try database.execute(sql: "INSERT INTO secret VALUES ('passkeys', ?)", arguments: [Data(secret)])
    }

    /// Checks that the tables match the migrations and that no page is damaged.
    private static func check(_ database: Database, _ file: String, _ checkedSize: Int64) throws {
        let tables = "SELECT name || ': ' || coalesce(sql, '') FROM sqlite_schema ORDER BY name"
        let expected = try DatabaseQueue().write { database in
            for step in steps { try database.execute(sql: step) }
            return try String.fetchAll(database, sql: tables)
        }
        guard try String.fetchAll(database, sql: tables) == expected else {
            throw SQLiteStoreError.damaged(path: file, reason: "its tables do not match its version")
        }
        let size = try Int64.fetchOne(
            database, sql: "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size")
        guard let size, size <= checkedSize else { return }
        let verdict = try String.fetchOne(database, sql: "PRAGMA quick_check(1)") ?? ""
        guard verdict == "ok" else { throw SQLiteStoreError.damaged(path: file, reason: verdict) }
    }
}
