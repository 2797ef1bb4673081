import ArgumentParser
import AssociatedDomains
import AssociationChecker
import Platform

extension AssociationTools {
    struct Check: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "check",
            abstract: "Say what a device would do with a site or a file, and why.",
            discussion: """
                Example: motivator association check example.com --entitlement webcredentials:example.com \
                --app D3KQX62K1A.com.example.DemoApp

                The target is a domain, an https URL, a file, or - for standard input. Exits with 0 when the reading \
                says associated, 75 when a device would try again, and 1 when it is denied.
                """)

        /// How a report is written.
        enum Format: String, ExpressibleByArgument, CaseIterable { case text, json, junit, github }

        /// Whose verdict counts.
        enum Wanted: String, ExpressibleByArgument, CaseIterable {
            case documented, device, legacy, all

            var readings: [Reading] {
                switch self {
                case .documented: [.documented]
                case .device: [.device]
                case .legacy: [.legacy]
                case .all: Reading.allCases
                }
            }
        }

        @Argument(help: "Domain, https URL, file, or - for standard input.")
        var target: String

        @OptionGroup(title: "What is asked")
        var asked: QuestionOptions

        @Option(help: "Whose verdict counts: documented, device, legacy or all.")
        var reading = Wanted.documented

        @OptionGroup(title: "How it is asked")
        var fetching: FetchOptions

        @Option(help: "How the report is written: text, json, junit or github.")
        var format = Format.text

        @Flag(help: "The same as --format json.")
        var json = false

        func run() throws {
            let question = try asked.question()
            let report = try AssociationTarget(target, question).report(question, fetching)
            try Output.result(written(report))
            try Ending.end(with: exitCode(report))
        }

        private func written(_ report: Report) -> [UInt8] {
            let forCI = ReportForCI(
                report: report, readings: reading.readings,
                file: report.visits.isEmpty && target != "-" ? report.target : nil)
            switch json ? .json : format {
            case .json: return report.json.bytes()
            case .text: return Array((ReportText(report: report, isColoured: Output.isColoured).text + "\n").utf8)
            case .junit: return Array((forCI.junit + "\n").utf8)
            case .github: return Array((forCI.github.isEmpty ? "" : forCI.github + "\n").utf8)
            }
        }

        private func exitCode(_ report: Report) -> Platform.ExitCode {
            let verdicts = reading.readings.map(report.verdict)
            if verdicts.contains(.denied) { return .no }
            return verdicts.contains(.retry) ? .temporary : .yes
        }
    }
}

/// How a command ends that has given its result.
enum Ending {
    /// - Throws: what makes the process exit with the code, unless it is 0.
    static func end(with code: Platform.ExitCode) throws {
        if code != .yes { throw ArgumentParser.ExitCode(code.rawValue) }
    }
}
