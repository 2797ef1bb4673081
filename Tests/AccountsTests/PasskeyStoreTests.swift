import MotivatorPlatform
import Passkeys
import TestSupport
import Testing

@testable import Accounts

/// The contract of every store for passkeys, through the operations of `Accounts`.
@Suite("A store of passkeys") struct PasskeyStoreTests {
    /// Accounts in an empty store, with one account "Ada" and its session.
    private struct Setup {
        let bench: Bench
        let store: StoreBench
        let token: SessionToken

        init(_ factory: StoreFactory) async throws {
            store = try await StoreBench(factory)
            bench = try Bench(store.store)
            token = try await bench.signUp().token
        }

        var accounts: Accounts { bench.accounts }

        func session(_ token: SessionToken? = nil) async throws -> Session {
            try #require(try await accounts.session(token ?? self.token))
        }

        /// Adds a passkey with a new challenge.
        @discardableResult
        func add(_ number: UInt8, signCount: UInt32 = 0, rpID: String = "a.test") async throws -> Passkey {
            let passkey = PasskeyStoreTests.passkey(number, signCount: signCount, rpID: rpID)
            try await accounts.addPasskey(passkey, to: try await session(), using: PasskeyStoreTests.challenge())
            return passkey
        }

        /// Returns the result of a ceremony with a passkey.
        func use(
            _ number: UInt8, signCount: UInt32, isBackedUp: Bool = true, _ challenge: UsedChallenge? = nil
        ) async throws -> PasskeyUse {
            let found = try #require(
                try await accounts.passkey([UInt8](repeating: number, count: 16), rpID: "a.test"))
            return PasskeyUse(
                of: found, signCount: signCount, isBackedUp: isBackedUp,
                challenge: challenge ?? PasskeyStoreTests.challenge())
        }

        func stored(rpID: String = "a.test") async throws -> [Passkey] {
            try await accounts.passkeys(ofAccount: try await session().account, rpID: rpID)
        }
    }

    private static func passkey(_ number: UInt8, signCount: UInt32 = 0, rpID: String = "a.test") -> Passkey {
        Passkey(
            credential: [UInt8](repeating: number, count: 16), rpID: rpID, publicKey: [0xA1, 1, 2],
            signCount: signCount, aaguid: [UInt8](repeating: 9, count: 16), isBackupEligible: true, isBackedUp: false,
            isUserVerified: false, transports: ["internal", "a,b c"], name: "Key \(number)",
            created: 1_800_000_000 + UnixTime(number))
    }

    private static func challenge(expires: UnixTime = 1_800_000_300) -> UsedChallenge {
        UsedChallenge(RandomBytes.make(56) ?? [], expires: expires)
    }

    @Test("A passkey is found by its credential ID and RP ID, with its account", arguments: StoreFactory.all)
    func found(_ factory: StoreFactory) async throws {
        let setup = try await Setup(factory)
        let first = try await setup.add(2, signCount: .max)
        let second = try await setup.add(1)
        let other = try await setup.add(3, rpID: "b.test")
        let found = try #require(try await setup.accounts.passkey(first.credential, rpID: "a.test"))
        #expect(found.passkey == first && found.account.name == "Ada")
        #expect(try await setup.accounts.passkey(first.credential, rpID: "b.test") == nil)
        #expect(try await setup.stored() == [second, first])
        #expect(try await setup.stored(rpID: "b.test") == [other])
        let account = try await setup.session().account
        #expect(try await setup.accounts.passkeys(ofAccount: account, rpID: nil) == [second, first, other])
        #expect(try await setup.accounts.passkeys(ofAccount: 1 << 40, rpID: nil) == [])
    }

    @Test("A credential ID is registered once, for any account and RP ID", arguments: StoreFactory.all)
    func exists(_ factory: StoreFactory) async throws {
        let setup = try await Setup(factory)
        try await setup.add(1)
        let token = try await setup.bench.signUp("Grace").token
        let challenge = Self.challenge()
        for rpID in ["a.test", "b.test"] {
            await #expect(throws: AccountError.passkey(.passkeyExists)) {
                try await setup.accounts.addPasskey(
                    Self.passkey(1, rpID: rpID), to: try await setup.session(token), using: challenge)
            }
        }
        // A failed ceremony does not use up the challenge.
        #expect(try await setup.accounts.isUsed(challenge) == false)
        try await setup.accounts.addPasskey(Self.passkey(2), to: try await setup.session(token), using: challenge)
        #expect(try await setup.accounts.isUsed(challenge))
        await #expect(throws: AccountError.passkey(.challengeUsed)) {
            try await setup.accounts.addPasskey(Self.passkey(2), to: try await setup.session(token), using: challenge)
        }
    }

    @Test("An account has at most 20 passkeys, for all RP IDs", arguments: StoreFactory.all)
    func limit(_ factory: StoreFactory) async throws {
        let setup = try await Setup(factory)
        for number: UInt8 in 1...19 { try await setup.add(number, rpID: number < 9 ? "a.test" : "b.test") }
        let results = await withTaskGroup(of: AccountError?.self) { group in
            for number: UInt8 in 30..<36 {
                group.addTask {
                    do {
                        try await setup.add(number)
                        return nil
                    } catch {
                        return error as? AccountError
                    }
                }
            }
            return await group.reduce(into: [AccountError?]()) { $0.append($1) }
        }
        #expect(results.filter { $0 == nil }.count == 1)
        #expect(results.filter { $0 == .passkey(.passkeyLimit) }.count == 5)
        try await setup.accounts.removePasskey([UInt8](repeating: 1, count: 16), for: try await setup.session())
        try await setup.add(40)
    }

    @Test("A passkey is not added after its session has ended", arguments: StoreFactory.all)
    func ended(_ factory: StoreFactory) async throws {
        let setup = try await Setup(factory)
        let session = try await setup.session()
        try await setup.accounts.signOut(setup.token)
        await #expect(throws: AccountError.notSignedIn) {
            try await setup.accounts.addPasskey(Self.passkey(1), to: session, using: Self.challenge())
        }
        #expect(try await setup.store.scalar("SELECT count(*) FROM passkey") == 0)
        #expect(try await setup.store.scalar("SELECT count(*) FROM used_challenge") == 0)
    }

    @Test("A sign-in starts a session, stores the counter, and marks the address as known", arguments: StoreFactory.all)
    func signedIn(_ factory: StoreFactory) async throws {
        let setup = try await Setup(factory)
        var passkey = try await setup.add(1, signCount: 4)
        setup.bench.clock.advance(50)
        let address = ClientAddress([192, 0, 2, 7])
        let signedIn = try await setup.accounts.signIn(with: try await setup.use(1, signCount: 5), from: address)
        #expect(signedIn.name == "Ada")
        let session = try await setup.session(signedIn.token)
        #expect(session.isConfirmed && !session.isPasswordConfirmed)
        (passkey.signCount, passkey.isBackedUp, passkey.used) = (5, true, setup.bench.clock.now)
        #expect(try await setup.stored() == [passkey])
        #expect(
            try await setup.store.store.rows(
                ThrottleStatements.isKnown(AttemptKeys(key: "ada", from: address), at: setup.bench.clock.now)
            ).count == 1)
        #expect(try await setup.store.scalar("SELECT count(*) FROM used_challenge") == 2)
    }

    struct Counter: Sendable, CustomTestStringConvertible {
        let stored: UInt32, received: UInt32, isAccepted: Bool

        var testDescription: String { "\(received) after \(stored)" }
    }

    /// WebAuthn Level 3 §7.2 step 22.
    private static let counters = [
        Counter(stored: 0, received: 0, isAccepted: true), Counter(stored: 0, received: 1, isAccepted: true),
        Counter(stored: 1, received: 0, isAccepted: false), Counter(stored: 5, received: 5, isAccepted: false),
        Counter(stored: 5, received: 4, isAccepted: false), Counter(stored: 5, received: 6, isAccepted: true),
        Counter(stored: .max - 1, received: .max, isAccepted: true),
        Counter(stored: .max, received: .max, isAccepted: false),
    ]

    @Test("The counter must increase, unless both are 0", arguments: StoreFactory.all, counters)
    func counter(_ factory: StoreFactory, _ counter: Counter) async throws {
        let setup = try await Setup(factory)
        let passkey = try await setup.add(1, signCount: counter.stored)
        let use = try await setup.use(1, signCount: counter.received)
        if counter.isAccepted {
            _ = try await setup.accounts.signIn(with: use, from: Bench.home)
            #expect(try await setup.stored().first?.signCount == counter.received)
        } else {
            await #expect(throws: AccountError.passkey(.counterRegression)) {
                try await setup.accounts.signIn(with: use, from: Bench.home)
            }
            #expect(try await setup.stored() == [passkey])
            #expect(try await setup.store.scalar("SELECT count(*) FROM session") == 1)
            #expect(try await setup.accounts.isUsed(use.challenge) == false)
        }
    }

    @Test("A removed passkey does not sign in or confirm", arguments: StoreFactory.all)
    func removed(_ factory: StoreFactory) async throws {
        let setup = try await Setup(factory)
        try await setup.add(1)
        let use = try await setup.use(1, signCount: 0)
        try await setup.accounts.removePasskey(use.passkey.passkey.credential, for: try await setup.session())
        await #expect(throws: AccountError.passkey(.unknownPasskey)) {
            try await setup.accounts.signIn(with: use, from: Bench.home)
        }
        await #expect(throws: AccountError.passkey(.unknownPasskey)) {
            try await setup.accounts.confirm(try await setup.session(), with: use)
        }
    }

    @Test("Another account's passkey is neither renamed nor removed, and confirms nothing", arguments: StoreFactory.all)
    func foreign(_ factory: StoreFactory) async throws {
        let setup = try await Setup(factory)
        let passkey = try await setup.add(1)
        let grace = try await setup.session(try await setup.bench.signUp("Grace").token)
        await #expect(throws: AccountError.passkey(.passkeyNotFound)) {
            try await setup.accounts.renamePasskey(passkey.credential, to: "x", for: grace)
        }
        await #expect(throws: AccountError.passkey(.passkeyNotFound)) {
            try await setup.accounts.removePasskey(passkey.credential, for: grace)
        }
        await #expect(throws: AccountError.notSignedIn) {
            try await setup.accounts.confirm(grace, with: try await setup.use(1, signCount: 0))
        }
        #expect(try await setup.stored() == [passkey])
    }

    @Test("A name is normalized and limited like a user name", arguments: StoreFactory.all)
    func renamed(_ factory: StoreFactory) async throws {
        let setup = try await Setup(factory)
        let passkey = try await setup.add(1)
        let session = try await setup.session()
        try await setup.accounts.renamePasskey(passkey.credential, to: "Ada\u{2019}s phoné", for: session)
        #expect(try await setup.stored().map(\.name) == ["Ada\u{2019}s phoné"])
        let bad: [(String, UserName.Failure)] = [
            ("", .empty), (String(repeating: "x", count: 65), .tooLong(codePoints: 65)),
            ("a\nb", .controlCharacter(at: 2)),
        ]
        for (name, failure) in bad {
            await #expect(throws: AccountError.refusedName(failure), "\(name)") {
                try await setup.accounts.renamePasskey(passkey.credential, to: name, for: session)
            }
        }
    }

    @Test("A session is confirmed for 10 minutes, and with a password for 5", arguments: StoreFactory.all)
    func confirmed(_ factory: StoreFactory) async throws {
        let setup = try await Setup(factory)
        let passkey = try await setup.add(1)
        func state() async throws -> [Bool] {
            let session = try await setup.session()
            return [session.isConfirmed, session.isPasswordConfirmed]
        }
        #expect(try await state() == [true, true])
        setup.bench.clock.advance(300)
        #expect(try await state() == [true, true])
        setup.bench.clock.advance(1)
        #expect(try await state() == [true, false])
        setup.bench.clock.advance(300)
        #expect(try await state() == [false, false])
        await #expect(throws: AccountError.passkey(.confirmationRequired)) {
            try await setup.accounts.removePasskey(passkey.credential, for: try await setup.session())
        }
        try await setup.accounts.confirm(try await setup.session(), with: try await setup.use(1, signCount: 0))
        #expect(try await state() == [true, false])
        // A passkey is enough to remove a passkey.
        try await setup.accounts.removePasskey(passkey.credential, for: try await setup.session())
        setup.bench.clock.advance(601)
        await #expect(throws: AccountError.wrongNameOrPassword) {
            try await setup.accounts.confirm(setup.token, password: "wrong", from: Bench.home)
        }
        #expect(try await state() == [false, false])
        try await setup.accounts.confirm(setup.token, password: Bench.password, from: Bench.home)
        #expect(try await state() == [true, true])
        // The clock of a server that confirmed the session may be ahead by the tolerance, but not by more.
        setup.bench.clock.advance(-60)
        #expect(try await state() == [true, true])
        setup.bench.clock.advance(-1)
        #expect(try await state() == [false, false])
    }

    @Test("A wrong password in a confirmation is throttled like a failed sign-in", arguments: StoreFactory.all)
    func throttled(_ factory: StoreFactory) async throws {
        let setup = try await Setup(factory)
        for _ in 0..<5 {
            await #expect(throws: AccountError.wrongNameOrPassword) {
                try await setup.accounts.confirm(setup.token, password: "wrong", from: Bench.home)
            }
        }
        await #expect(throws: AccountError.throttled(retryAfter: 1)) {
            try await setup.accounts.confirm(setup.token, password: Bench.password, from: Bench.home)
        }
        // Passkeys use none of the password throttles.
        try await setup.add(1)
        _ = try await setup.accounts.signIn(with: try await setup.use(1, signCount: 0), from: Bench.home)
    }

    /// WebAuthn Level 3 §7.2 step 24.
    @Test("Only a confirmation of a session with a password marks a passkey as verified", arguments: StoreFactory.all)
    func verified(_ factory: StoreFactory) async throws {
        let setup = try await Setup(factory)
        try await setup.add(1)
        let token = try await setup.accounts.signIn(
            with: try await setup.use(1, signCount: 0), from: Bench.home
        ).token
        try await setup.accounts.confirm(try await setup.session(token), with: try await setup.use(1, signCount: 0))
        #expect(try await setup.stored().first?.isUserVerified == false)
        try await setup.accounts.confirm(try await setup.session(), with: try await setup.use(1, signCount: 0))
        #expect(try await setup.stored().first?.isUserVerified == true)
        _ = try await setup.accounts.signIn(with: try await setup.use(1, signCount: 0), from: Bench.home)
        #expect(try await setup.stored().first?.isUserVerified == true)
    }

    @Test("A password change keeps passkeys, a deletion removes them", arguments: StoreFactory.all)
    func kept(_ factory: StoreFactory) async throws {
        let setup = try await Setup(factory)
        let passkey = try await setup.add(1)
        let account = try await setup.session().account
        let use = try await setup.use(1, signCount: 0)
        let new = "another mountain"
        let token = try await setup.accounts.update(
            name: "Ada", current: Bench.password, new: new, from: Bench.home
        ).token
        #expect(try await setup.accounts.session(setup.token) == nil)
        #expect(try await setup.session(token).isPasswordConfirmed)
        #expect(try await setup.accounts.passkeys(ofAccount: account, rpID: "a.test") == [passkey])
        try await setup.accounts.delete(token, password: new, from: Bench.home)
        #expect(try await setup.store.scalar("SELECT count(*) FROM passkey") == 0)
        await #expect(throws: AccountError.passkey(.unknownPasskey)) {
            try await setup.accounts.signIn(with: use, from: Bench.home)
        }
    }

    @Test("A used challenge is removed a minute after it expires", arguments: StoreFactory.all)
    func cleaned(_ factory: StoreFactory) async throws {
        let setup = try await Setup(factory)
        try await setup.add(1)
        setup.bench.clock.advance(359)
        await setup.accounts.removeExpired()
        #expect(try await setup.store.scalar("SELECT count(*) FROM used_challenge") == 1)
        setup.bench.clock.advance(1)
        await setup.accounts.removeExpired()
        #expect(try await setup.store.scalar("SELECT count(*) FROM used_challenge") == 0)
    }

    @Test("The migration creates a secret of 32 bytes, and each store has its own", arguments: StoreFactory.all)
    func secret(_ factory: StoreFactory) async throws {
        let (one, other) = (try await Setup(factory), try await Setup(factory))
        let secret = try await one.accounts.passkeySecret()
        #expect(secret.count == 32)
        #expect(try await Bench(one.store.store).accounts.passkeySecret() == secret)
        #expect(try await other.accounts.passkeySecret() != secret)
    }

    @Test("The log has a line for each event, without IDs", arguments: StoreFactory.all)
    func events(_ factory: StoreFactory) async throws {
        let setup = try await Setup(factory)
        let before = setup.bench.log.count
        let passkey = try await setup.add(1, signCount: 1)
        _ = try await setup.accounts.signIn(with: try await setup.use(1, signCount: 2), from: Bench.home)
        _ = try? await setup.accounts.signIn(with: try await setup.use(1, signCount: 2), from: Bench.home)
        try await setup.accounts.confirm(try await setup.session(), with: try await setup.use(1, signCount: 3))
        setup.accounts.ceremonyRefused(.signIn, account: nil, code: "origin_mismatch")
        try await setup.accounts.removePasskey(passkey.credential, for: try await setup.session())
        let account = try await setup.session().account
        #expect(
            Array(setup.bench.log.dropFirst(before)) == [
                "info: passkey addition succeeded, account: \(account)",
                "info: passkey sign-in succeeded, account: \(account)",
                "notice: passkey sign-in refused, account: \(account), reason: counter_regression",
                "info: confirmation succeeded, account: \(account)",
                "notice: passkey sign-in refused, account: unknown, reason: origin_mismatch",
                "info: passkey removal succeeded, account: \(account)",
            ])
    }
}
