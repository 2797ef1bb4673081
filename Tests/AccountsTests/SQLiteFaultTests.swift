import GRDB
import MotivatorPlatform
import TestSupport
import Testing

@testable import Accounts

@Suite("Accounts over a database that fails") struct SQLiteFaultTests {
    private let scratch: TemporaryDirectory
    private let store: SQLiteStore
    private let bench: Bench

    init() throws {
        scratch = try TemporaryDirectory()
        store = try SQLiteStore.open(path: scratch.database)
        bench = try Bench(store)
    }

    @Test("While another program has the lock, reads work and writes fail; afterwards, everything works")
    func locked() async throws {
        let token = try await bench.signUp().token
        let intruder = try Intruder(scratch.database)
        try await intruder.execute("BEGIN IMMEDIATE")
        #expect(await bench.failure("Ada", Bench.password) == .unavailable)
        #expect(await bench.failure("Ada", Bench.password) == .unavailable)
        #expect(try await bench.accounts.session(token)?.name == "Ada")
        await #expect(throws: AccountError.unavailable) { try await bench.accounts.signOut(token) }
        #expect(await bench.accounts.unavailability() != nil)
        #expect(bench.faults == ["error: accounts are unavailable: \"SQLite error 5: database is locked\""])
        try await intruder.execute("ROLLBACK")
        #expect(await bench.failure("Ada", Bench.password) == nil)
        bench.clock.advance(1)
        #expect(await bench.accounts.unavailability() == nil)
        try await bench.accounts.signOut(token)
    }

    @Test("Writes that arrived before the lock was found fail with it, and do not wait for it themselves")
    func lockedQueue() async throws {
        let intruder = try Intruder(scratch.database)
        try await intruder.execute("BEGIN IMMEDIATE")
        let gate = Gate()
        let first = Task { try await store.perform { _ in gate.pass() } }
        await eventually { gate.arrivals == 1 }
        let reasons = Guarded<[String]>([])
        let writes = (0..<5).map { _ in
            Task {
                do throws(StoreError) {
                    try await store.checkHealth(at: 0)
                } catch {
                    reasons.withLock { $0.append("\(error)") }
                }
            }
        }
        await eventually { store.waiting.withLock { $0 } == 6 }
        gate.open()
        for write in writes { await write.value }
        try await first.value
        let later = reasons.withLock { $0.filter { $0.contains("another program had locked the database") } }
        #expect(reasons.withLock { $0.count } == 5 && later.count == 4)
        try await intruder.execute("ROLLBACK")
        try await store.checkHealth(at: 0)
    }

    @Test("A session whose use cannot be recorded is valid, and the log reports it once per second")
    func untouched() async throws {
        let token = try await bench.signUp().token
        let intruder = try Intruder(scratch.database)
        try await intruder.execute("BEGIN IMMEDIATE")
        bench.clock.advance(1790)
        for _ in 0..<5 { #expect(try await bench.accounts.session(token)?.name == "Ada") }
        #expect(bench.faults.count == 1)
        try await intruder.execute("ROLLBACK")
        let began = bench.clock.now - 1790
        func used() async throws -> Int? { try await store.perform { try $0.scalar("SELECT used FROM session") } }
        // An attempt may wait for the lock, so the store tries only once per second.
        #expect(try await bench.accounts.session(token) != nil)
        #expect(try await used() == Int(began))
        bench.clock.advance(1)
        #expect(try await bench.accounts.session(token) != nil)
        #expect(try await used() == Int(began) + 1791)
        #expect(bench.faults.count == 1)
    }

    @Test("An expired session stays expired even if the store cannot record it")
    func over() async throws {
        let token = try await bench.signUp().token
        let intruder = try Intruder(scratch.database)
        try await intruder.execute("BEGIN IMMEDIATE")
        bench.clock.advance(1800)
        #expect(try await bench.accounts.session(token) == nil)
        #expect(try await bench.accounts.session(token) == nil)
        try await intruder.execute("ROLLBACK")
    }

    @Test("On a full disk, sign-ups fail and acknowledged accounts remain; with more space, everything works")
    func full() async throws {
        let pages = try await store.perform { try Int.fetchOne($0, sql: "PRAGMA page_count") ?? 0 }
        try await store.perform { try $0.execute(sql: "PRAGMA max_page_count = \(pages)") }
        var signedUp: [SignedIn] = []
        var failure: AccountError?
        while failure == nil, signedUp.count < 1000 {
            do {
                signedUp.append(try await bench.signUp("user \(signedUp.count)"))
            } catch {
                failure = error
            }
        }
        #expect(failure == .unavailable)
        #expect(!signedUp.isEmpty)
        #expect(bench.faults == ["error: accounts are unavailable: \"SQLite error 13: database or disk is full\""])
        for one in signedUp { #expect(try await bench.accounts.session(one.token)?.name == one.name) }
        try await store.perform { try $0.execute(sql: "PRAGMA max_page_count = 1000000") }
        #expect(try await bench.signUp("user \(signedUp.count)").name == "user \(signedUp.count)")
    }

    @Test("A damaged page is found when the database opens; in a large file, only operations that read it fail")
    func damaged() async throws {
        try await bench.signUp()
        let roots = try await store.perform { database in
            try Row.fetchAll(database, sql: "SELECT name, rootpage FROM sqlite_schema").map { row in
                (row[0] as String, row[1] as Int)
            }
        }
        await bench.accounts.close()
        let root = try #require(roots.first { $0.0 == "account" }).1
        var content = try File.read(scratch.database, limit: 1 << 20)
        for place in (root - 1) * 4096..<root * 4096 { content[place] = 0xAA }
        try File.write(content, to: scratch.database, mode: 0o600)
        #expect(throws: SQLiteStoreError.self) { try SQLiteStore.open(path: scratch.database) }
        let again = try Bench(try SQLiteStore.open(path: scratch.database, checkedSize: 0))
        #expect(await again.failure() == .unavailable)
        #expect(again.faults.count == 1)
        #expect(again.faults[0].contains("SQLite error 11: database disk image is malformed"))
        // The store refunds the attempts that it counted before the fault.
        for _ in 0..<20 { #expect(await again.failure() == .unavailable) }
        #expect(await again.accounts.unavailability() == nil)
    }

    @Test("A malformed hash is an error, and the log does not contain it")
    func unreadableHash() async throws {
        try await bench.signUp()
        try await store.perform { try $0.execute(sql: "UPDATE account SET hash = '$scrypt$ln=30,r=8,p=1$canary$x'") }
        let number = try #require(try await store.account(key: "ada")).id
        #expect(await bench.failure("Ada", Bench.password) == .unavailable)
        #expect(
            bench.faults == [
                "error: accounts are unavailable: "
                    + "\"the password hash of account \(number) is malformed (parameters)\""
            ])
    }

    @Test("The log gets one line per second, with the number of omitted lines")
    func logged() async throws {
        let intruder = try Intruder(scratch.database)
        try await intruder.execute("BEGIN IMMEDIATE")
        for _ in 0..<3 { #expect(await bench.failure() == .unavailable) }
        bench.clock.advance(1)
        #expect(await bench.failure() == .unavailable)
        bench.clock.advance(1)
        #expect(await bench.failure() == .unavailable)
        let line = "error: accounts are unavailable: \"SQLite error 5: database is locked\""
        #expect(bench.faults == [line, line + ", unreported: 2", line])
        try await intruder.execute("ROLLBACK")
    }

    @Test("At most 256 operations wait for the database, and they complete")
    func waiting() async throws {
        let gate = Gate()
        let first = Task { try await store.perform { _ in gate.pass() } }
        await eventually { gate.arrivals == 1 }
        let refused = Guarded(0)
        let done = Guarded(0)
        let others = (0..<300).map { _ in
            Task {
                do throws(StoreError) {
                    try await store.checkHealth(at: 0)
                    done.withLock { $0 += 1 }
                } catch {
                    #expect(error == .unavailable(reason: "256 operations are waiting for the database"))
                    refused.withLock { $0 += 1 }
                }
            }
        }
        await eventually { refused.withLock { $0 } == 45 }
        gate.open()
        for task in others { await task.value }
        try await first.value
        #expect(done.withLock { $0 } == 255)
        #expect(refused.withLock { $0 } == 45)
        try await store.checkHealth(at: 0)
    }

    @Test("Failed operations do not occupy the queue")
    func failed() async throws {
        for _ in 0..<SQLiteStore.mostWaiting + 1 {
            await #expect(throws: StoreError.hashChanged) {
                try await store.perform { _ in throw StoreError.hashChanged }
            }
        }
        try await store.checkHealth(at: 0)
    }

    @Test("The files contain no passwords, tokens or attempted names")
    func canary() async throws {
        let new = "another mountain of books"
        let first = try await bench.signUp("Ada Canary")
        let second = try await bench.signIn("Ada Canary")
        let third = try await bench.accounts.update(
            name: "Ada Canary", current: Bench.password, new: new, from: Bench.home)
        #expect(await bench.failure("Nobody Canary", "wrong canary") == .wrongNameOrPassword)
        #expect(try await bench.accounts.session(third.token) != nil)
        let tokens = [first, second, third].map(\.token)
        let secrets = [Bench.password, new, "nobody canary", "Nobody Canary", "wrong canary"] + tokens.map(\.text)
        let raw = tokens.compactMap { Base64.decode($0.text.utf8, .urlSafe) }
        try #require(raw.count == 3)
        var places = 0
        for name in scratch.names() {
            let content = try File.read(scratch.file(name), limit: 1 << 24)
            if content.firstRange(of: Array("Ada Canary".utf8)) != nil { places += 1 }
            for secret in secrets.map({ Array($0.utf8) }) + raw {
                #expect(content.firstRange(of: secret) == nil, "\(name)")
            }
        }
        #expect(places > 0, "the search does not find the user name either")
    }
}
