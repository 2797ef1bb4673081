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
        lines.withLock { $0.append("\(event.level): \(event.message)") }
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
        _ change: (inout AccountOptions) -> Void = { _ in }
    ) throws {
        var options = AccountOptions()
        options.scrypt = try ScryptParameters(log2N: 4, r: 8, p: 1)
        change(&options)
        let lines = Guarded<[String]>([])
        let log = Logger(label: "test") { _ in KeptLog(lines: lines) }
        let queue = hashing ?? HashingQueue(threads: 2, waiting: options.waitingLine)
        accounts = Accounts(store: store, options: options, clock: hands.clock, log: log, hashing: queue)
        (self.store, self.hands, self.lines) = (store, hands, lines)
    }

    var log: [String] { lines.withLock { $0 } }

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
