import AssociatedDomains
import HTTPSClient
import MotivatorPlatform
import Testing

@testable import AssociationChecker

@Suite("The ID of a relying party") struct RelyingPartyIDTests {
    @Test(
        "An RP ID is a domain name in lower case (Web Authentication Level 3, 5.1.2)",
        arguments: [
            ("example.com", "example.com"), ("Login.EXAMPLE.com", "login.example.com"), ("localhost", "localhost"),
        ])
    func name(_ text: String, _ name: String) throws {
        #expect(try RelyingPartyID(text).name == name)
    }

    static let malformed: [(text: String, reason: String, fix: String)] = [
        ("https://example.com", "is a URL", "Use only its host: example.com"),
        ("https://münchen.example", "is a URL", "Use only its host: xn--mnchen-3ya.example"),
        ("192.0.2.1", "is an IP address", "Use a domain name"), ("::1", "is an IP address", "Use a domain name"),
        ("[::1]", "is an IP address", "Use a domain name"),
        ("example.com:8443", "has a port", "Use only the host: example.com"),
        ("localhost:8443", "has a port", "Use only the host: localhost"),
        ("example.com.", "is not a domain name", "without a trailing dot"),
        (".example.com", "is not a domain name", "Use a domain name"),
        ("example.123", "is not a domain name", "Use a domain name"),
        ("München.example", "has non-ASCII characters", "Write the name in Punycode: xn--mnchen-3ya.example"),
        ("com", "has only one label", "such as com.com"),
    ]

    @Test("A text that is not an RP ID has the reason and the fix", arguments: malformed)
    func refused(_ text: String, _ reason: String, _ fix: String) {
        let error = #expect(throws: ExplainedFailure.self) { try RelyingPartyID(text) }
        #expect(error?.problem.hasSuffix(reason) == true, "\(error?.problem ?? "")")
        #expect(error?.fix.contains(fix) == true, "\(error?.fix ?? "")")
    }

    @Test(
        "A page may use the RP ID of its own host or of a parent domain",
        arguments: [
            ("https://example.com", true), ("https://a.b.example.com:8443", true), ("https://badexample.com", false),
            ("https://example.com.evil.test", false), ("https://com", false),
        ])
    func owns(_ origin: String, _ isOwn: Bool) throws {
        #expect(try RelyingPartyID("example.com").owns(WebURL(origin)) == isOwn)
    }

    /// The entries of an app, and the entry that covers example.com.
    static let covered: [(entries: [String], entry: String?)] = [
        (["webcredentials:*.example.com", "webcredentials:example.com"], "webcredentials:example.com"),
        (["applinks:example.com", "webcredentials:*.example.com"], "webcredentials:*.example.com"),
        (["webcredentials:example.com:443"], "webcredentials:example.com:443"),
        (["webcredentials:example.com:8443"], nil), (["webcredentials:*.example.com:8443"], nil),
        (["applinks:example.com"], nil), (["webcredentials:www.example.com"], nil), ([], nil),
    ]

    @Test("Only an entry for webcredentials and port 443 covers an RP ID, and the exact name first", arguments: covered)
    func coveringEntry(_ texts: [String], _ expected: String?) throws {
        let entries = try texts.map { try AssociatedDomain($0) }
        let wanted = try expected.map { try AssociatedDomain($0) }
        #expect(try RelyingPartyID("example.com").coveringEntry(entries) == wanted)
    }

    @Test("The entry that the author may have meant is the one with the same name and service, then the same name")
    func nearestEntry() throws {
        let texts = [
            "applinks:other.test", "webcredentials:other.test", "applinks:www.example.com", "applinks:example.com",
            "webcredentials:example.com:8443",
        ]
        let entries = try texts.map { try AssociatedDomain($0) }
        let rp = try RelyingPartyID("example.com")
        for (count, index) in [(5, 4), (4, 3), (3, 2), (2, 1)] {
            #expect(rp.nearestEntry(Array(entries.prefix(count))) == entries[index], "\(texts.prefix(count))")
        }
        #expect(rp.nearestEntry(Array(entries.prefix(1))) == nil)
    }
}
