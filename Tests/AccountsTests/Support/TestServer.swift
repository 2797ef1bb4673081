#if PostgreSQL
import Dispatch
import Foundation
import MotivatorPlatform
import TestSupport

/// A PostgreSQL server for a single test. The test can stop and restart the server.
final class TestServer: Sendable {
    let url: String
    private let folder: TemporaryDirectory
    private let settings: [String]

    /// - Parameters:
    ///   - settings: Settings of the server, such as `max_connections=10`.
    ///   - certificate: The file with the server's certificate, for TLS.
    ///   - key: The file with the certificate's private key.
    init(_ settings: [String] = [], certificate: String? = nil, key: String? = nil) async throws {
        folder = try TemporaryDirectory()
        for (file, name) in [(certificate, "server.crt"), (key, "server.key")] {
            guard let file else { continue }
            try folder.write(try File.read(file, limit: 1 << 20), to: name, mode: 0o600)
        }
        // If the test runs as root, the server runs as another user.
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

    /// Stops the server immediately, as in a crash, without waiting for its clients.
    func stop() async throws {
        _ = try await Self.run(["stop", folder.file("server"), "immediate"])
    }

    /// Suspends or resumes the server. A suspended server keeps its connections open, but does not respond.
    func freeze(_ isFrozen: Bool) async throws {
        _ = try await Self.run([isFrozen ? "freeze" : "thaw", folder.file("server")])
    }

    /// The server's log.
    func log() throws -> String {
        String(decoding: try File.read(folder.file("server/log"), limit: 64 << 20), as: UTF8.self)
    }

    /// Runs `scripts/postgres` on a separate thread, because the script blocks.
    private static func run(_ arguments: [String]) async throws -> String {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue(label: "scripts/postgres").async {
                continuation.resume(with: Result { try runNow(arguments) })
            }
        }
    }

    /// Runs `scripts/postgres`. `Foundation.Process` would also wait for the server, which inherits its descriptors.
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
