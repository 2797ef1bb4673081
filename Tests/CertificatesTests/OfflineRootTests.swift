import Certificates
import MotivatorPlatform
import TestSupport
import Testing

@Suite("A root key that is kept offline") struct OfflineRootTests {
    private let bench: Workbench
    private let folder: String
    private let offline: String
    private let hand = ManualClock(at: newYear)

    init() throws {
        bench = try Workbench()
        folder = bench.file("certs")
        offline = bench.file("offline")
    }

    private func open() throws -> Authority { try Authority.open(folder: folder, clock: hand.clock) }

    private func withRoot() throws -> Authority {
        try Authority.open(folder: folder, offlineRoot: offline, clock: hand.clock)
    }

    private var serving: [String] {
        bench.names("certs").filter { $0 != ".lock" }
    }

    private let withoutRootKey = ["authority.pem", "intermediate.key", "intermediate.pem"]

    @Test("A new CA has its root key in the other folder only", arguments: [false, true])
    func new(isCreated: Bool) throws {
        let authority =
            try isCreated
            ? Authority.create(folder: folder, permitted: [], offlineRoot: offline, clock: hand.clock) : withRoot()
        #expect(serving == withoutRootKey)
        #expect(bench.names("offline") == ["root.key"])
        #expect(bench.mode("offline") == 0o700 && bench.mode("offline/root.key") == 0o600)
        #expect(try PrivateKey.load(path: offline + "/root.key").belongs(to: authority.root))
        #expect(try open().root == authority.root && authority.warning == nil)
        #expect(throws: Never.self) { try open().identity(for: "a.test") }
    }

    @Test("The key of a present CA is moved, and the root and the intermediate stay")
    func moved() throws {
        let before = try open()
        let leaf = try before.identity(for: "a.test").certificate
        let key = try bench.read("certs/authority.key")
        let after = try withRoot()
        #expect(after.root == before.root)
        #expect(try bench.read("offline/root.key") == key)
        #expect(!serving.contains("authority.key"))
        #expect(try open().identity(for: "a.test").certificate == leaf)
    }

    @Test("The root's key is not read while the intermediate is fresh")
    func unread() throws {
        let root = try open().root
        // The file contains garbage, so reading it would cause an error.
        try bench.write("certs/authority.key", Array("garbage".utf8))
        let authority = try open()
        #expect(authority.root == root)
        #expect(throws: Never.self) { try authority.identity(for: "a.test") }
    }

    @Test("A worn intermediate is used until it expires, with a warning, and is then an error with its fix")
    func worn() throws {
        let authority = try withRoot()
        let first = try authority.identity(for: "a.test").chain
        hand.advance(486 * day)
        #expect(authority.warning == nil)
        hand.advance(1 * day)
        let end = newYear + 730 * day
        #expect(authority.warning == .intermediateEnds(folder: folder, at: end))
        #expect(authority.warning?.problem.contains("expires on 2028-01-01") == true)
        #expect(authority.warning?.fix.hasSuffix("--certificates \(folder) --offline-root FOLDER") == true)
        #expect(try authority.identity(for: "a.test").chain == first)
        #expect(try open().identity(for: "b.test").chain == first)
        hand.advance(243 * day - 1)
        #expect(try authority.identity(for: "a.test").certificate.notAfter == end)
        hand.advance(1)
        let needed = CertificateError.rootKeyNeeded(folder: folder, ended: end)
        #expect(throws: needed) { try authority.identity(for: "a.test") }
        #expect(throws: needed) { try open() }
        #expect(needed.problem.contains("expired on 2028-01-01") && needed.exitCode == .configuration)
        #expect(needed.fix.contains("motivator certificate authority --certificates \(folder) --offline-root"))
    }

    @Test("With the key at hand, a new intermediate is signed each time, and a running server takes it")
    func renewed() throws {
        let running = try withRoot()
        let first = try running.identity(for: "a.test")
        hand.advance(500 * day)
        let renewed = try withRoot()
        #expect(renewed.root == running.root && renewed.warning == nil)
        #expect(renewed.intermediateEnd == newYear + (500 + 730) * day)
        let second = try running.identity(for: "a.test")
        #expect(second.chain != first.chain && renewed.root.issued(second.chain[0]))
        #expect(running.intermediateEnd == renewed.intermediateEnd)
        #expect(try withRoot().identity(for: "a.test").chain != second.chain)
        #expect(serving == ["a.test.key", "a.test.pem"] + withoutRootKey)
    }

    @Test("A missing key, the key of another CA, and the CA's own folder are errors")
    func wrong() throws {
        _ = try withRoot()
        unlink(offline + "/root.key")
        #expect(throws: CertificateError.offlineKeyMissing(path: offline + "/root.key")) { try withRoot() }
        try bench.write("offline/root.key", PrivateKey.generate(.p256).pem)
        #expect(
            throws: CertificateError.rootKeyMismatch(certificate: folder + "/authority.pem", key: offline + "/root.key")
        ) { try withRoot() }
        for path in [folder, folder + "/", folder + "/../certs"] {
            #expect(throws: CertificateError.offlineRootInFolder(path: path)) {
                try Authority.open(folder: folder, offlineRoot: path, clock: hand.clock)
            }
        }
    }

    @Test("The root key of another CA is never overwritten")
    func taken() throws {
        let key = try PrivateKey.generate(.p256).pem
        mkdir(offline, 0o700)
        try bench.write("offline/root.key", key)
        let taken = CertificateError.offlineKeyTaken(path: offline)
        #expect(throws: taken) { try withRoot() }
        #expect(serving.isEmpty)
        _ = try open()
        #expect(throws: taken) { try withRoot() }
        #expect(throws: taken) {
            try Authority.create(folder: folder, permitted: [], offlineRoot: offline, clock: hand.clock)
        }
        #expect(try bench.read("offline/root.key") == key)
        #expect(serving.contains("authority.key"))
    }

    @Test("Replacing a CA removes its root key from either folder")
    func replaced() throws {
        let first = try withRoot().root
        let second = try Authority.create(
            folder: folder, permitted: [], renewing: true, offlineRoot: offline, clock: hand.clock)
        #expect(second.root != first)
        #expect(try PrivateKey.load(path: offline + "/root.key").belongs(to: second.root))
        #expect(serving == withoutRootKey)
        let third = try Authority.create(folder: folder, permitted: [], renewing: true, clock: hand.clock)
        #expect(serving == ["authority.key"] + withoutRootKey)
        #expect(try PrivateKey.load(path: folder + "/authority.key").belongs(to: third.root))
        _ = try Authority.create(
            folder: folder, permitted: [], renewing: true, offlineRoot: bench.file("new"), clock: hand.clock)
        #expect(serving == withoutRootKey)
    }

    @Test("An offline folder that other users can write to, or an exposed key in it, is refused")
    func exposed() throws {
        _ = try withRoot()
        chmod(offline, 0o777)
        #expect(throws: CertificateError.writableByOthers(path: offline, mode: "0777")) { try withRoot() }
        chmod(offline, 0o700)
        chmod(offline + "/root.key", 0o644)
        #expect(throws: FileError.readableByOthers(path: offline + "/root.key", mode: "0644")) {
            try withRoot()
        }
    }
}

@Suite("Renewing a CA") struct RenewedAuthorityTests {
    private let bench: Workbench
    private let folder: String
    private let clock = Clock { newYear }

    init() throws {
        bench = try Workbench()
        folder = bench.file("certs")
    }

    private func makeFirst() throws -> Certificate {
        try Authority.create(
            folder: folder, permitted: ["motivator.example.org", "203.0.113.7", "2001:db8::7"], name: "My CA",
            clock: clock
        ).root
    }

    @Test("A renewed CA keeps the name and the permitted names")
    func renewed() throws {
        let root = try makeFirst()
        let authority = try Authority.create(
            folder: folder, permitted: ["b.example.org"], renewing: true, clock: clock)
        #expect(authority.root != root && authority.root.commonName == "My CA")
        let names = ["b.example.org", "motivator.example.org", "203.0.113.7", "2001:db8::7"]
        #expect(try authority.constraints == NameConstraints(permitting: names))
        let named = try Authority.create(
            folder: folder, permitted: [], name: "Other", renewing: true, clock: clock)
        #expect(try named.root.commonName == "Other" && named.constraints == NameConstraints(permitting: names))
        let fresh = try Authority.create(folder: folder, permitted: [], clock: clock)
        #expect(fresh.root.commonName == Authority.defaultName)
        #expect(try fresh.constraints == NameConstraints(permitting: []))
    }

    @Test("A root with an exposed or broken file can be renewed", arguments: ["garbage", "expired", "unconstrained"])
    func broken(kind: String) throws {
        _ = try makeFirst()
        let key = try PrivateKey.load(path: folder + "/authority.key")
        var draft = CertificateDraft(
            organization: nil, commonName: "Wide", notBefore: newYear - 2 * day,
            notAfter: kind == "expired" ? newYear - day : newYear + day,
            extensions: [.init("basicConstraints", "CA:TRUE", isCritical: true)])
        if kind == "expired" { draft.set("nameConstraints", "permitted;DNS:test") }
        let pem = try kind == "garbage" ? Array("x".utf8) : draft.signed(for: key, issuer: nil, issuerKey: key).pem
        try bench.write("certs/authority.pem", pem)
        #expect(throws: (any Error).self) { try Authority.open(folder: folder, clock: clock) }
        _ = try Authority.create(folder: folder, permitted: [], renewing: true, clock: clock)
        #expect(throws: Never.self) { try Authority.open(folder: folder, clock: clock) }
    }
}
