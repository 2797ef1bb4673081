import Certificates
import MotivatorPlatform
import Testing

/// A name at a boundary of the name constraints.
struct ConstraintCase: Sendable, CustomTestStringConvertible {
    let rule: String
    let name: String
    let isPermitted: Bool

    init(_ rule: String, _ name: String, _ isPermitted: Bool) {
        (self.rule, self.name, self.isPermitted) = (rule, name, isPermitted)
    }

    var testDescription: String { "\(name): \(rule)" }

    /// Permitted names in addition to the default names of every CA.
    static let extra = ["motivator.example.org", "203.0.113.7", "2001:db8::7", "internal"]

    static let all = domains + addresses

    private static let domains: [ConstraintCase] = [
        .init("below a permitted top-level name", "a.test", true),
        .init("the permitted name itself", "test", true),
        .init("two labels below", "a.b.test", true),
        .init("a label that only ends with the name", "notexample.nottest", false),
        .init("the name with a letter before it", "atest", false),
        .init("the name with a hyphen before it", "a-test", false),
        .init("the name is not the last label", "test.example", false),
        .init("the name is the first of two labels", "test.com", false),
        .init("localhost", "localhost", true),
        .init("below localhost", "a.localhost", true),
        .init("a label that only ends with localhost", "mylocalhost", false),
        .init("a permitted domain", "motivator.example.org", true),
        .init("below a permitted domain", "a.motivator.example.org", true),
        .init("two labels below a permitted domain", "a.b.motivator.example.org", true),
        .init("a sibling that ends alike", "notmotivator.example.org", false),
        .init("a sibling with a hyphen", "not-motivator.example.org", false),
        .init("the parent", "example.org", false),
        .init("another child of the parent", "www.example.org", false),
        .init("the domain as prefix of another", "motivator.example.org.example.com", false),
        .init("the domain with another ending", "motivator.example.organic", false),
        .init("a wildcard below a permitted domain", "*.motivator.example.org", true),
        .init("a wildcard that matches a permitted name and others", "*.example.org", false),
        .init("a wildcard below .test", "*.a.test", true),
        .init("a permitted top-level name", "internal", true),
        .init("below it", "a.internal", true),
    ]

    private static let addresses: [ConstraintCase] = [
        .init("RFC 1122: below the range", "126.255.255.255", false),
        .init("RFC 1122: first", "127.0.0.0", true),
        .init("RFC 1122: last", "127.255.255.255", true),
        .init("RFC 1122: above the range", "128.0.0.0", false),
        .init("RFC 1918: below 10/8", "9.255.255.255", false),
        .init("RFC 1918: first of 10/8", "10.0.0.0", true),
        .init("RFC 1918: last of 10/8", "10.255.255.255", true),
        .init("RFC 1918: above 10/8", "11.0.0.0", false),
        .init("RFC 1918: below 172.16/12", "172.15.255.255", false),
        .init("RFC 1918: first of 172.16/12", "172.16.0.0", true),
        .init("RFC 1918: last of 172.16/12", "172.31.255.255", true),
        .init("RFC 1918: above 172.16/12", "172.32.0.0", false),
        .init("RFC 1918: below 192.168/16", "192.167.255.255", false),
        .init("RFC 1918: first of 192.168/16", "192.168.0.0", true),
        .init("RFC 1918: last of 192.168/16", "192.168.255.255", true),
        .init("RFC 1918: above 192.168/16", "192.169.0.0", false),
        .init("RFC 3927: below 169.254/16", "169.253.255.255", false),
        .init("RFC 3927: first of 169.254/16", "169.254.0.0", true),
        .init("RFC 3927: last of 169.254/16", "169.254.255.255", true),
        .init("RFC 3927: above 169.254/16", "169.255.0.0", false),
        .init("RFC 4291 §2.5.3: unspecified", "::", false),
        .init("RFC 4291 §2.5.3: loopback", "::1", true),
        .init("RFC 4291 §2.5.3: after loopback", "::2", false),
        .init("RFC 4193: below fc00::/7", "fbff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", false),
        .init("RFC 4193: first of fc00::/7", "fc00::", true),
        .init("RFC 4193: last of fc00::/7", "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", true),
        .init("RFC 4193: above fc00::/7", "fe00::", false),
        .init("RFC 4291 §2.5.6: below fe80::/10", "fe7f:ffff:ffff:ffff:ffff:ffff:ffff:ffff", false),
        .init("RFC 4291 §2.5.6: first of fe80::/10", "fe80::", true),
        .init("RFC 4291 §2.5.6: last of fe80::/10", "febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff", true),
        .init("RFC 4291 §2.5.6: above fe80::/10", "fec0::", false),
        .init("RFC 4291 §2.5.5.2: loopback as IPv4-mapped IPv6", "::ffff:127.0.0.1", false),
        .init("a permitted IPv4 address", "203.0.113.7", true),
        .init("the address before", "203.0.113.6", false),
        .init("the address after", "203.0.113.8", false),
        .init("a permitted IPv6 address", "2001:db8::7", true),
        .init("the IPv6 address before", "2001:db8::6", false),
        .init("the IPv6 address after", "2001:db8::8", false),
        .init("the bytes of a permitted IPv4 address in IPv6", "cb00:7107::", false),
    ]
}

@Suite("Boundaries of the name constraints (RFC 5280 §4.2.1.10)") struct NameConstraintsTests {
    private let bench: Workbench
    private let authority: Authority

    init() throws {
        bench = try Workbench()
        authority = try Authority.create(folder: bench.file("certs"), permitted: ConstraintCase.extra)
    }

    @Test("The CA and openssl verify agree on every name at a boundary")
    func boundaries() throws {
        // All cases share one CA, because each name only needs its own certificate.
        let now = Clock.system.now()
        for item in ConstraintCase.all {
            let name = try SubjectName(item.name)
            #expect(authority.constraints.permits(name) == item.isPermitted, "\(item.testDescription)")
            let refused = CertificateError.notPermitted(name: item.name, folder: bench.file("certs"))
            if item.isPermitted {
                #expect(throws: Never.self, "\(item.testDescription)") { try authority.issue(hosts: [item.name]) }
            } else {
                #expect(throws: refused, "\(item.testDescription)") { try authority.issue(hosts: [item.name]) }
            }
            let draft = CertificateDraft.server([name], kind: .p256, notBefore: now - 60, notAfter: now + day)
            let leaf = try authority.issue(draft, key: PrivateKey.generate(.p256)).certificate
            let answer = try bench.openssl(
                "verify", "-CAfile", bench.file("certs/authority.pem"), "-untrusted",
                bench.file("certs/intermediate.pem"), bench.write("leaf.pem", leaf.pem))
            #expect((answer.code == 0) == item.isPermitted, "\(item.testDescription): \(answer.output)")
        }
    }

    @Test("A certificate is issued only when all of its names are permitted")
    func several() throws {
        let folder = bench.file("certs")
        for hosts in [["a.test", "example.com"], ["example.com", "a.test"], ["a.test", "8.8.8.8"]] {
            let wrong = hosts.first { !$0.hasSuffix("test") } ?? ""
            #expect(throws: CertificateError.notPermitted(name: wrong, folder: folder)) {
                try authority.issue(hosts: hosts)
            }
            #expect(throws: CertificateError.notPermitted(name: wrong, folder: folder)) {
                try authority.identity(for: hosts[0], also: [hosts[1]])
            }
        }
        #expect(throws: CertificateError.noNames) { try authority.issue(hosts: []) }
    }

    @Test("Constraints are read from a certificate as they were written")
    func read() throws {
        let written = try NameConstraints(permitting: ConstraintCase.extra)
        #expect(NameConstraints(of: authority.root) == written)
        #expect(written.domains == ["test", "localhost", "motivator.example.org", "internal"])
        let leaf = try authority.issue(hosts: ["a.test"]).certificate
        #expect(NameConstraints(of: leaf) == nil)
    }

    @Test(
        "A top-level name is permitted only when the public DNS does not delegate it",
        arguments: [
            ("local", true), ("internal", true), ("example", true), ("invalid", true), ("com", false), ("dev", false),
        ])
    func topLevel(name: String, isAllowed: Bool) throws {
        if isAllowed {
            #expect(try NameConstraints(permitting: [name]).domains == ["test", "localhost", name])
        } else {
            #expect(throws: CertificateError.permissionTooWide(name)) { try NameConstraints(permitting: [name]) }
        }
    }

    @Test("A name that is already permitted is not written twice")
    func repeated() throws {
        let once = try NameConstraints(permitting: ["example.org", "203.0.113.7"])
        let names = ["example.org", "203.0.113.7", "a.example.org", "203.0.113.7", "b.test", "127.0.0.1"]
        #expect(try NameConstraints(permitting: names) == once)
    }
}
