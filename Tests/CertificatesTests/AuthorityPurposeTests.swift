import Certificates
import MotivatorPlatform
import Testing

/// A certificate that an attacker signs with a stolen intermediate key.
struct RogueLeaf: Sendable, CustomTestStringConvertible {
    let name: String
    let source: String
    var organization: String? = CertificateDraft.organization
    var use = "serverAuth"
    var names: String? = "DNS:a.test"
    /// The purposes of `openssl verify` to test.
    var purposes = ["any", "sslserver"]
    let reason: String

    var testDescription: String { "\(name) (\(source))" }

    private static let wrongUse = "purpose"
    private static let notPermitted = "permitted subtree violation"

    static let all = uses + foreign + names

    /// Uses other than TLS server authentication, with a directory name that the CA permits.
    private static let uses: [RogueLeaf] = [
        .init(
            name: "TLS client", source: "RFC 5280 §4.2.1.12", use: "clientAuth", names: nil,
            purposes: ["sslclient", "sslserver"], reason: wrongUse),
        .init(
            name: "every use", source: "RFC 5280 §4.2.1.12", use: "serverAuth,clientAuth,emailProtection",
            purposes: ["sslclient", "smimesign", "smimeencrypt"], reason: wrongUse),
        .init(
            name: "any use", source: "RFC 5280 §4.2.1.12", use: "anyExtendedKeyUsage",
            purposes: ["sslclient", "smimesign", "smimeencrypt"], reason: wrongUse),
        .init(
            name: "S/MIME", source: "RFC 8551 §4.4.4", use: "emailProtection", names: nil,
            purposes: ["smimesign", "smimeencrypt", "sslserver"], reason: wrongUse),
        .init(
            name: "S/MIME with an address", source: "RFC 5280 §4.2.1.10", use: "emailProtection",
            names: "email:u@a.test", purposes: ["any"], reason: notPermitted),
        .init(
            name: "code signing shown by a server", source: "RFC 5280 §4.2.1.12", use: "codeSigning", names: nil,
            purposes: ["sslserver", "sslclient", "smimesign"], reason: wrongUse),
        .init(
            name: "time stamping shown by a server", source: "RFC 3161 §2.3", use: "critical,timeStamping", names: nil,
            purposes: ["sslserver", "sslclient", "smimesign"], reason: wrongUse),
    ]

    /// OpenSSL does not check an issuer's usage for code signing and time stamping. The directory name must prevent
    /// these uses.
    private static let foreign: [RogueLeaf] = [
        .init(
            name: "code signing for another organization", source: "RFC 5280 §4.2.1.10", organization: "Example",
            use: "codeSigning", names: nil, purposes: ["any", "codesign"], reason: notPermitted),
        .init(
            name: "time stamping for another organization", source: "RFC 5280 §4.2.1.10", organization: "Example",
            use: "critical,timeStamping", names: nil, purposes: ["any", "timestampsign"], reason: notPermitted),
        .init(
            name: "client of another organization", source: "RFC 5280 §4.2.1.10", organization: "Example",
            use: "clientAuth", names: nil, purposes: ["any"], reason: notPermitted),
        .init(
            name: "server of another organization", source: "RFC 5280 §4.2.1.10", organization: "Example",
            reason: notPermitted),
        .init(
            name: "an organization that begins alike", source: "RFC 5280 §4.2.1.10",
            organization: "Ultra Motivator Ltd", reason: notPermitted),
        .init(
            name: "a subject without an organization", source: "RFC 5280 §4.2.1.10", organization: nil,
            reason: notPermitted),
    ]

    private static let names: [RogueLeaf] = [
        .init(
            name: "an e-mail address", source: "RFC 5280 §4.2.1.10", names: "DNS:a.test,email:u@a.test",
            reason: notPermitted),
        .init(
            name: "an e-mail address at the reserved host", source: "RFC 5280 §4.2.1.10",
            names: "DNS:a.test,email:u@invalid", reason: "excluded subtree violation"),
        .init(
            name: "an e-mail address below the reserved host", source: "RFC 5280 §4.2.1.10",
            names: "DNS:a.test,email:u@x.invalid", reason: notPermitted),
        .init(
            name: "an internationalized e-mail address", source: "RFC 9598 §6",
            names: "DNS:a.test,otherName:1.3.6.1.5.5.7.8.9;UTF8:u@a.test", reason: notPermitted),
        .init(
            name: "a URI", source: "RFC 5280 §4.2.1.10", names: "DNS:a.test,URI:https://a.test/", reason: notPermitted),
        .init(
            name: "a URI of the reserved host", source: "RFC 5280 §4.2.1.10",
            names: "DNS:a.test,URI:https://invalid/", reason: "excluded subtree violation"),
        .init(
            name: "a URI of an address", source: "RFC 5280 §4.2.1.10", names: "DNS:a.test,URI:https://127.0.0.1/",
            reason: notPermitted),
        .init(
            name: "a URI without a host", source: "RFC 5280 §4.2.1.10", names: "DNS:a.test,URI:urn:example:x",
            reason: "unsupported"),
        .init(
            name: "a foreign directory name as alternative name", source: "RFC 5280 §4.2.1.10",
            names: "DNS:a.test,dirName:foreign", reason: notPermitted),
        .init(
            name: "a foreign DNS name", source: "RFC 5280 §4.2.1.10", names: "DNS:a.test,DNS:example.com",
            reason: notPermitted),
    ]

    func draft() -> CertificateDraft {
        let now = Clock.system.now()
        var draft = CertificateDraft(
            organization: organization, commonName: "Rogue", notBefore: now - 60, notAfter: now + day,
            extensions: [
                .init("basicConstraints", "CA:FALSE", isCritical: true),
                .init("keyUsage", "digitalSignature", isCritical: true), .init("extendedKeyUsage", use),
                .init("subjectKeyIdentifier", "hash"), .init("authorityKeyIdentifier", "keyid:always"),
            ])
        if let names { draft.extensions.append(.init("subjectAltName", names)) }
        draft.sections = "[foreign]\nO = Example\n"
        return draft
    }
}

@Suite("The CA can sign TLS server certificates and nothing else") struct AuthorityPurposeTests {
    private let bench: Workbench
    private let folder: String
    private let authority: Authority

    init() throws {
        bench = try Workbench()
        folder = bench.file("certs")
        authority = try Authority.open(folder: folder)
    }

    private func verify(_ leaf: Certificate, issuers: [UInt8]? = nil, purpose: String) throws -> Workbench.Answer {
        let issuers = try issuers ?? bench.read("certs/intermediate.pem")
        return try bench.openssl(
            "verify", "-purpose", purpose, "-CAfile", folder + "/authority.pem", "-untrusted",
            bench.write("issuers.pem", issuers), bench.write("leaf.pem", leaf.pem))
    }

    @Test("A TLS server leaf is accepted for a TLS server, and for no other use")
    func server() throws {
        let leaf = try authority.issue(hosts: ["a.test"]).certificate
        #expect(try verify(leaf, purpose: "sslserver").code == 0)
        for purpose in ["sslclient", "smimesign", "smimeencrypt", "timestampsign"] {
            let answer = try verify(leaf, purpose: purpose)
            #expect(answer.code != 0 && answer.output.contains("purpose"), "\(purpose): \(answer.output)")
        }
    }

    @Test("openssl verify refuses what a stolen intermediate key signs", arguments: RogueLeaf.all)
    func rogue(leaf item: RogueLeaf) throws {
        let leaf = try authority.issue(item.draft(), key: PrivateKey.generate(.p256)).certificate
        for purpose in item.purposes {
            let answer = try verify(leaf, purpose: purpose)
            // OpenSSL 3.2 and later support the purpose codesign.
            if purpose == "codesign", answer.output.contains("Invalid purpose") { continue }
            #expect(answer.code != 0, "\(purpose)")
            #expect(answer.output.contains(item.reason), "\(purpose): \(answer.output)")
        }
    }

    @Test(
        "openssl verify refuses what an intermediate without limits signs, made with a stolen root key",
        arguments: RogueLeaf.all)
    func rogueIntermediate(leaf item: RogueLeaf) throws {
        let now = Clock.system.now()
        let (key, rootKey) = try (PrivateKey.generate(.p256), PrivateKey.load(path: folder + "/authority.key"))
        let issuer = try CertificateDraft(
            organization: CertificateDraft.organization, commonName: "Unlimited", notBefore: now - 60,
            notAfter: now + day,
            extensions: [
                .init("basicConstraints", "CA:TRUE", isCritical: true), .init("keyUsage", "keyCertSign"),
                .init("subjectKeyIdentifier", "hash"), .init("authorityKeyIdentifier", "keyid:always"),
            ]
        ).signed(for: key, issuer: authority.root, issuerKey: rootKey)
        let leaf = try item.draft().signed(for: PrivateKey.generate(.p256), issuer: issuer, issuerKey: key)
        for purpose in item.purposes {
            let answer = try verify(leaf, issuers: issuer.pem, purpose: purpose)
            if purpose == "codesign", answer.output.contains("Invalid purpose") { continue }
            #expect(answer.code != 0, "\(purpose)")
            #expect(answer.output.contains(item.reason), "\(purpose): \(answer.output)")
        }
    }

    @Test("An intermediate of another organization is refused")
    func foreignIntermediate() throws {
        let now = Clock.system.now()
        let (key, rootKey) = try (PrivateKey.generate(.p256), PrivateKey.load(path: folder + "/authority.key"))
        let issuer = try CertificateDraft(
            organization: "Example", commonName: "Foreign", notBefore: now - 60, notAfter: now + day,
            extensions: [
                .init("basicConstraints", "CA:TRUE", isCritical: true), .init("keyUsage", "keyCertSign"),
                .init("subjectKeyIdentifier", "hash"), .init("authorityKeyIdentifier", "keyid:always"),
            ]
        ).signed(for: key, issuer: authority.root, issuerKey: rootKey)
        let draft = try CertificateDraft.server(
            [SubjectName("a.test")], kind: .p256, notBefore: now - 60, notAfter: now + day)
        let leaf = try draft.signed(for: PrivateKey.generate(.p256), issuer: issuer, issuerKey: key)
        let answer = try verify(leaf, issuers: issuer.pem, purpose: "any")
        #expect(answer.code != 0 && answer.output.contains("permitted subtree violation"), "\(answer.output)")
    }

    @Test("The root and the intermediate carry the extended key usage and every constraint")
    func fields() throws {
        for name in ["authority.pem", "intermediate.pem"] {
            let text = try bench.openssl(
                "x509", "-noout", "-in", folder + "/" + name, "-ext", "extendedKeyUsage,nameConstraints,keyUsage"
            ).output.split(whereSeparator: \.isNewline).map { $0.trimmingSpaces }
            let place = try #require(text.firstIndex(of: "X509v3 Extended Key Usage:"))
            #expect(text[place + 1] == "TLS Web Server Authentication", "\(name)")
            #expect(text.contains("Certificate Sign, CRL Sign"), "\(name)")
            // Go and Python's cryptography reject critical constraints on directory names.
            let start = try #require(text.firstIndex(of: "X509v3 Name Constraints:"), "\(name)")
            let end = try #require(text.firstIndex(of: "Excluded:"), "\(name)")
            #expect(text[(start + 1)..<end].contains("DirName:O = Ultra Motivator"), "\(name)")
            #expect(text[(start + 1)..<end].contains("email:invalid"), "\(name)")
            #expect(text[(start + 1)..<end].contains("URI:invalid"), "\(name)")
            #expect(text[(end + 1)...].prefix(2) == ["email:invalid", "URI:invalid"], "\(name)")
        }
    }
}

extension Substring {
    fileprivate var trimmingSpaces: String {
        String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}
