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
        #expect(try open().root == authority.root && authority.warnings.isEmpty)
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
        #expect(authority.warnings.isEmpty)
        hand.advance(1 * day)
        let end = newYear + 730 * day
        #expect(authority.warnings == [.intermediateEnds(folder: folder, at: end)])
        #expect(authority.warnings.first?.description.contains("expires on 2028-01-01") == true)
        #expect(authority.warnings.first?.fix.hasSuffix("--certificates \(folder) --offline-root FOLDER") == true)
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
        #expect(renewed.root == running.root && renewed.warnings.isEmpty)
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
        #expect(throws: CertificateError.file(.readableByOthers(path: offline + "/root.key", mode: "0644"))) {
            try withRoot()
        }
    }
}

@Suite("A CA of an earlier version") struct OlderAuthorityTests {
    private let bench: Workbench
    private let folder: String
    private let clock = Clock { newYear }

    init() throws {
        bench = try Workbench()
        folder = bench.file("certs")
    }

    /// Writes an older root and intermediate: constraints only for DNS names and addresses, and a root for any use.
    private func makeOlder() throws -> Certificate {
        let (rootKey, key) = try (PrivateKey.generate(.p256), PrivateKey.generate(.p256))
        func draft(_ name: String, _ more: [CertificateDraft.Extension]) -> CertificateDraft {
            CertificateDraft(
                organization: "Ultra Motivator", commonName: name, notBefore: newYear - 3600,
                notAfter: newYear + 700 * day,
                extensions: [
                    .init("basicConstraints", "CA:TRUE", isCritical: true),
                    .init("keyUsage", "keyCertSign,cRLSign", isCritical: true),
                    .init("subjectKeyIdentifier", "hash"),
                    .init(
                        "nameConstraints",
                        "permitted;DNS:test,permitted;DNS:localhost,permitted;DNS:motivator.example.org,"
                            + "permitted;IP:127.0.0.0/255.0.0.0,permitted;IP:203.0.113.7/255.255.255.255",
                        isCritical: true),
                ] + more)
        }
        let root = try draft("My CA", []).signed(for: rootKey, issuer: nil, issuerKey: rootKey)
        let intermediate = try draft("Below", [.init("extendedKeyUsage", "serverAuth")]).signed(
            for: key, issuer: root, issuerKey: rootKey)
        mkdir(folder, 0o700)
        try bench.write("certs/authority.key", rootKey.pem)
        try bench.write("certs/authority.pem", root.pem)
        try bench.write("certs/intermediate.key", key.pem)
        try bench.write("certs/intermediate.pem", intermediate.pem)
        return root
    }

    @Test("Its root is still used, with a new intermediate and a warning with the command to replace it")
    func served() throws {
        let root = try makeOlder()
        let old = try Certificate.load(path: folder + "/intermediate.pem")
        let authority = try Authority.open(folder: folder, permitted: ["motivator.example.org"], clock: clock)
        let identity = try authority.identity(for: "motivator.example.org")
        #expect(authority.root == root && identity.chain != old && root.issued(identity.chain[0]))
        #expect(authority.warnings == [.olderProfile(folder: folder)])
        #expect(
            authority.warnings.first?.fix.hasPrefix(
                "Replace it with: motivator certificate authority --renew --certificates \(folder)") == true)
        #expect(AuthorityWarning.olderProfile(folder: "certs").fix.contains("authority --renew (then"))
        let verdict = try ChainVerifier(trust: [root], at: newYear).verdict(
            on: [identity.certificate] + identity.chain, host: "motivator.example.org")
        #expect(verdict.issues.isEmpty)
        #expect(try Authority.open(folder: folder, clock: clock).issue(hosts: ["a.test"]).chain == identity.chain)
        #expect(throws: CertificateError.notPermitted(name: "10.0.0.1", folder: folder)) {
            try authority.issue(hosts: ["10.0.0.1"])
        }
    }

    @Test(
        "A root is of today's profile only with the one use and with every constraint",
        arguments: [
            ("as it is made", nil, true), ("no use", ["extendedKeyUsage": ""], false),
            ("a further use", ["extendedKeyUsage": "serverAuth,clientAuth"], false),
            ("any use", ["extendedKeyUsage": "anyExtendedKeyUsage"], false),
            ("no constraint on directories", ["permitted;dirName:own": ""], false),
            ("another organization", ["permitted;dirName:own": "permitted;dirName:foreign"], false),
            (
                "a second organization", ["permitted;dirName:own": "permitted;dirName:own,permitted;dirName:foreign"],
                false
            ),
            ("the reserved e-mail host is not excluded", ["excluded;email:invalid": ""], false),
            ("the reserved URI host is not excluded", ["excluded;URI:invalid": ""], false),
            (
                "a further e-mail host", ["permitted;email:invalid": "permitted;email:invalid,permitted;email:a.test"],
                false
            ),
            ("e-mail is not constrained", ["permitted;email:invalid": "", "excluded;email:invalid": ""], false),
        ] as [(String, [String: String]?, Bool)])
    func profile(name: String, changes: [String: String]?, isCurrent: Bool) throws {
        let key = try PrivateKey.generate(.p256)
        let constraints = [
            "permitted;DNS:test", "permitted;dirName:own", "permitted;email:invalid", "excluded;email:invalid",
            "permitted;URI:invalid", "excluded;URI:invalid",
        ].map { changes?[$0] ?? $0 }.filter { !$0.isEmpty }
        var draft = CertificateDraft(
            organization: "Ultra Motivator", commonName: "Root", notBefore: newYear, notAfter: newYear + 900 * day,
            extensions: [
                .init("basicConstraints", "CA:TRUE", isCritical: true), .init("keyUsage", "keyCertSign"),
                .init("subjectKeyIdentifier", "hash"),
                .init("nameConstraints", constraints.joined(separator: ",")),
            ])
        let use = changes?["extendedKeyUsage"] ?? "serverAuth"
        if !use.isEmpty { draft.extensions.append(.init("extendedKeyUsage", use)) }
        draft.sections = "[own]\nO = Ultra Motivator\n[foreign]\nO = Example\n"
        mkdir(folder, 0o700)
        try bench.write("certs/authority.key", key.pem)
        try bench.write("certs/authority.pem", draft.signed(for: key, issuer: nil, issuerKey: key).pem)
        let authority = try Authority.open(folder: folder, clock: clock)
        #expect(authority.warnings == (isCurrent ? [] : [.olderProfile(folder: folder)]), "\(name)")
    }

    @Test("Its intermediate serves on as well when the root's key is elsewhere")
    func offline() throws {
        _ = try makeOlder()
        unlink(folder + "/authority.key")
        let old = try Certificate.load(path: folder + "/intermediate.pem")
        let authority = try Authority.open(folder: folder, clock: clock)
        #expect(try authority.issue(hosts: ["a.test"]).chain == old)
        #expect(authority.warnings == [.olderProfile(folder: folder)])
    }

    @Test("A renewed CA keeps the name and the permitted names, and has the limits of today")
    func renewed() throws {
        let root = try makeOlder()
        let authority = try Authority.create(
            folder: folder, permitted: ["b.example.org"], renewing: true, clock: clock)
        #expect(authority.root != root && authority.root.commonName == "My CA" && authority.warnings.isEmpty)
        let names = ["b.example.org", "motivator.example.org", "203.0.113.7"]
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
        _ = try makeOlder()
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
