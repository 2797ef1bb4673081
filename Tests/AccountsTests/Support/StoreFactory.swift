import GRDB
import MotivatorPlatform
import TestSupport
import Testing

@testable import Accounts
@testable import PostgreSQLAccounts

/// An `AccountStore` implementation to test.
struct StoreFactory: CustomTestStringConvertible, Sendable {
    let testDescription: String
    /// Creates an empty store. A file-based store is created in the folder.
    let make: @Sendable (TemporaryDirectory) async throws -> any AccountStore

    private static let sqlite = StoreFactory(testDescription: "SQLite") { try SQLiteStore.open(path: $0.database) }

    #if PostgreSQL
    static let all = [
        sqlite, StoreFactory(testDescription: "PostgreSQL") { _ in try await TestDatabase().open() },
    ]
    #else
    static let all = [sqlite]
    #endif
}

extension TemporaryDirectory {
    /// The path of the database.
    var database: String { file("accounts.sqlite") }
}

/// A store and the operations that its tests need.
struct StoreBench {
    let store: any AccountStore
    private let scratch: TemporaryDirectory
    private let other = Guarded(0)

    static let limits = SessionLimits(idle: 1000, lifetime: 5000)
    static let rules = ThrottleRules(failuresPerAddress: 100, signUpsPerAddress: 100)

    init(_ factory: StoreFactory) async throws {
        scratch = try TemporaryDirectory()
        store = try await factory.make(scratch)
    }

    /// Returns the number that a query produces.
    func scalar(_ sql: String) async throws -> Int64? {
        if let store = store as? SQLiteStore {
            return try await store.perform { try Int64.fetchOne($0, sql: sql) }
        }
        #if PostgreSQL
        return try await (store as? PostgreSQLStore)?.scalar(sql)
        #else
        return nil
        #endif
    }

    static func digest(_ text: String) -> SHA256 { SHA256(of: Array(text.utf8)) }

    static func attempt(_ key: String, from address: UInt8 = 1) -> AttemptKeys {
        AttemptKeys(key: key, from: ClientAddress([192, 0, 2, address]))
    }

    /// Creates an account with the hash "first" and a session with this name.
    @discardableResult
    func create(_ name: String, session: String, at now: UnixTime = 0) async throws -> StoredAccount {
        let name = try UserName(name)
        try await store.createAccount(
            name, hash: "first", session: Self.digest(session), settling: Self.attempt(name.key), at: now)
        return try #require(try await store.account(key: name.key))
    }

    func begin(
        _ session: String, for account: StoredAccount, rehash: String? = nil, at now: UnixTime = 0
    ) async throws(StoreError) {
        try await store.beginSession(
            Self.digest(session), for: account, rehash: rehash, settling: Self.attempt(account.key), at: now)
    }

    func replace(
        _ account: StoredAccount, with hash: String, session: String, at now: UnixTime = 0
    ) async throws(StoreError) {
        try await store.replaceHash(
            of: account, with: hash, session: Self.digest(session), settling: Self.attempt(account.key), at: now)
    }

    /// Returns the account of a session.
    func owner(_ session: String, at now: UnixTime = 0) async throws(StoreError) -> String? {
        try await store.session(Self.digest(session), limits: Self.limits, at: now)?.account.name
    }

    func end(_ session: String, at now: UnixTime = 0) async throws(StoreError) -> Bool {
        try await store.endSession(Self.digest(session), limits: Self.limits, at: now)
    }

    /// Counts an attempt from an address on an account. Returns nil if the attempt is allowed.
    func count(
        _ key: String, from address: UInt8 = 1, at now: UnixTime = 0, rules: ThrottleRules = rules
    ) async throws(StoreError) -> UnixTime? {
        try await store.count(Self.attempt(key, from: address), scope: .password, rules: rules, at: now)
    }

    /// Counts an attempt from an address on an account without other attempts. Returns nil if the attempt is allowed.
    func count(
        address: UInt8, at now: UnixTime = 0, rules: ThrottleRules = rules
    ) async throws(StoreError) -> UnixTime? {
        let key = other.withLock { number in
            number += 1
            return "other \(number)"
        }
        return try await count(key, from: address, at: now, rules: rules)
    }

    /// Counts a sign-up from an address. Returns nil if the sign-up is allowed.
    func count(
        signUpFrom address: UInt8, at now: UnixTime = 0, rules: ThrottleRules = rules
    ) async throws(StoreError) -> UnixTime? {
        try await store.count(Self.attempt("ada", from: address), scope: .signUp, rules: rules, at: now)
    }
}
