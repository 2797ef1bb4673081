import Certificates
import MotivatorPlatform
import Testing

/// A chain, its expected issues, and the rule that defines them.
struct ChainCase: Sendable, CustomTestStringConvertible {
    let name: String
    let source: String
    let issues: Set<ChainIssue>
    /// The expected result of `openssl verify`.
    enum Command { case agrees, accepts, refuses }

    let command: Command
    let make: @Sendable (ChainWorkshop) throws -> ChainWorkshop.Shown

    init(
        _ name: String, _ source: String, _ issues: Set<ChainIssue>, command: Command = .agrees,
        _ make: @escaping @Sendable (ChainWorkshop) throws -> ChainWorkshop.Shown
    ) {
        (self.name, self.source, self.issues, self.make) = (name, source, issues, make)
        self.command = command
    }

    var testDescription: String { "\(name) (\(source))" }
}

/// 2019-07-01. Apple's rules apply to certificates issued on or after this date.
private let july2019: UnixTime = 1_561_939_200
private let leaf = "CN=a.test"
private let middle = "CN=Intermediate"

extension ChainCase {
    static let all = dates + names + trust + servers + strength + authorities + order

    private static let dates: [ChainCase] = [
        .init("a right chain", "RFC 5280 §6", []) { try $0.chain() },
        .init("expired", "RFC 5280 §4.1.2.5", [.expired(subject: leaf, at: newYear - 1)]) {
            try $0.chain(leaf: { $0.notAfter = newYear - 1 })
        },
        .init("in its last second", "RFC 5280 §4.1.2.5", [], command: .refuses) {
            try $0.chain(leaf: { $0.notAfter = newYear })
        },
        .init("not yet valid", "RFC 5280 §4.1.2.5", [.notYetValid(subject: leaf, from: newYear + 1)]) {
            try $0.chain(leaf: { $0.notBefore = newYear + 1 })
        },
        .init("in its first second", "RFC 5280 §4.1.2.5", []) { try $0.chain(leaf: { $0.notBefore = newYear }) },
        .init("expired intermediate", "RFC 5280 §6.1.3", [.expired(subject: middle, at: newYear - day)]) {
            try $0.chain(intermediate: { $0.notAfter = newYear - day })
        },
        .init("expired root", "RFC 5280 §6.1.3", [.expired(subject: "CN=Root", at: newYear - day)]) {
            try $0.chain(root: { $0.notAfter = newYear - day })
        },
        .init(
            "expired and without a subject", "RFC 5280 §4.1.2.6", [.expired(subject: "a.test", at: newYear - 1)]
        ) {
            try $0.chain(leaf: {
                $0.notAfter = newYear - 1
                $0.commonName = nil
                $0.set("subjectAltName", "DNS:a.test", isCritical: true)
            })
        },
        .init("825 days", "Apple 103769", []) { try $0.chain(leaf: { $0.last(825) }) },
        .init("826 days", "Apple 103769", [.tooLong(days: 826, limit: 825)]) {
            try $0.chain(leaf: { $0.last(826) })
        },
        .init("825 days and a second", "Apple 103769", [.tooLong(days: 826, limit: 825)]) {
            try $0.chain(leaf: {
                $0.last(825)
                $0.notAfter += 1
            })
        },
        .init("826 days, from the first second of the rule", "Apple 103769", [.tooLong(days: 826, limit: 825)]) {
            try old($0) { $0.last(826, from: july2019) }
        },
        .init("826 days, from the second before the rule", "Apple 103769", []) {
            try old($0) { $0.last(826, from: july2019 - 1) }
        },
    ]

    /// Creates a chain and verifies it in the summer of 2019.
    private static func old(
        _ shop: ChainWorkshop, _ leaf: ChainWorkshop.Change
    ) throws -> ChainWorkshop.Shown {
        let start: ChainWorkshop.Change = { $0.notBefore = july2019 - 100 * day }
        return try shop.chain(root: start, intermediate: start, leaf: leaf).with { $0.time = july2019 + day }
    }

    private static let names: [ChainCase] = [
        .init("upper case", "RFC 9525 §6.3", []) { try $0.chain("DNS:A.Test", host: "a.TEST") },
        .init("wrong host", "RFC 9525 §6", [.wrongHost(host: "b.test", names: ["a.test", "10.0.0.1"])]) {
            try $0.chain("DNS:a.test,IP:10.0.0.1", host: "b.test")
        },
        .init("only a Common Name", "Apple 103769", [.noAlternativeName(commonName: "a.test")]) { try $0.chain("") },
        .init(
            "only another Common Name", "Apple 103769",
            [.noAlternativeName(commonName: "a.test"), .wrongHost(host: "b.test", names: ["a.test"])]
        ) { try $0.chain("", host: "b.test") },
        .init(
            "only a mail address", "Apple 103769", [.noAlternativeName(commonName: "a.test")]
        ) { try $0.chain("email:a@a.test") },
        .init(
            "the Common Name does not count if there are other names", "RFC 9525 §2",
            [.wrongHost(host: "a.test", names: ["b.test"])]
        ) { try $0.chain("DNS:b.test") },
        .init("an IPv4 address", "RFC 9525 §6.4", []) { try $0.chain("IP:10.0.0.1", host: "10.0.0.1") },
        .init("an IPv6 address", "RFC 9525 §6.4", []) { try $0.chain("IP:fd00::1", host: "fd00:0::1") },
        .init(
            "another address", "RFC 9525 §6.4", [.wrongHost(host: "10.0.0.2", names: ["10.0.0.1"])]
        ) { try $0.chain("IP:10.0.0.1", host: "10.0.0.2") },
        .init(
            "an address as DNS name", "RFC 9525 §6.4", [.wrongHost(host: "10.0.0.1", names: ["DNS:10.0.0.1"])]
        ) { try $0.chain("DNS:10.0.0.1", host: "10.0.0.1") },
        .init("a wildcard for one label", "RFC 9525 §6.3", []) { try $0.chain("DNS:*.a.test", host: "x.a.test") },
        .init(
            "a wildcard for two labels", "RFC 9525 §6.3", [.wrongHost(host: "x.y.a.test", names: ["*.a.test"])]
        ) { try $0.chain("DNS:*.a.test", host: "x.y.a.test") },
        .init(
            "a wildcard for no label", "RFC 9525 §6.3", [.wrongHost(host: "a.test", names: ["*.a.test"])]
        ) { try $0.chain("DNS:*.a.test") },
        .init(
            "a wildcard for part of a label", "RFC 9525 §6.3",
            [.wrongHost(host: "xy.a.test", names: ["x*.a.test"])], command: .accepts
        ) { try $0.chain("DNS:x*.a.test", host: "xy.a.test") },
        .init(
            "a wildcard below a top-level name", "Apple's platforms", [.wildcardTooWide(name: "*.test")]
        ) { try $0.chain("DNS:a.test,DNS:*.test") },
        .init("a bare star", "Apple's platforms", [.wildcardTooWide(name: "*")]) { try $0.chain("DNS:a.test,DNS:*") },
        .init("a name in punycode", "RFC 5890 §2.3.2.1", []) {
            try $0.chain("DNS:xn--bcher-kva.test", host: "xn--bcher-kva.test")
        },
        .init(
            "a name that is not in punycode", "RFC 9525 §6.2",
            [.wrongHost(host: "bücher.test", names: ["xn--bcher-kva.test"])]
        ) { try $0.chain("DNS:xn--bcher-kva.test", host: "bücher.test") },
        .init(
            "a leading dot, which OpenSSL reads as any subdomain", "RFC 9525 §6.3",
            [.wrongHost(host: ".test", names: ["a.test"])], command: .accepts
        ) { try $0.chain(host: ".test") },
    ]

    private static let trust: [ChainCase] = [
        .init("no certificate", "RFC 8446 §4.4.2", [.noCertificate]) { _ in .init([], trust: []) },
        .init("self-signed", "RFC 5280 §6.1", [.selfSigned(subject: leaf)]) {
            try .init([$0.leaf(by: nil)], trust: [$0.authority("Root")])
        },
        .init("self-signed and trusted", "RFC 5280 §6.1", []) {
            let own = try $0.leaf(by: nil)
            return .init([own], trust: [own])
        },
        .init("nothing is trusted", "RFC 5280 §6.1", [.untrustedRoot(subject: "CN=Root")]) {
            try $0.chain().with { $0.trust = [] }
        },
        .init("an untrusted root, shown", "RFC 5280 §6.1", [.untrustedRoot(subject: "CN=Root")]) {
            let foreign = try $0.authority("Foreign").certificate
            return try $0.chain().with {
                $0.served += $0.trust
                $0.trust = [foreign]
            }
        },
        .init("an untrusted root, not shown", "RFC 5280 §6.1", [.untrustedRoot(subject: "CN=Root")]) {
            let foreign = try $0.authority("Foreign").certificate
            return try $0.chain().with { $0.trust = [foreign] }
        },
        .init("the intermediate alone is trusted", "RFC 5280 §6.1", [.untrustedRoot(subject: "CN=Root")]) {
            try $0.chain().with { $0.trust = [$0.served[1]] }
        },
        .init("a root made again with another key", "RFC 5280 §4.2.1.1", [.untrustedRoot(subject: "CN=Root")]) {
            try .init([$0.leaf(by: $0.authority("Root"))], trust: [$0.authority("Root")])
        },
        .init("no intermediate", "RFC 8446 §4.4.2", [.incomplete(subject: leaf, missing: middle)]) {
            try $0.chain().with { $0.served.removeLast() }
        },
        .init(
            "another intermediate", "RFC 8446 §4.4.2",
            [.incomplete(subject: leaf, missing: middle), .unneeded(subjects: ["CN=Other"])]
        ) {
            let other = try $0.authority("Other", by: $0.authority("Foreign")).certificate
            return try $0.chain().with { $0.served[1] = other }
        },
        .init("a foreign signature", "RFC 5280 §6.1.3", [.badSignature(subject: leaf)]) {
            let root = try $0.authority("Root")
            let namesake = try $0.authority("Intermediate", by: root)
            let right = try $0.authority("Intermediate", by: root)
            return try .init(
                [$0.leaf(by: namesake) { $0.remove("authorityKeyIdentifier") }, right], trust: [root])
        },
    ]

    private static let servers: [ChainCase] = [
        .init("no extended key usage", "Apple 103769", [.noPurpose(subject: leaf)], command: .accepts) {
            try $0.chain(leaf: { $0.remove("extendedKeyUsage") })
        },
        .init("no extended key usage, before the rule", "Apple 103769", []) {
            try old($0) {
                $0.last(90, from: july2019 - 1)
                $0.remove("extendedKeyUsage")
            }
        },
        .init("for clients, before the rule", "RFC 5280 §4.2.1.12", [.notForServers(subject: leaf)]) {
            try old($0) {
                $0.last(90, from: july2019 - 1)
                $0.set("extendedKeyUsage", "clientAuth")
            }
        },
        .init("for anything, without saying servers", "Apple 103769", [.notForServers(subject: leaf)]) {
            try $0.chain(leaf: { $0.set("extendedKeyUsage", "anyExtendedKeyUsage") })
        },
        .init("for clients and servers", "RFC 5280 §4.2.1.12", []) {
            try $0.chain(leaf: { $0.set("extendedKeyUsage", "clientAuth,serverAuth") })
        },
        .init(
            "a key that is not for TLS", "RFC 5280 §4.2.1.3",
            [.notForServers(subject: leaf, byKeyUsage: true)]
        ) {
            try $0.chain(leaf: { $0.set("keyUsage", "nonRepudiation") })
        },
        .init("an intermediate for clients only", "RFC 5280 §4.2.1.12", [.notForServers(subject: middle)]) {
            try $0.chain(intermediate: { $0.set("extendedKeyUsage", "clientAuth") })
        },
        .init(
            "an unknown critical extension", "RFC 5280 §4.2",
            [.refused(subject: leaf, reason: "unhandled critical extension")]
        ) { try $0.chain(leaf: { $0.set("1.2.3.4", "ASN1:UTF8String:x", isCritical: true) }) },
    ]

    private static let strength: [ChainCase] = [
        .init("RSA 2048", "Apple 103769", []) { try $0.chain(leafKey: .generate(.rsa2048)) },
        .init("RSA 1024", "Apple 103769", [.weakKey(subject: leaf, kind: "RSA", bits: 1024)]) {
            try $0.chain(leafKey: .generate(.rsa(bits: 1024)))
        },
        .init("RSA 2047", "Apple 103769", [.weakKey(subject: leaf, kind: "RSA", bits: 2047)], command: .accepts) {
            try $0.chain(leafKey: .generate(.rsa(bits: 2047)))
        },
        .init("an issuer with RSA 1024", "Apple 103769", [.weakKey(subject: middle, kind: "RSA", bits: 1024)]) {
            try $0.chain(intermediateKey: .generate(.rsa(bits: 1024)))
        },
        .init("SHA-1", "Apple 103769", [.weakDigest(subject: leaf, name: "SHA-1")]) {
            try $0.chain(leaf: { $0.digest = .sha1 })
        },
        .init("an issuer signed with SHA-1", "Apple 103769", [.weakDigest(subject: middle, name: "SHA-1")]) {
            try $0.chain(intermediate: { $0.digest = .sha1 })
        },
        .init("a root signed with SHA-1", "Apple 103769", []) { try $0.chain(root: { $0.digest = .sha1 }) },
        .init(
            "a self-signed one with SHA-1", "Apple 103769",
            [.selfSigned(subject: leaf), .weakDigest(subject: leaf, name: "SHA-1")]
        ) { try .init([$0.leaf(by: nil) { $0.digest = .sha1 }], trust: []) },
    ]

    private static let authorities: [ChainCase] = [
        .init("an issuer that is no authority", "RFC 5280 §4.2.1.9", [.notAnAuthority(subject: middle)]) {
            try $0.chain(intermediate: {
                $0.set("basicConstraints", "CA:FALSE", isCritical: true)
                $0.remove("keyUsage")
            })
        },
        .init("an issuer that does not say what it is", "RFC 5280 §4.2.1.9", [.notAnAuthority(subject: middle)]) {
            try $0.chain(intermediate: { $0.remove("basicConstraints") })
        },
        .init("an issuer that may not sign", "RFC 5280 §4.2.1.3", [.notAnAuthority(subject: middle)]) {
            try $0.chain(intermediate: { $0.set("keyUsage", "cRLSign", isCritical: true) })
        },
        .init("a path length of 0 above an intermediate", "RFC 5280 §4.2.1.9", [.pathTooLong(subject: "CN=Root")]) {
            try $0.chain(root: { $0.set("basicConstraints", "CA:TRUE,pathlen:0", isCritical: true) })
        },
        .init("a path length of 1 above an intermediate", "RFC 5280 §4.2.1.9", []) {
            try $0.chain(root: { $0.set("basicConstraints", "CA:TRUE,pathlen:1", isCritical: true) })
        },
        .init(
            "a name that is not permitted", "RFC 5280 §4.2.1.10",
            [.nameConstraint(subject: leaf, reason: "permitted subtree violation")]
        ) { try $0.chain(intermediate: { $0.set("nameConstraints", "permitted;DNS:b.test", isCritical: true) }) },
        .init(
            "a name that is excluded", "RFC 5280 §4.2.1.10",
            [.nameConstraint(subject: leaf, reason: "excluded subtree violation")]
        ) { try $0.chain(root: { $0.set("nameConstraints", "excluded;DNS:test", isCritical: true) }) },
        .init("a name that is permitted", "RFC 5280 §4.2.1.10", []) {
            try $0.chain(root: { $0.set("nameConstraints", "permitted;DNS:test", isCritical: true) })
        },
    ]

    private static let order: [ChainCase] = [
        .init("the root is shown", "RFC 8446 §4.4.2", [.unneeded(subjects: ["CN=Root"])]) {
            try $0.chain().with { $0.served += $0.trust }
        },
        .init("shown twice", "RFC 8446 §4.4.2", [.unneeded(subjects: [leaf, middle])]) {
            try $0.chain().with { $0.served += $0.served }
        },
        .init("a certificate from elsewhere", "RFC 8446 §4.4.2", [.unneeded(subjects: ["CN=Other"])]) {
            let other = try $0.authority("Other").certificate
            return try $0.chain().with { $0.served.insert(other, at: 1) }
        },
        .init("two intermediates in order", "RFC 5246 §7.4.2", []) { try two($0) },
        .init("two intermediates the wrong way round", "RFC 5246 §7.4.2", [.wrongOrder(subject: "CN=Upper")]) {
            try two($0).with { $0.served.swapAt(1, 2) }
        },
        .init(
            "everything at once", "Apple 103769",
            [
                .incomplete(subject: "CN=c.test", missing: middle), .expired(subject: "CN=c.test", at: newYear - 1),
                .weakKey(subject: "CN=c.test", kind: "RSA", bits: 1024), .noPurpose(subject: "CN=c.test"),
                .weakDigest(subject: "CN=c.test", name: "SHA-1"), .noAlternativeName(commonName: "c.test"),
                .wrongHost(host: "a.test", names: ["c.test"]), .tooLong(days: 900, limit: 825),
            ]
        ) {
            try $0.chain(
                "", leafKey: .generate(.rsa(bits: 1024)),
                leaf: {
                    $0.last(900, from: newYear - 1 - 900 * day)
                    $0.commonName = "c.test"
                    $0.digest = .sha1
                    $0.remove("extendedKeyUsage")
                }
            ).with { $0.served.removeLast() }
        },
    ]

    private static func two(_ shop: ChainWorkshop) throws -> ChainWorkshop.Shown {
        let root = try shop.authority("Root")
        let upper = try shop.authority("Upper", by: root)
        let lower = try shop.authority("Lower", by: upper)
        return try .init([shop.leaf(by: lower), lower, upper], trust: [root])
    }
}
