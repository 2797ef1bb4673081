import Certificates
import Dispatch
import MotivatorPlatform
import Synchronization
import TestSupport
import Testing

struct AuthorityRenewalTests {
    private let bench: Workbench
    private let folder: String
    private let hand = ManualClock(at: newYear)

    init() throws {
        bench = try Workbench()
        folder = bench.file("certs")
    }

    private func open() throws -> Authority { try Authority.open(folder: folder, clock: hand.clock) }

    @Test("A leaf is kept for two thirds of its life and then renewed")
    func leaf() throws {
        let authority = try open()
        let first = try authority.identity(for: "a.test").certificate
        hand.advance(59 * day)
        #expect(try authority.identity(for: "a.test").certificate == first)
        #expect(try open().identity(for: "a.test").certificate == first)
        hand.advance(2 * day)
        let second = try authority.identity(for: "a.test").certificate
        #expect(second != first)
        #expect(second.notAfter == newYear + (61 + 90) * day)
    }

    @Test("The intermediate is renewed from the same root, and the leaves follow their new issuer")
    func intermediate() throws {
        let authority = try open()
        let first = try authority.issue(hosts: ["a.test"]).chain
        hand.advance(486 * day)
        #expect(try authority.issue(hosts: ["a.test"]).chain == first)
        let leaf = try authority.identity(for: "a.test")
        hand.advance(1 * day)
        let renewed = try authority.identity(for: "a.test")
        #expect(renewed.chain != first)
        #expect(renewed.certificate != leaf.certificate)
        #expect(authority.root.issued(renewed.chain[0]) && renewed.chain[0].issued(renewed.certificate))
        #expect(try open().root == authority.root)
        #expect(try open().identity(for: "a.test").certificate == renewed.certificate)
    }

    @Test("After the clock was set back, certificates that are not yet valid are made again")
    func clockSetBack() throws {
        let first = try open().identity(for: "a.test")
        hand.advance(-3600)
        #expect(try open().identity(for: "a.test").certificate == first.certificate, "valid in its first second")
        hand.advance(-1)
        let second = try open().identity(for: "a.test")
        #expect(second.certificate != first.certificate && second.chain != first.chain)
        #expect(second.certificate.notBefore <= newYear - 3601)
    }

    @Test("Another sort of key makes a new certificate with the same names")
    func kind() throws {
        let authority = try open()
        let first = try authority.identity(for: "a.test")
        let second = try authority.identity(for: "a.test", kind: .rsa2048)
        #expect(second.key.kind == .rsa2048 && second.certificate != first.certificate)
        #expect(try authority.identity(for: "a.test", kind: .rsa2048).certificate == second.certificate)
        #expect(try authority.identity(for: "a.test").key.kind == .p256)
    }

    @Test("A certificate for fewer names is issued again, because its names are exact")
    func fewerNames() throws {
        let authority = try open()
        let first = try authority.identity(for: "a.test", also: ["b.test", "127.0.0.1"]).certificate
        #expect(try authority.identity(for: "a.test", also: ["127.0.0.1", "b.test"]).certificate == first)
        let second = try authority.identity(for: "a.test").certificate
        #expect(second.dnsNames == ["a.test"] && second.addresses.isEmpty)
    }

    @Test("A certificate is issued for 1 day up to the days that are left to the intermediate")
    func days() throws {
        let authority = try open()
        #expect(CertificateError.badDays(0, most: 730).fix == "Use 1 to 730 days")
        for days in [0, -1, 731] {
            #expect(throws: CertificateError.badDays(days, most: 730)) {
                try authority.issue(hosts: ["a.test"], days: days)
            }
        }
        for days in [1, 730] {
            let leaf = try authority.issue(hosts: ["a.test"], days: days).certificate
            #expect(leaf.notAfter == newYear + UnixTime(days) * day)
        }
    }

    @Test("No certificate outlives its issuer, and an expired root is an error, not a new root")
    func end() throws {
        let root = try open().root
        hand.advance(3600 * day)
        let authority = try open()
        #expect(authority.root == root)
        let identity = try authority.identity(for: "a.test")
        #expect(identity.chain[0].notAfter == root.notAfter)
        #expect(identity.certificate.notAfter <= root.notAfter)
        #expect(throws: CertificateError.badDays(90, most: 53)) { try authority.issue(hosts: ["a.test"]) }
        hand.advance(60 * day)
        let error = #expect(throws: CertificateError.self) { try open() }
        #expect(error == .expired(path: folder + "/authority.pem"))
        #expect(error?.fix.contains("authority --certificates \(folder) --renew ") == true)
    }

    @Test("Further names or another sort of key make a new certificate under the same file name")
    func changes() throws {
        let authority = try open()
        let first = try authority.identity(for: "a.test")
        let second = try authority.identity(for: "a.test", also: ["127.0.0.1", "::1"])
        #expect(second.certificate != first.certificate && second.certificate.addresses == ["127.0.0.1", "::1"])
        #expect(try authority.identity(for: "a.test", also: ["127.0.0.1", "::1"]).certificate == second.certificate)
        #expect(try authority.identity(for: "a.test", kind: .rsa2048).key.kind == .rsa2048)
    }

    @Test(
        "Half an identity, a foreign one, or an open key is replaced",
        arguments: ["missing", "foreign", "open", "garbage"])
    func damage(kind: String) throws {
        let authority = try open()
        let first = try authority.identity(for: "a.test").certificate
        switch kind {
        case "missing": unlink(folder + "/a.test.key")
        case "foreign": try bench.write("certs/a.test.key", PrivateKey.generate(.p256).pem)
        case "open": chmod(folder + "/a.test.key", 0o640)
        case _: try bench.write("certs/a.test.pem", Array("garbage".utf8))
        }
        let second = try authority.identity(for: "a.test").certificate
        #expect(second != first)
        #expect(bench.mode("certs/a.test.key") == 0o600)
    }

    @Test("A root without name constraints is refused")
    func unconstrained() throws {
        _ = try open()
        let key = try PrivateKey.generate(.p256)
        let draft = CertificateDraft(
            organization: nil, commonName: "Wide", notBefore: newYear, notAfter: newYear + 100 * day,
            extensions: [.init("basicConstraints", "CA:TRUE", isCritical: true)])
        try bench.write("certs/authority.pem", draft.signed(for: key, issuer: nil, issuerKey: key).pem)
        try bench.write("certs/authority.key", key.pem)
        #expect(throws: CertificateError.unconstrained(path: folder + "/authority.pem")) { try open() }
    }

    @Test("Many that open one folder at once get one root, one intermediate and one leaf", arguments: 0..<10)
    func concurrency(round: Int) throws {
        let (folder, clock) = (folder, hand.clock)
        let seen = Mutex<Set<[[UInt8]]>>([])
        // The threads wait for each other, so that each finds the folder empty.
        let threads = 8
        let waiting = Mutex(threads)
        DispatchQueue.concurrentPerform(iterations: threads) { _ in
            waiting.withLock { $0 -= 1 }
            // The wait is bounded, because there may be fewer threads than iterations.
            for _ in 0..<10_000 where waiting.withLock({ $0 }) > threads - 2 { sched_yield() }
            guard let authority = try? Authority.open(folder: folder, clock: clock),
                let identity = try? authority.identity(for: "a.test")
            else { return seen.withLock { _ = $0.insert([]) } }
            seen.withLock {
                _ = $0.insert([authority.root.der, identity.certificate.der, identity.chain[0].der])
            }
        }
        #expect(seen.withLock { $0.count } == 1 && seen.withLock { !$0.contains([]) })
        #expect(try Identity.load(certificate: folder + "/a.test.pem", key: folder + "/a.test.key").chain.count == 1)
    }
}
