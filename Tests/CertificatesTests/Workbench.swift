import Certificates
import MotivatorPlatform
import TestSupport

/// A temporary directory, and the `openssl` command as the second opinion.
final class Workbench {
    /// The result of a command.
    struct Answer {
        let code: Int32
        let output: String
    }

    enum Trouble: Error { case cannotRun(String) }

    private let directory: TemporaryDirectory

    var path: String { directory.path }

    init() throws {
        directory = try TemporaryDirectory()
    }

    func file(_ name: String) -> String { directory.file(name) }

    @discardableResult
    func write(_ name: String, _ bytes: [UInt8], mode: mode_t = 0o600) throws -> String {
        try directory.write(bytes, to: name, mode: mode)
    }

    func read(_ name: String) throws -> [UInt8] { try directory.read(name) }

    /// The permission bits of a file, or 0 without one.
    func mode(_ name: String) -> mode_t { (try? directory.mode(name)) ?? 0 }

    /// The sorted names of the entries of a folder.
    func names(_ folder: String) -> [String] { directory.names(in: folder) }

    /// Runs `openssl`. Standard output and standard error are returned together.
    @discardableResult
    func openssl(_ arguments: String...) throws -> Answer { try openssl(arguments) }

    @discardableResult
    func openssl(_ arguments: [String]) throws -> Answer { try run(["openssl"] + arguments) }

    private func run(_ words: [String]) throws -> Answer {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        let log = file(".output")
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, log, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        posix_spawn_file_actions_adddup2(&actions, 1, 2)
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var process: pid_t = 0
        guard posix_spawnp(&process, words[0], &actions, nil, &arguments, environ) == 0 else {
            throw Trouble.cannotRun(words[0])
        }
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        let output = (try? File.read(log, limit: 1 << 20)) ?? []
        return Answer(code: (status >> 8) & 0xFF, output: String(decoding: output, as: UTF8.self))
    }
}

/// 2026-01-01T00:00:00Z, the time of tests that bring their own clock.
let newYear: UnixTime = 1_767_225_600
let day: UnixTime = 86_400
