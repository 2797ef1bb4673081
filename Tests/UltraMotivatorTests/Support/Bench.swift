import Accounts
import AssociatedDomains
import MotivatorHTTP
import MotivatorPlatform
import TestSupport

@testable import MotivatorServer
@testable import UltraMotivator

extension Pages {
    /// The pages without broken hosts. Tests share them, because a debug build parses the templates slowly.
    static let shared = Pages()
}

/// A demo with its files in a temporary directory, and with request heads that it parses from text.
final class Bench {
    enum Trouble: Error { case noHead }

    private let directory: TemporaryDirectory
    private var opened: (accounts: Accounts, store: SQLiteStore)?

    var folder: String { directory.path }

    init() throws {
        directory = try TemporaryDirectory()
        try File.makeFolder(folder + "/Public", mode: 0o700)
    }

    /// Opens accounts in a file in the folder, with the cheapest hash. Every call returns the same accounts.
    ///
    /// - Parameter clock: The clock of the accounts. Only the first call uses it.
    func accounts(_ clock: Clock = .system) throws -> Accounts {
        if let opened { return opened.accounts }
        var options = AccountOptions()
        options.scrypt = try ScryptParameters(log2N: 4, r: 8, p: 1)
        options.signUpsPerAddress = 1_000_000
        let store = try SQLiteStore.open(path: folder + "/data/accounts.sqlite")
        let made = Accounts(store: store, options: options, clock: clock, log: RecordingLog.silent)
        opened = (made, store)
        return made
    }

    /// Returns the digests of all sessions in the store.
    func sessions() async throws -> [String] {
        guard let store = opened?.store else { return [] }
        var (digests, position): ([String], StoreRecord.Position?) = ([], nil)
        while let record = try await store.records(after: position, most: 1).first {
            if case .session(let digest, _, _, _) = record { digests.append(digest) }
            position = record.position
        }
        return digests
    }

    /// Returns a demo with a CA and accounts in the folder.
    func demo(
        _ domains: [String], _ format: ServedAssociation.Format = .plain, association: Demo.Association? = nil
    ) throws -> Demo {
        let apps = Demo.Association.apps([try AppIdentifier("A1B2C3D4E5.com.example.App")])
        return Demo(
            domains: domains, aliases: ["localhost", "127.0.0.1", "::1"], association: association ?? apps,
            format: format, certificates: .authority(folder: folder + "/certs"), publicFolder: folder + "/Public",
            servesEcho: false, accounts: try accounts(), log: RecordingLog.silent)
    }

    /// Parses the head of a valid request.
    static func head(_ method: String, _ target: String, host: String, fields: String = "") throws -> RequestHead {
        var parser = RequestParser()
        Array("\(method) \(target) HTTP/1.1\r\nHost: \(host)\r\n\(fields)\r\n".utf8).withFieldBytes {
            parser.append($0)
        }
        guard parser.next() == .head else { throw Trouble.noHead }
        return parser.head
    }
}
