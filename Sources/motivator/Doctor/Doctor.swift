import ArgumentParser
import AssociatedDomains
import Certificates
import MotivatorPlatform

/// `motivator doctor`: finds problems that prevent the server from working on this machine.
struct Doctor: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Check ports, names, trust, clock, file modes and library versions, and suggest fixes.",
        discussion: """
            Example: motivator doctor --domain example.test

            The command uses the options of motivator serve, its environment variables and its configuration file. It changes nothing. The exit code is 1 if a \
            problem must be fixed, and 0 otherwise. A warning needs attention later, or only in some cases.
            """)

    /// The result of one check.
    struct Outcome {
        enum Status: String {
            case good = "ok"
            case warning
            case problem
        }

        let subject: String
        let status: Status
        let message: String
        var fix = Fix.none

        static func good(_ subject: String, _ message: String) -> Outcome {
            Outcome(subject: subject, status: .good, message: message.sentence)
        }

        static func warning(_ subject: String, _ message: String, _ fix: Fix) -> Outcome {
            Outcome(subject: subject, status: .warning, message: message.sentence, fix: fix)
        }

        static func problem(_ subject: String, _ message: String, _ fix: Fix) -> Outcome {
            Outcome(subject: subject, status: .problem, message: message.sentence, fix: fix)
        }
    }

    /// A group of outcomes with a title.
    struct Group {
        let title: String
        let outcomes: [Outcome]
    }

    @OptionGroup var options: Serve

    func run() throws {
        let groups = try Self.outcomes(ConfigurationSource.ofProcess.load().command)
        let count = groups.flatMap(\.outcomes).count { $0.status == .problem }
        if options.json {
            try Output.result(Doctor.json(groups, isOK: count == 0).bytes())
        } else {
            let table = StatusTable(sections: groups.map(\.section), isColored: Output.isColored, width: Output.width)
            try Output.result(Array((table.text + "\n" + Doctor.conclusion(count) + "\n").utf8))
        }
        try endCommand(with: count == 0 ? .yes : .no)
    }

    private static func outcomes(_ serve: Serve) throws -> [Group] {
        let addresses = serve.addresses
        let names = try serve.served.domain.map { name in
            try parsing("--domain") { try SubjectName(name).text }
        }
        let now = Clock.system.now()
        let authority = AuthorityInspection(folder: serve.identity.certificates)
        let database = serve.accountSettings.store.database
        return [
            Group(
                title: "Ports",
                outcomes: PortCheck(addresses: try addresses.listening(), admin: addresses.adminListener.admin)
                    .outcomes(https: addresses.port, plain: addresses.plainPort)),
            Group(title: "Names", outcomes: NameCheck(names: names + ["localhost"]).outcomes()),
            Group(title: "Trust", outcomes: AuthorityCheck(authority: authority, now: now).trust()),
            Group(title: "Clock", outcomes: AuthorityCheck(authority: authority, now: now).clock()),
            Group(title: "Files", outcomes: FileCheck(authority: authority, database: database).outcomes()),
            Group(title: "Versions", outcomes: VersionCheck.outcomes()),
        ].filter { !$0.outcomes.isEmpty }
    }

    /// Returns the last line of the text output.
    static func conclusion(_ count: Int) -> String {
        count == 0 ? "No problems found." : "\(count) problem\(count == 1 ? "" : "s") must be fixed."
    }

    static func json(_ groups: [Group], isOK: Bool) -> JSONNode {
        [
            "format": 1, "version": .text(Version.number), "ok": .truth(isOK),
            "checks": .list(
                groups.flatMap { group in
                    group.outcomes.map { outcome in
                        let check: JSONNode = [
                            "group": .text(group.title.lowercased()), "subject": .text(outcome.subject),
                            "status": .text(outcome.status.rawValue), "message": .text(outcome.message),
                        ]
                        return check.adding(outcome.fix)
                    }
                }),
        ]
    }
}

extension Doctor.Group {
    fileprivate var section: StatusTable.Section {
        .init(
            title: title,
            rows: outcomes.map { outcome in
                let level: StatusTable.Level =
                    switch outcome.status {
                    case .good: .good
                    case .warning: .warning
                    case .problem: .bad
                    }
                return .init(
                    level: level, status: outcome.status.rawValue, subject: outcome.subject, message: outcome.message,
                    fix: outcome.fix)
            })
    }
}
