import Certificates
import MotivatorPlatform
import TestSupport

/// A temporary directory, and the `openssl` command for a second opinion.
final class Workbench {
    /// The result of a command.
    struct Answer {
        let code: Int32
        let output: String
    }

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

    /// Returns the permission bits of a file, or 0 if the file does not exist.
    func mode(_ name: String) -> mode_t { (try? directory.mode(name)) ?? 0 }

    /// Returns the sorted names of a folder's entries.
    func names(_ folder: String) -> [String] { directory.names(in: folder) }

    /// Runs `openssl`. The output combines standard output and standard error.
    @discardableResult
    func openssl(_ arguments: String...) throws -> Answer { try openssl(arguments) }

    @discardableResult
    func openssl(_ arguments: [String]) throws -> Answer { try run(["openssl"] + arguments) }

    private func run(_ words: [String]) throws -> Answer {
        let log = file(".output")
        let status = Spawn.status(of: try Spawn.start(words, output: log))
        let output = (try? File.read(log, limit: 1 << 20)) ?? []
        return Answer(code: (status >> 8) & 0xFF, output: String(decoding: output, as: UTF8.self))
    }
}

/// 2026-01-01T00:00:00Z, the time in tests with their own clock.
let newYear: UnixTime = 1_767_225_600
let day: UnixTime = 86_400
