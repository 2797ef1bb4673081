import Foundation
import GRDB
import MotivatorPlatform
import TestSupport
import Testing

@testable import Accounts

@Suite("Opening a database of accounts") struct SQLiteOpeningTests {
    private let scratch: TemporaryDirectory

    init() throws {
        scratch = try TemporaryDirectory()
    }

    /// Changes a file through another connection.
    private func elsewhere(_ path: String, _ sql: String) throws {
        let database = try DatabaseQueue(path: path)
        try database.writeWithoutTransaction { try $0.execute(sql: sql) }
        try database.close()
    }

    private func make() async throws {
        let store = try SQLiteStore.open(path: scratch.database)
        try await StoreTests.fill(store)
        await store.close()
    }

    /// Returns the error from opening a file, or nil.
    private func failure<Failure: ExplainedError>(_ path: String? = nil, as _: Failure.Type) -> Failure? {
        do {
            _ = try SQLiteStore.open(path: path ?? scratch.database)
            return nil
        } catch {
            let expected = error as? Failure
            #expect(expected?.description.contains("\n") == false)
            return expected
        }
    }

    private func failure(_ path: String? = nil) -> SQLiteStoreError? { failure(path, as: SQLiteStoreError.self) }

    private func fileFailure(_ path: String? = nil) -> FileError? { failure(path, as: FileError.self) }

    @Test("A new database and its folders are inaccessible to other users")
    func made() async throws {
        let path = scratch.file("one/two/accounts.sqlite")
        let store = try SQLiteStore.open(path: path)
        try await StoreTests.fill(store)
        #expect(try scratch.mode("one") == 0o700)
        #expect(try scratch.mode("one/two") == 0o700)
        for name in ["accounts.sqlite", "accounts.sqlite-wal", "accounts.sqlite-shm", "accounts.sqlite.lock"] {
            #expect(try scratch.mode("one/two/\(name)") == 0o600, "\(name)")
        }
        await store.close()
    }

    @Test("Acknowledged changes are on the disk, and a foreign schema is not trusted")
    func settings() async throws {
        let store = try SQLiteStore.open(path: scratch.database)
        let settings = try await store.perform { database in
            try [
                "journal_mode", "synchronous", "foreign_keys", "trusted_schema", "cell_size_check", "temp_store",
                "application_id", "user_version", "busy_timeout", "fullfsync",
            ].map { "\($0) \(try String.fetchOne(database, sql: "PRAGMA \($0)") ?? "")" }
        }
        #expect(
            settings == [
                "journal_mode wal", "synchronous 2", "foreign_keys 1", "trusted_schema 0", "cell_size_check 1",
                "temp_store 2", "application_id \(0x554D_6F74)", "user_version 4", "busy_timeout 250",
                "fullfsync 1",
            ])
    }

    @Test("A database that is opened again has the same settings and content")
    func again() async throws {
        try await make()
        let store = try SQLiteStore.open(path: scratch.database)
        #expect(try await store.account(key: "ada")?.name == "Ada")
        #expect(try await store.perform { try Int.fetchOne($0, sql: "PRAGMA synchronous") } == 2)
        #expect(try await store.perform { try String.fetchOne($0, sql: "PRAGMA journal_mode") } == "wal")
    }

    @Test("Every table is STRICT and has the id in the file's header")
    func strict() async throws {
        try await make()
        let database = try DatabaseQueue(path: scratch.database)
        let loose = try await database.read {
            try String.fetchAll(
                $0,
                sql:
                    """
                    SELECT name FROM pragma_table_list
                    WHERE schema = 'main' AND NOT strict AND name NOT LIKE 'sqlite%'
                    """
            )
        }
        #expect(loose == [])
        let header = try File.read(scratch.database, limit: 1 << 20)
        #expect(Array(header[68..<72]) == Array("UMot".utf8))
    }

    @Test("Every look-up goes through an index, so that it costs the same with a million accounts")
    func indexes() async throws {
        let store = try SQLiteStore.open(path: scratch.database)
        let plans = try await store.perform { database in
            try [
                "SELECT id, name, name_key, hash FROM account WHERE name_key = 'x'",
                "SELECT 1 FROM session JOIN account ON account.id = session.account WHERE digest = x''",
                "DELETE FROM session WHERE account = 1",
                "SELECT digest FROM session WHERE used <= 1 ORDER BY used LIMIT 1",
                "SELECT digest FROM session WHERE used >= 1 ORDER BY used LIMIT 1",
                """
                SELECT substr(hash, 1, length(hash) - 67) FROM account WHERE substr(hash, 1, length(hash) - 67) > 'x'
                ORDER BY substr(hash, 1, length(hash) - 67) LIMIT 1
                """,
                "SELECT key FROM throttle WHERE expires <= 1 ORDER BY expires LIMIT 1",
                "SELECT key FROM known_address WHERE at <= 1 ORDER BY at LIMIT 1",
            ].flatMap {
                try Row.fetchAll(database, sql: "EXPLAIN QUERY PLAN \($0)").map { "\($0[3] as DatabaseValue)" }
            }
        }
        #expect(plans.count >= 5)
        #expect(plans.filter { $0.contains("SCAN") || $0.contains("TEMP B-TREE") } == [])
    }

    @Test("A second process is refused while the first has the database, and not afterwards")
    func inUse() async throws {
        let first = try SQLiteStore.open(path: scratch.database)
        let error = try #require(failure())
        #expect(error == .inUse(path: scratch.database))
        #expect(error.exitCode == .temporary)
        await first.close()
        // A process that another test starts inherits the lock, and releases it only when it calls exec.
        try await ProgressLimit.wait { failure() != .inUse(path: scratch.database) }
        let second = try SQLiteStore.open(path: scratch.database)
        #expect(failure() == .inUse(path: scratch.database))
        // Closing the first store again does not release the second store's lock.
        await first.close()
        #expect(failure() == .inUse(path: scratch.database))
        await second.close()
        try await ProgressLimit.wait { failure() != .inUse(path: scratch.database) }
        #expect(failure() == nil)
    }

    @Test("A store that is released without closing releases its file")
    func dropped() throws {
        do { _ = try SQLiteStore.open(path: scratch.database) }
        #expect(failure() == nil)
    }

    @Test("An empty file becomes a database; links are followed, also to where there is nothing yet")
    func links() async throws {
        try File.write([], to: scratch.file("empty"), mode: 0o600)
        #expect(failure(scratch.file("empty")) == nil)
        try #require(symlink("empty", scratch.file("link")) == 0)
        try #require(symlink("target", scratch.file("dangling")) == 0)
        let store = try SQLiteStore.open(path: scratch.file("link"))
        #expect(failure(scratch.file("empty")) == .inUse(path: scratch.file("empty")))
        #expect(failure(scratch.file("dangling")) == nil)
        #expect(scratch.names().contains("target"))
        #expect(try scratch.mode("target") == 0o600)
        await store.close()
    }

    @Test("A database that others can read is refused with the fix", arguments: [mode_t(0o640), 0o604, 0o660, 0o644])
    func readableByOthers(_ mode: mode_t) async throws {
        try await make()
        chmod(scratch.database, mode)
        let error = try #require(fileFailure())
        #expect(error == .readableByOthers(path: scratch.database, mode: "0" + String(mode, radix: 8)))
        #expect(error.fix.contains("chmod 600 \(scratch.database)"))
        #expect(error.exitCode == .notPermitted)
    }

    @Test("A folder that others can write to is refused", arguments: [mode_t(0o770), 0o720, 0o702, 0o777])
    func writableByOthers(_ mode: mode_t) async throws {
        try await make()
        chmod(scratch.path, mode)
        #expect(failure() == .writableByOthers(path: scratch.path, mode: "0" + String(mode, radix: 8)))
        // In a folder with the sticky bit, others cannot replace the file.
        chmod(scratch.path, mode | mode_t(S_ISVTX))
        #expect(failure() == nil)
    }

    @Test("A folder, a named pipe, and a file instead of a folder are refused")
    func kinds() throws {
        #expect(fileFailure(scratch.path) == .notAFile(path: scratch.path))
        try #require(mkfifo(scratch.file("pipe"), 0o600) == 0)
        #expect(fileFailure(scratch.file("pipe")) == .notAFile(path: scratch.file("pipe")))
        try File.write([1], to: scratch.file("file"), mode: 0o600)
        let error = fileFailure(scratch.file("file/accounts.sqlite"))
        #expect(error == .cannotWrite(path: scratch.file("file"), SystemError("mkdir", code: ENOTDIR)))
    }

    // Root can write to any folder except those of the kernel's own file systems.
    @Test(
        "A folder that cannot be written is refused", .enabled(if: FileManager.default.fileExists(atPath: "/proc/self"))
    )
    func readOnlyFolder() throws {
        let error = try #require(fileFailure("/proc/self/accounts.sqlite"))
        guard case .cannotWrite(path: "/proc/self/accounts.sqlite", _) = error else {
            Issue.record("\(error)")
            return
        }
        #expect(error.exitCode == .cannotCreate)
    }

    @Test("A file that cannot be written is refused", .enabled(if: getuid() != 0, "root may write every file"))
    func readOnlyFile() async throws {
        try await make()
        chmod(scratch.database, 0o400)
        #expect(fileFailure() == .cannotWrite(path: scratch.database, SystemError("access", code: EACCES)))
    }

    @Test("A database of version 1 is brought up to date with all that is in it")
    func versionOne() async throws {
        let hash = "$scrypt$ln=4,r=8,p=1$AAECAwQFBgcICQoLDA0ODw$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
        let pair = StoreBench.attempt("ada").pair.bytes
        try elsewhere(
            scratch.database,
            SQLiteSchema.steps[0]
                + """
                PRAGMA application_id = \(SQLiteSchema.applicationID);
                PRAGMA user_version = 1;
                INSERT INTO account VALUES (7, 'Ada', 'ada', '\(hash)', 1, 2);
                INSERT INTO session VALUES (x'\(hex(StoreBench.digest("s").bytes))', 7, 1000, 1000);
                INSERT INTO throttle VALUES (x'\(hex(pair))', 5, 1000, 999);
                INSERT INTO acquaintance VALUES (x'\(hex(pair))', 1000);
                """)
        chmod(scratch.database, 0o600)
        let store = try SQLiteStore.open(path: scratch.database)
        #expect(try await store.account(key: "ada") == StoredAccount(id: 7, name: "Ada", key: "ada", hash: hash))
        #expect(try await store.hashPrefixes(most: 9) == ["$scrypt$ln=4,r=8,p=1"])
        #expect(
            try await store.session(StoreBench.digest("s"), limits: StoreBench.limits, at: 1001)?.account.name == "Ada")
        #expect(
            try await store.count(
                StoreBench.attempt("ada"), scope: .password, rules: StoreBench.rules, at: 1000) == 1)
        #expect(try await store.perform { try $0.scalar("SELECT expires FROM throttle") } == 4600)
        #expect(try await store.perform { try $0.scalar("SELECT at FROM known_address") } == 1000)
        _ = try await store.removeExpired(limits: StoreBench.limits, at: 4600, most: 10)
        #expect(try await store.perform { try $0.scalar("SELECT count(*) FROM throttle") } == 0)
        await store.close()
        #expect(failure() == nil)
    }

    @Test("A database of every older version gets passkeys and a secret, and keeps its sessions", arguments: 1...3)
    func olderVersions(_ version: Int) async throws {
        try elsewhere(
            scratch.database,
            SQLiteSchema.steps[..<version].joined()
                + """
                PRAGMA application_id = \(SQLiteSchema.applicationID);
                PRAGMA user_version = \(version);
                INSERT INTO account VALUES (7, 'Ada', 'ada', '\(String(repeating: "x", count: 70))', 1, 2);
                INSERT INTO session VALUES (x'\(hex(StoreBench.digest("s").bytes))', 7, 1000, 1000);
                """)
        chmod(scratch.database, 0o600)
        let store = try SQLiteStore.open(path: scratch.database)
        let session = try await store.session(StoreBench.digest("s"), limits: StoreBench.limits, at: 1001)
        #expect(session?.account.name == "Ada" && session?.confirmed == 0 && session?.passwordConfirmed == 0)
        #expect(try await store.secret().count == 32)
    }

    private func hex(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    @Test("A newer version is refused and not changed")
    func newer() async throws {
        try await make()
        try elsewhere(scratch.database, "PRAGMA user_version = 5")
        #expect(failure() == .newer(path: scratch.database, version: 5, known: 4))
        try elsewhere(scratch.database, "PRAGMA user_version = 4")
        #expect(failure() == nil)
    }

    @Test("A negative version is damage")
    func negativeVersion() async throws {
        try await make()
        try elsewhere(scratch.database, "PRAGMA user_version = -1")
        #expect(failure() == .damaged(path: scratch.database, reason: "its version is -1"))
    }

    @Test("A database with the largest pages is opened")
    func largePages() async throws {
        try await make()
        try elsewhere(scratch.database, "PRAGMA journal_mode = DELETE; PRAGMA page_size = 65536; VACUUM")
        let header = try File.read(scratch.database, limit: 1 << 24)[16..<18]
        #expect(Array(header) == [0, 1], "the largest page size does not fit into two bytes")
        #expect(failure() == nil)
    }

    @Test(
        "The database of another program is refused and not changed", arguments: ["", "PRAGMA application_id = 7;"])
    func foreign(_ id: String) throws {
        try elsewhere(scratch.database, "\(id) CREATE TABLE theirs (x); INSERT INTO theirs VALUES (1)")
        chmod(scratch.database, 0o600)
        let before = try File.read(scratch.database, limit: 1 << 20)
        let error = try #require(failure())
        #expect(error == .foreign(path: scratch.database))
        #expect(error.exitCode == .badInput)
        #expect(try File.read(scratch.database, limit: 1 << 20) == before)
        #expect(scratch.names() == ["accounts.sqlite"])
    }

    @Test(
        "A file that is not a database is refused and not changed",
        arguments: ["x", "SQLite format 3\0", String(repeating: "not a database ", count: 1000)])
    func noDatabase(_ content: String) throws {
        try File.write(Array(content.utf8), to: scratch.database, mode: 0o600)
        #expect(failure() == .notADatabase(path: scratch.database))
        #expect(try File.read(scratch.database, limit: 1 << 20) == Array(content.utf8))
    }

    struct Damage: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let apply: @Sendable (inout [UInt8]) -> Void
    }

    @Test(
        "A damaged database is refused with what to do",
        arguments: [
            Damage(testDescription: "cut off in the middle") { $0.removeLast($0.count / 2) },
            Damage(testDescription: "cut off by one byte") { $0.removeLast() },
            Damage(testDescription: "cut off after the header") { $0.removeLast($0.count - 100) },
            Damage(testDescription: "the schema's page overwritten") { bytes in
                for place in 100..<4096 { bytes[place] = 0xAA }
            },
            Damage(testDescription: "a page size that there is not") { $0[16] = 0x33 },
            Damage(testDescription: "a page size of 0") { $0.replaceSubrange(16..<18, with: [0, 0]) },
        ])
    func damaged(_ damage: Damage) async throws {
        try await make()
        var content = try File.read(scratch.database, limit: 1 << 20)
        damage.apply(&content)
        try File.write(content, to: scratch.database, mode: 0o600)
        let error = try #require(failure())
        switch error {
        case .damaged, .notADatabase: #expect(error.exitCode == .badInput)
        case .writableByOthers, .inUse, .locked, .foreign, .newer, .failing: Issue.record("\(error)")
        }
    }

    @Test(
        "A database without one of its tables or indexes is refused",
        arguments: [
            "DROP TABLE session", "DROP INDEX throttle_expires", "ALTER TABLE account RENAME COLUMN hash TO other",
        ])
    func incomplete(_ change: String) async throws {
        try await make()
        try elsewhere(scratch.database, change)
        guard case .damaged(_, let reason) = failure() else {
            Issue.record("not refused as damaged")
            return
        }
        #expect(reason == "its tables do not match its version")
    }

    @Test("A database that another program has locked is refused, and opened when it is free")
    func locked() async throws {
        let other = try Intruder(scratch.database)
        chmod(scratch.database, 0o600)
        try await other.execute("BEGIN EXCLUSIVE")
        let error = failure()
        try await other.execute("ROLLBACK")
        #expect(error == .locked(path: scratch.database))
        #expect(error?.exitCode == .temporary)
        #expect(failure() == nil)
    }

    @Test("Acknowledged changes survive a process that ends without closing")
    func unclosed() async throws {
        let store = try SQLiteStore.open(path: scratch.database)
        try await StoreTests.fill(store)
        // The files on disk after the last acknowledgment.
        for ending in ["", "-wal"] {
            let content = try File.read(scratch.database + ending, limit: 1 << 24)
            try File.write(content, to: scratch.file("copy") + ending, mode: 0o600)
        }
        let copy = try SQLiteStore.open(path: scratch.file("copy"))
        #expect(try await copy.account(key: "ada")?.name == "Ada")
        await store.close()
    }

    @Test("A file whose creation was interrupted is created again")
    func cutShort() throws {
        // The files that remain if the machine stops between the two writes of a first transaction. The pages have no
        // header, and the journal records that the file was empty.
        try File.write([UInt8](repeating: 0, count: 8192), to: scratch.database, mode: 0o600)
        var journal: [UInt8] = [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]
        journal += [0, 0, 0, 0, 1, 2, 3, 4, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0x10, 0]
        journal += [UInt8](repeating: 0, count: 512 - journal.count)
        try File.write(journal, to: scratch.database + "-journal", mode: 0o600)
        #expect(failure() == nil)
    }
}
