import ArgumentParser
import AssociatedDomains
import AssociationChecker
import CommandSupport
import MotivatorPlatform

extension AssociationTools {
    struct Explain: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "explain",
            abstract: "Explain an issue code: the rule, its reason, source and date.",
            discussion: """
                Example: motivator association explain json-trailing-comma

                Without a code, the command lists all codes.
                """)

        @Argument(help: "Issue code from a report.")
        var code: String?

        @Flag(help: "Print one JSON document.")
        var json = false

        @Flag(help: "Print the JSON Schema for the reports of check --json.")
        var schema = false

        func run() throws {
            guard !schema else { return try Output.result(ReportSchema.json.bytes()) }
            guard let code else {
                return try Output.result(json ? JSONNode.list(Diagnostic.all.map(\.json)).bytes() : Array(list.utf8))
            }
            guard let diagnostic = Diagnostic.named(code) else {
                throw UsageError(
                    "unknown code \(code.quoted)",
                    fix: "Use a code from a report, or list all codes with: motivator association explain")
            }
            try Output.result(json ? diagnostic.json.bytes() : Array(diagnostic.explanation.utf8))
        }

        private var list: String {
            let width = Diagnostic.all.map(\.code.count).max() ?? 0
            return Diagnostic.all.map { row in
                row.code + String(repeating: " ", count: width - row.code.count) + "  \(row.text)\n"
            }.joined()
        }
    }
}

extension Diagnostic {
    fileprivate var explanation: String {
        let severities = Profile.allCases.map { "\($0.rawValue): \(effects[$0]?.rawValue ?? "no issue")" }
        return """
            \(code)
              Rule      \(text)
              Reason    \(reason)
              Example   \(example)
              Effect    \(severities.joined(separator: ", "))
              Source    \(source.title)\(source.link.map { "\n            \($0)" } ?? "")
              Date      \(source.date)

            """
    }

    fileprivate var json: JSONNode {
        [
            "code": .text(code), "rule": .text(text), "reason": .text(reason), "example": .text(example),
            "effects": .members(
                effects.profiles.map { (key: $0.rawValue, value: .optional(effects[$0]?.rawValue)) }),
            "source": .text(source.title), "date": .text(source.date), "link": .optional(source.link),
        ]
    }
}
