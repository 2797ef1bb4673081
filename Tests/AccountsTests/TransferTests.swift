import GRDB
import MotivatorPlatform
import Passkeys
import TestSupport
import Testing

@testable import Accounts

@Suite("Export, import and backup") struct TransferTests {
    private let scratch: TemporaryDirectory
    private let file: String

    init() throws {
        scratch = try TemporaryDirectory()
        file = scratch.file("accounts.jsonl")
    }

    private static func account(_ id: Int64, _ name: String, hash: String? = nil) -> StoreRecord {
        let salt = String(repeating: "A", count: 22), digest = String(repeating: "B", count: 42) + "A"
        return .account(
            id: id, name: name, key: name.lowercased(), hash: hash ?? "$scrypt$ln=15,r=8,p=3$\(salt)$\(digest)",
            created: 5, changed: id)
    }

    private static func digest(_ digit: String) -> String { String(repeating: digit, count: 64) }

    /// The records. Each kind has keys at both ends of the sort order.
    private static let records: [StoreRecord] = [
        account(1, "Antoine"), account(2, "Zoë \"Ω\" \\ \u{2028}\t"), account(7, "ada"), account(.max, "Grace"),
        .session(digest: digest("0"), account: 7, began: 1, used: 2),
        .session(digest: digest("f"), account: .max, began: -1, used: 0),
        .address(key: digest("0"), at: 9), .address(key: digest("a"), at: 10), .address(key: digest("f"), at: .max),
    ]

    /// Passkeys with all kinds of values, in the order of their credential IDs.
    private static let passkeys = [
        passkey([UInt8](repeating: 0, count: 16), of: 7), passkey([UInt8](repeating: 0, count: 17), of: .max, used: 9),
        passkey([UInt8](repeating: 255, count: 1023), of: 7, used: 10, transports: []),
    ]

    private static func passkey(
        _ credential: [UInt8], of account: Int64, used: UnixTime? = nil, transports: [String] = ["usb", "a \"b\", c"]
    ) -> StoreRecord {
        let passkey = Passkey(
            credential: credential, rpID: "a.test", publicKey: [0, 1, 255], signCount: .max,
            aaguid: [UInt8](repeating: 7, count: 16), isBackupEligible: used == nil, isBackedUp: used != nil,
            isUserVerified: used == 9, transports: transports, name: "Zoë's \u{2028}", created: 5, used: used)
        return .passkey(account: account, value: passkey)
    }

    private func store(_ records: [StoreRecord] = [], name: String = "accounts") async throws -> SQLiteStore {
        let store = try SQLiteStore.open(path: scratch.file("\(name).sqlite"))
        try await store.insert(records)
        return store
    }

    private func write(_ records: [StoreRecord] = records) throws -> [String] {
        let writer = try RecordWriter(file)
        try writer.write(records)
        _ = try writer.finish()
        return try scratch.text(of: "accounts.jsonl").split(separator: "\n").map(String.init)
    }

    private func importFile(into store: any AccountStore) async throws -> Int {
        try await Transfer.import(file, try Transfer.summary(ofFile: file), into: store)
    }

    /// Creates a store of another kind with these records.
    private func store(_ factory: StoreFactory, _ records: [StoreRecord] = []) async throws -> any AccountStore {
        let store = try await factory.make(scratch)
        try await store.insert(records)
        return store
    }

    @Test("An exported file contains all records, and its import has the same summary", arguments: StoreFactory.all)
    func roundTrip(_ factory: StoreFactory) async throws {
        let original = try await store(factory, Self.records + Self.passkeys)
        let summary = try await Transfer.export(original, to: file)
        #expect(try scratch.mode("accounts.jsonl") == 0o600)
        let secret = StoreRecord.secret(name: "passkeys", value: try await original.secret().hexadecimal)
        let written = try scratch.text(of: "accounts.jsonl").split(separator: "\n").map(String.init)
        #expect(try write(Self.records + Self.passkeys + [secret]) == written)
        #expect([summary.accounts, summary.sessions, summary.addresses] == [4, 2, 3])
        #expect([summary.passkeys, summary.secrets, summary.records] == [3, 1, 13])
        let copy = try await store(name: "copy")
        #expect(try await importFile(into: copy) == 0)
        #expect(try await copy.records(after: nil, most: 100) == Array(Self.records[..<4]))
        #expect(try await copy.secret() == original.secret())
        #expect(try await Transfer.summary(of: copy) == summary)
        #expect(try await Transfer.summary(of: original) == summary)
    }

    @Test("Thousands of records are copied in pages", arguments: StoreFactory.all)
    func manyRecords(_ factory: StoreFactory) async throws {
        let count = Transfer.pageSize + 510
        let addresses = (0..<count).map { number -> StoreRecord in
            let digits = String(number, radix: 16)
            return .address(key: String(repeating: "0", count: 64 - digits.count) + digits, at: UnixTime(number))
        }
        let records = [Self.account(1, "Ada")] + addresses
        let original = try await store(factory, records)
        #expect(try await original.records(after: nil, most: 2) == [records[0]])
        let counts = Guarded<[Int]>([])
        let summary = try await Transfer.export(original, to: file) { number in counts.withLock { $0.append(number) } }
        #expect(summary.addresses == count && summary.records == count + 2)
        #expect(counts.withLock { $0 } == [1, Transfer.pageSize + 1, count + 1, count + 2])
        let copy = try await store(name: "copy")
        #expect(try await Transfer.import(file, summary, into: copy) == 0)
        let last = try #require(records.last?.position)
        let secret = StoreRecord.secret(name: "passkeys", value: try await copy.secret().hexadecimal)
        #expect(try await copy.records(after: last, most: 1) == [secret])
        #expect(try await copy.records(after: secret.position, most: 1).isEmpty)
        #expect(try await Transfer.summary(of: copy) == summary)
    }

    @Test("The digest of the last line is that of the lines above it")
    func digest() throws {
        let lines = try write()
        let content = lines.dropFirst().dropLast().map { $0 + "\n" }.joined()
        let expected = SHA256(of: Array(content.utf8)).bytes.hexadecimal
        #expect(lines.last == "{\"end\":{\"accounts\":4,\"sessions\":2,\"addresses\":3,\"sha256\":\"\(expected)\"}}")
    }

    @Test("A store returns its records in order, in pages of any size", arguments: StoreFactory.all, [1, 2, 3, 4, 100])
    func pages(_ factory: StoreFactory, _ size: Int) async throws {
        let store = try await store(factory, Self.records)
        var found: [StoreRecord] = []
        while true {
            let page = try await store.records(after: found.last?.position, most: size)
            if page.isEmpty { break }
            #expect(page.count <= size)
            found += page
        }
        let secret = StoreRecord.secret(name: "passkeys", value: try await store.secret().hexadecimal)
        #expect(found == Self.records + [secret])
    }

    @Test("An import continues after the records that an interrupted one inserted", arguments: StoreFactory.all, 0...9)
    func continues(_ factory: StoreFactory, _ count: Int) async throws {
        _ = try write()
        let store = try await store(factory, Array(Self.records.prefix(count)))
        #expect(try await importFile(into: store) == count)
        // The file is of version 1 if it has no secret.
        #expect(try await Transfer.summary(of: store, includesSecrets: false) == Transfer.summary(ofFile: file))
    }

    @Test("A file of version 1 is imported, and the store keeps its secret", arguments: StoreFactory.all)
    func versionOne(_ factory: StoreFactory) async throws {
        var lines = try write()
        #expect(lines[0] == "{\"format\":\"motivator accounts\",\"version\":2}")
        lines[0].replace("2}", with: "1}")
        try scratch.write(lines.map { $0 + "\n" }.joined(), to: "accounts.jsonl")
        let store = try await store(factory)
        let secret = try await store.secret()
        #expect(try await importFile(into: store) == 0)
        #expect(try await store.secret() == secret)
    }

    @Test("An import continues among passkeys", arguments: StoreFactory.all, 0...4)
    func continuesPasskeys(_ factory: StoreFactory, _ count: Int) async throws {
        let records = Self.records + Self.passkeys
        _ = try write(records + [.secret(name: "passkeys", value: Self.digest("e"))])
        let store = try await store(factory, Array(records.prefix(8 + count)))
        #expect(try await importFile(into: store) == 8 + count)
        #expect(try await store.secret().hexadecimal == Self.digest("e"))
        #expect(try await Transfer.summary(of: store) == Transfer.summary(ofFile: file))
        #expect(try await importFile(into: store) == 12)
    }

    static let badPasskeys: [(String, from: String, to: String)] = [
        ("a short credential ID", "\"credential\":\"0000", "\"credential\":\"00"),
        ("upper case", "\"public_key\":\"0001ff", "\"public_key\":\"0001FF"),
        ("no key", "\"public_key\":\"0001ff", "\"public_key\":\""), ("a short AAGUID", "0707", "07"),
        ("a counter of 33 bits", "4294967295", "4294967296"), ("no name", "\"name\":\"Zoë's \\u2028", "\"name\":\""),
        ("no RP ID", "\"rp_id\":\"a.test", "\"rp_id\":\""), ("a transport with two lines", "\"usb", "\"u\\nb"),
        ("a number instead of true", "\"backup_eligible\":true", "\"backup_eligible\":1"),
        ("used at 0", "\"used\":null", "\"used\":0"),
        ("a long credential ID", "\"credential\":\"", "\"credential\":\"" + String(repeating: "00", count: 1_008)),
        ("a long key", "\"public_key\":\"", "\"public_key\":\"" + String(repeating: "00", count: 2_046)),
        ("a long transport", "\"usb", "\"" + String(repeating: "u", count: 33)),
        ("an empty transport", "\"usb", "\""),
        ("nine transports", "\"usb", String(repeating: "\"a\",", count: 7) + "\"b"),
    ]

    @Test("A malformed passkey is refused with its line", arguments: badPasskeys)
    func badPasskey(_ name: String, _ old: String, _ new: String) throws {
        var lines = try write(Self.records + Self.passkeys)
        try #require(lines[10].contains(old))
        lines[10].replace(old, with: new)
        try scratch.write(lines.map { $0 + "\n" }.joined(), to: "accounts.jsonl")
        let error = #expect(throws: ExplainedFailure.self) { _ = try Transfer.summary(ofFile: file) }
        #expect(error?.problem == problem(11, Self.malformed), "\(name)")
    }

    static let secrets: [(String, String)] = [
        ("other", digest("e")), ("passkeys", "ee"), ("passkeys", digest("E")), ("passkeys", digest("e")),
    ]

    @Test("Only the secret of passkeys is imported, and it has 32 bytes", arguments: secrets)
    func badSecret(_ name: String, _ value: String) throws {
        let lines = try write(Self.records + [.secret(name: name, value: value)])
        if name == "passkeys", value == Self.digest("e") {
            #expect(try Transfer.summary(ofFile: file).secrets == 1)
        } else {
            let error = #expect(throws: ExplainedFailure.self) { _ = try Transfer.summary(ofFile: file) }
            #expect(error?.problem == problem(lines.count - 1, Self.malformed))
        }
    }

    static let others: [(String, [StoreRecord])] = [
        ("another account", [account(1, "Bertha")]), ("a later account", [account(2, "Zoë \"Ω\" \\ \u{2028}\t")]),
        ("a session", [account(7, "ada"), .session(digest: digest("5"), account: 7, began: 1, used: 2)]),
        ("one more record", records + [.address(key: digest("f").replacing("f", with: "b"), at: 1)]),
        ("an address", [.address(key: digest("0"), at: 9)]),
    ]

    @Test("A database with other records is refused, and stays as it is", arguments: others)
    func refused(_ name: String, _ present: [StoreRecord]) async throws {
        _ = try write()
        let store = try await store(present)
        let before = try await Transfer.summary(of: store)
        await #expect(throws: ExplainedFailure.self, "\(name)") { _ = try await importFile(into: store) }
        #expect(try await Transfer.summary(of: store) == before)
    }

    struct BadFile: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let line: Int
        let problem: String
        let change: @Sendable (inout [String]) -> Void

        init(
            _ name: String, _ line: Int, _ problem: String,
            _ change: @escaping @Sendable (inout [String]) -> Void
        ) {
            (testDescription, self.line, self.problem, self.change) = (name, line, problem, change)
        }
    }

    private static let foreign = "this is not an accounts export"
    private static let newer = "the file uses format version 3; this program supports version 2"
    private static let truncated = "the file is truncated"
    private static let malformed = "this is not a valid record"
    private static let disordered = "the records are not in ascending order"
    private static let changed = "the counts or the SHA-256 digest do not match the records above"
    private static let trailing = "the file continues after the end of the export"

    private func problem(_ line: Int, _ problem: String) -> String { "\"\(file)\": line \(line): \(problem)" }

    /// The file has a header, 9 records and an end. Each case changes its lines.
    static let badFiles: [BadFile] = [
        BadFile("empty", 1, foreign) { $0 = [] },
        BadFile("another format", 1, foreign) { $0[0] = "{\"format\":\"recipes\",\"version\":1}" },
        BadFile("a list", 1, foreign) { $0 = ["[1, 2]"] },
        BadFile("a line without end", 1, foreign) { $0 = [String(repeating: "x", count: 200_000)] },
        BadFile("a newer version", 1, newer) { $0[0].replace("2}", with: "3}") },
        BadFile("only the header", 2, truncated) { $0 = [$0[0]] },
        BadFile("without its end", 11, truncated) { $0.removeLast() },
        BadFile("without a record", 10, changed) { $0.remove(at: 4) },
        BadFile("two records in another order", 4, disordered) { $0.swapAt(2, 3) },
        BadFile("a session before an account", 6, disordered) { $0.swapAt(4, 5) },
        BadFile("a record twice", 4, disordered) { $0.insert($0[2], at: 3) },
        BadFile("another name", 11, changed) { $0[1].replace("Antoine", with: "Berthe") },
        BadFile("another count", 11, changed) { $0[10].replace("\"accounts\":4", with: "\"accounts\":5") },
        BadFile("another digest", 11, changed) { $0[10].replace("\"sha256\":\"", with: "\"sha256\":\"0") },
        BadFile("an end with more", 11, changed) { $0[10] += " " },
        BadFile("text after the end", 12, trailing) { $0.append("{}") },
        BadFile("an empty line", 3, malformed) { $0.insert("", at: 2) },
        BadFile("a space", 2, malformed) { $0[1].replace(":1,", with: ": 1,") },
        BadFile("a number with an exponent", 2, malformed) { $0[1].replace("\"id\":1,", with: "\"id\":1e0,") },
        BadFile("an unknown key", 2, malformed) { $0[1].replace("\"id\":1,", with: "\"id\":1,\"x\":1,") },
        BadFile("a key twice", 2, malformed) { $0[1].replace("\"id\":1,", with: "\"id\":1,\"id\":1,") },
        BadFile("a missing key", 2, malformed) { $0[1].replace("\"created\":5,", with: "") },
        BadFile("a needless escape", 2, malformed) { $0[1].replace("Antoine", with: "\\u0041ntoine") },
        BadFile("another kind", 2, malformed) { $0[1].replace("account", with: "recipe") },
        BadFile("no name", 2, malformed) { $0[1].replace("\"name\":\"Antoine\"", with: "\"name\":\"\"") },
        BadFile("no key", 2, malformed) { $0[1].replace("\"key\":\"antoine\"", with: "\"key\":\"\"") },
        BadFile("a short key of an address", 8, malformed) { $0[7].replace("0000", with: "") },
        BadFile("a hash that costs too much", 2, malformed) { $0[1].replace("ln=15", with: "ln=63") },
        BadFile("a short hash", 2, malformed) { $0[1].replace("BBBB", with: "") },
        BadFile("a digest in upper case", 7, malformed) { $0[6].replace("ffff", with: "FFFF") },
        BadFile("a short digest", 6, malformed) { $0[5].replace("0000", with: "") },
        BadFile("a long line", 3, malformed) { $0[2].replace("Zoë", with: String(repeating: "Zoë", count: 50_000)) },
    ]

    @Test("A changed file is refused, with the number of the line", arguments: badFiles)
    func bad(_ bad: BadFile) throws {
        var lines = try write()
        bad.change(&lines)
        try scratch.write(lines.map { $0 + "\n" }.joined(), to: "accounts.jsonl")
        let error = #expect(throws: ExplainedFailure.self) { _ = try Transfer.summary(ofFile: file) }
        #expect(error?.problem == problem(bad.line, bad.problem))
        #expect(error?.exitCode == .badInput)
    }

    @Test("A file that ends anywhere is refused")
    func truncated() throws {
        _ = try write()
        let bytes = try scratch.read("accounts.jsonl")
        for count in stride(from: 0, to: bytes.count, by: 7) {
            try scratch.write(Array(bytes[..<count]), to: "accounts.jsonl")
            #expect(throws: ExplainedFailure.self, "\(count) bytes") { _ = try Transfer.summary(ofFile: file) }
        }
    }

    private func refuses(_ store: any AccountStore, line: Int, _ text: String) async throws {
        let error = await #expect(throws: ExplainedFailure.self) { _ = try await importFile(into: store) }
        #expect(error?.problem == problem(line, text))
    }

    @Test("A record that contradicts an earlier one is refused, with its line", arguments: StoreFactory.all)
    func contradiction(_ factory: StoreFactory) async throws {
        _ = try write([
            Self.account(1, "Ada"), Self.account(2, "Bertha"), Self.account(3, "ADA"), Self.account(4, "Carl"),
        ])
        let full = try await store(factory)
        try await refuses(full, line: 4, "another account has the same name")
        // The first two accounts exist.
        _ = try write([
            Self.account(1, "Ada"), Self.account(2, "Bertha"),
            .session(digest: Self.digest("1"), account: 3, began: 1, used: 1),
        ])
        try await refuses(full, line: 4, "the account of the record does not exist")
        _ = try write([Self.account(1, "Ada"), Self.account(2, "Bertha"), Self.passkeys[0]])
        try await refuses(full, line: 4, "the account of the record does not exist")
    }

    @Test("A backup has the records at its start, although the database changes during each step")
    func backup() async throws {
        let store = try await store(Self.records)
        let before = try await Transfer.summary(of: store)
        let added = Guarded<Int64>(100)
        let summary = try await SQLiteStore.backUp(
            scratch.file("accounts.sqlite"), to: scratch.file("copy.sqlite"), pagesPerStep: 1
        ) { done, all in
            // A copy that restarts must end, too.
            guard added.withLock({ $0 }) < 200 else { return }
            let id = added.withLock { number in
                number += 1
                return number
            }
            try? store.database.write { database in
                try database.execute(
                    sql: "INSERT INTO account VALUES (?, ?, ?, 'x', 0, 0)", arguments: [id, "n\(id)", "n\(id)"])
            }
        }
        #expect(added.withLock { $0 } > 105)
        #expect(summary == before)
        #expect(try await Transfer.summary(of: store) != before)
        #expect(try scratch.mode("copy.sqlite") == 0o600)
        #expect(scratch.names().filter { $0.hasPrefix("copy") } == ["copy.sqlite"])
        let copy = try SQLiteStore.open(path: scratch.file("copy.sqlite"), creates: false)
        #expect(try await Transfer.summary(of: copy) == before)
        #expect(try await copy.damage() == nil)
    }

    @Test("A damaged database is reported, and no copy appears")
    func damaged() async throws {
        let store = try await store(Self.records)
        try await store.perform { database in
            try database.execute(sql: "PRAGMA foreign_keys = OFF; DELETE FROM account WHERE id = 7")
        }
        #expect(try await store.damage() == "a session or passkey belongs to an account that does not exist")
        await #expect(throws: SQLiteStoreError.self) {
            _ = try await SQLiteStore.backUp(scratch.file("accounts.sqlite"), to: scratch.file("copy.sqlite"))
        }
        #expect(scratch.names().allSatisfy { !$0.hasPrefix("copy") })
    }

    @Test("A database that does not exist is not created")
    func missing() async throws {
        let path = scratch.file("missing.sqlite")
        #expect(throws: FileError.notFound(path: path)) { _ = try SQLiteStore.open(path: path, creates: false) }
        await #expect(throws: FileError.notFound(path: path)) { _ = try await SQLiteStore.backUp(path, to: file) }
        #expect(scratch.names().isEmpty)
    }
}
