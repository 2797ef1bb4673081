import ArgumentParser
import Platform
import Server

/// The command line; the only place that reads arguments and the environment.
@main
struct Motivator: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "motivator",
        abstract: "The reference server for Apple's associated domains and shared web credentials, and its tools.",
        subcommands: [Serve.self, AssociationTools.self, CertificateTools.self])

    static func main() async {
        do {
            var command = try parseAsRoot()
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
        } catch let error as any ExplainedError {
            fail(error)
        } catch {
            exit(withError: error)
        }
    }

    /// Ends with an error that a person will read, on one line whatever it holds.
    private static func fail(_ error: any ExplainedError) -> Never {
        Output.sentence("motivator: \(error.description)")
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
    static func sentence(_ text: String) {
        write(Array("\(text)\n".utf8), to: STDERR_FILENO)
    }

    static func result(_ text: String) {
        write(Array("\(text)\n".utf8), to: STDOUT_FILENO)
    }

    static func write(_ bytes: [UInt8], to descriptor: Int32) {
        let sink = LogSink(descriptor: descriptor)
        sink.write(bytes)
        sink.flush()
    }
}
