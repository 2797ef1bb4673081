import ArgumentParser
import MotivatorPlatform
import SharedWebCredentials

struct PasswordTool: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "password",
        abstract: "Generate passwords as Apple devices do, or according to a site's rules.",
        discussion: """
            Example: motivator password --count 5
            Example: motivator password --rules "minlength: 20; required: lower; required: upper; required: digit, [-!?]"

            Without rules, a password has four groups of three characters, such as kFp-8dX-Qm4-zRt. With rules, it has \
            20 characters, or as many as the rules require. All passwords that satisfy the rules are equally likely.

            Rules use the format of the passwordrules attribute. The properties are minlength, maxlength, required, \
            allowed, max-consecutive, max-repeating and max-sequential. The classes are upper, lower, digit, special, \
            ascii-printable, unicode, and characters in brackets.
            """)

    @Option("Number of passwords to print, one per line (1 to 10000).", value: "n")
    var count = 1

    @Option("Rules in the format of the passwordrules attribute.", value: "rules")
    var rules: String?

    @Flag(help: "Print one JSON document: {\"passwords\":[…]}.")
    var json = false

    func validate() throws {
        try require("count", count, in: 1...10_000)
    }

    func run() throws {
        try Output.result(text())
    }

    /// Returns the output without the last line break.
    func text() throws -> String {
        let passwords = try make()
        guard json else { return passwords.joined(separator: "\n") }
        return "{\"passwords\":[\(passwords.map(JSONText.quote).joined(separator: ","))]}"
    }

    private func make() throws -> [String] {
        guard let rules else { return (0..<count).map { _ in PasswordGenerator().next() } }
        let generator = try parsing("--rules") {
            let read = PasswordRules.read(rules)
            guard let accepted = read.rules else { throw read.mistakes.last ?? .unknownRule(rules, column: 1) }
            for mistake in read.mistakes { Output.sentence("motivator: --rules: \(mistake)".printable) }
            if let weakness = accepted.weakness { Output.sentence("motivator: --rules: \(weakness).") }
            return try RuledPasswordGenerator(accepted)
        }
        return (0..<count).map { _ in generator.next() }
    }
}
