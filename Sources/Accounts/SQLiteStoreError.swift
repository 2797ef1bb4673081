import GRDB
public import Platform

/// Why a file cannot be opened as a database of accounts.
public enum SQLiteStoreError: ExplainedError, Equatable {
    case isFolder(path: String)
    case notAFile(path: String)
    case readableByOthers(path: String, mode: String)
    case writableByOthers(path: String, mode: String)
    case cannotOpen(path: String, SystemError)
    case inUse(path: String)
    case locked(path: String)
    case notADatabase(path: String)
    case foreign(path: String)
    case newer(path: String, version: Int64, known: Int)
    case damaged(path: String, reason: String)
    case failing(path: String, reason: String)

    /// What SQLite says at the opening.
    init(_ error: DatabaseError, path: String) {
        let reason = SQLiteStore.reason(error)
        self =
            switch error.resultCode {
            case .SQLITE_NOTADB: .notADatabase(path: path)
            // A schema that cannot be read is told as a plain error.
            case .SQLITE_CORRUPT, .SQLITE_ERROR: .damaged(path: path, reason: reason)
            case .SQLITE_BUSY, .SQLITE_LOCKED: .locked(path: path)
            default: .failing(path: path, reason: reason)
            }
    }

    public var problem: String {
        switch self {
        case .isFolder(let path): "the database \(path.quoted) is a folder"
        case .notAFile(let path): "the database \(path.quoted) is not a regular file"
        case .readableByOthers(let path, let mode):
            "the database \(path.quoted) can be read by other users of this machine (mode \(mode))"
        case .writableByOthers(let path, let mode):
            "other users of this machine can replace files in the database's folder \(path.quoted) (mode \(mode))"
        case .cannotOpen(let path, let error): "the database file \(path.quoted) cannot be opened: \(error)"
        case .inUse(let path): "another process uses the database \(path.quoted)"
        case .locked(let path): "the database \(path.quoted) is locked by another program"
        case .notADatabase(let path): "\(path.quoted) is not a database"
        case .foreign(let path): "\(path.quoted) is the database of another program"
        case .newer(let path, let version, let known):
            "the database \(path.quoted) has version \(version), and this program knows versions up to \(known)"
        case .damaged(let path, let reason): "the database \(path.quoted) is damaged: \(reason)"
        case .failing(let path, let reason): "the database \(path.quoted) does not work: \(reason)"
        }
    }

    public var remedy: String {
        switch self {
        case .isFolder, .notAFile: "Name a file, which is made unless it is there"
        case .readableByOthers(let path, _): "Close it with: chmod 600 \(path.shellQuoted)"
        case .writableByOthers(let path, _): "Close it with: chmod go-w \(path.shellQuoted)"
        case .cannotOpen: "Check that the file and its folder are there and that this user may write them"
        case .inUse: "Stop the other process, or name another file: only one at a time can use it"
        case .locked: "Close the other program, then start again"
        case .notADatabase, .foreign: "Name another file; this one was left as it is"
        case .newer: "Use the program's version that wrote it, or a newer one"
        case .damaged:
            "Move it away together with its -wal file; then put a copy in its place, or begin without accounts"
        case .failing: "Check the disk, the free space, and the mode of the file and its folder"
        }
    }

    public var exitCode: ExitCode {
        switch self {
        case .isFolder, .notAFile: .noInput
        case .readableByOthers, .writableByOthers: .notPermitted
        case .cannotOpen: .cannotCreate
        case .inUse, .locked: .temporary
        case .notADatabase, .foreign, .newer, .damaged: .badInput
        case .failing: .inputOutput
        }
    }
}
