import Certificates
import MotivatorPlatform
import Testing

struct AuthorityTests {
    private let bench: Workbench
    private let folder: String

    init() throws {
        bench = try Workbench()
        folder = bench.file("certs")
    }

    private func open(_ permitted: [String] = [], at time: UnixTime) throws -> Authority {
        try Authority.open(folder: folder, permitted: permitted, clock: Clock { time })
    }

    private func verify(_ leaf: String) throws -> Workbench.Answer {
        // `verify` reads only the leaf, which is first in the file. A separate option specifies the intermediate.
        try bench.openssl(
            "verify", "-x509_strict", "-purpose", "sslserver", "-CAfile", folder + "/authority.pem", "-untrusted",
            folder + "/intermediate.pem", leaf)
    }

    @Test("OpenSSL accepts the chain of a leaf", arguments: [PrivateKey.Kind.p256, .rsa2048])
    func chain(kind: PrivateKey.Kind) throws {
        let authority = try Authority.open(folder: folder)
        for host in ["ultra-motivator.test", "localhost", "127.0.0.1", "::1", "192.168.1.20", "fe80::1", "fd00::7"] {
            let identity = try authority.identity(for: host, kind: kind)
            #expect(identity.key.kind == kind)
            #expect(identity.certificate.matches(host: host))
            let answer = try verify(folder + "/\(host).pem")
            #expect(answer.code == 0, "\(host): \(answer.output)")
        }
    }

    @Test("A leaf has the fields that Apple's platforms want")
    func fields() throws {
        let authority = try open(at: newYear)
        let leaf = try authority.issue(hosts: ["a.test", "*.demo.test", "10.0.0.7", "::1"]).certificate
        #expect(leaf.dnsNames == ["a.test", "*.demo.test"])
        #expect(leaf.addresses == ["10.0.0.7", "::1"])
        #expect(leaf.notBefore == newYear - 3600)
        #expect(leaf.notAfter == newYear + 90 * day)
        #expect(!leaf.isAuthority)
        #expect(leaf.matches(host: "x.demo.test") && !leaf.matches(host: "x.y.demo.test"))
        #expect(!leaf.matches(host: ".test") && !leaf.matches(host: "b.test") && !leaf.matches(host: "10.0.0.8"))
        #expect(!leaf.matches(host: "*.demo.test"), "a pattern is not a host")
        let text = try bench.openssl(
            "x509", "-noout", "-text", "-in", try bench.write("leaf.pem", leaf.pem)
        ).output
        for part in [
            "TLS Web Server Authentication", "X509v3 Subject Key Identifier", "X509v3 Authority Key Identifier",
            "CA:FALSE", "Digital Signature", "ecdsa-with-SHA256", "ASN1 OID: prime256v1",
        ] {
            #expect(text.contains(part), "\(part)")
        }
    }

    @Test("The root lives 10 years with path length 1, the intermediate 2 years with 0, both constrained")
    func authorities() throws {
        let authority = try open(["motivator.example.org"], at: newYear)
        #expect(authority.root.notAfter == newYear + 3653 * day)
        #expect(authority.root.commonName == Authority.defaultName)
        let intermediate = try Certificate.load(path: folder + "/intermediate.pem")[0]
        #expect(intermediate.notAfter == newYear + 730 * day)
        for (name, length) in [("authority.pem", 1), ("intermediate.pem", 0)] {
            let text = try bench.openssl("x509", "-noout", "-text", "-in", folder + "/" + name).output
            #expect(text.contains("CA:TRUE, pathlen:\(length)"))
            #expect(text.contains("X509v3 Name Constraints:"))
            for part in [
                "DNS:test", "DNS:localhost", "DNS:motivator.example.org", "IP:127.0.0.0/255.0.0.0", "IP:FC00:0",
            ] {
                #expect(text.contains(part), "\(name) \(part)")
            }
        }
    }

    @Test("Serial numbers are random, positive and of 128 bits (RFC 5280 §4.1.2.2)")
    func serials() throws {
        let authority = try open(at: newYear)
        let serials = try (0..<20).map { _ in try authority.issue(hosts: ["a.test"]).certificate.serial }
        #expect(Set(serials).count == 20)
        #expect(serials.allSatisfy { $0.count <= 16 } && serials.contains { $0.count == 16 })
    }

    @Test("Files are closed to others: the folder 0700, keys 0600, certificates 0644")
    func modes() throws {
        _ = try open(at: newYear).identity(for: "a.test")
        #expect(bench.mode("certs") == 0o700)
        for name in ["authority", "intermediate", "a.test"] {
            #expect(bench.mode("certs/\(name).key") == 0o600)
            #expect(bench.mode("certs/\(name).pem") == 0o644)
        }
    }

    @Test("A leaf for a foreign domain, signed with the stolen key, is refused by the constraints")
    func constraints() throws {
        let authority = try Authority.open(folder: folder)
        let key = try PrivateKey.generate(.p256)
        let now = Clock.system.now()
        for host in ["apple.com", "testing", "8.8.8.8", "172.32.0.1", "2001:db8::1"] {
            let draft = CertificateDraft.server(
                [try SubjectName(host)], kind: .p256, notBefore: now - 60, notAfter: now + day)
            let stolen = try authority.issue(draft, key: key)
            let answer = try verify(try bench.write("stolen.pem", stolen.certificate.pem))
            #expect(
                answer.code != 0 && answer.output.contains("permitted subtree violation"), "\(host): \(answer.output)")
            #expect(throws: CertificateError.notPermitted(name: host, folder: folder)) {
                try authority.issue(hosts: [host])
            }
        }
    }

    @Test("The intermediate cannot make a further authority")
    func pathLength() throws {
        let authority = try Authority.open(folder: folder)
        let now = Clock.system.now()
        let key = try PrivateKey.generate(.p256)
        let below = try authority.issue(
            CertificateDraft(
                organization: nil, commonName: "Below", notBefore: now - 60, notAfter: now + day,
                extensions: [
                    .init("basicConstraints", "CA:TRUE", isCritical: true), .init("subjectKeyIdentifier", "hash"),
                    .init("keyUsage", "keyCertSign", isCritical: true), .init("authorityKeyIdentifier", "keyid"),
                ]), key: key)
        let draft = CertificateDraft.server(
            [try SubjectName("a.test")], kind: .p256, notBefore: now - 60, notAfter: now + day)
        let leaf = try draft.signed(for: key, issuer: below.certificate, issuerKey: key)
        let chain = try bench.write("chain.pem", below.certificate.pem + below.chain.flatMap(\.pem))
        let answer = try bench.openssl(
            "verify", "-CAfile", folder + "/authority.pem", "-untrusted", chain, try bench.write("leaf.pem", leaf.pem))
        #expect(answer.code != 0 && answer.output.contains("path length"), "\(answer.output)")
    }

    @Test("A CA that cannot sign for a new domain reports it and does not change")
    func domainAdded() throws {
        let before = try open(at: newYear).root
        let error = #expect(throws: CertificateError.self) { try open(["motivator.example.org"], at: newYear) }
        #expect(error == .notPermitted(name: "motivator.example.org", folder: folder))
        #expect(error?.fix.contains("--certificates \(folder) --renew --permit motivator.example.org ") == true)
        #expect(try open(at: newYear).root == before)
        let remade = try Authority.create(
            folder: folder, permitted: ["motivator.example.org"], clock: Clock { newYear })
        #expect(remade.root != before)
        #expect(try open(["motivator.example.org"], at: newYear).root == remade.root)
    }

    @Test("The fix for a missing permission keeps the names that the CA permitted before")
    func permissionAdded() throws {
        _ = try open(["example.com"], at: newYear)
        let error = #expect(throws: CertificateError.self) { try open(["example.com", "example.org"], at: newYear) }
        #expect(error?.fix.contains(" --renew --permit example.org ") == true)
        _ = try Authority.create(
            folder: folder, permitted: ["example.org"], renewing: true, clock: Clock { newYear })
        _ = try open(["example.com", "example.org"], at: newYear)
    }

    @Test("A permission for a public top-level name or a wildcard is too wide", arguments: ["com", "*.example.org"])
    func tooWide(domain: String) {
        #expect(throws: CertificateError.permissionTooWide(domain)) { try open([domain], at: newYear) }
    }

    @Test("A host cannot take the names of the authority's own files", arguments: ["authority", "intermediate"])
    func reserved(host: String) throws {
        // Only a constraint on this exact name could permit the name, so the test calls `save` to reach the check.
        let authority = try open(at: newYear)
        let identity = try authority.issue(hosts: ["a.test"])
        #expect(throws: CertificateError.reservedName(host)) { try authority.save(identity, as: host) }
        #expect(throws: CertificateError.notPermitted(name: host, folder: folder)) { try authority.identity(for: host) }
    }

    @Test("A hostile name makes no file")
    func hostile() throws {
        let authority = try open(at: newYear)
        #expect(throws: CertificateError.self) { try authority.identity(for: "../x.test") }
        #expect(throws: CertificateError.self) { try authority.identity(for: "a\0.test") }
        #expect(throws: FileError.notFound(path: bench.file("x.test.pem"))) { try bench.read("x.test.pem") }
    }
}
