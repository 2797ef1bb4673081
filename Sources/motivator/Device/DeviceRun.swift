import ArgumentParser
import AssociatedDomains
import AssociationChecker
import MotivatorPlatform
import SharedWebCredentials

extension DeviceTools {
    struct Run: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "run", abstract: "Run a script of commands on the device, and check the results.",
            discussion: """
                Example: motivator device run story.device --fresh

                Each line contains one command, without "motivator device". Put words with spaces in quotes. The lines \
                after a command specify its input and its expected results:

                | TEXT        standard input
                => ok         the exit code is 0 (the default)
                => CODE       the exit code is CODE, or Apple's error is CODE, such as -25300
                => says TEXT  the output contains this text
                => lacks TEXT the output does not contain this text

                Empty lines and lines that start with # are ignored. At the first unmet expectation, the script \
                stops, prints the line number, and exits with 1. The device keeps the earlier changes.
                """)

        @Argument(help: "The script, or - for standard input.")
        var script: String

        @Flag(help: "Start with a new device instead of the saved device.")
        var fresh = false

        @Option(help: "Format of the results: text, tap (Test Anything Protocol) or junit.")
        var format = ScriptReport.Format.text

        @OptionGroup var options: DeviceOptions

        func validate() throws {
            try require(!options.json || format == .text, "--json and --format cannot be combined.")
        }

        func run() async throws {
            let bytes = try Input.read(script, limit: DeviceScript.limit)
            let name = Input.name(script)
            let steps = try ExplainedFailure.naming(name) { try DeviceScript(bytes).steps }
            let (options, format) = (options, format)
            try await options.withDevice(fresh: fresh) { device, prompter, save in
                var report = ScriptReport(name: name, steps: steps)
                do {
                    for step in steps {
                        prompter.policy = step.command.policy
                        let context = DeviceContext(device: device, sites: options.sites, save: save) { _ in step.input
                        }
                        var result = await step.perform(in: context)
                        result.prompts = prompter.takeAnswered()
                        report.results.append(result)
                        if let unmet = step.unmet(by: result) { throw ExplainedFailure(unmet, in: name) }
                        if format == .text, !options.json { try Output.result(step.output(of: result)) }
                        try await save()
                    }
                } catch {
                    report.failure = "\(error)"
                    // Also print the earlier results.
                    try Output.result(options.json ? report.json : report.bytes(format))
                    throw error
                }
                try Output.result(options.json ? report.json : report.bytes(format))
            }
        }
    }
}

/// The results of a script in a format for test tools. Each command is one test.
struct ScriptReport {
    enum Format: String, CaseIterable, ExpressibleByArgument { case text, tap, junit }

    let name: String
    let steps: [DeviceScript.Step]
    /// The results of the commands that ran.
    var results: [DeviceResult] = []
    /// The error that stopped the script, or nil.
    var failure: String?

    var json: [UInt8] {
        JSONNode.list(zip(steps, results).map { ["line": .number($0.line), "answer": $1.document] }).bytes()
    }

    /// Returns the report in the given format. The text format is empty, because each command prints its own result.
    func bytes(_ format: Format) -> [UInt8] {
        switch format {
        case .text: []
        case .tap: Array(tap.utf8)
        case .junit: Array(junit.utf8)
        }
    }

    private func isPassed(_ index: Int) -> Bool { index < results.count - (failure == nil ? 0 : 1) }

    /// The results in the Test Anything Protocol, version 14.
    private var tap: String {
        var lines = ["TAP version 14", "1..\(steps.count)"]
        for (index, step) in steps.enumerated() {
            let text = "line \(step.line): \(step.text)".printable
                .replacing("\\", with: "\\\\").replacing("#", with: "\\#")
            let test = "ok \(index + 1) - \(text)"
            if isPassed(index) {
                lines.append(test)
            } else if index < results.count {
                lines += ["not \(test)", "  ---", "  message: \(JSONText.quote(failure ?? ""))", "  ..."]
            } else {
                lines.append("\(test) # SKIP the script stopped before this command")
            }
        }
        return lines.map { "\($0)\n" }.joined()
    }

    private var junit: String {
        let cases = steps.enumerated().map { index, step in
            let head = """
                    <testcase classname="\(name.escapedForXML)" name="\("line \(step.line): \(step.text)".escapedForXML)">
                """
            let output = index < results.count ? results[index].lines.joined(separator: "\n").escapedForXML : ""
            let outcome =
                isPassed(index)
                ? "<system-out>\(output)</system-out>"
                : index < results.count
                    ? "<failure message=\"\((failure ?? "").escapedForXML)\">\(output)</failure>"
                    : "<skipped message=\"The script stopped before this command.\"/>"
            return "\(head)\(outcome)</testcase>"
        }
        return """
            <?xml version="1.0" encoding="UTF-8"?>
            <testsuites name="motivator device run">
              <testsuite name="\(name.escapedForXML)" tests="\(steps.count)" failures="\(failure == nil ? 0 : 1)" \
            errors="0" skipped="\(steps.count - results.count)">
            \(cases.joined(separator: "\n"))
              </testsuite>
            </testsuites>

            """
    }
}

struct DeviceScript {
    /// The maximum size of a script in bytes.
    static let limit = 1 << 20

    struct Step {
        let line: Int
        let text: String
        let command: any DeviceCommand
        var inputLines: [String] = []
        var expectations: [(line: Int, expectation: Expectation)] = []

        var input: String { inputLines.joined(separator: "\n") }
    }

    enum Expectation: Equatable {
        case code(Int32)
        case says(String)
        case lacks(String)
    }

    private(set) var steps: [Step] = []

    init(_ bytes: [UInt8]) throws {
        // Split bytes, because a Swift string treats CR LF as one character.
        for (index, line) in bytes.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated() {
            do throws(ExplainedFailure) {
                let text = String(validating: line.last == 0x0D ? line.dropLast() : line, as: UTF8.self)
                try read(try require(text, "the line is not UTF-8", fix: "Save the script as UTF-8"), index + 1)
            } catch {
                throw ExplainedFailure("line \(index + 1): \(error.problem)", fix: error.fix, exitCode: .badInput)
            }
        }
    }

    private mutating func read(_ text: String, _ line: Int) throws(ExplainedFailure) {
        let words = text.drop { $0 == " " || $0 == "\t" }
        if words.isEmpty || words.hasPrefix("#") { return }
        if words.hasPrefix("|") || words.hasPrefix("=>") {
            var step = try require(steps.popLast(), "no command precedes this line", fix: "Start with a command")
            if words.hasPrefix("|") {
                step.inputLines.append(String(words.dropFirst().drop { $0 == " " }))
            } else {
                step.expectations.append((line, try expectation(words.dropFirst(2))))
            }
            steps.append(step)
            return
        }
        steps.append(Step(line: line, text: String(words), command: try command(String(words))))
    }

    private func expectation(_ text: Substring) throws(ExplainedFailure) -> Expectation {
        let trimmed = text.drop { $0 == " " }
        let word = trimmed.prefix(while: { $0 != " " && $0 != "\t" })
        let isAlone = trimmed.dropFirst(word.count).allSatisfy { $0 == " " || $0 == "\t" }
        if isAlone, word == "ok" { return .code(0) }
        if isAlone, let code = Int32(word) { return .code(code) }
        if trimmed.hasPrefix("says ") { return .says(String(trimmed.dropFirst(5))) }
        if trimmed.hasPrefix("lacks ") { return .lacks(String(trimmed.dropFirst(6))) }
        throw ExplainedFailure(
            "\(String(trimmed).quoted) is not a valid expectation",
            fix: "Use ok, a number, says TEXT or lacks TEXT after =>")
    }

    private func command(_ text: String) throws(ExplainedFailure) -> any DeviceCommand {
        let words = try words(text)
        let parsed: any ParsableCommand
        do { parsed = try DeviceTools.parseAsRoot(words) } catch {
            let name = words.first ?? ""
            guard DeviceTools.configuration.subcommands.contains(where: { $0.configuration.commandName == name }) else {
                throw ExplainedFailure(
                    "\(name.quoted) is not a command of motivator device",
                    fix: "List the commands with: motivator device --help. Omit \"motivator device\" in the script")
            }
            let message = DeviceTools.message(for: error).split(separator: "\n").first.map(String.init)
            throw ExplainedFailure(message ?? "invalid command", fix: "See: motivator device \(name) --help")
        }
        let command = try require(
            parsed as? any DeviceCommand, "\(text.quoted) cannot be used in a script",
            fix: "Use a subcommand of motivator device other than run and reset")
        try require(
            !words.contains { DeviceScript.wholeOptions.contains(String($0.prefix { $0 != "=" })) },
            "options for the state, the sites and the output apply to the whole script",
            fix: "Pass these options to motivator device run")
        return command
    }

    /// The options that apply to the whole script.
    private static let wholeOptions = [
        "--state", "--system", "--json", "--trust", "--connect-to", "--timeout", "--assume-public",
    ]

    /// Splits a line at spaces. Quotes preserve spaces. In double quotes, a backslash escapes the next character.
    private func words(_ text: String) throws(ExplainedFailure) -> [String] {
        var words: [String] = []
        var word: String?
        var quote: Unicode.Scalar?
        var isEscaped = false
        // Iterate over scalars, because a Swift string treats a quote and a combining mark as one character.
        for character in text.unicodeScalars {
            switch (quote, character) {
            case _ where isEscaped: (word, isEscaped) = ((word ?? "") + String(character), false)
            case ("\""?, "\\"): isEscaped = true
            case (let open?, _) where open == character: quote = nil
            case (.some, _): word = (word ?? "") + String(character)
            case (nil, "\""), (nil, "'"): (quote, word) = (character, word ?? "")
            case (nil, " "), (nil, "\t"):
                if let complete = word { words.append(complete) }
                word = nil
            case (nil, _): word = (word ?? "") + String(character)
            }
        }
        try require(quote == nil, "a quote is not closed", fix: "Close the quote on the same line")
        return words + (word.map { [$0] } ?? [])
    }
}

extension DeviceScript.Step {
    /// Runs the command. Returns an error as a result, because the script may expect it.
    func perform(in context: DeviceContext) async -> DeviceResult {
        do {
            return try await command.perform(in: context)
        } catch let error as any ExplainedError {
            return DeviceResult(error)
        } catch {
            return DeviceResult(lines: ["\(error)"], json: ["error": ["message": .text("\(error)")]], exitCode: .no)
        }
    }

    func output(of result: DeviceResult) -> [UInt8] {
        let lines = result.lines.flatMap { $0.split(separator: "\n") }.map { "  \($0)\n" }
        return Array("\(line)  \(text)\n\(lines.joined())".utf8)
    }

    /// Returns the first expectation that is not met.
    func unmet(by result: DeviceResult) -> ExplainedFailure? {
        let said = result.lines.joined(separator: "\n")
        func failure(_ line: Int, _ problem: String) -> ExplainedFailure {
            ExplainedFailure(
                "line \(line): \(problem); the output starts with: \((result.lines.first ?? "").clause)",
                fix: "Correct the script, or the app or site that it tests", exitCode: .no)
        }
        var expectsCode = false
        for (line, expectation) in expectations {
            switch expectation {
            case .code(let code):
                expectsCode = true
                guard code != result.exitCode.rawValue, code != result.status else { continue }
                let status = result.status.map { " and Apple's error is \($0)" } ?? ""
                return failure(line, "expected \(code), but the exit code is \(result.exitCode.rawValue)\(status)")
            case .says(let text) where !said.contains(text):
                return failure(line, "the output does not contain \(text.quoted)")
            case .lacks(let text) where said.contains(text): return failure(line, "the output contains \(text.quoted)")
            case .says, .lacks: continue
            }
        }
        guard expectsCode || result.exitCode == .yes else {
            return failure(line, "the exit code is \(result.exitCode.rawValue)")
        }
        return nil
    }
}
