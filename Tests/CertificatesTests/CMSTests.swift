import Certificates
import MotivatorPlatform
import Testing

struct CMSTests {
    private let bench: Workbench
    private let authority: Authority
    private let root: String
    private let content: [UInt8] = Array("{\"webcredentials\":{\"apps\":[]}}\r\n\n".utf8)

    init() throws {
        bench = try Workbench()
        authority = try Authority.open(folder: bench.file("certs"))
        root = authority.certificatePath
    }

    private var now: UnixTime { Clock.system.now() }

    @Test(
        "openssl smime and openssl cms accept signed files, byte for byte",
        arguments: [PrivateKey.Kind.p256, .rsa2048], [false, true])
    func signedHere(kind: PrivateKey.Kind, attributes: Bool) throws {
        let identity = try authority.issue(hosts: ["a.test"], kind: kind)
        let message = try bench.write("m.der", CMS.sign(content, identity: identity, attributes: attributes))
        for command in ["smime", "cms"] {
            let answer = try bench.openssl(
                command, "-verify", "-inform", "DER", "-binary", "-in", message, "-CAfile", root, "-purpose",
                "sslserver", "-out", bench.file("out"))
            #expect(answer.code == 0, "\(command): \(answer.output)")
            #expect(try bench.read("out") == content)
        }
        let shown = try bench.openssl("cms", "-cmsout", "-print", "-noout", "-inform", "DER", "-in", message).output
        #expect(shown.contains(" signedAttrs:\n          <ABSENT>") == !attributes)
        #expect(shown.contains("algorithm: sha256 "))
    }

    @Test(
        "A file that openssl signed verifies with its chain, dates and domain",
        arguments: [PrivateKey.Kind.p256, .rsa2048], ["smime", "cms"])
    func signedThere(kind: PrivateKey.Kind, command: String) throws {
        let message = try CMS.open(
            signed(by: command, kind: kind, with: ["-certfile", bench.file("certs/intermediate.pem")]))
        #expect(message.content == content && message.signers.count == 1 && message.certificates.count == 2)
        #expect(try message.verify(trust: [authority.root], at: now, domain: "a.test") == content)
        #expect(throws: CMSIssue.wrongDomain(domain: "b.test", names: ["a.test"])) {
            try message.verify(trust: [authority.root], at: now, domain: "b.test")
        }
        let leaf = message.signers[0]
        let expired = #expect(throws: CMSIssue.self) {
            try message.verify(trust: [authority.root], at: now + 91 * day, domain: nil)
        }
        guard case .certificate(.expired(leaf.subject, _)) = expired else { throw expired ?? CMSIssue.empty }
        let early = #expect(throws: CMSIssue.self) {
            try message.verify(trust: [authority.root], at: leaf.notBefore - 1, domain: nil)
        }
        guard case .certificate(.notYetValid) = early else { throw early ?? CMSIssue.empty }
    }

    private func signed(
        by command: String = "smime", kind: PrivateKey.Kind = .p256,
        with more: [String] = [], form: [String] = ["-outform", "DER", "-nodetach"]
    ) throws -> [UInt8] {
        let identity = try authority.issue(hosts: ["a.test"], kind: kind)
        let words = [
            command, "-sign", "-noattr", "-binary", "-in", try bench.write("content", content), "-signer",
            try bench.write("leaf.pem", identity.certificate.pem), "-inkey",
            try bench.write("leaf.key", identity.key.pem), "-out", bench.file("m"),
        ]
        let answer = try bench.openssl(words + form + more)
        #expect(answer.code == 0, "\(answer.output)")
        return try bench.read("m")
    }

    @Test("Without the intermediate, or with a foreign root or the intermediate alone as anchor, nothing is trusted")
    func untrusted() throws {
        let bare = try CMS.open(signed())
        let identity = try authority.issue(hosts: ["a.test"])
        let full = try CMS.open(CMS.sign(content, identity: identity))
        let foreign = try Authority.open(folder: bench.file("foreign"))
        let cases: [(SignedMessage, [Certificate])] = [
            (bare, [authority.root]), (full, [foreign.root]), (full, identity.chain), (full, []),
        ]
        for (place, (message, trust)) in cases.enumerated() {
            let error = #expect(throws: CMSIssue.self) { try message.verify(trust: trust, at: now, domain: nil) }
            guard error?.dependsOnTrust == true else {
                Issue.record("case \(place): \(String(describing: error))")
                continue
            }
        }
    }

    @Test("A certificate for another use than TLS or mail does not sign associations")
    func purpose() throws {
        let key = try PrivateKey.generate(.p256)
        let root = try CertificateDraft(
            organization: nil, commonName: "Root", notBefore: now - 60, notAfter: now + day,
            extensions: [.init("basicConstraints", "CA:TRUE", isCritical: true)]
        ).signed(for: key, issuer: nil, issuerKey: key)
        let leaf = try CertificateDraft(
            organization: nil, commonName: "a.test", notBefore: now - 60, notAfter: now + day,
            extensions: [.init("extendedKeyUsage", "codeSigning")]
        ).signed(for: key, issuer: root, issuerKey: key)
        let message = try CMS.open(CMS.sign(content, identity: Identity(certificate: leaf, key: key, chain: [])))
        #expect(throws: CMSIssue.wrongPurpose(subject: "CN=a.test")) {
            try message.verify(trust: [root], at: now, domain: "a.test")
        }
    }

    @Test("Every changed bit is refused, or changes nothing of the content")
    func changed() throws {
        let identity = try authority.issue(hosts: ["a.test"])
        let message = try CMS.sign(content, identity: identity)
        var refusals = 0
        for place in message.indices {
            for bit: UInt8 in [0x01, 0x80] {
                var copy = message
                copy[place] ^= bit
                do {
                    let proven = try CMS.open(copy).verify(trust: [authority.root], at: now, domain: "a.test")
                    #expect(proven == content, "bit \(bit) of byte \(place)")
                } catch {
                    refusals += 1
                }
            }
        }
        #expect(refusals > message.count)
        #expect(try CMS.open(message).verify(trust: [authority.root], at: now, domain: "a.test") == content)
    }

    @Test("Every cut message is refused")
    func cut() throws {
        let message = try CMS.sign(content, identity: authority.issue(hosts: ["a.test"]))
        for count in message.indices {
            #expect(throws: CMSIssue.self, "\(count) bytes") { try CMS.open(Array(message.prefix(count))) }
        }
    }

    @Test("The forms that people serve by mistake are distinguished")
    func mistakes() throws {
        let message = try signed()
        #expect(throws: CMSIssue.empty) { try CMS.open([]) }
        #expect(throws: CMSIssue.isPEM) { try CMS.open(signed(form: ["-outform", "PEM", "-nodetach"])) }
        #expect(throws: CMSIssue.isSMIME) { try CMS.open(signed(form: ["-nodetach"])) }
        #expect(throws: CMSIssue.isSMIME) { try CMS.open(signed(form: [])) }
        #expect(throws: CMSIssue.detached) { try CMS.open(signed(form: ["-outform", "DER"])) }
        #expect(throws: CMSIssue.trailingBytes(count: 1)) { try CMS.open(message + [0x0A]) }
        try bench.openssl(
            "cms", "-data_create", "-in", bench.write("content", content), "-outform", "DER", "-out", bench.file("data")
        )
        #expect(throws: CMSIssue.notSignedData(type: "pkcs7-data")) { try CMS.open(bench.read("data")) }
        let nobody = try bench.openssl(
            "crl2pkcs7", "-nocrl", "-certfile", root, "-outform", "DER", "-out", bench.file("nobody"))
        #expect(nobody.code == 0)
        #expect(throws: CMSIssue.noSigner) { try CMS.open(bench.read("nobody")) }
        for json in [content, Array("\r\n [".utf8)] {
            #expect(throws: CMSIssue.isJSON) { try CMS.open(json) }
        }
        let text = #expect(throws: CMSIssue.self) { try CMS.open(Array("hello".utf8)) }
        guard case .malformed = text else { throw text ?? CMSIssue.empty }
        let missing = #expect(throws: CMSIssue.self) {
            try CMS.open(signed(with: ["-nocerts"])).verify(trust: [authority.root], at: now, domain: nil)
        }
        guard case .certificateMissing = missing else { throw missing ?? CMSIssue.empty }
    }
}
