import Accounts
import AssociatedDomains
import MotivatorPlatform
import TestSupport
import Testing
import UltraMotivator

/// The demo on the loopback address, with its development CA and cheap password hashes.
enum DemoServer {
    static let host = "ultra-motivator.test"
    static let app = "A1B2C3D4E5.com.example.App"

    /// Starts the demo, runs `body`, and stops the demo.
    static func run(_ body: (LoopbackServer) async throws -> Void) async throws {
        let scratch = try TemporaryDirectory()
        defer { withExtendedLifetime(scratch) {} }
        try File.makeFolder(scratch.path + "/Public", mode: 0o700)
        var options = AccountOptions()
        options.scrypt = try ScryptParameters(log2N: 4, r: 8, p: 1)
        options.signUpsPerAddress = 1_000_000
        let accounts = Accounts(
            store: try SQLiteStore.open(path: scratch.path + "/data/accounts.sqlite"), options: options,
            clock: .system, log: RecordingLog.silent)
        let demo = Demo(
            domains: [host], aliases: ["127.0.0.1"], association: .apps([try AppIdentifier(app)]), format: .plain,
            certificates: .authority(folder: scratch.path + "/certs"), publicFolder: scratch.path + "/Public",
            servesEcho: false, accounts: accounts, log: RecordingLog.silent)
        try await LoopbackServer.run(
            host,
            { port in
                let (snapshot, identities) = try demo.load(port: port, now: Clock.system.now())
                let root = try #require(identities.root)
                return (snapshot, root)
            }, body)
        await accounts.close()
    }
}
