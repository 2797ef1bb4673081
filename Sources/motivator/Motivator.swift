import ArgumentParser
import MotivatorPlatform

@main
struct Motivator: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "motivator",
        abstract: "A reference server and tools for Apple's associated domains and shared web credentials.",
        discussion: "motivator --version prints the versions of the program, Swift and OpenSSL.",
        subcommands: [
            Serve.self, AssociationCommand.self, DeviceTools.self, CertificateTools.self, PasswordTool.self,
            DatabaseTools.self, Doctor.self, HealthCheck.self, ShowConfiguration.self,
        ])

    /// What to do next, for each role.
    static let firstSteps = """
        Ultra Motivator: a reference server and tools for Apple's associated domains and shared web credentials.

        Check a site: report what devices do with its association file.
          motivator association check example.com
        Serve: run a demo site with an association file at https://localhost:8443.
          motivator serve
        Simulate a device: install an app, and find out whether it may share the site's passwords.
          motivator device install --app A1B2C3D4E5.com.example.App --entitlement webcredentials:example.com
        CI: check a file in each build, and annotate its lines.
          motivator association check apple-app-site-association --format github

        List all commands with: motivator help
        """

    static func main() async {
        do {
            // Harden the process before it loads a private key or password.
            try ProcessHardening.apply()
            let arguments = Array(CommandLine.arguments.dropFirst())
            // The parser's own version option would appear in every command.
            if arguments.isEmpty { return try Output.result(firstSteps) }
            if arguments == ["--version"] { return try Output.result(Version.text) }
            try checkCommand(arguments)
            var command = try parseCommand(arguments)
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
        } catch let error as any ExplainedError {
            Output.sentence("motivator: \(error.description)".printable)
            MotivatorPlatform.exit(error.exitCode.rawValue)
        } catch {
            end(error)
        }
    }

    /// Parses the arguments as the command that they name, without the commands above it, which have no options.
    ///
    /// Parsing from the root would build the tree of all commands. Together with the explicit command names, which the
    /// parser would derive from the types, this shortens `association check` of a small file from 31 to 18 ms.
    static func parseCommand(_ arguments: [String]) throws -> any ParsableCommand {
        var command: any ParsableCommand.Type = Motivator.self
        var rest = arguments[...]
        while let name = rest.first, let next = find(name, in: command) {
            command = next
            rest = rest.dropFirst()
        }
        if command.configuration.subcommands.isEmpty, let parsed = try? command.parseAsRoot(Array(rest)),
            type(of: parsed) == command
        {
            return parsed
        }
        // Help and errors name the commands above.
        return try parseAsRoot(arguments)
    }

    /// Rejects an unknown command, also after `help`. The argument parser would show the general help instead.
    /// - Throws: `ExplainedFailure`. If other commands have a subcommand with this name, the error suggests them.
    static func checkCommand(_ arguments: [String]) throws(ExplainedFailure) {
        let names = arguments.first == "help" ? arguments.dropFirst() : arguments.prefix(1)
        var command: any ParsableCommand.Type = Motivator.self
        for name in names where !name.hasPrefix("-") && name != "help" {
            if let found = find(name, in: command) {
                command = found
                continue
            }
            let similar = configuration.subcommands.filter { find(name, in: $0) != nil }
                .map { "motivator \($0._commandName) \(name)" }
            throw ExplainedFailure(
                "unknown command \(name.quoted)",
                fix: similar.isEmpty
                    ? "List the commands with: motivator help" : "Use \(similar.joined(separator: " or "))")
        }
    }

    private static func find(_ name: String, in command: any ParsableCommand.Type) -> (any ParsableCommand.Type)? {
        command.configuration.subcommands.first { $0._commandName == name }
    }

    /// Exits like the argument parser, but escapes control characters in the message.
    private static func end(_ error: any Error) -> Never {
        // The parser would write the help of all commands for an error without a message.
        if let code = error as? ArgumentParser.ExitCode { MotivatorPlatform.exit(code.rawValue) }
        let message = fullMessage(for: error)
        let shown = message.split(separator: "\n", omittingEmptySubsequences: false).map { String($0).printable }
            .joined(separator: "\n")
        guard shown != message else { exit(withError: error) }
        Output.sentence(shown)
        MotivatorPlatform.exit(exitCode(for: error).rawValue)
    }
}
