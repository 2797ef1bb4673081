import Certificates
import Platform
import Synchronization

/// A temporary folder, gone with its owner, and the `openssl` command as the second opinion.
final class Workbench {
    /// The result of a command.
    struct Answer {
        let code: Int32
        let output: String
    }

    enum Trouble: Error { case noFolder, cannotRun(String) }

    let path: String

    init() throws {
        var template = Array("/tmp/motivator-test.XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw Trouble.noFolder }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
        _ = try? run(["rm", "-rf", path])
    }

    func file(_ name: String) -> String { path + "/" + name }

    @discardableResult
    func write(_ name: String, _ bytes: [UInt8], mode: mode_t = 0o600) throws -> String {
        try File.write(bytes, to: file(name), mode: mode)
        return file(name)
    }

    func read(_ name: String) throws -> [UInt8] { try File.read(file(name), limit: 1 << 20) }

    func mode(_ name: String) -> mode_t {
        var status = stat()
        guard stat(file(name), &status) == 0 else { return 0 }
        return status.st_mode & 0o777
    }

    /// The names of the files in a folder, sorted.
    func names(_ folder: String) throws -> [String] {
        guard let handle = opendir(file(folder)) else { throw Trouble.noFolder }
        defer { closedir(handle) }
        var names: [String] = []
        while let entry = readdir(handle) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    /// Runs `openssl` in the folder's name; standard output and error come back together.
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

/// A clock that a test moves by hand.
final class HandClock: Sendable {
    private let time = Mutex(newYear)
    var clock: Clock { Clock { self.time.withLock { $0 } } }
    func advance(_ seconds: UnixTime) { time.withLock { $0 += seconds } }
}
