import Dispatch
import MotivatorPlatform

/// A system program that manages a trust store, such as certutil.
struct SystemTool {
    struct Outcome {
        /// The exit code, or 128 plus the signal number if a signal terminated the program.
        let code: Int32
        /// Standard output and standard error.
        let output: String

        /// The last line of the output, which usually contains the reason for a failure.
        var reason: String {
            output.split(separator: "\n").last.map { String($0).printable } ?? "exit code \(code)"
        }
    }

    struct Failure: ExplainedError {
        let problem: String
        let instruction: Fix
        let exitCode: MotivatorPlatform.ExitCode

        var fix: String { instruction.clause }

        init(_ problem: String, fix: Fix, exitCode: MotivatorPlatform.ExitCode = .inputOutput) {
            (self.problem, instruction, self.exitCode) = (problem, fix, exitCode)
        }

        init(_ error: any Error) {
            let explained = error as? any ExplainedError
            self.init(
                explained?.problem ?? "\(error)", fix: explained.map { Fix($0) } ?? .printCommands,
                exitCode: explained?.exitCode ?? .inputOutput)
        }

        static func missing(_ problem: String, _ fix: Fix) -> Failure {
            Failure(problem, fix: fix, exitCode: .unavailable)
        }
    }

    /// The maximum size of the output in bytes. The list of all public roots in a Java key store takes about 30 kB.
    private static let outputLimit = 4 << 20
    /// The maximum duration of a run in seconds. Updating the system's trust store takes a few seconds.
    private static let limit = 120

    let path: String

    /// Searches PATH and the administrator folders for a program.
    static func find(_ name: String, in folders: [String] = []) -> SystemTool? {
        let path = (Environment["PATH"] ?? "").split(separator: ":").map(String.init)
        return (folders + path + ["/usr/local/sbin", "/usr/sbin", "/sbin"]).lazy
            .filter { $0.hasPrefix("/") }.map { "\($0)/\(name)" }
            .first { unsafe access($0, X_OK) == 0 }.map(SystemTool.init(path:))
    }

    static func find(
        _ name: String, in folders: [String] = [], missing problem: String, _ fix: Fix
    ) throws(Failure) -> SystemTool {
        guard let tool = find(name, in: folders) else { throw .missing(problem, fix) }
        return tool
    }

    /// Runs the program and returns its result. The program has no terminal, so it cannot wait for a password.
    /// - Throws: `Failure` if the program cannot start or does not finish within the time limit.
    func run(_ arguments: [String]) throws -> Outcome {
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { throw cannotStart(SystemError("pipe")) }
        let reader = FileDescriptor(owning: ends[0])
        let writer = FileDescriptor(owning: ends[1])
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let process = try spawn(arguments, output: writer.number)
        _ = consume writer
        // The process group includes the program's child processes.
        let watchdog = DispatchWorkItem { _ = kill(-process, SIGKILL) }
        DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(SystemTool.limit), execute: watchdog)
        var output: [UInt8] = []
        while let part = try? File.readPart(reader.number, path: path, waits: true), !part.isEmpty {
            output += part.prefix(SystemTool.outputLimit - output.count)
        }
        var status: Int32 = 0
        while unsafe waitpid(process, &status, 0) < 0, errno == EINTR {}
        watchdog.cancel()
        let signal = status & 0x7F
        guard signal != SIGKILL else {
            throw Failure(
                "\(path.quoted) was killed, because it did not finish within \(SystemTool.limit) seconds",
                fix: .printCommands, exitCode: .temporary)
        }
        return Outcome(
            code: signal == 0 ? (status >> 8) & 0xFF : 128 + signal, output: String(decoding: output, as: UTF8.self))
    }

    /// Runs the program and returns its output, or throws an error if the exit code is not 0.
    @discardableResult
    func succeed(_ arguments: [String], fix: Fix) throws -> String {
        let outcome = try run(arguments)
        guard outcome.code == 0 else {
            let name = path.split(separator: "/").last.map(String.init) ?? path
            throw Failure("\(name) failed: \(outcome.reason)", fix: fix)
        }
        return outcome.output
    }

    private func cannotStart(_ error: SystemError) -> Failure {
        Failure("\(path.quoted) could not start: \(error)", fix: "Check that the program is installed correctly")
    }

    private func spawn(_ arguments: [String], output: Int32) throws -> pid_t {
        #if canImport(Darwin)
        let newSession = Int(POSIX_SPAWN_SETSID)
        var actions: posix_spawn_file_actions_t?
        var attributes: posix_spawnattr_t?
        #else
        // POSIX_SPAWN_SETSID, which glibc and musl declare only under _GNU_SOURCE.
        let newSession = 0x80
        var actions = unsafe posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        #endif
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        unsafe posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
        unsafe posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO)
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        // Reset the inherited signal mask. A blocked signal could not terminate the program.
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        unsafe posix_spawnattr_setsigmask(&attributes, &signals)
        // A new session has no terminal. Otherwise, certutil would open the terminal to read a database password.
        unsafe posix_spawnattr_setflags(&attributes, Int16(newSession | Int(POSIX_SPAWN_SETSIGMASK)))
        var words: [UnsafeMutablePointer<CChar>?] = unsafe ([path] + arguments).map { unsafe strdup($0) } + [nil]
        var variables: [UnsafeMutablePointer<CChar>?] = unsafe SystemTool.variables.map { unsafe strdup($0) } + [nil]
        defer { unsafe (words + variables).forEach { unsafe free($0) } }
        var process: pid_t = 0
        let code = unsafe posix_spawn(&process, path, &actions, &attributes, &words, &variables)
        guard code == 0 else { throw cannotStart(SystemError("posix_spawn", code: code)) }
        return process
    }

    /// The environment of a program. It selects English messages, because this program parses them.
    private static var variables: [String] {
        let kept = ["HOME", "JAVA_HOME", "TMPDIR", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "DEVELOPER_DIR"]
        let path = Environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin"
        return kept.compactMap { name in Environment[name].map { "\(name)=\($0)" } }
            + ["PATH=\(path):/usr/sbin:/sbin", "LC_ALL=C", "LANGUAGE=en"]
    }
}

extension Fix {
    static var printCommands: Fix {
        Fix("Run the store's own tool; print its commands with", line: "motivator certificate trust --print")
    }
}
