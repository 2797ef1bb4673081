import Certificates
import MotivatorPlatform
import Testing

@Suite("The chain that a server shows") struct ServedChainTests {
    private let bench: Workbench
    private let authority: Authority
    private let folder: String

    init() throws {
        bench = try Workbench()
        folder = bench.file("certs")
        authority = try Authority.open(folder: folder, clock: Clock { newYear })
    }

    private func text(_ certificate: Certificate, _ parts: String...) throws -> [String] {
        let output = try bench.openssl(
            ["x509", "-noout", "-in", bench.write("one.pem", certificate.pem)] + parts
        ).output
        return output.split(whereSeparator: \.isNewline).map { line in
            String(line.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
        }
    }

    @Test("The leaf comes first, then the intermediate, and no root", arguments: ["issued", "saved", "read again"])
    func order(origin: String) throws {
        let identity =
            switch origin {
            case "issued": try authority.issue(hosts: ["a.test"])
            case "saved": try authority.identity(for: "a.test")
            case _:
                try Identity.load(
                    certificate: authority.save(authority.identity(for: "a.test"), as: "a.test").certificate,
                    key: folder + "/a.test.key")
            }
        #expect(identity.certificate.dnsNames == ["a.test"])
        #expect(identity.chain == (try Certificate.load(path: folder + "/intermediate.pem")))
        #expect(identity.key.belongs(to: identity.certificate) && !identity.key.belongs(to: identity.chain[0]))
        let served = try Certificate.chain(pem: identity.certificatesPEM, source: "served")
        #expect(served == [identity.certificate] + identity.chain && !served.contains(authority.root))
        let verdict = try ChainVerifier(trust: [authority.root], at: newYear).verdict(on: served, host: "a.test")
        #expect(verdict.issues.isEmpty && verdict.path == served + [authority.root])
    }

    @Test("Each certificate is signed by the next, and names it by subject and key identifier")
    func links() throws {
        let identity = try authority.identity(for: "a.test")
        let path = [identity.certificate] + identity.chain + [authority.root]
        #expect(path.count == 3)
        for (issued, issuer) in zip(path, path.dropFirst()) {
            #expect(issuer.issued(issued) && !issued.issued(issuer))
            #expect(issued.issuer == issuer.subject && issued.subject != issuer.subject)
            let key = try text(issuer, "-ext", "subjectKeyIdentifier").last
            #expect(try text(issued, "-ext", "authorityKeyIdentifier").last == key)
            #expect(issued.notAfter <= issuer.notAfter && issued.notBefore >= issuer.notBefore)
            #expect(issued.serial != issuer.serial)
        }
        #expect(!authority.root.issued(identity.certificate), "the root's key does not sign leaves")
        #expect(authority.root.isSelfSigned && authority.root.issuer == authority.root.subject)
    }

    @Test("Each link has the fields of its position")
    func fields() throws {
        let identity = try authority.identity(for: "a.test", also: ["127.0.0.1"])
        let (leaf, intermediate) = (identity.certificate, identity.chain[0])
        #expect(leaf.subject == "CN=a.test,O=Ultra Motivator")
        #expect(intermediate.subject == "CN=Ultra Motivator Development Intermediate,O=Ultra Motivator")
        #expect(authority.root.subject == "CN=Ultra Motivator Development Authority,O=Ultra Motivator")
        #expect([leaf, intermediate, authority.root].map(\.isAuthority) == [false, true, true])
        #expect([leaf, intermediate, authority.root].map(\.isSelfSigned) == [false, false, true])
        #expect(
            [leaf, intermediate, authority.root].map { ($0.notAfter - newYear) / day } == [90, 730, 3653])
        #expect([leaf, intermediate, authority.root].allSatisfy { $0.notBefore == newYear - 3600 })
        #expect(intermediate.dnsNames.isEmpty && authority.root.dnsNames.isEmpty)
        #expect(leaf.dnsNames == ["a.test"] && leaf.addresses == ["127.0.0.1"])
        for (certificate, constraints, uses, use) in [
            (leaf, "CA:FALSE", "Digital Signature", "TLS Web Server Authentication"),
            (intermediate, "CA:TRUE, pathlen:0", "Certificate Sign, CRL Sign", "TLS Web Server Authentication"),
            (authority.root, "CA:TRUE, pathlen:1", "Certificate Sign, CRL Sign", "TLS Web Server Authentication"),
        ] {
            #expect(
                try text(certificate, "-ext", "basicConstraints")
                    == ["X509v3 Basic Constraints: critical", constraints])
            #expect(try text(certificate, "-ext", "keyUsage") == ["X509v3 Key Usage: critical", uses])
            #expect(try text(certificate, "-ext", "extendedKeyUsage") == ["X509v3 Extended Key Usage:", use])
        }
        #expect(try text(leaf, "-ext", "nameConstraints").contains { $0.contains("No extensions") })
    }

    @Test("An RSA leaf may also encipher keys (RFC 5280 §4.2.1.3), and its chain is the same")
    func rsa() throws {
        let identity = try authority.identity(for: "a.test", kind: .rsa2048)
        #expect(
            try text(identity.certificate, "-ext", "keyUsage")
                == ["X509v3 Key Usage: critical", "Digital Signature, Key Encipherment"])
        #expect(try identity.chain == authority.identity(for: "b.test").chain)
    }

    @Test(
        "The Common Name is the first DNS name that fits, and never an address",
        arguments: [
            (["a.test", "b.test"], "a.test"), (["127.0.0.1", "a.test"], "a.test"), (["127.0.0.1"], nil),
            (["::1", "127.0.0.1"], nil),
            ([String(repeating: "a", count: 59) + ".test"], String(repeating: "a", count: 59) + ".test"),
            ([String(repeating: "a", count: 60) + ".test", "b.test"], "b.test"),
            ([String(repeating: "a", count: 60) + ".test"], nil),
        ] as [([String], String?)])
    func commonName(hosts: [String], expected: String?) throws {
        let leaf = try authority.issue(hosts: hosts).certificate
        #expect(leaf.commonName == expected)
        #expect(leaf.dnsNames + leaf.addresses == hosts.filter { !$0.isNumeric } + hosts.filter(\.isNumeric))
    }

    @Test("A chain with a wrong link is refused at that link", arguments: [0, 1, 2], [false, true])
    func wrongLink(place: Int, isApart: Bool) throws {
        let shop = ChainWorkshop()
        let root = try shop.authority("Root")
        let upper = try shop.authority("Upper", by: root)
        let lower = try shop.authority("Lower", by: upper)
        let leaf = try shop.leaf(by: lower)
        let key = try bench.write("key.pem", leaf.key.pem)
        let right = [lower, upper, root].map(\.certificate)
        func load(_ chain: [Certificate]) throws -> Identity {
            let rest = chain.flatMap(\.pem)
            guard isApart else {
                return try Identity.load(
                    certificate: bench.write("chain.pem", leaf.certificate.pem + rest), key: key)
            }
            return try Identity.load(
                certificate: bench.write("leaf.pem", leaf.certificate.pem), key: key,
                chain: bench.write("chain.pem", rest))
        }
        #expect(try load(right).chain == right)
        // A root with the same name but another key. Only the signature distinguishes the two roots.
        let names = ["Lower", "Upper", "Root"]
        var wrong = right
        wrong[place] = try shop.authority(names[place]).certificate
        #expect(
            throws: CertificateError.brokenChain(
                source: bench.file("chain.pem"), position: isApart ? place + 1 : place + 2,
                subject: "CN=\(names[place])")
        ) { try load(wrong) }
        var short = right
        short.remove(at: place)
        if place < 2 {
            #expect(throws: CertificateError.self) { try load(short) }
        } else {
            #expect(try load(short).chain == short)
        }
    }
}

@Suite("The Common Name with alternative names of another kind (RFC 9525 §2)") struct CommonNameTests {
    private let shop = ChainWorkshop()

    @Test(
        "A TLS server's Common Name never counts",
        arguments: ["IP:10.0.0.1", "IP:::1", "email:u@a.test", "URI:https://a.test/", "RID:1.2.3.4", "DNS:b.test", ""])
    func server(names: String) throws {
        let leaf = try shop.leaf(names, by: nil).certificate
        #expect(leaf.commonName == "a.test" && !leaf.matches(host: "a.test"))
    }

    @Test("A verdict takes an IP address in the alternative names as reason not to read the Common Name")
    func verdict() throws {
        let shown = try shop.chain("IP:10.0.0.1")
        let verifier = try ChainVerifier(trust: shown.trust, at: newYear)
        #expect(
            verifier.verdict(on: shown.served, host: "a.test").issues
                == [.wrongHost(host: "a.test", names: ["10.0.0.1"])])
        #expect(verifier.verdict(on: shown.served, host: "10.0.0.1").issues.isEmpty)
    }

    @Test("An address in the Common Name is not an address of the certificate")
    func address() throws {
        let leaf = try shop.leaf("DNS:a.test", by: nil) { $0.commonName = "10.0.0.1" }.certificate
        #expect(!leaf.matches(host: "10.0.0.1") && !leaf.matches(host: "10.0.0.1", commonName: true))
        #expect(leaf.matches(host: "a.test"))
    }

    @Test(
        "For a signer, the Common Name counts only without a DNS name",
        arguments: [("", true), ("IP:10.0.0.1", true), ("DNS:b.test", false), ("DNS:b.test,IP:10.0.0.1", false)])
    func signer(names: String, counts: Bool) throws {
        let leaf = try shop.leaf(names, by: nil).certificate
        #expect(leaf.matches(host: "a.test", commonName: true) == counts)
    }
}

extension String {
    fileprivate var isNumeric: Bool { contains(":") || allSatisfy { $0.isNumber || $0 == "." } }
}
