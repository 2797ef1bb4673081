import Foundation
import GRDB
import Platform

extension SQLiteStore {
    /// Opens a database of accounts, or makes one.
    ///
    /// - Parameter path: the file. It is made with mode 0600 unless it is there, and its folder with mode 0700;
    ///   symbolic links are followed. Beside it are, with the same mode, `-wal` and `-shm` of SQLite, and `.lock`.
    /// - Throws: `SQLiteStoreError` when it is no database of accounts, damaged, of a newer version, open to others,
    ///   closed to this user, or used by another process; `FileError` when its folder cannot be made.
    public static func open(path: String) throws -> SQLiteStore {
        try open(path: path, checkedSize: checkedSize)
    }

    /// Bytes up to which the whole file is looked through at the opening: some tens of milliseconds. Damage in a larger
    /// one is met when it is read.
    private static let checkedSize: Int64 = 16 << 20

    static func open(path: String, checkedSize: Int64) throws -> SQLiteStore {
        let file = try locate(path)
        var status = stat()
        // Where no lock was ever taken nobody has the file open: one that is not ours is left as it is, without a lock.
        if unsafe stat(file + ".lock", &status) != 0 { try lookAtHeader(file) }
        // Before the file is opened even to look at it: to close it again would let go of the locks that SQLite has on
        // it, if it were open elsewhere in this process.
        let claim = try claim(file)
        try lookAtHeader(file)
        try checkModes(file)
        do {
            let database = try DatabaseQueue(path: file, configuration: configuration)
            try database.writeWithoutTransaction { try prepare($0, file, checkedSize) }
            return SQLiteStore(database, claim: claim)
        } catch let error as DatabaseError {
            throw SQLiteStoreError(error, path: file)
        }
    }

    private static var configuration: Configuration {
        var configuration = Configuration()
        configuration.label = "accounts"
        // Short: everybody waits in line behind it, and a lock that is held longer is a fault anyway.
        configuration.busyMode = .timeout(0.25)
        configuration.prepareDatabase { database in
            // The file may have been written by somebody else: nothing in its schema may run functions, and what does
            // not fit its page is told and not followed. Darwin's fsync does not reach the disk; elsewhere the last one
            // changes nothing.
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

    /// Finds the file behind links, and makes it unless it is there.
    private static func locate(_ path: String) throws -> String {
        var status = stat()
        if unsafe stat(path, &status) == 0 {
            switch status.st_mode & S_IFMT {
            case S_IFREG: break
            case S_IFDIR: throw SQLiteStoreError.isFolder(path: path)
            default: throw SQLiteStoreError.notAFile(path: path)
            }
        } else {
            guard errno == ENOENT else { throw SQLiteStoreError.cannotOpen(path: path, SystemError("stat")) }
            if let slash = path.lastIndex(of: "/"), slash != path.startIndex {
                try File.makeFolder(String(path[..<slash]), mode: 0o700)
            }
            let number = unsafe Platform.open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
            guard number >= 0 else { throw SQLiteStoreError.cannotOpen(path: path, SystemError("open")) }
            Platform.close(number)
        }
        guard let resolved = unsafe realpath(path, nil) else {
            throw SQLiteStoreError.cannotOpen(path: path, SystemError("realpath"))
        }
        defer { unsafe free(resolved) }
        return unsafe String(cString: resolved)
    }

    /// Refuses a file that others can read, and a folder in which others could replace it.
    private static func checkModes(_ file: String) throws {
        var status = stat()
        guard unsafe stat(file, &status) == 0 else {
            throw SQLiteStoreError.cannotOpen(path: file, SystemError("stat"))
        }
        guard status.st_mode & 0o077 == 0 else {
            throw SQLiteStoreError.readableByOthers(path: file, mode: mode(status))
        }
        // SQLite would open a file that this user may only read, and fail at the first account.
        guard unsafe access(file, R_OK | W_OK) == 0 else {
            throw SQLiteStoreError.cannotOpen(path: file, SystemError("access"))
        }
        let folder = file.lastIndex(of: "/").map { String(file[..<$0]) } ?? "."
        guard unsafe stat(folder.isEmpty ? "/" : folder, &status) == 0 else {
            throw SQLiteStoreError.cannotOpen(path: folder, SystemError("stat"))
        }
        // In a folder with the sticky bit nobody replaces a file of another user.
        guard status.st_mode & 0o022 == 0 || status.st_mode & S_ISVTX != 0 else {
            throw SQLiteStoreError.writableByOthers(path: folder, mode: mode(status))
        }
    }

    private static func mode(_ status: stat) -> String { "0" + String(status.st_mode & 0o777, radix: 8) }

    private static func claim(_ file: String) throws -> FileClaim {
        do {
            return try FileClaim.take(file + ".lock")
        } catch {
            if error.code == EWOULDBLOCK { throw SQLiteStoreError.inUse(path: file) }
            throw SQLiteStoreError.cannotOpen(path: file + ".lock", error)
        }
    }

    /// Refuses what is no database, or not ours, before SQLite could change anything about it.
    private static func lookAtHeader(_ file: String) throws {
        let number = unsafe Platform.open(file, O_RDONLY | O_CLOEXEC)
        guard number >= 0 else { throw SQLiteStoreError.cannotOpen(path: file, SystemError("open")) }
        let descriptor = FileDescriptor(owning: number)
        var header = [UInt8](repeating: 0, count: 100)
        let count = unsafe read(descriptor.number, &header, header.count)
        guard count >= 0 else { throw SQLiteStoreError.cannotOpen(path: file, SystemError("read")) }
        if count == 0 { return }
        var status = stat()
        // A journal is left when the machine stopped while the file was made: SQLite undoes that.
        if unsafe stat(file + "-journal", &status) == 0 { return }
        // The layout of the header: https://www.sqlite.org/fileformat2.html#the_database_header
        guard count == header.count, header.starts(with: Array("SQLite format 3\0".utf8)) else {
            throw SQLiteStoreError.notADatabase(path: file)
        }
        let identifier = header[68..<72].reduce(Int64(0)) { $0 << 8 | Int64($1) }
        guard identifier == SQLiteSchema.applicationID else { throw SQLiteStoreError.foreign(path: file) }
        // SQLite takes half a page at the end for a whole one. Such a page may be there while the log has it whole.
        let written = Int(header[16]) << 8 | Int(header[17])
        let pageSize = written == 1 ? 65536 : written
        var log = stat()
        guard pageSize >= 512, unsafe fstat(descriptor.number, &status) == 0 else {
            throw SQLiteStoreError.damaged(path: file, reason: "its pages have \(pageSize) bytes")
        }
        guard unsafe Int(status.st_size) % pageSize == 0 || stat(file + "-wal", &log) == 0 else {
            throw SQLiteStoreError.damaged(path: file, reason: "its end is missing")
        }
    }

    /// Brings the schema up to date, and the connection into the mode in which what is acknowledged is not lost.
    private static func prepare(_ database: Database, _ file: String, _ checkedSize: Int64) throws {
        try SQLiteSchema.update(database, file, checkedSize: checkedSize)
        // After the schema: its first transaction goes into the file itself, and so does the application's id, by which
        // the file is known again.
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
