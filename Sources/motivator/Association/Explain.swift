import ArgumentParser
import AssociatedDomains
import AssociationChecker
import Platform

extension AssociationTools {
    struct Explain: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "explain",
            abstract: "Explain the code of a finding: the rule, its reason, its source and date.",
            discussion: """
                Example: motivator association explain json-trailing-comma

                Without a code all codes are listed.
                """)

        @Argument(help: "The code, as a report has it.")
        var code: String?

        @Flag(help: "Print one JSON document.")
        var json = false

        func run() throws {
            guard let code else {
                return try Output.result(json ? JSONNode.list(Rule.all.map(\.json)).bytes() : Array(list.utf8))
            }
            guard let rule = Rule.named(code) else {
                throw UsageError(
                    "there is no code \(code.quoted)",
                    remedy: "Take one from a report, or list them with: motivator association explain")
            }
            try Output.result(json ? rule.json.bytes() : Array(rule.explanation.utf8))
        }

        private var list: String {
            let width = Rule.all.map(\.code.count).max() ?? 0
            return Rule.all.map { rule in
                rule.code + String(repeating: " ", count: width - rule.code.count) + "  \(rule.text)\n"
            }.joined()
        }
    }
}

extension Rule {
    fileprivate var explanation: String {
        let readings = Reading.allCases.map { reading in
            "\(reading.rawValue): \(consequences[reading]?.rawValue ?? "nothing")"
        }
        return """
            \(code)
              Rule      \(text)
              Reason    \(reason)
              Broken    \(readings.joined(separator: ", "))
              Source    \(source.title)\(source.link.map { "\n            \($0)" } ?? "")
              Date      \(source.date)

            """
    }

    fileprivate var json: JSONNode {
        [
            "code": .text(code), "rule": .text(text), "reason": .text(reason),
            "consequences": .members(
                consequences.readings.map { (key: $0.rawValue, value: .optional(consequences[$0]?.rawValue)) }),
            "source": .text(source.title), "date": .text(source.date), "link": .optional(source.link),
        ]
    }
}
