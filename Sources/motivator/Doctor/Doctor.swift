import Accounts
import ArgumentParser
import AssociatedDomains
import COpenSSL
import Certificates
import Foundation
import HTTPSClient
import MotivatorPlatform
import MotivatorServer

/// `motivator doctor`: finds problems that prevent the server from working on this machine.
struct Doctor: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Check ports, names, trust, clock, files, database and library versions, and suggest fixes.",
        discussion: """
            Example: motivator doctor --domain example.test

            The command reads options as motivator serve does, and changes nothing. The exit code is 1 if a problem \
            must be fixed, that of serve if the problem is the database, and 0 otherwise. Warnings can wait.
            """)

    @OptionGroup var options: Serve

    func run() async throws {
        let serve = try ConfigurationSource.ofProcess.load().command
        let database = try await DatabaseCheck(name: serve.accountSettings.store.database).outcome()
        let sections = try Self.sections(serve, database: database?.row)
        let count = sections.flatMap(\.rows).count { $0.level == .bad }
        let table = StatusTable(sections: sections, isColored: Output.isColored, width: Output.width)
        let conclusion = count == 0 ? "No problems found." : "\(count) problem\(count == 1 ? "" : "s") must be fixed."
        let document: JSONNode = [
            "format": 1, "version": .text(Version.number), "ok": .truth(count == 0),
            "checks": .list(
                sections.flatMap { section in
                    section.rows.map { row in
                        let check: JSONNode = [
                            "group": .text(section.title.lowercased()), "subject": .text(row.subject),
                            "status": .text(row.status), "message": .text(row.message),
                        ]
                        return check.adding(row.fix)
                    }
                }),
        ]
        try Output.result(json: options.json, document, text: "\(table.text)\n\(conclusion)\n")
        try endCommand(with: database?.refusal ?? (count == 0 ? .yes : .no))
    }

    private static func sections(_ serve: Serve, database: StatusTable.Row?) throws -> [StatusTable.Section] {
        let addresses = serve.addresses
        let names = try serve.served.domain.map { name in
            try parsing("--domain") { try SubjectName(name).text }
        }
        let authority = AuthorityCheck(
            authority: AuthorityInspection(folder: serve.identity.certificates), now: Clock.system.now())
        return [
            .init(title: "Ports", rows: try ports(addresses)),
            .init(title: "Names", rows: NameCheck(names: names + ["localhost"]).outcomes()),
            .init(title: "Trust", rows: authority.trust()),
            .init(title: "Clock", rows: authority.clock()),
            .init(title: "Files", rows: authority.files()),
            .init(title: "Database", rows: [database].compactMap(\.self)),
            .init(title: "Versions", rows: VersionCheck.outcomes()),
        ].filter { !$0.rows.isEmpty }
    }

    private static func ports(_ options: AddressArguments) throws -> [StatusTable.Row] {
        let (tls, plain) = try options.socketAddresses(of: options.listening(), replacedBy: [])
        let admin = options.adminListener.admin.address
        var all = tls.map { ("HTTPS", $0) } + plain.map { ("HTTP", $0) }
        if let admin { all.append(("admin", admin)) }
        let isServing = admin.map { $0.listenError != nil && HealthCheck.isServing($0) } ?? false
        return all.filter { $0.1.port != 0 }.map { use, address in
            let subject = "\(use) \(address)"
            guard let error = address.listenError else { return .good(subject, "free") }
            if isServing, case .inUse = error { return .good(subject, "in use by a running motivator") }
            return .problem(subject, error)
        }
    }
}

extension StatusTable.Row {
    static func good(_ subject: String, _ message: String) -> Self {
        Self(level: .good, status: "ok", subject: subject, message: message.sentence)
    }

    static func warning(_ subject: String, _ message: String, _ fix: Fix) -> Self {
        Self(level: .warning, status: "warning", subject: subject, message: message.sentence, fix: fix)
    }

    static func warning(_ subject: String, _ error: any ExplainedError) -> Self {
        warning(subject, error.problem, Fix(error))
    }

    static func problem(_ subject: String, _ message: String, _ fix: Fix) -> Self {
        Self(level: .bad, status: "problem", subject: subject, message: message.sentence, fix: fix)
    }

    static func problem(_ subject: String, _ error: any ExplainedError) -> Self {
        problem(subject, error.problem, Fix(error))
    }
}

/// The check of the accounts database. It changes nothing.
struct DatabaseCheck {
    let name: String

    /// Returns the row, and the exit code of `serve` if the server does not start; nil for a database in memory.
    func outcome() async throws -> (row: StatusTable.Row, refusal: MotivatorPlatform.ExitCode?)? {
        guard name != SQLiteStore.memory else { return nil }
        do {
            return (try await row(), nil)
        } catch let error as any ExplainedError {
            return (.problem("database", "the server does not start: \(error.problem)", Fix(error.fix)), error.exitCode)
        }
    }

    private func row() async throws -> StatusTable.Row {
        guard !Database.isShared(name) else {
            let url = Redaction.hidingPasswords(name).excerpt
            guard let reason = try await Database.outage(of: name) else { return .good("database", "\(url) responds") }
            return .warning(
                "database", "the server starts without accounts, because \(url) is not available (\(reason))",
                "Start the database, or correct the URL of --database")
        }
        var status = stat()
        guard unsafe stat(name, &status) == 0 else {
            return .good("database", "the file \(name.quoted) does not exist yet")
        }
        guard status.st_mode & 0o077 == 0 else {
            let mode = "0" + String(status.st_mode & 0o777, radix: 8)
            throw FileError.readableByOthers(path: name, mode: mode)
        }
        return .good("database", "only this user can read \(name.quoted)")
    }
}

enum VersionCheck {
    static func outcomes() -> [StatusTable.Row] {
        // A later minor version of OpenSSL is compatible with earlier minor versions (OpenSSL's release strategy).
        let built = [OPENSSL_VERSION_MAJOR, OPENSSL_VERSION_MINOR].map { String($0) }.joined(separator: ".")
        let openSSL = unsafe String(cString: OpenSSL_version(OPENSSL_VERSION_STRING))
        return [
            .good("motivator", "\(Version.number), built with Swift \(Version.swift)"),
            isVersion(openSSL, atLeast: built)
                ? .good("OpenSSL", openSSL)
                : .problem(
                    "OpenSSL", "\(openSSL) is older than \(built), the version used to build the program",
                    "Update OpenSSL"),
            sqlite, .good("zlib", Inflation.libraryVersion),
        ]
    }

    private static var sqlite: StatusTable.Row {
        guard let version = SQLiteStore.libraryVersion else {
            return .problem("SQLite", "does not work", "Reinstall SQLite")
        }
        let minimum = SQLiteStore.minimumLibraryVersion
        return isVersion(version, atLeast: minimum)
            ? .good("SQLite", version) : .problem("SQLite", "\(version) is older than \(minimum)", "Update SQLite")
    }

    static func isVersion(_ version: String, atLeast minimum: String) -> Bool {
        version.compare(minimum, options: .numeric) != .orderedAscending
    }
}
