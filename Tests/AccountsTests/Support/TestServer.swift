#if PostgreSQL
import Dispatch
import Foundation
import MotivatorPlatform
import TestSupport

/// A PostgreSQL server of one test, which the test stops and starts again.
final class TestServer: Sendable {
    let url: String
    private let folder: TemporaryDirectory
    private let settings: [String]

    /// - Parameters:
    ///   - settings: settings of the server, such as `max_connections=10`.
    ///   - certificate: the file with the server's certificate, for TLS.
    ///   - key: the file with its key.
    init(_ settings: [String] = [], certificate: String? = nil, key: String? = nil) async throws {
        folder = try TemporaryDirectory()
        for (file, name) in [(certificate, "server.crt"), (key, "server.key")] {
            guard let file else { continue }
            try folder.write(try File.read(file, limit: 1 << 20), to: name, mode: 0o600)
        }
        // The server runs as another user if the test runs as root.
        chmod(folder.path, 0o711)
        self.settings = settings
        url = try await Self.run(["start", folder.file("server")] + settings)
    }

    deinit {
        _ = try? Self.runNow(["stop", folder.file("server"), "immediate"])
    }

    func start() async throws {
        _ = try await Self.run(["start", folder.file("server")] + settings)
    }

    /// Stops the server as a crash does: without waiting for its clients.
    func stop() async throws {
        _ = try await Self.run(["stop", folder.file("server"), "immediate"])
    }

    /// Suspends or resumes the server. While it is suspended, connections remain open, and get no response.
    func freeze(_ isFrozen: Bool) async throws {
        _ = try await Self.run([isFrozen ? "freeze" : "thaw", folder.file("server")])
    }

    /// Runs `scripts/postgres` on its own thread, because it blocks.
    private static func run(_ arguments: [String]) async throws -> String {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue(label: "scripts/postgres").async {
                continuation.resume(with: Result { try runNow(arguments) })
            }
        }
    }

    /// Runs `scripts/postgres`. `Foundation.Process` would wait for the server too, which inherits its descriptors.
    private static func runNow(_ arguments: [String]) throws -> String {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..").standardized
        let words = [root.appending(path: "scripts/postgres").path] + arguments
        let command = words.map { "'\($0)'" }.joined(separator: " ")
        guard let output = popen(command, "r") else { throw SystemError("popen") }
        var text: [UInt8] = []
        while case let byte = getc(output), byte != EOF { text.append(UInt8(byte)) }
        guard pclose(output) == 0 else { throw Failed(arguments: arguments) }
        return String(decoding: text, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    struct Failed: Error { let arguments: [String] }
}
#endif
