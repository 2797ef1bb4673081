import Certificates
import MotivatorPlatform
import Testing

struct IdentityTests {
    private let bench: Workbench

    init() throws {
        bench = try Workbench()
    }

    @Test("A key is read in every PEM form that openssl writes", arguments: ["PKCS #8", "RSA", "EC with parameters"])
    func forms(form: String) throws {
        let path = bench.file("key.pem")
        switch form {
        case "PKCS #8":
            try bench.openssl("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", path)
        case "RSA": try bench.openssl("genrsa", "-traditional", "-out", path, "2048")
        case _: try bench.openssl("ecparam", "-name", "prime256v1", "-genkey", "-out", path)
        }
        let key = try PrivateKey.load(path: path)
        #expect(key.kind == (form == "RSA" ? .rsa2048 : .p256))
        let copy = try PrivateKey(pem: key.pem, source: "copy")
        #expect(copy.pem == key.pem)
    }

    @Test("An encrypted key is refused without asking for the password", arguments: [true, false])
    func encrypted(isTraditional: Bool) throws {
        let path = bench.file("key.pem")
        var words = ["genrsa", "-aes128", "-passout", "pass:secret", "-out", path]
        if isTraditional { words.insert("-traditional", at: 1) }
        #expect(try bench.openssl(words).code == 0)
        #expect(throws: CertificateError.encrypted(source: path)) { try PrivateKey.load(path: path) }
    }

    @Test("A text without a key differs from a malformed key")
    func garbage() throws {
        #expect(throws: CertificateError.keyMissing(source: "x")) { try PrivateKey(pem: [], source: "x") }
        #expect(throws: CertificateError.keyMissing(source: "x")) {
            try PrivateKey(pem: Array("hello".utf8), source: "x")
        }
        let broken = "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"
        let error = #expect(throws: CertificateError.self) { try PrivateKey(pem: Array(broken.utf8), source: "x") }
        guard case .malformedKey(source: "x", let reason) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(!reason.isEmpty)
    }

    @Test("A key that others can read is refused with the command that closes it")
    func modes() throws {
        let path = try bench.write("key.pem", PrivateKey.generate(.p256).pem, mode: 0o640)
        let error = #expect(throws: FileError.self) { try PrivateKey.load(path: path) }
        #expect(error == .readableByOthers(path: path, mode: "0640"))
        #expect(error?.fix.contains("chmod 600") == true)
    }

    private func issued() throws -> (Authority, Identity) {
        let authority = try Authority.open(folder: bench.file("certs"))
        return (authority, try authority.issue(hosts: ["a.test"]))
    }

    @Test("The chain may follow the certificate or be in a separate file")
    func chain() throws {
        let (authority, identity) = try issued()
        let key = try bench.write("key.pem", identity.key.pem)
        let full = try bench.write("full.pem", identity.certificatesPEM)
        let alone = try bench.write("alone.pem", identity.certificate.pem)
        let issuers = try bench.write("issuers.pem", identity.chain[0].pem + authority.root.pem)
        #expect(try Identity.load(certificate: full, key: key).chain == identity.chain)
        let apart = try Identity.load(certificate: alone, key: key, chain: issuers)
        #expect(apart.certificate == identity.certificate && apart.chain == identity.chain + [authority.root])
        #expect(try Identity.load(certificate: alone, key: key).chain.isEmpty)
    }

    @Test("A chain file may start with the certificate, and an error in it has its position in the file")
    func repeatedLeaf() throws {
        let (authority, identity) = try issued()
        let key = try bench.write("key.pem", identity.key.pem)
        let alone = try bench.write("alone.pem", identity.certificate.pem)
        let issuers = try bench.write("issuers.pem", identity.certificate.pem + identity.chain[0].pem)
        #expect(try Identity.load(certificate: alone, key: key, chain: issuers).chain == identity.chain)
        let gap = try bench.write("gap.pem", identity.certificate.pem + authority.root.pem)
        #expect(
            throws: CertificateError.brokenChain(source: gap, position: 2, subject: authority.root.subject)
        ) { try Identity.load(certificate: alone, key: key, chain: gap) }
    }

    @Test("A chain file may repeat certificates that the certificate's file already contains")
    func repeatedIssuer() throws {
        let (authority, identity) = try issued()
        let key = try bench.write("key.pem", identity.key.pem)
        let full = try bench.write("full.pem", identity.certificatesPEM)
        let issuer = identity.chain[0]
        for (name, more, expected) in [
            ("the intermediate", issuer.pem, [issuer]),
            ("the certificate and the intermediate", identity.certificatesPEM, [issuer]),
            ("the intermediate and the certificate", issuer.pem + identity.certificate.pem, [issuer]),
            ("the intermediate and the root", issuer.pem + authority.root.pem, [issuer, authority.root]),
        ] {
            let chain = try bench.write("issuers.pem", more)
            #expect(try Identity.load(certificate: full, key: key, chain: chain).chain == expected, "\(name)")
        }
    }

    @Test("A self-signed CA certificate is a server's only if it has a name")
    func selfSignedAuthority() throws {
        for (names, isAccepted) in [("DNS:a.test", true), ("IP:127.0.0.1", true), ("email:u@a.test", false)] {
            let made = try ChainWorkshop().leaf(names, by: nil) { $0.set("basicConstraints", "CA:TRUE") }
            let certificate = try bench.write("own.pem", made.certificate.pem)
            let key = try bench.write("own.key", made.key.pem)
            let loaded = try? Identity.load(certificate: certificate, key: key)
            #expect((loaded != nil) == isAccepted, "\(names)")
        }
    }

    @Test("Parts that do not fit are refused, each with its own error")
    func unfit() throws {
        let (authority, identity) = try issued()
        let key = try bench.write("key.pem", identity.key.pem)
        let other = try bench.write("other.pem", PrivateKey.generate(.p256).pem)
        let alone = try bench.write("alone.pem", identity.certificate.pem)
        #expect(throws: CertificateError.keyMismatch(certificate: alone, key: other)) {
            try Identity.load(certificate: alone, key: other)
        }
        let turned = try bench.write("turned.pem", identity.chain[0].pem + identity.certificate.pem)
        #expect(throws: CertificateError.wrongOrder(certificate: turned, position: 2)) {
            try Identity.load(certificate: turned, key: key)
        }
        let gap = try bench.write("gap.pem", authority.root.pem)
        #expect(
            throws: CertificateError.brokenChain(source: gap, position: 1, subject: authority.root.subject)
        ) { try Identity.load(certificate: alone, key: key, chain: gap) }
        let root = bench.file("certs/authority.pem")
        #expect(throws: CertificateError.leafIsAuthority(certificate: root, subject: authority.root.subject)) {
            try Identity.load(certificate: root, key: bench.file("certs/authority.key"))
        }
    }

    @Test("A certificate comes back from PEM and DER, and broken ones are refused")
    func certificates() throws {
        let (_, identity) = try issued()
        let leaf = identity.certificate
        #expect(try Certificate(der: leaf.der, source: "x") == leaf)
        #expect(try Certificate.chain(pem: leaf.pem, source: "x") == [leaf])
        #expect(leaf.fingerprint.count == 32)
        #expect(throws: CertificateError.trailingBytes(source: "x", count: 1)) {
            try Certificate(der: leaf.der + [0], source: "x")
        }
        #expect(throws: CertificateError.missing(source: "x")) { try Certificate.chain(pem: [], source: "x") }
        let broken = Array("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n".utf8)
        let error = #expect(throws: CertificateError.self) {
            try Certificate.chain(pem: leaf.pem + broken, source: "x")
        }
        guard case .malformed(source: "x", position: 2, _) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }
}
