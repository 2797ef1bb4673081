import Logging
import Platform
import Synchronization

@testable import Accounts

/// A clock that a test moves.
final class Hands: Sendable {
    private let time: Guarded<UnixTime>

    init(at time: UnixTime = 1_800_000_000) {
        self.time = Guarded(time)
    }

    var clock: Clock { Clock { self.now } }
    var now: UnixTime { time.withLock { $0 } }

    func move(by seconds: UnixTime) {
        time.withLock { $0 += seconds }
    }
}

/// Keeps the lines of a log.
struct KeptLog: LogHandler {
    let lines: Guarded<[String]>
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.trace

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let fields = (event.metadata ?? [:]).sorted { $0.key < $1.key }.map { ", \($0.key): \($0.value)" }.joined()
        lines.withLock { $0.append("\(event.level): \(event.message)\(fields)") }
    }
}

/// Accounts over a store, with a clock to move and a log to read.
struct Bench {
    let accounts: Accounts
    let store: any AccountStore
    let hands: Hands
    private let lines: Guarded<[String]>

    static let home = ClientAddress([127, 0, 0, 1])
    static let password = "a mountain of books"

    init(
        _ store: any AccountStore, hands: Hands = Hands(), hashing: HashingQueue? = nil,
        recording derivations: Guarded<[ScryptParameters]>? = nil,
        _ change: (inout AccountOptions) -> Void = { _ in }
    ) throws {
        var options = AccountOptions()
        options.scrypt = try ScryptParameters(log2N: 4, r: 8, p: 1)
        options.signUpsPerAddress = 1_000_000
        change(&options)
        var hasher = PasswordHasher(parameters: options.scrypt)
        if let derivations {
            hasher.derive = { password, salt, parameters throws(Scrypt.Failed) in
                derivations.withLock { $0.append(parameters) }
                return try Scrypt.derive(password, salt: salt, parameters, length: PasswordHash.length)
            }
        }
        let lines = Guarded<[String]>([])
        let log = Logger(label: "test") { _ in KeptLog(lines: lines) }
        let queue = hashing ?? HashingQueue(threads: 2, waiting: options.waitingLine)
        accounts = Accounts(
            store: store, options: options, clock: hands.clock, log: log, hashing: queue, hasher: hasher)
        (self.store, self.hands, self.lines) = (store, hands, lines)
    }

    var log: [String] { lines.withLock { $0 } }

    /// The lines about faults.
    var faults: [String] { log.filter { $0.hasPrefix("error") } }

    @discardableResult
    func signUp(_ name: String = "Ada", from address: ClientAddress = home) async throws(AccountError) -> SignedIn {
        try await accounts.signUp(name: name, password: Self.password, from: address)
    }

    func signIn(
        _ name: String = "Ada", _ password: String = password, from address: ClientAddress = home
    ) async throws(AccountError) -> SignedIn {
        try await accounts.signIn(name: name, password: password, from: address)
    }

    /// What becomes of a sign-in: nil when it succeeds.
    func failure(
        _ name: String = "Ada", _ password: String = "wrong", from address: ClientAddress = home
    ) async -> AccountError? {
        do {
            _ = try await signIn(name, password, from: address)
            return nil
        } catch {
            return error
        }
    }
}
