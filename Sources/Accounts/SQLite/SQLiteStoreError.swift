import GRDB
package import MotivatorPlatform

/// The reason a file cannot be opened as an accounts database.
package enum SQLiteStoreError: ExplainedError, Equatable {
    case writableByOthers(path: String, mode: String)
    case inUse(path: String)
    case locked(path: String)
    case notADatabase(path: String)
    case foreign(path: String)
    case newer(path: String, version: Int64, known: Int)
    case damaged(path: String, reason: String)
    case failing(path: String, reason: String)

    init(_ error: DatabaseError, path: String) {
        let reason = SQLiteStore.reason(error)
        self =
            switch error.resultCode {
            case .SQLITE_NOTADB: .notADatabase(path: path)
            // SQLite reports an unreadable schema as a generic error.
            case .SQLITE_CORRUPT, .SQLITE_ERROR: .damaged(path: path, reason: reason)
            case .SQLITE_BUSY, .SQLITE_LOCKED: .locked(path: path)
            default: .failing(path: path, reason: reason)
            }
    }

    package var problem: String {
        switch self {
        case .writableByOthers(let path, let mode):
            "other users of this machine can replace files in the database's folder \(path.quoted) (mode \(mode))"
        case .inUse(let path): "another process is using the database \(path.quoted)"
        case .locked(let path): "the database \(path.quoted) is locked by another program"
        case .notADatabase(let path): "\(path.quoted) is not a database"
        case .foreign(let path): "\(path.quoted) belongs to another program"
        case .newer(let path, let version, let known):
            "the database \(path.quoted) has version \(version); this program supports versions up to \(known)"
        case .damaged(let path, let reason): "the database \(path.quoted) is damaged: \(reason)"
        case .failing(let path, let reason): "the database \(path.quoted) does not work: \(reason)"
        }
    }

    package var fix: String {
        switch self {
        case .writableByOthers(let path, _): "Run: chmod go-w \(path.shellQuoted)"
        case .inUse: "Stop the other process, or use another file"
        case .locked: "Close the other program, then start the server again"
        case .notADatabase, .foreign: "Use another file. This file was not changed"
        case .newer: "Use the version of the program that wrote the database, or a newer version"
        case .damaged: "Move the database and its -wal file elsewhere. Then restore a backup, or start without accounts"
        case .failing: "Check the disk, the free space, and the mode of the file and its folder"
        }
    }

    package var exitCode: ExitCode {
        switch self {
        case .writableByOthers: .notPermitted
        case .inUse, .locked: .temporary
        case .notADatabase, .foreign, .newer, .damaged: .badInput
        case .failing: .inputOutput
        }
    }
}
