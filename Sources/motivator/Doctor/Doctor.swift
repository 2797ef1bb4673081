import ArgumentParser
import AssociatedDomains
import Certificates
import MotivatorPlatform

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
        if options.json {
            try Output.result(Doctor.json(sections, isOK: count == 0).bytes())
        } else {
            let table = StatusTable(sections: sections, isColored: Output.isColored, width: Output.width)
            try Output.result(Array((table.text + "\n" + Doctor.conclusion(count) + "\n").utf8))
        }
        try endCommand(with: database?.refusal ?? (count == 0 ? .yes : .no))
    }

    private static func sections(_ serve: Serve, database: StatusTable.Row?) throws -> [StatusTable.Section] {
        let addresses = serve.addresses
        let names = try serve.served.domain.map { name in
            try parsing("--domain") { try SubjectName(name).text }
        }
        let authority = AuthorityCheck(
            authority: AuthorityInspection(folder: serve.identity.certificates), now: Clock.system.now())
        let ports = PortCheck(addresses: try addresses.listening(), admin: addresses.adminListener.admin)
        return [
            .init(title: "Ports", rows: ports.outcomes(https: addresses.port, plain: addresses.plainPort)),
            .init(title: "Names", rows: NameCheck(names: names + ["localhost"]).outcomes()),
            .init(title: "Trust", rows: authority.trust()),
            .init(title: "Clock", rows: authority.clock()),
            .init(title: "Files", rows: authority.files()),
            .init(title: "Database", rows: [database].compactMap(\.self)),
            .init(title: "Versions", rows: VersionCheck.outcomes()),
        ].filter { !$0.rows.isEmpty }
    }

    /// Returns the last line of the text output.
    static func conclusion(_ count: Int) -> String {
        count == 0 ? "No problems found." : "\(count) problem\(count == 1 ? "" : "s") must be fixed."
    }

    static func json(_ sections: [StatusTable.Section], isOK: Bool) -> JSONNode {
        [
            "format": 1, "version": .text(Version.number), "ok": .truth(isOK),
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
    }
}

extension StatusTable.Row {
    /// Returns the row of a check without a problem.
    static func good(_ subject: String, _ message: String) -> Self {
        Self(level: .good, status: "ok", subject: subject, message: message.sentence)
    }

    static func warning(_ subject: String, _ message: String, _ fix: Fix) -> Self {
        Self(level: .warning, status: "warning", subject: subject, message: message.sentence, fix: fix)
    }

    static func problem(_ subject: String, _ message: String, _ fix: Fix) -> Self {
        Self(level: .bad, status: "problem", subject: subject, message: message.sentence, fix: fix)
    }
}
