import ArgumentParser
import AssociatedDomains
import AssociationChecker
import MotivatorPlatform

extension AssociationCommand {
    struct Explain: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "explain",
            abstract: "Explain an issue code, or a message of a device, of Apple's CDN or of Android.",
            discussion: """
                Example: motivator association explain json-trailing-comma
                Example: motivator association explain -6754
                Example: motivator association explain swcutil_show.txt

                For an issue code, the command prints the rule, its reason, source and date. For a number, a domain \
                with a code, the head of a response, a sentence or lines of a log, it prints the meaning, the likely \
                causes, and the command that finds the cause. For records of swcutil show, and for the output of pm \
                get-app-links, it prints the state of each entry or host. Without an argument, the command lists all issue codes.
                """)

        /// The size limit for a log in bytes: 4 MB. The file swcutil_show.txt of a device has less than 1 MB.
        private static let inputLimit = 4 << 20

        @Argument(
            parsing: .allUnrecognized,
            help: ArgumentHelp(
                "Issue code, number, text of a message, a file, or - for standard input.", valueName: "message"))
        var words: [String] = []

        @Flag(help: "Print one JSON document.")
        var json = false

        @Flag(help: "Print the JSON Schema for the reports of check --json.")
        var schema = false

        mutating func validate() throws {
            // The parser accepts every option as a part of the message, because codes begin with a minus sign.
            words.removeAll { $0 == "--" }
            if let option = words.first(where: {
                $0.hasPrefix("--") || ($0.hasPrefix("-") && $0.dropFirst().first?.isLetter == true)
            }) {
                throw ValidationError("Unknown option \(option.quoted).")
            }
        }

        func run() throws {
            guard !schema else { return try Output.result(Array(ReportSchema.text.utf8)) }
            let text = try input()
            guard !words.isEmpty else {
                let list = Diagnostic.all.map { [$0.code, $0.text] }.aligned()
                return try Output.result(json: json, .list(Diagnostic.all.map(\.json)), text: list)
            }
            if let diagnostic = Diagnostic.named(text) {
                return try Output.result(json: json, diagnostic.json, text: diagnostic.explanation)
            }
            let records = SystemRecord.found(in: text)
            let states = AppLinksState.found(in: text)
            let messages = KnownMessage.found(in: records.isEmpty ? text : records.map(\.error).joined(separator: "\n"))
            // The device and the checker print the code of an issue in brackets.
            let diagnostics = Diagnostic.all.filter { text.contains("[\($0.code)]") }
            try require(
                !records.isEmpty || !messages.isEmpty || !diagnostics.isEmpty,
                "unknown code or message \(text.excerpt)",
                fix: "Use a code from a report, or list all codes with: motivator association explain")
            let document: JSONNode = [
                "messages": .list(messages.map { $0.message.json(for: $0.line) }),
                "records": .list(records.map(\.json) + states.map(\.json)),
                "issues": .list(diagnostics.map(\.json)),
            ]
            let parts = KnownMessage.texts(messages, in: text) + diagnostics.map(\.explanation)
            let sections = ([SystemRecord.text(records), states.map(\.line).joined()] + parts).filter { !$0.isEmpty }
            try Output.result(json: json, document, text: sections.joined(separator: "\n"))
        }

        /// Returns the text to explain: the arguments, or the content of the file that they name.
        private func input() throws -> String {
            guard let word = words.first, words.count == 1, unsafe word == "-" || access(word, F_OK) == 0 else {
                return words.joined(separator: " ")
            }
            return String(decoding: try Input.read(word, limit: Self.inputLimit), as: UTF8.self)
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
              Before    \(example)
              After     \(fixed)
              Effect    \(severities.joined(separator: ", "))
              Source    \(source.title)\(source.link.map { "\n            \($0)" } ?? "")
              Date      \(source.date)

            """
    }

    fileprivate var json: JSONNode {
        [
            "code": .text(code), "rule": .text(text), "reason": .text(reason), "example": .text(example),
            "fixed": .text(fixed),
            "effects": .members(effects.profiles.map { (key: $0.rawValue, value: .optional(effects[$0]?.rawValue)) }),
            "source": .text(source.title), "date": .text(source.date), "link": .optional(source.link),
        ]
    }
}
