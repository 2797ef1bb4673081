import AssociatedDomains
import Testing

@Suite("The hosts that an entry covers")
struct AssociatedDomainCoverageTests {
    struct Case: CustomTestStringConvertible {
        let entry: String
        let host: String
        let profiles: Set<Profile>
        let source: String
        var testDescription: String { "\(entry) and \(host.debugDescription): \(source)" }

        init(_ entry: String, _ host: String, _ profiles: Set<Profile>, _ source: String) {
            (self.entry, self.host, self.profiles, self.source) = (entry, host, profiles, source)
        }
    }

    @Test("By each profile", arguments: cases)
    func covers(_ test: Case) throws {
        let domain = try AssociatedDomain(test.entry)
        for profile in Profile.allCases {
            #expect(domain.covers(test.host, in: profile) == test.profiles.contains(profile), "\(profile)")
        }
    }

    private static let all = Set(Profile.allCases)
    private static let depth = "associated-domains.md: covers every depth of subdomain"
    private static let root = "associated-domains.md: the root too (TN3155, device), not the root (archived guide)"
    private static let exact = "Supporting associated domains: an entry names one domain"
    private static let longName = Array(repeating: "abcdefgh", count: 30).joined(separator: ".")

    private static let cases: [Case] = [
        Case("applinks:example.com", "example.com", all, exact),
        Case("applinks:example.com", "Example.COM", all, "RFC 4343: names are compared without case"),
        Case("applinks:EXAMPLE.com", "example.com", all, "RFC 4343"),
        Case("applinks:example.com", "www.example.com", [], exact),
        Case("applinks:www.example.com", "example.com", [], exact),
        Case("applinks:example.com", "example.org", [], exact),
        Case("applinks:example.com", "example.com.", [], "no document takes the dot away"),
        Case("applinks:example.com", "", [], "no host"),
        Case("applinks:example.com:8443", "example.com", all, "the port is not looked at"),
        Case("applinks:*.example.com", "www.example.com", all, depth),
        Case("applinks:*.example.com", "WWW.Example.Com", all, "RFC 4343"),
        Case("applinks:*.example.com", "a.b.example.com", all, depth),
        Case("applinks:*.example.com", "a.b.c.d.e.f.example.com", all, depth),
        Case("applinks:*.example.com", "xn--mnchen-3ya.example.com", all, depth),
        Case("applinks:*.example.com", "a_b.example.com", all, depth),
        Case("applinks:*.example.com", "example.com", [.documented, .device], root),
        Case("webcredentials:*.example.com", "www.example.com", all, depth),
        Case("webcredentials:*.example.com", "EXAMPLE.com", [.documented, .device], root),
        Case("applinks:*.example.com:8443", "example.com", [.documented, .device], root),
        Case("applinks:*.example.com", "badexample.com", [], "a label ends at a dot"),
        Case("applinks:*.example.com", "example.com.evil.org", [], "a suffix, not a prefix"),
        Case("applinks:*.example.com", "com", [], "the domain above"),
        Case("applinks:*.example.com", ".example.com", [], "RFC 1035, 2.3.1: no empty label"),
        Case("applinks:*.example.com", "a..example.com", [], "RFC 1035, 2.3.1: no empty label"),
        Case("applinks:*.example.com", "*.example.com", [], "a wildcard is no host"),
        Case("applinks:*.example.com", "a b.example.com", [], "RFC 1123, 2.1: no space"),
        Case("applinks:*.example.com", "a\0.example.com", [], "RFC 1123, 2.1: no control character"),
        Case("applinks:*.example.com", "a/b.example.com", [], "RFC 1123, 2.1: no slash"),
        Case("applinks:*.example.com", "www.example.com.", [], "no document takes the dot away"),
        Case("applinks:*.example.com", "\(longName).example.com", [], "RFC 1035, 2.3.4: 255 octets"),
        Case("applinks:*.www.example.com", "www.example.com", [.documented, .device], root),
        Case("applinks:*.www.example.com", "a.example.com", [], depth),
        Case("applinks:192.0.2.1?mode=developer", "192.0.2.1", all, "an address is compared as a whole"),
        Case("applinks:192.0.2.1?mode=developer", "2.1", [], "an address is compared as a whole"),
        Case("applinks:[2001:db8::1]?mode=developer", "[2001:DB8:0:0::1]", all, "RFC 5952: one address, two spellings"),
        Case("applinks:[2001:db8::1]?mode=developer", "2001:db8::1", all, "with and without brackets"),
        Case("applinks:localhost?mode=developer", "LOCALHOST", all, "RFC 4343"),
    ]

    @Test("The file of a wildcard entry is at the host after it, and that of an explicit subdomain at the subdomain")
    func files() throws {
        let wildcard = try AssociatedDomain("applinks:*.example.com")
        let www = try AssociatedDomain("applinks:www.example.com")
        #expect(wildcard.covers("www.example.com", in: .device))
        #expect(wildcard.fileHost != www.fileHost)
    }
}
