import ArgumentParser
import AssociationChecker
import MotivatorPlatform

extension DeviceTools {
    struct Run: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Run a script of commands on the device, and check the results.",
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
            let steps = try ErrorInFile.naming(name) { try DeviceScript(bytes).steps }
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
                        if let unmet = step.unmet(by: result) { throw ErrorInFile(path: name, error: unmet) }
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
