import MotivatorHTTP
import Testing

@testable import UltraMotivator

@Suite("Requests of other sites (Fetch Metadata)") struct SameOriginTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let fields: String
        let isAllowed: Bool

        init(_ rule: String, _ fields: String, _ isAllowed: Bool) {
            testDescription = rule
            self.fields = fields
            self.isAllowed = isAllowed
        }
    }

    static let cases = [
        Case("An app or a command-line tool says nothing", "", true),
        Case("This site's own form", "Sec-Fetch-Site: same-origin\r\n", true),
        Case("A person typed or dropped it", "Sec-Fetch-Site: none\r\n", true),
        Case("A sibling host", "Sec-Fetch-Site: same-site\r\n", false),
        Case("A stranger", "Sec-Fetch-Site: cross-site\r\n", false),
        Case("A word nobody knows", "Sec-Fetch-Site: unheard-of\r\n", false),
        Case("An empty word", "Sec-Fetch-Site: \r\n", false),
        Case("Sec-Fetch-Site decides before Origin", "Sec-Fetch-Site: same-origin\r\nOrigin: null\r\n", true),
        Case("Origin is ours", "Origin: https://one.test:8443\r\n", true),
        Case("Host names have no case", "Origin: https://ONE.test:8443\r\n", true),
        Case("Origin without TLS", "Origin: http://one.test:8443\r\n", false),
        Case("Another port", "Origin: https://one.test\r\n", false),
        Case("Another host", "Origin: https://two.test:8443\r\n", false),
        Case("A host that begins like ours", "Origin: https://one.test:8443.evil.test\r\n", false),
        Case("An origin that is not revealed", "Origin: null\r\n", false),
        Case("An empty origin", "Origin: \r\n", false),
        Case("A scheme alone", "Origin: https://\r\n", false),
        Case("A path is not part of an origin", "Origin: https://one.test:8443/\r\n", false),
        Case("Two origins in one line", "Origin: https://one.test:8443 https://one.test:8443\r\n", false),
        Case(
            "Two lines, even if equal", "Origin: https://one.test:8443\r\nOrigin: https://one.test:8443\r\n", false),
        Case(
            "Two lines of Sec-Fetch-Site, even if equal", "Sec-Fetch-Site: same-origin\r\nSec-Fetch-Site: none\r\n",
            false),
        Case("A scheme has no case", "Origin: HTTPS://one.test:8443\r\n", true),
        Case("A port with a sign", "Origin: https://one.test:+8443\r\n", false),
        Case("A port over 65,535", "Origin: https://one.test:73979\r\n", false),
    ]

    @Test("Only requests of this site or of no site may change something", arguments: cases)
    func unsafe(_ example: Case) throws {
        for method in ["POST", "DELETE"] {
            let head = try Bench.head(method, "/", host: "one.test:8443", fields: example.fields)
            #expect(SameOrigin.allows(head) == example.isAllowed)
        }
    }

    struct Site: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let target: String
        let host: String
        let origin: String
        let isAllowed: Bool

        init(_ rule: String, _ target: String, host: String, _ origin: String, _ isAllowed: Bool) {
            testDescription = rule
            (self.target, self.host, self.origin, self.isAllowed) = (target, host, origin, isAllowed)
        }
    }

    static let sites = [
        Site("443 is the default port of Host", "/", host: "one.test", "https://one.test:443", true),
        Site("443 is the default port of Origin", "/", host: "one.test:443", "https://one.test", true),
        Site("An empty port is the default port (RFC 3986 §3.2.3)", "/", host: "one.test:", "https://one.test", true),
        Site("The default port is not another port", "/", host: "one.test", "https://one.test:8443", false),
        Site("A dot at the end of Host", "/", host: "one.test.:8443", "https://one.test:8443", true),
        Site("A dot at the end of Origin", "/", host: "one.test", "https://one.test.", true),
        Site("Two dots at the end", "/", host: "one.test", "https://one.test..", false),
        Site("An IPv6 address with a port", "/", host: "[::1]:8443", "https://[::1]:8443", true),
        Site("An IPv6 address without a port", "/", host: "[::1]", "https://[::1]:443", true),
        Site("Another IPv6 address", "/", host: "[::1]", "https://[::2]", false),
        Site(
            "The target's authority wins over Host (RFC 9112 §3.2.2)", "https://two.test:8443/a", host: "one.test",
            "https://two.test:8443", true),
        Site(
            "Host does not count next to an absolute target", "https://two.test/a", host: "one.test",
            "https://one.test", false),
        Site("An absolute target without a path", "https://two.test?a=b", host: "one.test", "https://two.test", true),
        Site("A target in upper case", "HTTPS://TWO.test/", host: "one.test", "https://two.test:443", true),
        Site("A URL in a path is no authority", "/https://two.test/", host: "one.test", "https://two.test", false),
    ]

    @Test("Origin is compared with the host that the request is for", arguments: sites)
    func effectiveHost(_ site: Site) throws {
        let head = try Bench.head("POST", site.target, host: site.host, fields: "Origin: \(site.origin)\r\n")
        #expect(SameOrigin.allows(head) == site.isAllowed)
    }

    @Test(
        "Another site may link to a check, but not embed one or fetch one (Fetch Metadata)",
        arguments: [
            ("", true), ("Sec-Fetch-Site: none", true), ("Sec-Fetch-Site: same-origin", true),
            ("Sec-Fetch-Site: cross-site", false), ("Sec-Fetch-Site: same-site", false),
            ("Sec-Fetch-Site: cross-site\r\nSec-Fetch-Dest: document", true),
            ("Sec-Fetch-Site: cross-site\r\nSec-Fetch-Dest: image", false),
            ("Sec-Fetch-Site: cross-site\r\nSec-Fetch-Dest: document\r\nSec-Fetch-Dest: image", false),
            ("Sec-Fetch-Site: none\r\nSec-Fetch-Site: cross-site", false),
        ])
    func document(_ fields: String, _ isAllowed: Bool) throws {
        let head = try Bench.head("GET", "/check", host: "one.test", fields: fields.isEmpty ? "" : fields + "\r\n")
        #expect(SameOrigin.allowsDocument(head) == isAllowed)
    }

    @Test("Every site may send a safe request", arguments: cases)
    func safe(_ example: Case) throws {
        let head = try Bench.head("GET", "/", host: "one.test:8443", fields: example.fields)
        #expect(SameOrigin.allows(head))
    }
}
