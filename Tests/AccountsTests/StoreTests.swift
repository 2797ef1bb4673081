import MotivatorPlatform
import Testing

@testable import Accounts

/// The contract of every store. To test a new kind of store, add it to `StoreFactory.all`.
@Suite("A store of accounts") struct StoreTests {
    /// Creates an account "Ada" with a session.
    static func fill(_ store: any AccountStore) async throws {
        try await store.createAccount(
            try UserName("Ada"), hash: "first", session: StoreBench.digest("s"),
            settling: StoreBench.attempt("ada"), at: 0)
    }

    @Test("An account is found by its folded name, and keeps the name as typed", arguments: StoreFactory.all)
    func found(_ factory: StoreFactory) async throws {
        let bench = try await StoreBench(factory)
        let account = try await bench.create("Ada", session: "s")
        #expect(account.name == "Ada" && account.key == "ada" && account.hash == "first")
        #expect(try await bench.store.account(key: "Ada") == nil)
        #expect(try await bench.store.account(key: "") == nil)
        #expect(try await bench.owner("s") == "Ada")
        #expect(try await bench.owner("t") == nil)
    }

    @Test("A name is taken in any case of letters, and the second sign-up fails", arguments: StoreFactory.all)
    func taken(_ factory: StoreFactory) async throws {
        let bench = try await StoreBench(factory)
        try await bench.create("Ada", session: "first")
        await #expect(throws: StoreError.nameTaken) {
            try await bench.store.createAccount(
                try UserName("ADA"), hash: "second", session: StoreBench.digest("second"),
                settling: StoreBench.attempt("ada"), at: 0)
        }
        let account = try #require(try await bench.store.account(key: "ada"))
        #expect(account.name == "Ada" && account.hash == "first")
        #expect(try await bench.owner("second") == nil)
    }

    @Test("Of many concurrent sign-ups with a name, one succeeds", arguments: StoreFactory.all)
    func rush(_ factory: StoreFactory) async throws {
        let bench = try await StoreBench(factory)
        let made = await withTaskGroup(of: String?.self) { group in
            for number in 0..<50 {
                group.addTask { (try? await bench.create("Ada", session: "\(number)")).map { _ in "\(number)" } }
            }
            return await group.reduce(into: [String]()) { made, session in
                if let session { made.append(session) }
            }
        }
        var alive: [String] = []
        for number in 0..<50 where try await bench.owner("\(number)") != nil { alive.append("\(number)") }
        #expect(made.count == 1)
        #expect(alive == made)
    }

    @Test("A session begins while the hash is the one that was verified", arguments: StoreFactory.all)
    func begun(_ factory: StoreFactory) async throws {
        let bench = try await StoreBench(factory)
        let account = try await bench.create("Ada", session: "first")
        try await bench.begin("second", for: account)
        #expect(try await bench.owner("first") == "Ada")
        #expect(try await bench.owner("second") == "Ada")
        let stale = StoredAccount(id: account.id, name: "Ada", key: "ada", hash: "older")
        await #expect(throws: StoreError.hashChanged) { try await bench.begin("third", for: stale) }
        await #expect(throws: StoreError.hashChanged) { try await bench.begin("third", for: stale, rehash: "newer") }
        #expect(try await bench.owner("third") == nil)
        #expect(try await bench.store.account(key: "ada")?.hash == "first")
    }

    @Test("A hash can be renewed when a session begins; the other sessions stay", arguments: StoreFactory.all)
    func rehashed(_ factory: StoreFactory) async throws {
        let bench = try await StoreBench(factory)
        let account = try await bench.create("Ada", session: "first")
        try await bench.begin("second", for: account, rehash: "renewed")
        #expect(try await bench.store.account(key: "ada")?.hash == "renewed")
        #expect(try await bench.owner("first") == "Ada")
        #expect(try await bench.owner("second") == "Ada")
        await #expect(throws: StoreError.hashChanged) { try await bench.begin("third", for: account) }
    }

    @Test("A new hash ends all sessions of its account and begins one", arguments: StoreFactory.all)
    func replaced(_ factory: StoreFactory) async throws {
        let bench = try await StoreBench(factory)
        let account = try await bench.create("Ada", session: "first")
        try await bench.begin("second", for: account)
        try await bench.create("Grace", session: "other")
        try await bench.replace(account, with: "next", session: "third")
        #expect(try await bench.store.account(key: "ada")?.hash == "next")
        #expect(try await bench.owner("first") == nil)
        #expect(try await bench.owner("second") == nil)
        #expect(try await bench.owner("third") == "Ada")
        #expect(try await bench.owner("other") == "Grace")
    }

    @Test("A hash that is no longer the verified one is not replaced, and no session ends", arguments: StoreFactory.all)
    func notReplaced(_ factory: StoreFactory) async throws {
        let bench = try await StoreBench(factory)
        let account = try await bench.create("Ada", session: "first")
        try await bench.begin("second", for: account, rehash: "renewed")
        await #expect(throws: StoreError.hashChanged) {
            try await bench.replace(account, with: "next", session: "third")
        }
        #expect(try await bench.store.account(key: "ada")?.hash == "renewed")
        #expect(try await bench.owner("second") == "Ada")
        #expect(try await bench.owner("third") == nil)
    }

    @Test("A deleted account is gone with its sessions, and its name is free", arguments: StoreFactory.all)
    func deleted(_ factory: StoreFactory) async throws {
        let bench = try await StoreBench(factory)
        let account = try await bench.create("Ada", session: "first")
        try await bench.create("Grace", session: "other")
        let stale = StoredAccount(id: account.id, name: "Ada", key: "ada", hash: "older")
        await #expect(throws: StoreError.hashChanged) {
            try await bench.store.deleteAccount(stale, settling: StoreBench.attempt("ada"))
        }
        #expect(try await bench.owner("first") == "Ada")
        try await bench.store.deleteAccount(account, settling: StoreBench.attempt("ada"))
        #expect(try await bench.store.account(key: "ada") == nil)
        #expect(try await bench.owner("first") == nil)
        #expect(try await bench.owner("other") == "Grace")
        await #expect(throws: StoreError.hashChanged) { try await bench.begin("late", for: account) }
        try await bench.create("Ada", session: "again")
        #expect(try await bench.owner("first") == nil)
    }

    struct Visit: CustomTestStringConvertible, Sendable {
        let rule: String
        /// The times of the lookups. `alive` is the expected result of the last lookup.
        let times: [UnixTime]
        let alive: Bool
        var testDescription: String { rule }
    }

    private static let visits = [
        Visit(rule: "at once", times: [0], alive: true),
        Visit(rule: "before the idle time is over", times: [999], alive: true),
        Visit(rule: "at the idle time", times: [1000], alive: false),
        Visit(rule: "a use within the first minute is not written down", times: [59, 1000], alive: false),
        Visit(rule: "a use after a minute is", times: [60, 1000, 1059], alive: true),
        Visit(rule: "a minute is counted from the last that was written", times: [60, 119, 1060], alive: false),
        Visit(rule: "idle after a use", times: [60, 1060], alive: false),
        Visit(rule: "used without pause to the end", times: [900, 1800, 2700, 3600, 4500, 4999], alive: true),
        Visit(rule: "used without pause, past the end", times: [900, 1800, 2700, 3600, 4500, 5000], alive: false),
        Visit(rule: "a clock that went back ends no session", times: [-500], alive: true),
        Visit(rule: "what is over does not come back with the clock", times: [1000, 10], alive: false),
    ]

    @Test("A session lasts while it is used, and no longer than its lifetime", arguments: StoreFactory.all, visits)
    func sessions(_ factory: StoreFactory, _ visit: Visit) async throws {
        let bench = try await StoreBench(factory)
        try await bench.create("Ada", session: "s", at: 0)
        var alive = false
        for time in visit.times { alive = try await bench.owner("s", at: time) == "Ada" }
        #expect(alive == visit.alive)
    }

    @Test(
        "A session whose last use is a lifetime ahead of the clock is over, and is removed", arguments: StoreFactory.all
    )
    func future(_ factory: StoreFactory) async throws {
        let bench = try await StoreBench(factory)
        let account = try await bench.create("Ada", session: "0", at: 10_000)
        for name in ["1", "2", "3"] { try await bench.begin(name, for: account, at: 10_000) }
        #expect(try await bench.owner("0", at: 5001) == "Ada")
        #expect(try await bench.owner("0", at: 5000) == nil)
        #expect(try await bench.owner("0", at: 10_000) == nil, "an expired session does not return")
        #expect(try await !bench.end("1", at: 5000))
        func remove(at now: UnixTime) async throws(StoreError) -> Bool {
            try await bench.store.removeExpired(limits: StoreBench.limits, at: now, most: 2)
        }
        #expect(try await !remove(at: 5001))
        #expect(try await bench.owner("2", at: 10_000) == "Ada")
        #expect(try await remove(at: 5000))
        #expect(try await bench.owner("2", at: 10_000) == nil)
        #expect(try await bench.owner("3", at: 10_000) == nil)
    }

    @Test("A known address is forgotten after 90 days", arguments: StoreFactory.all)
    func knownAddress(_ factory: StoreFactory) async throws {
        let bench = try await StoreBench(factory)
        try await bench.create("Ada", session: "s", at: 0)
        let days: UnixTime = 90 * 86_400
        for (now, count) in [(days - 1, Int64(1)), (days, 0)] {
            _ = try await bench.store.removeExpired(limits: StoreBench.limits, at: now, most: 10)
            #expect(try await bench.scalar("SELECT count(*) FROM known_address") == count)
        }
    }

    @Test("A sign-in makes a known address known for 90 days again", arguments: StoreFactory.all)
    func knownAddressAgain(_ factory: StoreFactory) async throws {
        let bench = try await StoreBench(factory)
        let account = try await bench.create("Ada", session: "s", at: 0)
        try await bench.begin("t", for: account, at: 1000)
        #expect(try await bench.scalar("SELECT at FROM known_address") == 1000)
        try await bench.store.deleteAccount(account, settling: StoreBench.attempt("ada"))
        #expect(try await bench.scalar("SELECT count(*) FROM known_address") == 0)
    }

    @Test("The number of a deleted account is not used again", arguments: StoreFactory.all)
    func numbers(_ factory: StoreFactory) async throws {
        let bench = try await StoreBench(factory)
        let deleted = try await bench.create("Ada", session: "s")
        try await bench.store.deleteAccount(deleted, settling: StoreBench.attempt("ada"))
        #expect(try await bench.create("Grace", session: "t").id != deleted.id)
    }

    @Test("An account keeps the times of its creation and of the last change of its hash", arguments: StoreFactory.all)
    func times(_ factory: StoreFactory) async throws {
        let bench = try await StoreBench(factory)
        func times() async throws -> [Int64?] {
            [
                try await bench.scalar("SELECT created FROM account"),
                try await bench.scalar("SELECT changed FROM account"),
            ]
        }
        let account = try await bench.create("Ada", session: "s", at: 5)
        #expect(try await times() == [5, 5])
        try await bench.begin("t", for: account, at: 6)
        #expect(try await times() == [5, 5])
        try await bench.begin("u", for: account, rehash: "renewed", at: 7)
        #expect(try await times() == [5, 7])
        let renewed = try #require(try await bench.store.account(key: "ada"))
        try await bench.replace(renewed, with: "next", session: "v", at: 8)
        #expect(try await times() == [5, 8])
    }

    @Test("Each prefix of the hashes is found once, up to the requested number", arguments: StoreFactory.all)
    func hashPrefixes(_ factory: StoreFactory) async throws {
        let bench = try await StoreBench(factory)
        #expect(try await bench.store.hashPrefixes(most: 9) == [])
        for (number, cost) in [4, 6, 5, 4, 4, 6].enumerated() {
            let hash = PasswordHash(
                parameters: try ScryptParameters(log2N: cost, r: 8, p: 1),
                salt: [UInt8](repeating: UInt8(number), count: 16),
                hash: [UInt8](repeating: 0, count: 32))
            try await bench.store.createAccount(
                try UserName("user \(number)"), hash: hash.text, session: StoreBench.digest("\(number)"),
                settling: StoreBench.attempt("user \(number)"), at: 0)
        }
        let prefixes = [4, 5, 6].map { "$scrypt$ln=\($0),r=8,p=1" }
        #expect(try await bench.store.hashPrefixes(most: 9) == prefixes)
        #expect(try await bench.store.hashPrefixes(most: 2) == Array(prefixes.prefix(2)))
        let account = try #require(try await bench.store.account(key: "user 2"))
        try await bench.store.deleteAccount(account, settling: StoreBench.attempt("user 2"))
        #expect(try await bench.store.hashPrefixes(most: 9) == [prefixes[0], prefixes[2]])
    }

    @Test("A session is ended once, and only while it is not over", arguments: StoreFactory.all)
    func ended(_ factory: StoreFactory) async throws {
        let bench = try await StoreBench(factory)
        let account = try await bench.create("Ada", session: "first")
        try await bench.begin("second", for: account)
        try await bench.begin("third", for: account)
        #expect(try await bench.end("first", at: 999))
        #expect(try await !bench.end("first", at: 999))
        #expect(try await !bench.end("unknown"))
        #expect(try await !bench.end("second", at: 1000))
        #expect(try await bench.owner("first") == nil)
        #expect(try await bench.owner("second") == nil)
        #expect(try await bench.owner("third") == "Ada")
    }

    @Test("Only expired rows are removed, a limited number at a time", arguments: StoreFactory.all)
    func removed(_ factory: StoreFactory) async throws {
        let bench = try await StoreBench(factory)
        let account = try await bench.create("Ada", session: "0", at: 0)
        for number in 1..<5 { try await bench.begin("\(number)", for: account, at: 0) }
        try await bench.begin("young", for: account, at: 1)
        #expect(try await bench.count("old", from: 8, at: -2600) == nil)
        #expect(try await bench.count("young", from: 9, at: -2599) == nil)
        func remove(at now: UnixTime) async throws(StoreError) -> Bool {
            try await bench.store.removeExpired(
                limits: StoreBench.limits, at: now, most: 3)
        }
        #expect(try await !remove(at: 999))
        #expect(try await remove(at: 1000))
        #expect(try await !remove(at: 1000))
        // At this time, the removed sessions would not have expired yet.
        for number in 0..<5 { #expect(try await bench.owner("\(number)", at: 500) == nil) }
        #expect(try await bench.owner("young", at: 500) == "Ada")
        #expect(try await bench.store.account(key: "ada") != nil)
    }

    @Test(
        "A healthy store passes the check; a closed store refuses every operation, and can be closed twice",
        arguments: StoreFactory.all)
    func closed(_ factory: StoreFactory) async throws {
        let bench = try await StoreBench(factory)
        let account = try await bench.create("Ada", session: "s")
        try await bench.store.checkHealth(at: 0)
        await bench.store.close()
        await bench.store.close()
        let unavailable = StoreError.unavailable(reason: "the database is closed")
        await #expect(throws: unavailable) { try await bench.store.checkHealth(at: 0) }
        await #expect(throws: unavailable) { try await bench.store.account(key: "ada") }
        await #expect(throws: unavailable) { try await bench.owner("s") }
        await #expect(throws: unavailable) { try await bench.begin("t", for: account) }
        await #expect(throws: unavailable) { try await bench.count("ada") }
    }
}
