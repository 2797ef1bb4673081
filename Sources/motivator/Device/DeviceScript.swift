import ArgumentParser
import Platform
import SharedWebCredentials

extension DeviceTools {
    struct Run: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "run",
            abstract: "Run a script of commands on the device, with what is expected of each.",
            discussion: """
                Example: motivator device run story.device

                A line is a command as it would stand behind "motivator device", its words apart by spaces, in quotes \
                where they have some. Lines behind it say more about it:

                | TEXT        the command's standard input
                => ok         it ends with exit code 0 (what is expected where nothing is said)
                => CODE       it ends with this exit code, or with this number of Apple's, such as -25300
                => says TEXT  what it prints has this text
                => lacks TEXT what it prints does not have this text

                Empty lines and lines that begin with # are passed over. The script ends at the first expectation that \
                is not met, with its line number and exit code 1; what was done until then is kept.
                """)

        @Argument(help: "The script; - reads standard input.")
        var script: String

        @OptionGroup var options: DeviceOptions

        func run() async throws {
            let bytes = try Input.read(script, limit: DeviceScript.limit)
            let steps = try ErrorInFile.naming(Input.name(script)) { try DeviceScript(bytes).steps }
            let options = options
            let name = Input.name(script)
            try await DeviceSession(options).withDevice { device, answerer, save in
                var done: [JSONNode] = []
                do {
                    for step in steps {
                        answerer.policy = step.command.policy
                        let context = DeviceContext(device: device, sites: options.sites, save: save) { step.input }
                        let answer = await step.perform(in: context)
                        done.append(["line": .number(step.line), "answer": answer.json])
                        if let unmet = step.unmet(by: answer) { throw ErrorInFile(path: name, error: unmet) }
                        if !options.json { try Output.result(step.told(answer)) }
                        try await save()
                    }
                } catch {
                    // What was done until then is told, too.
                    if options.json { try Output.result(JSONNode.list(done).bytes()) }
                    throw error
                }
                if options.json { try Output.result(JSONNode.list(done).bytes()) }
            }
        }
    }
}

/// A sequence of commands with what is expected of them.
struct DeviceScript {
    /// Bytes of a script.
    static let limit = 1 << 20

    /// A command of the script.
    struct Step {
        let line: Int
        let text: String
        let command: any DeviceCommand
        var input = ""
        var expectations: [(line: Int, expectation: Expectation)] = []
    }

    enum Expectation: Equatable {
        case code(Int32)
        case says(String)
        case lacks(String)
    }

    private(set) var steps: [Step] = []

    /// - Throws: `Mistake` with its line.
    init(_ bytes: [UInt8]) throws {
        // By bytes: CR with LF is one character of a string.
        for (index, line) in bytes.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated() {
            guard let text = String(validating: line.last == 0x0D ? line.dropLast() : line, as: UTF8.self) else {
                throw Mistake(line: index + 1, problem: "the line is not UTF-8", remedy: "Save the script as UTF-8")
            }
            try read(text, index + 1)
        }
    }

    private mutating func read(_ text: String, _ line: Int) throws {
        let words = text.drop { $0 == " " || $0 == "\t" }
        if words.isEmpty || words.hasPrefix("#") { return }
        if words.hasPrefix("|") || words.hasPrefix("=>") {
            guard var step = steps.popLast() else {
                throw Mistake(
                    line: line, problem: "there is no command before this line", remedy: "Begin with a command")
            }
            if words.hasPrefix("|") {
                step.input += (step.input.isEmpty ? "" : "\n") + String(words.dropFirst().drop { $0 == " " })
            } else {
                step.expectations.append((line, try expectation(words.dropFirst(2), line)))
            }
            steps.append(step)
            return
        }
        steps.append(Step(line: line, text: String(words), command: try command(String(words), line)))
    }

    private func expectation(_ text: Substring, _ line: Int) throws -> Expectation {
        let trimmed = text.drop { $0 == " " }
        let word = trimmed.prefix(while: { $0 != " " && $0 != "\t" })
        let isAlone = trimmed.dropFirst(word.count).allSatisfy { $0 == " " || $0 == "\t" }
        if isAlone, word == "ok" { return .code(0) }
        if isAlone, let code = Int32(word) { return .code(code) }
        if trimmed.hasPrefix("says ") { return .says(String(trimmed.dropFirst(5))) }
        if trimmed.hasPrefix("lacks ") { return .lacks(String(trimmed.dropFirst(6))) }
        throw Mistake(
            line: line, problem: "\(String(trimmed).quoted) is no expectation",
            remedy: "Write ok, a number, says TEXT or lacks TEXT behind =>")
    }

    private func command(_ text: String, _ line: Int) throws -> any DeviceCommand {
        let words = try words(text, line)
        do {
            guard let command = try DeviceTools.parseAsRoot(words) as? any DeviceCommand else {
                throw Mistake(
                    line: line, problem: "\(text.quoted) does nothing on the device",
                    remedy: "Write one of its commands; a script cannot run another")
            }
            guard !words.contains(where: DeviceScript.isForTheWholeScript) else {
                throw Mistake(
                    line: line, problem: "the state, the sites and the output are the same for the whole script",
                    remedy: "Give these options to motivator device run")
            }
            return command
        } catch let mistake as Mistake {
            throw mistake
        } catch {
            let message =
                DeviceTools.message(for: error).split(separator: "\n").first.map(String.init) ?? "not understood"
            throw Mistake(
                line: line, problem: message, remedy: "See: motivator device \(words.first?.shellQuoted ?? "") --help")
        }
    }

    private static func isForTheWholeScript(_ word: String) -> Bool {
        ["--state", "--system", "--json", "--trust", "--connect-to", "--timeout"].contains(
            String(word.prefix { $0 != "=" }))
    }

    /// Words are apart by spaces; quotes of either kind keep spaces, and a backslash in double quotes the next character.
    private func words(_ text: String, _ line: Int) throws -> [String] {
        var words: [String] = []
        var word: String?
        var quote: Unicode.Scalar?
        var isEscaped = false
        // A mark behind a quote would be one character with it.
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
        guard quote == nil else {
            throw Mistake(line: line, problem: "a quote is not closed", remedy: "Close it on the same line")
        }
        return words + (word.map { [$0] } ?? [])
    }
}

/// What is wrong with a line of a script.
struct Mistake: ExplainedError {
    let line: Int
    private let what: String
    let remedy: String
    let exitCode: Platform.ExitCode

    init(line: Int, problem: String, remedy: String, exitCode: Platform.ExitCode = .badInput) {
        self.line = line
        what = problem
        self.remedy = remedy
        self.exitCode = exitCode
    }

    var problem: String { "line \(line): \(what)" }
}

extension DeviceScript.Step {
    /// Does what the line says; an error is an answer, which may be expected.
    func perform(in context: DeviceContext) async -> DeviceAnswer {
        do {
            return try await command.perform(in: context)
        } catch let error as any ExplainedError {
            return DeviceAnswer(
                lines: [error.description],
                json: ["error": ["message": .text(error.problem), "remedy": .text(error.remedy)]],
                exitCode: error.exitCode)
        } catch {
            return DeviceAnswer(lines: ["\(error)"], json: ["error": ["message": .text("\(error)")]], exitCode: .no)
        }
    }

    /// The line with its answer below it.
    func told(_ answer: DeviceAnswer) -> [UInt8] {
        let lines = answer.lines.flatMap { $0.split(separator: "\n") }.map { "  \($0)\n" }
        return Array("\(line)  \(text)\n\(lines.joined())".utf8)
    }

    /// The first expectation that is not met.
    func unmet(by answer: DeviceAnswer) -> Mistake? {
        let said = answer.lines.joined(separator: "\n")
        func mistake(_ line: Int, _ problem: String) -> Mistake {
            Mistake(
                line: line, problem: "\(problem); its first line is: \(answer.lines.first ?? "")",
                remedy: "Correct the script, or what it tests",
                exitCode: .no)
        }
        var expectsCode = false
        for (line, expectation) in expectations {
            switch expectation {
            case .code(let code):
                expectsCode = true
                guard code != answer.exitCode.rawValue, code != answer.status else { continue }
                let status = answer.status.map { " and Apple's \($0)" } ?? ""
                return mistake(line, "\(code) was expected, but it ended with \(answer.exitCode.rawValue)\(status)")
            case .says(let text) where !said.contains(text):
                return mistake(line, "\(text.quoted) was expected and not said")
            case .lacks(let text) where said.contains(text):
                return mistake(line, "\(text.quoted) was said and not expected")
            case .says, .lacks: continue
            }
        }
        guard expectsCode || answer.exitCode == .yes else {
            return mistake(line, "it ended with \(answer.exitCode.rawValue)")
        }
        return nil
    }
}
