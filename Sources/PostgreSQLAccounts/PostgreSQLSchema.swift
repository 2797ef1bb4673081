#if PostgreSQL
import Accounts

/// The tables and their migrations.
///
/// Several servers may migrate at the same time. Each migration first locks the row with the version. The statements
/// are safe to repeat, because some databases do not roll them back with the transaction.
enum PostgreSQLSchema {
    static var version: Int { steps.count }

    /// The migrations. They use only types and statements that PostgreSQL, YugabyteDB and CockroachDB share. `ASC` is
    /// for YugabyteDB, whose indexes are otherwise unordered.
    ///
    /// `hash_prefix` contains the part of the hash before the salt. Its type is `BYTEA`, because the order of text
    /// depends on the database.
    static let steps = [
        [
            """
            CREATE TABLE IF NOT EXISTS account (
                id BIGINT PRIMARY KEY,
                name TEXT NOT NULL,
                name_key TEXT NOT NULL UNIQUE,
                hash TEXT NOT NULL,
                hash_prefix BYTEA NOT NULL,
                created BIGINT NOT NULL,
                changed BIGINT NOT NULL
            )
            """,
            "CREATE INDEX IF NOT EXISTS account_hash_prefix ON account (hash_prefix ASC)",
            """
            CREATE TABLE IF NOT EXISTS session (
                digest BYTEA PRIMARY KEY CHECK (octet_length(digest) = 32),
                account BIGINT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
                began BIGINT NOT NULL,
                used BIGINT NOT NULL
            )
            """,
            "CREATE INDEX IF NOT EXISTS session_account ON session (account)",
            "CREATE INDEX IF NOT EXISTS session_used ON session (used ASC)",
            """
            CREATE TABLE IF NOT EXISTS throttle (
                key BYTEA PRIMARY KEY CHECK (octet_length(key) = 32),
                amount BIGINT NOT NULL,
                at BIGINT NOT NULL,
                before BIGINT NOT NULL,
                expires BIGINT NOT NULL
            )
            """,
            "CREATE INDEX IF NOT EXISTS throttle_expires ON throttle (expires ASC)",
            """
            CREATE TABLE IF NOT EXISTS known_address (
                key BYTEA PRIMARY KEY CHECK (octet_length(key) = 32),
                at BIGINT NOT NULL
            )
            """,
            "CREATE INDEX IF NOT EXISTS known_address_at ON known_address (at ASC)",
        ],
        // `used` is 0 until the first use of the passkey. `transports` has one line for each transport.
        [
            """
            CREATE TABLE IF NOT EXISTS passkey (
                credential BYTEA PRIMARY KEY CHECK (octet_length(credential) BETWEEN 16 AND 1023),
                account BIGINT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
                rp_id TEXT NOT NULL,
                public_key BYTEA NOT NULL,
                sign_count BIGINT NOT NULL,
                aaguid BYTEA NOT NULL CHECK (octet_length(aaguid) = 16),
                backup_eligible BIGINT NOT NULL,
                backed_up BIGINT NOT NULL,
                user_verified BIGINT NOT NULL,
                transports TEXT NOT NULL,
                name TEXT NOT NULL,
                created BIGINT NOT NULL,
                used BIGINT NOT NULL
            )
            """,
            "CREATE INDEX IF NOT EXISTS passkey_account ON passkey (account)",
            """
            CREATE TABLE IF NOT EXISTS used_challenge (
                digest BYTEA PRIMARY KEY CHECK (octet_length(digest) = 32),
                expires BIGINT NOT NULL
            )
            """,
            "CREATE INDEX IF NOT EXISTS used_challenge_expires ON used_challenge (expires ASC)",
            """
            CREATE TABLE IF NOT EXISTS secret (
                name TEXT PRIMARY KEY,
                value BYTEA NOT NULL CHECK (octet_length(value) = 32)
            )
            """,
            "ALTER TABLE session ADD COLUMN IF NOT EXISTS confirmed BIGINT NOT NULL DEFAULT 0",
            "ALTER TABLE session ADD COLUMN IF NOT EXISTS password_confirmed BIGINT NOT NULL DEFAULT 0",
        ],
    ]

    /// Creates the tables, or applies the missing migrations.
    /// - Parameter schema: the name of the schema, a valid SQL identifier without quotation marks.
    /// - Throws: `PostgreSQLFailure.refused` if the tables are newer than this program.
    static func update(_ connection: PostgreSQLConnection, schema: String) async throws(PostgreSQLFailure) {
        var current = try await storedVersion(connection)
        if current == nil {
            try await create(connection, schema: schema)
            current = try await storedVersion(connection)
        }
        guard let current else { throw .unexpected("the version is missing") }
        guard current <= Int64(version) else { throw .refused(.newer(version: current, known: version)) }
        guard current >= 0 else { throw .unexpected("the version is \(current)") }
        for target in Int(current)..<version {
            try await retryingConflicts(connection) { connection async throws(PostgreSQLFailure) in
                try await apply(steps[target], from: Int64(target), connection)
            }
        }
    }

    /// Returns the version of the tables, or nil if the tables do not exist.
    private static func storedVersion(_ connection: PostgreSQLConnection) async throws(PostgreSQLFailure) -> Int64? {
        do throws(PostgreSQLFailure) {
            return try await connection.run("SELECT version FROM schema_version WHERE id = 1").first?.integer(0)
        } catch .server("42P01", _) {
            return nil
        }
    }

    private static func create(_ connection: PostgreSQLConnection, schema: String) async throws(PostgreSQLFailure) {
        let statements = [
            "CREATE SCHEMA IF NOT EXISTS \(schema)",
            "CREATE TABLE IF NOT EXISTS schema_version (id BIGINT PRIMARY KEY CHECK (id = 1), version BIGINT NOT NULL)",
            "INSERT INTO schema_version (id, version) VALUES (1, 0) ON CONFLICT (id) DO NOTHING",
        ]
        for statement in statements {
            try await retryingConflicts(connection) { connection async throws(PostgreSQLFailure) in
                try await connection.execute(statement)
            }
        }
    }

    private static func apply(
        _ statements: [String], from version: Int64, _ connection: PostgreSQLConnection
    ) async throws(PostgreSQLFailure) {
        try await connection.execute("BEGIN")
        let locked = try await connection.run("SELECT version FROM schema_version WHERE id = 1 FOR UPDATE")
        // Another server may already have applied the migration.
        if try locked.first?.integer(0) == version {
            for statement in statements { try await connection.execute(statement) }
            if version + 1 == secretVersion { try await makeSecret(connection) }
            try await connection.run("UPDATE schema_version SET version = $1 WHERE id = 1", [.integer(version + 1)])
        }
        try await connection.execute("COMMIT")
    }

    /// The version whose migration creates the secret of the passkeys.
    private static let secretVersion: Int64 = 2

    private static func makeSecret(_ connection: PostgreSQLConnection) async throws(PostgreSQLFailure) {
        guard let secret = RandomBytes.make(32) else {
            throw .unexpected("OpenSSL could not generate random bytes")
        }
        try await connection.run(
            "INSERT INTO secret (name, value) VALUES ('passkeys', $1) ON CONFLICT (name) DO NOTHING", [.bytes(secret)])
    }

    /// Executes statements. Retries if they fail because another server executes them at the same time.
    private static func retryingConflicts(
        _ connection: PostgreSQLConnection,
        _ body: (PostgreSQLConnection) async throws(PostgreSQLFailure) -> Void
    ) async throws(PostgreSQLFailure) {
        var tries = 1
        while true {
            do throws(PostgreSQLFailure) {
                return try await body(connection)
            } catch {
                guard tries < 20, error.isConflict || error.isConcurrentDefinition else { throw error }
                tries += 1
                _ = try await connection.execute("ROLLBACK")
                await PostgreSQLStore.pause(before: tries)
            }
        }
    }
}

extension PostgreSQLFailure {
    /// Whether another server defined the same object at the same time. PostgreSQL then reports a duplicate schema,
    /// table or object, or an internal error about concurrent catalog updates.
    fileprivate var isConcurrentDefinition: Bool {
        guard case .server(let state, let message) = self else { return false }
        return ["42P06", "42P07", "42710"].contains(state) || (state == "XX000" && message.contains("concurrently"))
    }
}
#endif
