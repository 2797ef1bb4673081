import MotivatorPlatform

/// Functions that copy and compare all records of a store, using little memory.
package enum Transfer {
    /// The maximum number of records in memory and in one transaction.
    static let pageSize = 2_000

    /// Returns the summary of a store.
    /// - Parameter includesSecrets: whether to include the secrets. Files of version 1 have none.
    package static func summary(
        of store: any AccountStore, includesSecrets: Bool = true, progress: (Int) -> Void = { _ in }
    ) async throws -> RecordSummary {
        var tally = RecordTally()
        var pages = Pages(store)
        while let page = try await pages.next() {
            for record in page {
                if case .secret = record, !includesSecrets { continue }
                _ = tally.add(record)
            }
            progress(tally.records)
        }
        return tally.finish()
    }

    /// Returns the summary of a file.
    /// - Throws: `FileError`; `ExplainedFailure` if the file is not a complete export.
    package static func summary(ofFile path: String, progress: (Int) -> Void = { _ in }) throws -> RecordSummary {
        let reader = try RecordReader(path)
        var records = 0
        while try reader.next() != nil {
            records += 1
            if records.isMultiple(of: pageSize) { progress(records) }
        }
        return reader.summary ?? RecordSummary()
    }

    /// Writes all records of a store to a file with mode 0600. The file appears only when it is complete.
    package static func export(
        _ store: any AccountStore, to path: String, progress: (Int) -> Void = { _ in }
    ) async throws -> RecordSummary {
        let writer = try RecordWriter(path)
        var pages = Pages(store)
        var records = 0
        while let page = try await pages.next() {
            try writer.write(page)
            records += page.count
            progress(records)
        }
        return try writer.finish()
    }

    /// Inserts the records in a file that are missing from the store. After an interruption, a second call resumes the
    /// import.
    /// - Parameter store: the store. It must be empty or contain only the first records in the file.
    /// - Returns: the number of records that were already in the store.
    /// - Throws: `ExplainedFailure` if the existing records are not the first records in the file, a record contradicts
    ///   an earlier record, or the file has changed.
    package static func `import`(
        _ path: String, _ expected: RecordSummary, into store: any AccountStore, progress: (Int) -> Void = { _ in }
    ) async throws -> Int {
        let reader = try RecordReader(path)
        var existing = 0
        var pages = Pages(store)
        // Records are inserted in the order of the file, so an interrupted import leaves only the first records.
        while let page = try await pages.next() {
            for record in page {
                // The migration created a secret. The import replaces it.
                if case .secret = record { continue }
                guard try record == reader.next() else { throw otherRecords(path) }
                existing += 1
            }
            if existing > 0 { progress(existing) }
        }
        var done = existing
        while true {
            var page: [StoreRecord] = []
            while page.count < pageSize, let record = try reader.next() { page.append(record) }
            guard !page.isEmpty else { break }
            try await insert(page, of: reader, into: store, done: done)
            done += page.count
            progress(done)
        }
        guard try await summary(of: store, includesSecrets: expected.secrets > 0) == expected else {
            throw otherRecords(path)
        }
        return existing
    }

    /// Inserts records. If the store rejects a record, the error names its line.
    private static func insert(
        _ page: [StoreRecord], of reader: RecordReader, into store: any AccountStore, done: Int
    ) async throws {
        do throws(StoreError) {
            try await store.insert(page)
        } catch {
            guard page.count == 1 else {
                if case .unavailable = error { throw error }
                // The transaction was rolled back. Insert each record separately to find the rejected record.
                for (index, record) in page.enumerated() {
                    try await insert([record], of: reader, into: store, done: done + index)
                }
                return
            }
            // The first record is on the second line.
            switch error {
            case .nameTaken: throw reader.error("another account has the same name", line: done + 2)
            case .hashChanged: throw reader.error("the account of the record does not exist", line: done + 2)
            case .passkey, .unavailable: throw error
            }
        }
    }

    /// The pages of a store's records.
    private struct Pages {
        private let store: any AccountStore
        private var last: StoreRecord.Position?

        init(_ store: any AccountStore) {
            self.store = store
        }

        /// Returns the next page, or nil at the end.
        mutating func next() async throws(StoreError) -> [StoreRecord]? {
            let page = try await store.records(after: last, most: pageSize)
            guard let end = page.last else { return nil }
            last = end.position
            return page
        }
    }
}

/// Returns the error for a database whose records differ from those in the file.
private func otherRecords(_ path: String) -> ExplainedFailure {
    ExplainedFailure(
        "the records in the database do not match \(path.quoted)", fix: "Import into a new database",
        exitCode: .cannotCreate)
}
