import MotivatorPlatform
import Testing

@testable import motivator

@Suite("Scripts of motivator device") struct DeviceScriptTests {
    private typealias Save = DeviceTools.Save

    private func script(_ text: String) throws -> DeviceScript { try DeviceScript(Array(text.utf8)) }

    @Test("A step consists of a command, its input and the expected output, with their lines")
    func steps() throws {
        let steps = try script(
            """
            # A comment

              save --domain example.com --account ray --password-stdin
              | correct horse
            |battery
            => ok
            \t=> -25300
            =>75
            => says Saved. Twice
            => lacks  horse
            # between the steps
            passwords
            """
        ).steps
        #expect(steps.map(\.line) == [3, 12])
        #expect(steps.map(\.text) == ["save --domain example.com --account ray --password-stdin", "passwords"])
        #expect(steps.map(\.input) == ["correct horse\nbattery", ""])
        #expect(steps[0].command is Save && steps[1].command is DeviceTools.Passwords)
        #expect(steps[0].expectations.map(\.line) == [6, 7, 8, 9, 10])
        #expect(
            steps[0].expectations.map(\.expectation) == [
                .code(0), .code(-25300), .code(75), .says("Saved. Twice"), .lacks(" horse"),
            ])
        #expect(steps[1].expectations.isEmpty)
    }

    @Test("A script of no commands has no steps", arguments: ["", "\n", "\r\n\r\n", "# alone", "  \t\n  # indented\n"])
    func nothing(_ text: String) throws {
        #expect(try script(text).steps.isEmpty)
    }

    @Test("Lines may end with CR and LF, the last one with nothing, and a line of input may be empty")
    func carriageReturns() throws {
        let steps = try script("# first\r\npasswords\r\n|\r\n| text\r\n=> says some text\r\n\r\nassociations").steps
        #expect(steps.map(\.line) == [2, 7])
        #expect(steps.map(\.text) == ["passwords", "associations"])
        #expect(steps[0].input == "\ntext")
        #expect(steps[0].expectations.map(\.expectation) == [.says("some text")])
    }

    static let quoted: [(written: String, account: String)] = [
        ("ray", "ray"), ("\"ray\"", "ray"), ("'ray'", "ray"), ("\"Ray W.\"", "Ray W."), ("'Ray W.'", "Ray W."),
        ("Ray' W'.", "Ray W."), ("\"it's\"", "it's"), ("'say \"hi\"'", "say \"hi\""), (#""say \"hi\"""#, "say \"hi\""),
        (#""back\\slash""#, #"back\slash"#), (#"'back\slash'"#, #"back\slash"#), (#"back\slash"#, #"back\slash"#),
        ("''", ""), ("\"\"", ""), ("'#1'", "#1"), ("Zürich", "Zürich"), ("'\u{301}x'", "\u{301}x"),
    ]

    @Test("Quotes keep spaces, and a backslash in double quotes the next character", arguments: quoted)
    func quotes(_ written: String, _ account: String) throws {
        let steps = try script("save \t --domain example.com --account \(written)   --delete").steps
        let save = try #require(steps.first?.command as? Save)
        #expect(Array(save.account.unicodeScalars) == Array(account.unicodeScalars))
        #expect(save.domain == "example.com" && save.delete)
    }

    struct Wrong: Sendable, CustomStringConvertible {
        let name: String
        let text: String
        let line: Int
        let word: String

        var description: String { name }
    }

    static let wrong = [
        Wrong(name: "an unknown command", text: "passwords\n\nfly\n", line: 3, word: "fly"),
        Wrong(name: "an unknown option", text: "passwords --loud", line: 1, word: "--loud"),
        Wrong(name: "no argument", text: "# x\nadvance", line: 2, word: "duration"),
        Wrong(name: "a wrong argument", text: "advance 3", line: 1, word: "3"),
        Wrong(name: "an open double quote", text: "passwords\nsave --account \"ray", line: 2, word: "quote"),
        Wrong(name: "an open single quote", text: "save --account 'ray\n'", line: 1, word: "quote"),
        Wrong(name: "a quote that ends the line escaped", text: #"save --account "ray\""#, line: 1, word: "quote"),
        Wrong(name: "an expectation without a command", text: "# x\n=> ok", line: 2, word: "no command"),
        Wrong(name: "input without a command", text: "| x", line: 1, word: "no command"),
        Wrong(name: "no expectation", text: "passwords\n=> fine", line: 2, word: "\"fine\""),
        Wrong(name: "an empty expectation", text: "passwords\r\n=>\r\n", line: 2, word: "\"\""),
        Wrong(name: "a number that is too large", text: "passwords\n=> 2147483648", line: 2, word: "2147483648"),
        Wrong(name: "says without a text", text: "passwords\n=> says", line: 2, word: "\"says\""),
        Wrong(name: "a script in a script", text: "run other", line: 1, word: "run other"),
        Wrong(name: "a reset in a script", text: "reset", line: 1, word: "reset"),
        Wrong(name: "a group of commands", text: "app", line: 1, word: "app"),
        Wrong(name: "a line of another program", text: "serve --port 0", line: 1, word: "\"serve\""),
        Wrong(name: "after a mistake, the first counts", text: "fly\nswim", line: 1, word: "fly"),
    ]

    @Test("An error has its line, the problem and a fix", arguments: wrong)
    func mistakes(_ wrong: Wrong) throws {
        let mistake = try #require(throws: ExplainedFailure.self) { try script(wrong.text) }
        #expect(mistake.problem.hasPrefix("line \(wrong.line): "))
        #expect(mistake.problem.contains(wrong.word), "\(mistake.problem)")
        #expect(!mistake.problem.contains("\n") && !mistake.fix.isEmpty)
        #expect(mistake.exitCode == .badInput)
    }

    @Test("A line that is not UTF-8 is not taken for another text")
    func encoding() throws {
        let mistake = try #require(throws: ExplainedFailure.self) {
            try DeviceScript(Array("passwords\n| Z".utf8) + [0xFC] + Array("rich".utf8))
        }
        #expect(mistake.problem.hasPrefix("line 2: ") && mistake.problem.contains("UTF-8"))
    }

    @Test(
        "Options of the whole script are refused at a command",
        arguments: [
            "--state other.json", "--state=other.json", "--system ios8", "--json", "--trust roots.pem",
            "--connect-to a:1:b:2", "--timeout 5", "--timeout=5", "--assume-public",
        ])
    func wholeScript(_ option: String) throws {
        let mistake = try #require(throws: ExplainedFailure.self) { try script("passwords\npasswords \(option)") }
        #expect(mistake.problem.hasPrefix("line 2: "))
        #expect(mistake.problem.contains("whole script") && mistake.fix.contains("motivator device run"))
    }

    struct Judged: Sendable, CustomStringConvertible {
        let name: String
        let expected: String
        var exitCode = MotivatorPlatform.ExitCode.yes
        var status: Int32?
        /// The line of the unmet expectation, and a word from its error message.
        var unmet: (line: Int, word: String)?

        var description: String { name }
    }

    static let judged = [
        Judged(name: "nothing, and it succeeded", expected: ""),
        Judged(name: "nothing, and it failed", expected: "", exitCode: .no, unmet: (1, "the exit code is 1")),
        Judged(name: "ok, and it succeeded", expected: "\n=> ok"),
        Judged(name: "ok, and it failed", expected: "\n=> ok", exitCode: .usage, unmet: (2, "the exit code is 64")),
        Judged(name: "its exit code", expected: "\n=> 1", exitCode: .no),
        Judged(name: "another exit code", expected: "\n=> 64", exitCode: .no, unmet: (2, "expected 64")),
        Judged(name: "Apple's number", expected: "\n=> -25300", exitCode: .no, status: -25300),
        Judged(name: "the exit code beside Apple's number", expected: "\n=> 1", exitCode: .no, status: -25300),
        Judged(
            name: "another number of Apple's", expected: "\n=> -50", exitCode: .no, status: -25300,
            unmet: (2, "error is -25300")),
        Judged(name: "Apple's number where there is none", expected: "\n=> -50", unmet: (2, "expected -50")),
        Judged(name: "a failure that was expected twice", expected: "\n=> 1\n=> -909", exitCode: .no, status: -909),
        Judged(name: "what it says", expected: "\n=> says first\n=> says second line"),
        Judged(
            name: "what it says on two lines", expected: "\n=> says line second",
            unmet: (2, "the output does not contain")),
        Judged(name: "what it does not say", expected: "\n=> ok\n=> says third", unmet: (3, "\"third\"")),
        Judged(name: "what it lacks", expected: "\n=> lacks third"),
        Judged(name: "what it should lack", expected: "\n=> lacks second", unmet: (2, "the output contains")),
        Judged(
            name: "a text alone does not excuse a failure", expected: "\n=> says first", exitCode: .no, unmet: (1, "1")),
    ]

    @Test("The first expectation that is not met is reported with its line", arguments: judged)
    func expectations(_ judged: Judged) throws {
        let step = try #require(try script("passwords" + judged.expected).steps.first)
        let result = DeviceResult(
            lines: ["first line", "second line"], json: .null, exitCode: judged.exitCode, status: judged.status)
        let mistake = step.unmet(by: result)
        #expect((mistake == nil) == (judged.unmet == nil))
        guard let mistake, let unmet = judged.unmet else { return }
        #expect(
            mistake.problem.hasPrefix("line \(unmet.line): ") && mistake.problem.contains(unmet.word),
            "\(mistake.problem)")
        #expect(mistake.problem.contains("first line") && mistake.exitCode == .no)
    }
}
