import ArgumentParser
import Platform
import SharedWebCredentials

/// `motivator password`: new passwords.
struct PasswordTool: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "password",
        abstract: "Make passwords as Apple's devices do, or after the rules of a site.",
        discussion: """
            Example: motivator password --count 5

            Without rules a password is four groups of three, such as kFp-8dX-Qm4-zRt. With rules it has 20 characters \
            or what they ask for, and every password that obeys them is equally likely:

            motivator password --rules "minlength: 20; required: lower; required: upper; required: digit, [-!?]"

            Rules are written as in the passwordrules attribute: minlength, maxlength, required, allowed and \
            max-consecutive, with the classes upper, lower, digit, special, ascii-printable, unicode, or characters in \
            brackets.
            """)

    /// What one call makes at the most: more is a mistake rather than a need.
    static let most = 10_000

    @Option(help: ArgumentHelp("How many passwords, one a line: 1 to 10000.", valueName: "n"))
    var count = 1

    @Option(help: ArgumentHelp("Rules that they obey, as in the passwordrules attribute.", valueName: "rules"))
    var rules: String?

    @Flag(help: "Print one JSON document: {\"passwords\":[…]}.")
    var json = false

    func validate() throws {
        guard (1...Self.most).contains(count) else {
            throw ValidationError("--count is \(count). Give a number from 1 to \(Self.most).")
        }
    }

    func run() throws {
        try Output.result(text())
    }

    /// What is printed, without the last line end.
    func text() throws -> String {
        let passwords = try make()
        guard json else { return passwords.joined(separator: "\n") }
        return "{\"passwords\":[\(passwords.map(JSONText.quote).joined(separator: ","))]}"
    }

    private func make() throws -> [String] {
        guard let rules else {
            let generator = PasswordGenerator()
            return (0..<count).map { _ in generator.next() }
        }
        let generator = try UsageError.of("--rules") { try RuledPasswordGenerator(PasswordRules(rules)) }
        return (0..<count).map { _ in generator.next() }
    }
}
