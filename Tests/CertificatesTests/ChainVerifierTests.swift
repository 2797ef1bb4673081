import Certificates
import MotivatorPlatform
import Testing

struct ChainVerifierTests {
    private let shop = ChainWorkshop()

    @Test("All issues in a chain are reported, and nothing else", arguments: ChainCase.all)
    func verdict(case item: ChainCase) throws {
        let shown = try item.make(shop)
        let verdict = try ChainVerifier(trust: shown.trust, at: shown.time).verdict(on: shown.served, host: shown.host)
        #expect(Set(verdict.issues) == item.issues)
        #expect(verdict.issues.count == item.issues.count, "each issue is reported once")
        #expect(verdict.isAccepted == item.issues.allSatisfy(\.isNote))
        #expect(verdict.path.first == shown.served.first)
        for issue in verdict.issues { #expect(!issue.problem.isEmpty && !issue.fix.isEmpty) }
    }

    @Test("openssl verify has the same verdict on every rule that it checks", arguments: ChainCase.all)
    func secondOpinion(case item: ChainCase) throws {
        let shown = try item.make(shop)
        guard let leaf = shown.served.first else { return }
        let bench = try Workbench()
        let others = shown.served.dropFirst().flatMap(\.pem)
        // The command does not accept an empty file, so an unknown root replaces it.
        let trust = try shown.trust.isEmpty ? [shop.authority("Nobody").certificate] : shown.trust
        let isAddress =
            shown.host.allSatisfy { "0123456789.:abcdef".contains($0) } && shown.host.contains { $0.isNumber }
        let words = [
            "verify", "-purpose", "sslserver", "-attime", String(shown.time), "-auth_level", "2", "-no-CApath",
            "-CAfile", try bench.write("trust.pem", trust.flatMap(\.pem)),
            isAddress ? "-verify_ip" : "-verify_hostname", shown.host,
        ]
        let untrusted = others.isEmpty ? [] : ["-untrusted", try bench.write("others.pem", others)]
        let answer = try bench.openssl(words + untrusted + [bench.write("leaf.pem", leaf.pem)])
        let opinions = item.issues.compactMap(\.wordsOfCommand)
        switch item.command {
        case .accepts: #expect(answer.code == 0, "\(answer.output)")
        case .refuses: #expect(answer.code != 0, "\(answer.output)")
        case .agrees:
            #expect((answer.code == 0) == opinions.isEmpty, "\(answer.output)")
            let isTold = opinions.isEmpty || opinions.contains { answer.output.contains($0) }
            #expect(isTold, "\(opinions) \(answer.output)")
        }
    }

    @Test(
        "Below a root of the system 398 days are the limit for what was issued since 2020-09-01",
        arguments: [
            ("398 days", 398, UnixTime(1_598_918_400), []),
            ("399 days", 399, 1_598_918_400, [ChainIssue.tooLong(days: 399, limit: 398)]),
            ("399 days, from the second before", 399, 1_598_918_399, []),
            ("826 days, from the second before", 826, 1_598_918_399, [.tooLong(days: 826, limit: 825)]),
        ])
    func systemLimit(rule: String, days: Int, start: UnixTime, issues: [ChainIssue]) throws {
        let early: ChainWorkshop.Change = { $0.notBefore = start - day }
        let shown = try shop.chain(root: early, intermediate: early, leaf: { $0.last(days, from: start) })
        let system = try ChainVerifier(systemRoots: shown.trust, at: start + day).verdict(
            on: shown.served, host: "a.test")
        #expect(system.issues == issues && system.anchor == .system(subject: "CN=Root"), "\(rule), Apple 102028")
        let given = try ChainVerifier(trust: shown.trust, at: start + day).verdict(on: shown.served, host: "a.test")
        #expect(given.issues == issues.filter { $0 == .tooLong(days: 826, limit: 825) })
    }

    @Test("The limit of 398 days is not for a chain that ends at none of the system's roots (Apple 102028)")
    func unknownRoot() throws {
        let start: UnixTime = 1_598_918_400
        let early: ChainWorkshop.Change = { $0.notBefore = start - day }
        let shown = try shop.chain(root: early, intermediate: early, leaf: { $0.last(399, from: start) })
        let others = try shop.chain(root: early).trust
        let verdict = try ChainVerifier(systemRoots: others, at: start + day).verdict(on: shown.served, host: "a.test")
        #expect(verdict.issues == [.untrustedRoot(subject: "CN=Root")] && verdict.anchor == .none)
    }

    @Test("The path is reported as far as it could be built, with its anchor")
    func path() throws {
        let right = try shop.chain()
        let whole = try ChainVerifier(trust: right.trust, at: newYear).verdict(on: right.served, host: "a.test")
        #expect(whole.path == right.served + right.trust && whole.anchor == .given(subject: "CN=Root"))
        let late = try ChainVerifier(trust: right.trust, at: newYear + 99 * day).verdict(
            on: right.served, host: "b.test")
        #expect(!late.isAccepted && late.anchor == .given(subject: "CN=Root"))
        let part = try ChainVerifier(trust: [], at: newYear).verdict(on: right.served + right.trust, host: "a.test")
        #expect(part.path == right.served + right.trust && part.anchor == .none)
        let inner = try ChainVerifier(trust: [right.served[1]], at: newYear).verdict(on: right.served, host: "a.test")
        #expect(inner.path == right.served && inner.anchor == .none)
        let system = try ChainVerifier(trust: nil, at: newYear).verdict(on: right.served, host: "a.test")
        #expect(system.path == right.served && system.issues == [.untrustedRoot(subject: "CN=Root")])
    }

    @Test("Given roots apply only to chains that do not end at a root of the system")
    func systemAndGiven() throws {
        let right = try shop.chain()
        let both = try ChainVerifier(systemAnd: right.trust, at: newYear).verdict(on: right.served, host: "a.test")
        #expect(both.anchor == .given(subject: "CN=Root") && both.isAccepted)
        let other = try shop.chain().trust
        let neither = try ChainVerifier(systemAnd: other, at: newYear).verdict(on: right.served, host: "a.test")
        let system = try ChainVerifier(trust: nil, at: newYear).verdict(on: right.served, host: "a.test")
        #expect(neither == system && neither.anchor == .none)
        let none = try ChainVerifier(systemAnd: [], at: newYear).verdict(on: right.served, host: "a.test")
        #expect(none == system)
    }

    private static let p256 = ["ec", "-pkeyopt", "ec_paramgen_curve:P-256"]

    @Test(
        "A key or a digest that only the openssl command makes is weak or strong like others",
        arguments: [
            (
                "P-224", ["ec", "-pkeyopt", "ec_paramgen_curve:secp224r1"],
                .weakKey(subject: "CN=a.test", kind: "EC", bits: 224)
            ),
            ("MD5", ["rsa:2048", "-md5"], .weakDigest(subject: "CN=a.test", name: "MD5")),
            (
                "RSA-PSS", ["rsa-pss", "-pkeyopt", "rsa_keygen_bits:1024"],
                .weakKey(subject: "CN=a.test", kind: "RSA-PSS", bits: 1024)
            ),
            ("SHA-224", p256 + ["-sha224"], nil), ("SHA-384", p256 + ["-sha384"], nil),
            ("SHA-512", p256 + ["-sha512"], nil),
            (
                "Ed25519", ["ed25519"],
                .weakKey(subject: "CN=a.test", kind: "ED25519", bits: 256, isSupported: false)
            ),
            (
                "secp256k1", ["ec", "-pkeyopt", "ec_paramgen_curve:secp256k1"],
                .weakKey(subject: "CN=a.test", kind: "EC secp256k1", bits: 256, isSupported: false)
            ),
            ("P-384", ["ec", "-pkeyopt", "ec_paramgen_curve:P-384"], nil),
            ("P-521", ["ec", "-pkeyopt", "ec_paramgen_curve:P-521"], nil),
        ] as [(String, [String], ChainIssue?)])
    func foreign(name: String, words: [String], issue: ChainIssue?) throws {
        let bench = try Workbench()
        let answer = try bench.openssl(
            ["req", "-x509", "-nodes", "-subj", "/CN=a.test", "-addext", "subjectAltName=DNS:a.test", "-newkey"] + words
                + ["-addext", "extendedKeyUsage=serverAuth", "-keyout", bench.file("k"), "-out", bench.file("c")])
        #expect(answer.code == 0, "\(answer.output)")
        let own = try Certificate.load(path: bench.file("c"))
        let verdict = try ChainVerifier(trust: own, at: Clock.system.now()).verdict(on: own, host: "a.test")
        #expect(verdict.issues == [issue].compactMap(\.self))
    }

    @Test("A chain of a hundred authorities ends at the limit")
    func long() throws {
        let root = try shop.authority("Root")
        var served: [ChainWorkshop.Made] = []
        var last = root
        for number in 1...100 {
            last = try shop.authority("Authority \(number)", by: last)
            served.insert(last, at: 0)
        }
        let leaf = try shop.leaf(by: last)
        let shown = ChainWorkshop.Shown([leaf] + served, trust: [root])
        let verdict = try ChainVerifier(trust: shown.trust, at: newYear).verdict(on: shown.served, host: "a.test")
        #expect(verdict.issues.contains(.chainTooLong(limit: 16)) && !verdict.isAccepted)
        #expect(verdict.path.count <= 18)
    }

    @Test("At most 16 authorities are between a certificate and its root", arguments: [(16, true), (17, false)])
    func limit(count: Int, isAccepted: Bool) throws {
        let root = try shop.authority("Root")
        var (served, last): ([ChainWorkshop.Made], ChainWorkshop.Made) = ([], root)
        for number in 1...count {
            last = try shop.authority("Authority \(number)", by: last)
            served.insert(last, at: 0)
        }
        let shown = try ChainWorkshop.Shown([shop.leaf(by: last)] + served, trust: [root])
        let verdict = try ChainVerifier(trust: shown.trust, at: newYear).verdict(on: shown.served, host: "a.test")
        #expect(verdict.isAccepted == isAccepted, "\(verdict.issues)")
        #expect(verdict.issues.contains(.chainTooLong(limit: 16)) == !isAccepted)
    }

    @Test("Without a host, the names are not compared, but their form is checked")
    func noHost() throws {
        for (names, issues) in [
            ("DNS:b.test", []), ("", [ChainIssue.noAlternativeName(commonName: "a.test")]),
            ("DNS:a.test,DNS:*.test", [.wildcardTooWide(name: "*.test")]),
        ] {
            let shown = try shop.chain(names)
            let verifier = try ChainVerifier(trust: shown.trust, at: newYear)
            #expect(verifier.verdict(on: shown.served, host: nil).issues == issues, "\(names)")
        }
    }

    @Test("Authorities that issued each other in a circle are not trusted")
    func circle() throws {
        let (one, other) = (try shop.authority("One"), try shop.authority("Other"))
        let first = try shop.authority("One", by: other, key: one.key)
        let second = try shop.authority("Other", by: one, key: other.key)
        let shown = try ChainWorkshop.Shown(
            [shop.leaf(by: one)] + Array(repeating: [first, second], count: 50).flatMap { $0 }, trust: [])
        let verdict = try ChainVerifier(trust: [], at: newYear).verdict(on: shown.served, host: "a.test")
        #expect(!verdict.isAccepted && verdict.anchor == .none && verdict.path.count <= 18)
    }

    @Test(
        "An extension that is garbage is refused",
        arguments: [
            "subjectAltName", "basicConstraints", "keyUsage", "extendedKeyUsage", "authorityKeyIdentifier",
            "subjectKeyIdentifier", "nameConstraints",
        ], [0, 1])
    func garbage(name: String, place: Int) throws {
        let spoil: ChainWorkshop.Change = { $0.set(name, "DER:04:01", isCritical: true) }
        let shown =
            try place == 0
            ? shop.chain(leaf: spoil)
            : shop.chain(intermediate: spoil, leaf: { $0.remove("authorityKeyIdentifier") })
        let verdict = try ChainVerifier(trust: shown.trust, at: newYear).verdict(on: shown.served, host: "a.test")
        #expect(!verdict.isAccepted, "\(verdict.issues)")
    }

    @Test("No changed bit of a server's certificate is accepted")
    func changed() throws {
        let shown = try shop.chain()
        let verifier = try ChainVerifier(trust: shown.trust, at: newYear)
        let der = shown.served[0].der
        var judged = 0
        for place in der.indices {
            for bit: UInt8 in [0x01, 0x80] {
                var copy = der
                copy[place] ^= bit
                guard let changed = try? Certificate(der: copy, source: "x") else { continue }
                judged += 1
                let verdict = verifier.verdict(on: [changed, shown.served[1]], host: "a.test")
                #expect(!verdict.isAccepted, "bit \(bit) of byte \(place)")
            }
        }
        #expect(judged > der.count / 2)
    }

    @Test("The fix names the type of an address, and the key usage that is missing")
    func addressAsName() {
        let issue = ChainIssue.wrongHost(host: "10.0.0.1", names: ["DNS:10.0.0.1", "a.test"])
        #expect(issue.fix.hasPrefix("Get a certificate with IP:10.0.0.1"))
        let usage = ChainIssue.notForServers(subject: "CN=a", byKeyUsage: true)
        #expect(usage.fix.contains("digitalSignature") && !usage.fix.contains("serverAuth"))
    }

    @Test("A certificate with thousands of names is reported with ten of them")
    func manyNames() throws {
        let names = (0..<3000).map { "DNS:h\($0).test" }.joined(separator: ",")
        let shown = try shop.chain(names, host: "b.test")
        let verdict = try ChainVerifier(trust: shown.trust, at: newYear).verdict(on: shown.served, host: "b.test")
        #expect(verdict.issues.count == 1)
        #expect(verdict.issues.first?.problem.hasSuffix("\"h9.test\" and 2990 more, not for \"b.test\"") == true)
    }
}

extension ChainIssue {
    /// Part of the message from `openssl verify`, or nil if the command has no such rule.
    fileprivate var wordsOfCommand: String? {
        switch self {
        case .expired: "certificate has expired"
        case .notYetValid: "certificate is not yet valid"
        case .wrongHost(let host, _):
            host.allSatisfy { $0.isNumber || $0 == "." } ? "IP address mismatch" : "hostname mismatch"
        case .selfSigned: "self-signed certificate"
        case .untrustedRoot: "certificate"
        case .incomplete: "unable to get local issuer certificate"
        case .notForServers: "purpose"
        case .weakKey, .weakDigest: "too "
        case .notAnAuthority: "invalid CA certificate"
        case .nameConstraint(_, let reason), .refused(_, let reason): reason
        case .badSignature: "signature failure"
        case .pathTooLong: "path length constraint exceeded"
        case .chainTooLong: "certificate chain too long"
        case .noCertificate, .noAlternativeName, .noPurpose, .tooLong, .wildcardTooWide, .selfSignedAnchor, .givenRoot,
            .wrongOrder, .unneeded:
            nil
        }
    }
}
