import Foundation
import GRDB
import MotivatorPlatform

extension SQLiteStore {
    /// The oldest version of SQLite that supports STRICT tables.
    package static let minimumLibraryVersion = "3.37.0"

    /// The version of SQLite that this process uses, or nil if SQLite does not work.
    package static var libraryVersion: String? {
        try? DatabaseQueue().read { try String.fetchOne($0, sql: "SELECT sqlite_version()") }
    }

    /// Opens an accounts database, or creates one.
    /// - Parameters:
    ///   - path: the file. A new file gets mode 0600, and its folder mode 0700. Symbolic links are followed. SQLite's
    ///     `-wal` and `-shm` files and a `.lock` file are in the same folder, with the same mode.
    /// - Throws: `SQLiteStoreError` if the file is damaged, in use, newer than this program, or not an accounts
    ///   database, or if other users can replace it. `FileError` if the file does not exist, has wrong permissions, or
    ///   cannot be created.
    package static func open(path: String, creates: Bool = true) throws -> SQLiteStore {
        try path == memory ? openInMemory() : open(path: path, checkedSize: checkedSize, creates: creates)
    }

    package static let memory = ":memory:"

    private static func openInMemory() throws -> SQLiteStore {
        do {
            let database = try DatabaseQueue(configuration: configuration)
            try database.writeWithoutTransaction { try SQLiteSchema.update($0, memory, checkedSize: 0) }
            return SQLiteStore(database, claim: FileClaim())
        } catch let error as DatabaseError {
            throw SQLiteStoreError(error, path: memory)
        }
    }

    /// The maximum size in bytes of a file whose pages are all checked on opening. The check takes tens of
    /// milliseconds. In a larger file, SQLite detects damage when it reads a page.
    private static let checkedSize: Int64 = 16 << 20

    static func open(path: String, checkedSize: Int64, creates: Bool = true) throws -> SQLiteStore {
        let file = try locate(path, creates: creates)
        // Without a lock file, no process has the database open. Check the header first, to avoid creating a lock file
        // for a foreign file.
        if try FileVersion.ifPresent(file + ".lock") == nil { try checkHeader(file) }
        // Claim the file before reading its header. If this process already has the database open, closing the file
        // would release SQLite's locks.
        let claim = try claim(file)
        try checkHeader(file)
        try checkModes(file)
        do {
            let database = try DatabaseQueue(path: file, configuration: configuration)
            try database.writeWithoutTransaction { try prepare($0, file, checkedSize) }
            return SQLiteStore(database, claim: claim)
        } catch let error as DatabaseError {
            throw SQLiteStoreError(error, path: file)
        }
    }

    static var configuration: Configuration {
        var configuration = Configuration()
        configuration.label = "accounts"
        // The timeout is short, because all requests wait for the lock. A longer lock causes an error.
        configuration.busyMode = .timeout(0.25)
        configuration.prepareDatabase { database in
            // The file may come from another program. Its schema must not run functions, and malformed cells are
            // errors. fullfsync is for Darwin, because fsync does not flush the disk's cache there.
            try database.execute(
                sql: """
                    PRAGMA trusted_schema = OFF;
                    PRAGMA cell_size_check = ON;
                    PRAGMA temp_store = MEMORY;
                    PRAGMA synchronous = FULL;
                    PRAGMA fullfsync = ON;
                    """)
        }
        return configuration
    }

    /// Resolves symbolic links. Creates the file if it does not exist.
    static func locate(_ path: String, creates: Bool) throws -> String {
        if let known = try FileVersion.ifPresent(path) {
            guard known.isRegular else { throw FileError.notAFile(path: path) }
        } else {
            guard creates else { throw FileError.notFound(path: path) }
            if let slash = path.lastIndex(of: "/"), slash != path.startIndex {
                try File.makeFolder(String(path[..<slash]), mode: 0o700)
            }
            let number = unsafe MotivatorPlatform.open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
            guard number >= 0 else { throw FileError.cannotWrite(path: path, SystemError("open")) }
            MotivatorPlatform.close(number)
        }
        return File.resolved(path)
    }

    /// Checks that other users can neither read the file nor replace it.
    private static func checkModes(_ file: String) throws {
        let mode = try File.openRegular(file).status(path: file).st_mode & 0o777
        guard mode & 0o077 == 0 else {
            throw FileError.readableByOthers(path: file, mode: "0" + String(mode, radix: 8))
        }
        // SQLite opens even a read-only file, but then fails on the first write.
        guard unsafe access(file, R_OK | W_OK) == 0 else {
            throw FileError.cannotWrite(path: file, SystemError("access"))
        }
        let folder = file.lastIndex(of: "/").map { String(file[..<$0]) } ?? "."
        var status = stat()
        guard unsafe stat(folder.isEmpty ? "/" : folder, &status) == 0 else {
            throw FileError.cannotRead(path: folder, SystemError("stat"))
        }
        // In a folder with the sticky bit, users cannot replace each other's files.
        guard status.st_mode & 0o022 == 0 || status.st_mode & S_ISVTX != 0 else {
            let mode = "0" + String(status.st_mode & 0o777, radix: 8)
            throw SQLiteStoreError.writableByOthers(path: folder, mode: mode)
        }
    }

    private static func claim(_ file: String) throws -> FileClaim {
        do {
            return try FileClaim.take(file + ".lock")
        } catch {
            if error.code == EWOULDBLOCK { throw SQLiteStoreError.inUse(path: file) }
            throw FileError.cannotWrite(path: file + ".lock", error)
        }
    }

    /// Checks that the file is an accounts database, before SQLite can change the file.
    static func checkHeader(_ file: String) throws {
        let descriptor = try File.openRegular(file)
        let header = try File.readPart(descriptor.number, path: file, most: 100)
        // A journal remains if the machine crashed while the file was being created. SQLite rolls it back.
        if try header.isEmpty || FileVersion.ifPresent(file + "-journal") != nil { return }
        // The layout of the header: https://www.sqlite.org/fileformat2.html#the_database_header
        guard header.count == 100, header.starts(with: Array("SQLite format 3\0".utf8)) else {
            throw SQLiteStoreError.notADatabase(path: file)
        }
        let identifier = header[68..<72].reduce(Int64(0)) { $0 << 8 | Int64($1) }
        guard identifier == SQLiteSchema.applicationID else { throw SQLiteStoreError.foreign(path: file) }
        // SQLite accepts a truncated last page, which is valid only while the write-ahead log contains the whole page.
        let written = Int64(header[16]) << 8 | Int64(header[17])
        let pageSize = written == 1 ? 65536 : written
        guard pageSize >= 512 else {
            throw SQLiteStoreError.damaged(path: file, reason: "its page size is \(pageSize) bytes")
        }
        let size = try FileVersion(of: descriptor, path: file).size
        guard try size % pageSize == 0 || FileVersion.ifPresent(file + "-wal") != nil else {
            throw SQLiteStoreError.damaged(path: file, reason: "the file is truncated")
        }
    }

    /// Migrates the schema and enables the modes that preserve acknowledged changes.
    private static func prepare(_ database: Database, _ file: String, _ checkedSize: Int64) throws {
        try SQLiteSchema.update(database, file, checkedSize: checkedSize)
        // Set the journal mode after the schema. The database file itself then contains the application ID.
        let journal = try String.fetchOne(database, sql: "PRAGMA journal_mode = WAL")
        try database.execute(sql: "PRAGMA synchronous = FULL")
        let synchronous = try Int.fetchOne(database, sql: "PRAGMA synchronous")
        guard journal == "wal", synchronous == 2 else {
            throw SQLiteStoreError.failing(
                path: file,
                reason: "journal_mode is \(journal ?? "unknown"), synchronous is \(synchronous.map(String.init) ?? "?")"
            )
        }
    }
}

/// An exclusive claim to a file: a lock on a separate lock file.
///
/// The lock file is never removed, because another process may have just locked it.
final class FileClaim: Sendable {
    /// The lock file; nil for a file that no other process can open.
    private let descriptor: FileDescriptor?

    init(_ descriptor: consuming FileDescriptor? = nil) {
        self.descriptor = descriptor
    }

    /// Locks a lock file until the claim is released. Creates the file if it does not exist.
    /// - Throws: the system call's error: `EWOULDBLOCK` if another process holds the lock.
    static func take(_ path: String) throws(SystemError) -> FileClaim {
        let number = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard number >= 0 else { throw SystemError("open") }
        let descriptor = FileDescriptor(owning: number)
        guard flock(descriptor.number, LOCK_EX | LOCK_NB) == 0 else { throw SystemError("flock") }
        return FileClaim(descriptor)
    }
}
