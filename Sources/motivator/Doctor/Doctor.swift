import Accounts
import ArgumentParser
import AssociatedDomains
import AssociationChecker
import COpenSSL
import Certificates
import Faults
import Foundation
import HTTPSClient
import Logging
import MotivatorPlatform
import MotivatorServer
import MotivatorTLS
import UltraMotivator

/// `motivator doctor`: finds problems that prevent the server from working on this machine.
struct Doctor: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Check ports, names, trust, clock, files, database and library versions, and suggest fixes.",
        usage: "motivator doctor <options>",
        discussion: """
            Example: motivator doctor --domain example.test

            The command reads options as motivator serve does, and changes nothing. The exit code is 1 if a problem \
            must be fixed, that of serve if the problem is the database, and 0 otherwise. Warnings can wait.
            """)

    @OptionGroup var options: Serve

    func run() async throws {
        let serve = try ConfigurationSource.ofProcess.load().command
        let log = Logger(label: "") { _ in SwiftLogNoOpLogHandler() }
        let store = try await Database.open(SQLiteStore.memory)
        let accounts = Accounts(store: store, options: try serve.accountSettings.options(), clock: .system, log: log)
        _ = try serve.makeDemo([], accounts, log)
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

    static func sections(_ serve: Serve, database: StatusTable.Row?) throws -> [StatusTable.Section] {
        let names = try serve.served.domain.map { name in
            try parsing("--domain") { try SubjectName(name).text }
        }.distinct
        let now = Clock.system.now()
        let folder = serve.identity.certificate == nil ? serve.identity.certificates : nil
        let authority = folder.map { AuthorityCheck(authority: AuthorityInspection(folder: $0), now: now) }
        let clock = [AuthorityCheck.clock(at: now, authority)] + (authority?.validity() ?? [])
        let files = try (authority?.files(names) ?? []) + Self.files(serve, names, at: now)
        return [
            .init(title: "Ports", rows: try ports(serve.addresses)),
            .init(title: "Names", rows: NameCheck(names: names + ["localhost"]).outcomes()),
            .init(title: "Trust", rows: authority?.trust() ?? []),
            .init(title: "Clock", rows: clock),
            .init(title: "Files", rows: files),
            .init(title: "Database", rows: [database].compactMap(\.self)),
            .init(title: "Versions", rows: VersionCheck.outcomes()),
        ].filter { !$0.rows.isEmpty }
    }

    /// Reads the files that the options name, as `serve` does when it starts.
    private static func files(_ serve: Serve, _ domains: [String], at now: UnixTime) throws -> [StatusTable.Row] {
        var rows: [StatusTable.Row] = []
        func check(_ option: String, _ path: String, _ read: () throws -> Void) throws {
            do {
                try read()
                rows.append(.good(option, "the server can use \(path.quoted)"))
            } catch let error as any ExplainedError { rows.append(.problem(option, error)) }
        }
        if case .given(let path, let key, let chain) = try serve.certificates() {
            try check("--certificate", path) { _ = try Identity.load(certificate: path, key: key, chain: chain) }
        }
        if let path = serve.identity.ticketSecret {
            try check("--ticket-secret", path) { _ = try TicketSecret.load(path: path) }
        }
        if let path = serve.served.faultsAssociation {
            try check("--faults-association", path) { try Faults(association: path).checkAssociation(at: now) }
        }
        if let path = serve.served.association {
            try check("--association", path) { _ = try File.read(path, limit: AssociationFile.readLimit) }
        }
        if let path = serve.served.publicFolder { try check("--public", path) { _ = try Folder(path) } }
        for site in try serve.folders(domains) {
            try check("--site", site.folder) {
                _ = try site.load(format: .plain, ownRoots: [], now: now) { throw CancellationError() }
            }
        }
        return rows
    }

    private static func ports(_ options: AddressArguments) throws -> [StatusTable.Row] {
        let (tls, plain) = try options.socketAddresses(of: options.listening(), replacedBy: [])
        let admin = options.admin.address
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
            library("OpenSSL", openSSL, atLeast: built),
            library("SQLite", SQLiteStore.libraryVersion, atLeast: SQLiteStore.minimumLibraryVersion),
            .good("zlib", Inflation.libraryVersion),
        ]
    }

    private static func library(_ name: String, _ version: String?, atLeast minimum: String) -> StatusTable.Row {
        guard let version else { return .problem(name, "does not work", "Reinstall \(name)") }
        if isVersion(version, atLeast: minimum) { return .good(name, version) }
        return .problem(name, "\(version) is older than \(minimum), which this program needs", "Update \(name)")
    }

    static func isVersion(_ version: String, atLeast minimum: String) -> Bool {
        version.compare(minimum, options: .numeric) != .orderedAscending
    }
}
