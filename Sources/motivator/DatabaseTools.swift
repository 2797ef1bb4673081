import Accounts
import ArgumentParser
import MotivatorPlatform

struct DatabaseTools: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "database",
        abstract: "Export, import, check and back up the accounts.",
        subcommands: [Export.self, Import.self, CheckDatabase.self, Backup.self])

    struct Export: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "export", abstract: "Write all accounts to a file that every store can import.",
            discussion: """
                Example: motivator database export accounts.jsonl --database data/motivator.sqlite

                Stop all servers first. The file contains accounts with their password hashes, sessions, known \
                addresses, passkeys and the secret of the servers. Its mode is 0600. The file appears only when it is \
                complete.
                """)

        @Argument(help: "File to create or replace.")
        var file: String

        @OptionGroup var options: DatabaseArguments

        func run() async throws {
            let database = try options.selected()
            try database.refuse(file)
            try await database.use { store in
                let summary = try await Transfer.export(store, to: file) { Output.progress("\($0) records") }
                try database.show(summary)
            }
        }
    }

    struct Import: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "import", abstract: "Insert all accounts from an exported file into a new database.",
            discussion: """
                Example: motivator database import accounts.jsonl --database data/motivator.sqlite

                The command checks the whole file before it changes the database, and checks the database afterward. \
                If the command is interrupted, run it again to continue. It rejects a database that contains other \
                accounts.
                """)

        @Argument(help: "File created by motivator database export.")
        var file: String

        @OptionGroup var options: DatabaseArguments

        func run() async throws {
            let database = try options.selected()
            // An invalid file must not create a database.
            let summary = try Transfer.summary(ofFile: file) { Output.progress("checked \($0) records") }
            try await database.use(creates: true) { store in
                let existing = try await Transfer.import(file, summary, into: store) { done in
                    Output.progress("\(done) of \(summary.records) records")
                }
                try database.show(summary, existing: existing)
            }
        }
    }

    struct CheckDatabase: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "check",
            abstract: "Check the database for damage, and compare its records with an exported file.",
            discussion: """
                Example: motivator database check accounts.jsonl --database data/motivator.sqlite

                Stop all servers first. Databases with the same accounts, sessions, known addresses, passkeys and secret \
                have the same SHA-256 digest. The exit code is 1 if the records in the file and the database differ.
                """)

        @Argument(help: "File created by motivator database export.")
        var file: String?

        @OptionGroup var options: DatabaseArguments

        func run() async throws {
            let database = try options.selected()
            try await database.use { store in
                if let damage = try await store.damage() {
                    throw SQLiteStoreError.damaged(path: database.name, reason: damage)
                }
                let expected = try file.map { try Transfer.summary(ofFile: $0) }
                let summary = try await Transfer.summary(of: store, includesSecrets: expected?.secrets != 0) {
                    Output.progress("\($0) records")
                }
                try database.show(summary)
                try require(
                    file == nil || expected == summary,
                    "the records in \((file ?? "").quoted) and in the database differ",
                    fix: "Export the database again", exitCode: .no)
            }
        }
    }

    struct Backup: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "backup", abstract: "Copy the SQLite file while a server uses it, and check the copy.",
            discussion: """
                Example: motivator database backup copy.sqlite --database data/motivator.sqlite

                The copy contains the accounts as they were when the command started. Its mode is 0600. The file \
                appears only when it is complete.
                """)

        @Argument(help: "File to create.")
        var file: String

        @Flag(help: "Replace an existing file.")
        var force = false

        @OptionGroup var options: DatabaseArguments

        func run() async throws {
            let database = try options.selected()
            guard !Database.isShared(database.name) else {
                throw ExplainedFailure("backup copies only SQLite files", fix: "For PostgreSQL, use pg_dump")
            }
            try database.refuse(file)
            try require(
                force || FileVersion.ifPresent(file) == nil, "\(file.quoted) already exists",
                fix: "Use another file, or replace this one with --force", exitCode: .cannotCreate)
            let summary = try await database.explaining {
                try await SQLiteStore.backUp(database.name, to: file) { done, all in
                    Output.progress("\(done) of \(all) pages")
                }
            }
            try database.show(summary)
        }
    }
}

struct DatabaseArguments: ParsableArguments {
    @OptionGroup var store: StoreArguments
    @OptionGroup var file: ConfigurationArguments

    @Flag(help: "Print one JSON document.")
    var json = false

    /// Returns the database that `serve` would use.
    func selected() throws -> SelectedDatabase {
        let serve = try ConfigurationSource.ofProcess.load().command
        return SelectedDatabase(name: serve.accountSettings.store.database, printsJSON: json)
    }
}

struct SelectedDatabase {
    /// The path of a SQLite file, or the URL of a PostgreSQL database.
    let name: String
    let printsJSON: Bool

    /// Throws an error if the file is the database itself.
    func refuse(_ file: String) throws {
        if let version = try FileVersion.ifPresent(file), try version == FileVersion.ifPresent(name) {
            throw ExplainedFailure("\(file.quoted) is the database itself", fix: "Use another file")
        }
    }

    /// Opens the database, and closes it after `body`.
    func use(creates: Bool = false, _ body: (any AccountStore) async throws -> Void) async throws {
        let store = try await Database.open(name, creates: creates)
        do {
            try await explaining { try await body(store) }
        } catch {
            await store.close()
            throw error
        }
        await store.close()
    }

    /// Calls `body`, and converts the store's errors to errors that suggest a fix.
    func explaining<Result>(_ body: () async throws -> Result) async throws -> Result {
        do {
            return try await body()
        } catch StoreError.unavailable(let reason) {
            throw ExplainedFailure(
                "the database \(Redaction.hidingPasswords(name.quoted)) does not work: \(reason)",
                fix: "Correct the problem, and run the command again", exitCode: .unavailable)
        }
    }

    func show(_ summary: RecordSummary, existing: Int? = nil) throws {
        Output.progress(nil)
        let counts = [
            ("accounts", summary.accounts), ("sessions", summary.sessions), ("addresses", summary.addresses),
            ("passkeys", summary.passkeys),
        ]
        let document = JSONNode.members(counts.map { (key: $0, value: .number($1)) })
            .adding("sha256", .text(summary.digest)).adding("existing", existing.map { .number($0) })
        let rows = counts.map { [$0, "\($1)"] } + [["SHA-256", summary.digest]]
        let more = existing.map { [["existing", "\($0)"]] } ?? []
        try Output.result(json: printsJSON, document, text: (rows + more).aligned())
    }
}
