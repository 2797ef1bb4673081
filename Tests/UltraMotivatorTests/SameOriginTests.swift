import HTTP
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
        Case("An origin that is kept secret", "Origin: null\r\n", false),
    ]

    @Test("Only this site's own, or nobody's, may change anything", arguments: cases)
    func unsafe(_ example: Case) throws {
        for method in ["POST", "DELETE"] {
            let head = try Bench.head(method, "/", host: "one.test:8443", fields: example.fields)
            #expect(SameOrigin.allows(head) == example.isAllowed)
        }
    }

    @Test("Everybody may look", arguments: cases)
    func safe(_ example: Case) throws {
        let head = try Bench.head("GET", "/", host: "one.test:8443", fields: example.fields)
        #expect(SameOrigin.allows(head))
    }
}
