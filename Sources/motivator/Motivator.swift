import ArgumentParser
import CBuild
import COpenSSL
import MotivatorPlatform

/// The command line. Only this module reads arguments and the environment.
@main
struct Motivator: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "motivator",
        abstract: "A reference server and tools for Apple's associated domains and shared web credentials.",
        discussion: "motivator --version prints the versions of the program, Swift and OpenSSL.",
        subcommands: [
            Serve.self, AssociationTools.self, DeviceTools.self, CertificateTools.self, PasswordTool.self,
            DatabaseTools.self, Doctor.self, HealthCheck.self, ShowConfiguration.self,
        ])

    static func main() async {
        do {
            // This runs before any private key or password is in memory.
            try ProcessHardening.apply()
            let arguments = Array(CommandLine.arguments.dropFirst())
            // The parser's own version option would appear in every command.
            if arguments == ["--version"] { return try Output.result(Version.text) }
            try checkHelp(arguments)
            var command = try parseAsRoot()
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
        } catch let error as any ExplainedError {
            fail(error)
        } catch {
            end(error)
        }
    }

    /// Rejects an unknown command after `help`. The argument parser would show the general help instead.
    static func checkHelp(_ arguments: [String]) throws(UsageError) {
        guard arguments.first == "help" else { return }
        var command: any ParsableCommand.Type = Motivator.self
        for name in arguments.dropFirst() where !name.hasPrefix("-") && name != "help" {
            guard let next = command.configuration.subcommands.first(where: { $0._commandName == name }) else {
                throw UsageError("unknown command \(name.quoted)", fix: "List the commands with: motivator help")
            }
            command = next
        }
    }

    /// Exits as the argument parser would, but escapes control characters of arguments in its message.
    private static func end(_ error: any Error) -> Never {
        let message = fullMessage(for: error)
        let shown = message.split(separator: "\n", omittingEmptySubsequences: false).map { String($0).printable }
            .joined(separator: "\n")
        guard shown != message else { exit(withError: error) }
        Output.sentence(shown)
        MotivatorPlatform.exit(exitCode(for: error).rawValue)
    }

    /// Prints an error on one line, and exits.
    private static func fail(_ error: any ExplainedError) -> Never {
        Output.sentence("motivator: \(error.description)".printable)
        MotivatorPlatform.exit(error.exitCode.rawValue)
    }
}

/// The versions of the program, Swift and OpenSSL.
enum Version {
    static let number = "0.6.0"
    /// The month of the release: 2026-11-01T00:00:00Z. A correct clock shows a later time.
    static let released: UnixTime = 1_793_491_200

    static var text: String {
        let commit = BUILD_COMMIT.isEmpty ? "" : " (commit \(BUILD_COMMIT))"
        return
            "motivator \(number)\(commit)\nSwift \(swift)\n\(unsafe String(cString: OpenSSL_version(OPENSSL_VERSION)))"
    }

    /// The versions by the name of the part, for metrics.
    static var parts: [(name: String, value: String)] {
        [
            ("version", number), ("commit", BUILD_COMMIT), ("swift", swift),
            ("openssl", unsafe String(cString: OpenSSL_version(OPENSSL_VERSION_STRING))),
        ]
    }

    /// The version of Swift with which the program was built.
    static var swift: String {
        #if compiler(>=6.5)
        "6.5 or later"
        #elseif compiler(>=6.4)
        "6.4"
        #elseif compiler(>=6.3)
        "6.3"
        #else
        "6.2"
        #endif
    }
}

/// An invalid argument.
struct UsageError: ExplainedError {
    let problem: String
    let fix: String
    let exitCode = MotivatorPlatform.ExitCode.usage

    init(_ problem: String, fix: String) {
        self.problem = problem
        self.fix = fix
    }

    /// Converts an error in an option's value to a usage error that names the option.
    static func of<Value>(_ option: String, _ make: () throws -> Value) throws -> Value {
        do {
            return try make()
        } catch let error as any ExplainedError {
            throw UsageError("\(option): \(error.problem)", fix: error.fix)
        }
    }
}

/// The command's output: results on standard output, messages on standard error.
enum Output {
    /// Whether results are in colour: on a terminal that supports colour, unless NO_COLOR is set (no-color.org).
    static var isColoured: Bool {
        isatty(STDOUT_FILENO) == 1 && Environment["NO_COLOR"] == nil && Environment["TERM"] != "dumb"
    }

    /// The number of columns of the terminal; 80 if it is unknown.
    static var width: Int {
        var size = winsize()
        guard unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }

    /// Shows the progress of long work in place, only if standard error is a terminal.
    ///
    /// - Parameter text: a short text; nil to remove the last one.
    static func progress(_ text: String?) {
        guard isatty(STDERR_FILENO) == 1 else { return }
        _ = write(Array("\r\u{1B}[K\(text ?? "")".utf8), to: STDERR_FILENO)
    }

    static func sentence(_ text: String) {
        // If standard error fails, the error cannot be reported.
        _ = write(Array("\(text)\n".utf8), to: STDERR_FILENO)
    }

    /// Writes text and a line break to standard output.
    ///
    /// - Throws: `FileError.cannotWriteOutput`.
    static func result(_ text: String) throws(FileError) {
        try result(Array("\(text)\n".utf8))
    }

    /// Writes bytes to standard output.
    ///
    /// - Throws: `FileError.cannotWriteOutput`, for example if the disk is full.
    static func result(_ bytes: [UInt8]) throws(FileError) {
        if let error = write(bytes, to: STDOUT_FILENO) { throw .cannotWriteOutput(error) }
    }

    private static func write(_ bytes: [UInt8], to descriptor: Int32) -> SystemError? {
        var done = 0
        while done < bytes.count {
            let put = unsafe bytes.withUnsafeBytes {
                unsafe MotivatorPlatform.write(descriptor, $0.baseAddress?.advanced(by: done), $0.count - done)
            }
            if put >= 0 {
                done += put
            } else if errno != EINTR {
                return SystemError("write")
            }
        }
        return nil
    }
}

/// The user's data folder: the default location of the CA, the database and the simulated device.
///
/// The folder is `$XDG_DATA_HOME/motivator`, or else `~/.local/share/motivator`. On macOS, the second choice is
/// `~/Library/Application Support/motivator`. Without a home folder, as in a system service, it is
/// `/var/lib/motivator`. A system user whose home folder is `/` has none.
enum DataFolder {
    /// Returns the default path of a file or folder, such as `certs`.
    static func path(_ name: String) -> String { folder + "/" + name }

    static var folder: String { folder { Environment[$0] } }

    static func folder(_ variable: (String) -> String?) -> String {
        // The XDG specification requires programs to ignore relative paths.
        func absolute(_ name: String) -> String? { variable(name).flatMap { $0.hasPrefix("/") ? $0 : nil } }
        let home = absolute("HOME").flatMap { $0 == "/" ? nil : $0 }
        #if os(macOS)
        let shared = home.map { $0 + "/Library/Application Support" }
        #else
        let shared = home.map { $0 + "/.local/share" }
        #endif
        return (absolute("XDG_DATA_HOME") ?? shared ?? "/var/lib") + "/motivator"
    }
}

/// The environment of the process.
enum Environment {
    /// The value of a variable; nil if it is not set or empty.
    static subscript(_ name: String) -> String? {
        let value = unsafe getenv(name).map { unsafe String(cString: $0) }
        return value?.isEmpty == false ? value : nil
    }
}
