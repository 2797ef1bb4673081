import ArgumentParser
import MotivatorPlatform
import Testing

@testable import motivator

@Suite("motivator password") struct PasswordToolTests {
    private static var form: some RegexComponent { #/(?:[a-zA-Z2-9]{3}-){3}[a-zA-Z2-9]{3}/# }

    @Test("Without options one password in Apple's form is printed")
    func one() throws {
        let text = try PasswordTool.parse([]).text()
        #expect(text.wholeMatch(of: Self.form) != nil, "\(text)")
    }

    @Test("The requested number of passwords is printed, one per line, all different", arguments: [1, 2, 10_000])
    func many(_ count: Int) throws {
        let lines = try PasswordTool.parse(["--count", "\(count)"]).text().split(separator: "\n")
        #expect(lines.count == count && Set(lines).count == count)
        #expect(lines.allSatisfy { $0.utf8.count == 15 })
    }

    @Test("With --json, the output is one document for any characters in the passwords")
    func json() throws {
        let text = try PasswordTool.parse(["--count", "3", "--json"]).text()
        #expect(text.hasPrefix(#"{"passwords":[""#) && text.hasSuffix(#""]}"#))
        #expect(text.matches(of: Self.form).count == 3)
        let rules = #"allowed: ["\]; maxlength: 2; required: ["]; required: [\]"#
        let quoted = try PasswordTool.parse(["--json", "--rules", rules]).text()
        #expect([#"{"passwords":["\"\\"]}"#, #"{"passwords":["\\\""]}"#].contains(quoted))
    }

    @Test("Passwords obey the rules of the help's example")
    func rules() throws {
        let help = Motivator.helpMessage(for: PasswordTool.self, columns: 1_000)
        let example = try #require(help.firstMatch(of: #/motivator password --rules "([^"]+)"/#)?.1)
        let lines = try PasswordTool.parse(["--rules", String(example), "--count", "50"]).text().split(separator: "\n")
        #expect(lines.count == 50)
        for line in lines {
            #expect(line.wholeMatch(of: #/(?=.*[a-z])(?=.*[A-Z])(?=.*[-!?0-9])[-!?0-9a-zA-Z]{20}/#) != nil, "\(line)")
        }
    }

    @Test("Rules are read as devices read them")
    func lenient() throws {
        let text = try PasswordTool.parse(["--rules", "minlength: 0; maxlength: 2; required: [!£]"]).text()
        #expect(text == "!!")
    }

    @Test(
        "Rules that cannot be read or obeyed are a usage error that names the option, the value and what to do",
        arguments: [
            (
                "minlength: x",
                #"--rules: the value "x" of minlength at column 12 is not a number. "#
                    + "Use a number of characters, such as 20."
            ),
            (
                "maxlength: 2; minlength: 3",
                #"--rules: no password of 2 characters satisfies the rules "minlength: 3; maxlength: 2". "#
                    + "Allow more characters, require fewer, or change the lengths."
            ),
            (
                "minlength: 3; allowed: [a]; max-consecutive: 2",
                #"--rules: no password of 3 to 20 characters satisfies the rules "minlength: 3; allowed: [a]; "#
                    + #"max-consecutive: 2". Allow more characters, require fewer, or change the lengths."#
            ),
        ])
    func wrong(_ rules: String, _ sentence: String) throws {
        let tool = try PasswordTool.parse(["--rules", rules])
        let error = #expect(throws: ExplainedFailure.self) { try tool.text() }
        #expect(error?.description == sentence)
        #expect(error?.exitCode == .usage)
    }
}
