import Certificates
import MotivatorPlatform
import Testing

/// A signed message, the expected issues of its signers, and the rule that defines them.
struct SignerCase: Sendable, CustomTestStringConvertible {
    let name: String
    let source: String
    let issues: Set<CMSIssue>
    /// Whether `verify` accepts the message. `verify` does not check the strength of algorithms.
    let isVerified: Bool
    /// Whether `openssl cms -verify` accepts the message, or nil if the command agrees with `verify`.
    let isAcceptedByCommand: Bool?
    let make: @Sendable (SignerWorkshop) throws -> [UInt8]

    init(
        _ name: String, _ source: String, _ issues: Set<CMSIssue>, verified: Bool = false, command: Bool? = nil,
        _ make: @escaping @Sendable (SignerWorkshop) throws -> [UInt8]
    ) {
        (self.name, self.source, self.issues, self.make) = (name, source, issues, make)
        (isVerified, isAcceptedByCommand) = (verified, command)
    }

    var testDescription: String { "\(name) (\(source))" }
}

/// Signs content with valid and invalid chains.
struct SignerWorkshop {
    let bench: Workbench
    let shop = ChainWorkshop()
    let root: ChainWorkshop.Made
    let intermediate: ChainWorkshop.Made
    let content = Array("{\"webcredentials\":{\"apps\":[]}}\n".utf8)

    init() throws {
        bench = try Workbench()
        root = try shop.authority("Root")
        intermediate = try shop.authority("Intermediate", by: root)
    }

    func signer(
        _ names: String = "DNS:a.test", kind: PrivateKey.Kind = .p256, _ change: ChainWorkshop.Change = { _ in }
    ) throws -> ChainWorkshop.Made {
        try shop.leaf(names, by: intermediate, key: .generate(kind), change)
    }

    func signed(
        by signer: ChainWorkshop.Made, chain: [ChainWorkshop.Made]? = nil, attributes: Bool = false
    ) throws -> [UInt8] {
        let chain = (chain ?? [intermediate]).map(\.certificate)
        let identity = Identity(certificate: signer.certificate, key: signer.key, chain: chain)
        return try CMS.sign(content, identity: identity, attributes: attributes)
    }

    /// Signs with the `openssl` command, which can create invalid messages.
    func signedByCommand(_ signers: [ChainWorkshop.Made], _ more: String...) throws -> [UInt8] {
        var words = ["cms", "-sign", "-binary", "-nodetach", "-outform", "DER", "-out", bench.file("m")]
        words += ["-in", try bench.write("content", content)] + more
        words += ["-certfile", try bench.write("intermediate.pem", intermediate.certificate.pem)]
        for (index, signer) in signers.enumerated() {
            words += ["-signer", try bench.write("\(index).pem", signer.certificate.pem)]
            words += ["-inkey", try bench.write("\(index).key", signer.key.pem)]
        }
        let answer = try bench.openssl(words)
        #expect(answer.code == 0, "\(answer.output)")
        return try bench.read("m")
    }
}

private let leaf = "CN=a.test"

extension SignerCase {
    static let all: [SignerCase] = [
        .init("P-256", "RFC 5652", [], verified: true) { try $0.signed(by: $0.signer()) },
        .init("RSA", "RFC 5652", [], verified: true) { try $0.signed(by: $0.signer(kind: .rsa2048)) },
        .init("with signed attributes", "RFC 5652 §5.3", [], verified: true) {
            try $0.signed(by: $0.signer(), attributes: true)
        },
        .init("a wildcard beside the name", "Shared Web Credentials Reference", [], verified: true) {
            try $0.signed(by: $0.signer("DNS:*.test,DNS:a.test"))
        },
        .init(
            "only a Common Name", "Shared Web Credentials Reference", [.commonNameOnly(domain: "a.test")],
            verified: true
        ) {
            try $0.signed(by: $0.signer(""))
        },
        .init(
            "an address, and the domain only in the Common Name", "Shared Web Credentials Reference",
            [.commonNameOnly(domain: "a.test")], verified: true
        ) {
            try $0.signed(by: $0.signer("IP:192.0.2.1"))
        },
        .init("another Common Name", "Shared Web Credentials Reference", [], verified: true) {
            try $0.signed(by: $0.signer { $0.commonName = "b.test" })
        },
        .init("valid for 900 days, which is no matter for a signer", "Apple 103769", [], verified: true) {
            try $0.signed(by: $0.signer { $0.last(900) })
        },
        .init("for e-mail only", "Shared Web Credentials Reference", [.wrongPurpose(subject: leaf)]) {
            try $0.signed(by: $0.signer { $0.set("extendedKeyUsage", "emailProtection") })
        },
        .init(
            "for another domain", "Shared Web Credentials Reference",
            [.wrongDomain(domain: "a.test", names: ["b.test"])], command: true
        ) { try $0.signed(by: $0.signer("DNS:b.test")) },
        .init(
            "expired", "RFC 5280 §4.1.2.5", [.certificate(.expired(subject: leaf, at: newYear - 1))]
        ) { try $0.signed(by: $0.signer { $0.notAfter = newYear - 1 }) },
        .init(
            "not yet valid", "RFC 5280 §4.1.2.5", [.certificate(.notYetValid(subject: leaf, from: newYear + 1))]
        ) { try $0.signed(by: $0.signer { $0.notBefore = newYear + 1 }) },
        .init(
            "no intermediate", "RFC 5652 §5.1", [.certificate(.incomplete(subject: leaf, missing: "CN=Intermediate"))]
        ) { try $0.signed(by: $0.signer(), chain: []) },
        .init("a foreign root", "RFC 5280 §6.1", [.certificate(.untrustedRoot(subject: "CN=Foreign"))]) {
            let foreign = try $0.shop.authority("Foreign")
            let other = try $0.shop.authority("Other", by: foreign)
            return try $0.signed(by: $0.shop.leaf(by: other), chain: [other, foreign])
        },
        .init("self-signed", "RFC 5280 §6.1", [.certificate(.selfSigned(subject: leaf))]) {
            try $0.signed(by: $0.shop.leaf(by: nil), chain: [])
        },
        .init("for any use", "RFC 5280 §4.2.1.12", [], verified: true, command: false) {
            try $0.signed(by: $0.signer { $0.set("extendedKeyUsage", "anyExtendedKeyUsage") })
        },
        .init("without a use", "RFC 5280 §4.2.1.12", [], verified: true) {
            try $0.signed(by: $0.signer { $0.remove("extendedKeyUsage") })
        },
        .init("for code", "RFC 5280 §4.2.1.12", [.wrongPurpose(subject: leaf)]) {
            try $0.signed(by: $0.signer { $0.set("extendedKeyUsage", "codeSigning") })
        },
        .init(
            "RSA 1024", "Apple 103769", [.certificate(.weakKey(subject: leaf, kind: "RSA", bits: 1024))],
            verified: true
        ) { try $0.signed(by: $0.signer(kind: .rsa(bits: 1024))) },
        .init(
            "a certificate signed with SHA-1", "Apple 103769",
            [.certificate(.weakDigest(subject: leaf, name: "SHA-1"))], verified: true
        ) { try $0.signed(by: $0.signer { $0.digest = .sha1 }) },
        .init("SHA-1", "RFC 6194 §3", [.weakDigest(signer: leaf, name: "SHA-1")], verified: true) {
            try $0.signedByCommand([$0.signer()], "-md", "sha1")
        },
        .init("two signers", "RFC 5652 §5.1", [.severalSigners(count: 2)], verified: true) {
            try $0.signedByCommand([$0.signer(), $0.signer()])
        },
        .init(
            "two signers, of whom one is for another domain", "RFC 5652 §5.1",
            [.severalSigners(count: 2), .wrongDomain(domain: "a.test", names: ["b.test"])], command: true
        ) { try $0.signedByCommand([$0.signer(), $0.signer("DNS:b.test")]) },
        // The order of the signers in the message depends on their bytes, so each signer has its own issue.
        .init(
            "two signers for other domains", "RFC 5652 §5.1",
            [
                .severalSigners(count: 2), .wrongDomain(domain: "a.test", names: ["b.test"]),
                .wrongDomain(domain: "a.test", names: ["c.test"]),
            ], command: true
        ) { try $0.signedByCommand([$0.signer("DNS:b.test"), $0.signer("DNS:c.test")]) },
        .init("sixteen signers", "our own limit", [.severalSigners(count: 16)], verified: true) {
            let shop = $0
            return try shop.signedByCommand((0..<16).map { _ in try shop.signer() })
        },
        .init(
            "seventeen signers", "our own limit", [.tooManySigners(count: 17, limit: 16)], command: true
        ) {
            let shop = $0
            return try shop.signedByCommand((0..<17).map { _ in try shop.signer() })
        },
        .init(
            "expired, incomplete and for another domain", "RFC 5280",
            [
                .certificate(.expired(subject: "CN=b.test", at: newYear - 1)),
                .certificate(.incomplete(subject: "CN=b.test", missing: "CN=Intermediate")),
                .wrongDomain(domain: "a.test", names: ["b.test"]),
            ]
        ) {
            let signer = try $0.signer("DNS:b.test") {
                $0.notAfter = newYear - 1
                $0.commonName = "b.test"
            }
            return try $0.signed(by: signer, chain: [])
        },
    ]
}

struct SignerFaultTests {
    private let shop: SignerWorkshop

    init() throws { shop = try SignerWorkshop() }

    private func issues(of message: [UInt8]) throws -> [CMSIssue] {
        try CMS.open(message).issues(trust: [shop.root.certificate], at: newYear, domain: "a.test")
    }

    private func command(_ message: [UInt8]) throws -> Workbench.Answer {
        try shop.bench.openssl(
            "cms", "-verify", "-inform", "DER", "-binary", "-in", shop.bench.write("message", message), "-CAfile",
            shop.bench.write("root.pem", shop.root.certificate.pem), "-no-CApath", "-purpose", "sslserver", "-attime",
            String(newYear), "-out", shop.bench.file("out"))
    }

    @Test(
        "All issues of the signers are reported, and verify and openssl cms agree", arguments: SignerCase.all
    )
    func told(case item: SignerCase) throws {
        let message = try item.make(shop)
        let issues = try issues(of: message)
        #expect(Set(issues) == item.issues && issues.count == item.issues.count)
        for issue in issues { #expect(!issue.problem.isEmpty && !issue.fix.isEmpty) }
        let verified = try? CMS.open(message).verify(trust: [shop.root.certificate], at: newYear, domain: "a.test")
        #expect((verified == shop.content) == item.isVerified)
        let answer = try command(message)
        #expect((answer.code == 0) == (item.isAcceptedByCommand ?? item.isVerified), "\(answer.output)")
    }

    @Test(
        "Changed content and a changed signature are reported, with the issues of the certificate",
        arguments: [false, true])
    func changed(attributes: Bool) throws {
        let message = try shop.signed(by: shop.signer("DNS:b.test"), attributes: attributes)
        let place = try #require(message.indices.first { message[$0...].starts(with: Array("webcred".utf8)) })
        for changed in [place, message.count - 1] {
            var copy = message
            copy[changed] ^= 0x01
            let issues = try issues(of: copy)
            guard case .badSignature(leaf, let reason) = issues.first else {
                Issue.record("\(issues)")
                continue
            }
            #expect(!reason.isEmpty)
            #expect(Array(issues.dropFirst()) == [.wrongDomain(domain: "a.test", names: ["b.test"])])
            #expect(try command(copy).code != 0)
        }
        #expect(try issues(of: message) == [.wrongDomain(domain: "a.test", names: ["b.test"])])
    }

    @Test("Of two signers, only the one with the changed signature has an issue")
    func blame() throws {
        let other = try shop.shop.leaf(by: shop.intermediate) { $0.commonName = "other" }
        let message = try shop.signedByCommand([shop.signer(), other], "-noattr")
        var blamed: Set<String> = []
        // The signatures are at the end of the message. A changed bit invalidates only one signature.
        for place in message.indices.suffix(320) {
            var copy = message
            copy[place] ^= 0x01
            guard let issues = try? issues(of: copy) else { continue }
            let bad = issues.compactMap { if case .badSignature(let signer, _) = $0 { signer } else { nil } }
            #expect(bad.count < 2)
            blamed.formUnion(bad)
        }
        #expect(blamed.isSuperset(of: [leaf, "CN=other"]))
    }

    @Test("A signer without certificate is named by issuer and serial number")
    func missing() throws {
        let signer = try shop.signer()
        let issues = try issues(of: shop.signedByCommand([signer], "-nocerts", "-md", "sha1"))
        let serial = signer.certificate.serial.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        let name = "CN=Intermediate, serial \(serial)"
        #expect(issues == [.certificateMissing(signer: name), .weakDigest(signer: name, name: "SHA-1")])
    }

    @Test("A signer without certificate is named by its key identifier if the message has no other name")
    func missingKey() throws {
        let signer = try shop.signer()
        let issues = try issues(of: shop.signedByCommand([signer], "-nocerts", "-keyid"))
        guard issues.count == 1, case .certificateMissing(let name) = issues[0] else {
            Issue.record("\(issues)")
            return
        }
        let text = try shop.bench.openssl(
            "x509", "-noout", "-ext", "subjectKeyIdentifier", "-in", shop.bench.write("one.pem", signer.certificate.pem)
        ).output
        let digits = text.split(whereSeparator: \.isNewline).last?.filter(\.isHexDigit).lowercased() ?? ""
        #expect(digits.utf8.count == 40 && name == "key \(digits)")
    }

    static let words: [(issue: CMSIssue, says: String, advises: String)] = [
        (
            .certificateMissing(signer: "CN=Intermediate, serial 0a"),
            "which it identifies only by issuer and serial number: \"CN=Intermediate, serial 0a\"", "-nocerts"
        ),
        (
            .certificateMissing(signer: "key 0a0b"), "which it identifies only by key identifier: \"key 0a0b\"",
            "-nocerts"
        ),
        // RFC 4514, section 2.4: a backslash escapes a comma in a value.
        (
            .certificate(.expired(subject: #"CN=a,O=Facebook\, Inc."#, at: 0)), #""CN=a,O=Facebook\, Inc.""#,
            "Sign again"
        ),
        (.certificate(.untrustedRoot(subject: "CN=r")), "the chain ends at \"CN=r\"", "from a trusted CA"),
        (.certificate(.incomplete(subject: "CN=a", missing: "CN=i")), "\"CN=i\", is missing", "every intermediate"),
        (.certificate(.selfSigned(subject: "CN=a")), "is self-signed", "certificate from a CA"),
    ]

    @Test("Each issue has its values, and only a missing link suggests intermediates", arguments: words)
    func wording(_ issue: CMSIssue, _ says: String, _ advises: String) {
        #expect(issue.problem.contains(says), "\(issue.problem)")
        #expect(issue.fix.contains(advises), "\(issue.fix)")
        if case .certificate(.incomplete) = issue { return }
        #expect(!issue.fix.contains("intermediate"), "\(issue.fix)")
    }

    @Test("Unsigned messages and unreadable forms are rejected")
    func forms() throws {
        let signer = try shop.signer()
        let pem = try shop.bench.write("message", shop.signed(by: signer))
        try shop.bench.openssl("cms", "-cmsout", "-inform", "DER", "-in", pem, "-outform", "PEM", "-out", pem)
        #expect(throws: CMSIssue.isPEM) { try CMS.open(shop.bench.read("message")) }
        let message = try shop.signed(by: signer)
        #expect(throws: CMSIssue.malformed(reason: "it names 8000 digest algorithms")) {
            try CMS.open(DERMessage.repeatingDigests(message, 8000))
        }
        #expect(throws: CMSIssue.malformed(reason: "it names 65 digest algorithms")) {
            try CMS.open(DERMessage.repeatingDigests(message, 65))
        }
        #expect(try issues(of: DERMessage.repeatingDigests(message, 64)).isEmpty)
    }

    @Test("A changed bit causes an issue, or leaves the content unchanged")
    func everyBit() throws {
        let message = try shop.signed(by: shop.signer())
        var told = 0
        for place in message.indices {
            var copy = message
            copy[place] ^= 0x04
            guard let opened = try? CMS.open(copy) else { continue }
            let issues = opened.issues(trust: [shop.root.certificate], at: newYear, domain: "a.test")
            if issues.isEmpty { #expect(opened.content == shop.content, "byte \(place)") } else { told += 1 }
            let verified = try? opened.verify(trust: [shop.root.certificate], at: newYear, domain: "a.test")
            // If verify fails, there is an issue.
            #expect(verified != nil || issues.contains { !$0.isNote }, "byte \(place)")
        }
        #expect(told > message.count / 3)
    }
}
