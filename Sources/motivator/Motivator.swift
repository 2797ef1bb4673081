import ArgumentParser
import Platform

/// The command line; the only place that reads arguments and the environment.
@main
struct Motivator: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "motivator",
        abstract: "The reference server for Apple's associated domains and shared web credentials, and its tools.",
        subcommands: [
            Serve.self, AssociationTools.self, DeviceTools.self, CertificateTools.self, PasswordTool.self,
            HealthCheck.self,
        ])

    static func main() async {
        do {
            // Before the first private key or password is in memory.
            try ProcessHardening.apply()
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

    /// Ends as the argument parser would, whose message repeats arguments as they are: a file's name may hold anything.
    private static func end(_ error: any Error) -> Never {
        let message = fullMessage(for: error)
        let shown = message.split(separator: "\n", omittingEmptySubsequences: false).map { String($0).printable }
            .joined(separator: "\n")
        guard shown != message else { exit(withError: error) }
        Output.sentence(shown)
        Platform.exit(exitCode(for: error).rawValue)
    }

    /// Ends with an error that a person will read, on one line whatever it holds.
    private static func fail(_ error: any ExplainedError) -> Never {
        Output.sentence("motivator: \(error.description)".printable)
        Platform.exit(error.exitCode.rawValue)
    }
}

/// An argument that cannot be used.
struct UsageError: ExplainedError {
    let problem: String
    let remedy: String
    let exitCode = Platform.ExitCode.usage

    init(_ problem: String, remedy: String) {
        self.problem = problem
        self.remedy = remedy
    }

    /// Makes a mistake in a value one of the command line, with the option's name.
    static func of<Value>(_ option: String, _ make: () throws -> Value) throws -> Value {
        do {
            return try make()
        } catch let error as any ExplainedError {
            throw UsageError("\(option): \(error.problem)", remedy: error.remedy)
        }
    }
}

/// Where the command writes: results to standard output, sentences to standard error.
enum Output {
    /// Whether results may be in colour: on a terminal that has any, unless somebody asked for none (no-color.org).
    static var isColoured: Bool {
        func variable(_ name: String) -> String? { unsafe getenv(name).map { unsafe String(cString: $0) } }
        return isatty(STDOUT_FILENO) == 1 && (variable("NO_COLOR") ?? "").isEmpty && variable("TERM") != "dumb"
    }

    /// The columns of the terminal; 80 if they are unknown.
    static var width: Int {
        var size = winsize()
        guard unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }

    static func sentence(_ text: String) {
        // Where nobody can be told, nobody is.
        _ = write(Array("\(text)\n".utf8), to: STDERR_FILENO)
    }

    /// Writes a result that is text to standard output, with a line end.
    ///
    /// - Throws: `FileError.cannotWriteOutput`.
    static func result(_ text: String) throws(FileError) {
        try result(Array("\(text)\n".utf8))
    }

    /// Writes a result that is bytes to standard output.
    ///
    /// - Throws: `FileError.cannotWriteOutput`, as when the disk behind it is full.
    static func result(_ bytes: [UInt8]) throws(FileError) {
        if let error = write(bytes, to: STDOUT_FILENO) { throw .cannotWriteOutput(error) }
    }

    private static func write(_ bytes: [UInt8], to descriptor: Int32) -> SystemError? {
        var done = 0
        while done < bytes.count {
            let put = unsafe bytes.withUnsafeBytes {
                unsafe Platform.write(descriptor, $0.baseAddress?.advanced(by: done), $0.count - done)
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
