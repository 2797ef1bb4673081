import GRDB
import MotivatorPlatform

extension SQLiteStore {
    /// Copies an accounts database to a file with mode 0600 and checks the copy. A server can use the database during
    /// the backup.
    /// - Parameters:
    ///   - path: the database. It must exist.
    ///   - copy: the file to create or replace. It appears when the copy is complete.
    ///   - progress: receives the number of copied pages and the total number of pages.
    /// - Throws: `SQLiteStoreError` if the database or its copy is damaged, or not an accounts database. `FileError` if
    ///   a file cannot be read or written.
    package static func backUp(
        _ path: String, to copy: String, pagesPerStep: Int32 = 1_000,
        progress: @escaping (_ done: Int, _ all: Int) -> Void = { _, _ in }
    ) async throws -> RecordSummary {
        let file = try locate(path, creates: false)
        try checkHeader(file)
        let replacement = try File.Replacement(of: copy)
        do {
            let store = try copied(file, to: replacement.temporaryPath, pagesPerStep, progress)
            if let damage = try await store.damage() {
                await store.close()
                throw SQLiteStoreError.damaged(path: file, reason: damage)
            }
            let summary = try await Transfer.summary(of: store)
            await store.close()
            try replacement.commit(mode: 0o600)
            return summary
        } catch let error as DatabaseError {
            throw SQLiteStoreError(error, path: file)
        }
    }

    private static func copied(
        _ file: String, to copy: String, _ pagesPerStep: Int32, _ progress: @escaping (_ done: Int, _ all: Int) -> Void
    ) throws -> SQLiteStore {
        // A read-only connection never checkpoints, so only the server's connection does.
        var readOnly = configuration
        readOnly.readonly = true
        let source = try DatabaseQueue(path: file, configuration: readOnly)
        let target = try DatabaseQueue(path: copy, configuration: configuration)
        try target.writeWithoutTransaction { target in
            try source.read { source in
                // Begin the transaction. Otherwise, each change by the server would restart the copy.
                _ = try Row.fetchOne(source, sql: "SELECT 1 FROM sqlite_schema")
                try source.backup(to: target, pagesPerStep: pagesPerStep) { step in
                    progress(step.completedPageCount, step.totalPageCount)
                }
            }
            try SQLiteSchema.update(target, file, checkedSize: 0)
        }
        try source.close()
        return SQLiteStore(target, claim: FileClaim())
    }
}
