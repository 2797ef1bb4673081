import HTTPTypes
import MotivatorPlatform
import Testing
import UltraMotivatorClient

@Suite("The domains of app and server") struct DomainMismatchTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let domain: String
        let server: String
        let matches: Bool

        init(_ domain: String, _ server: String, _ matches: Bool) {
            (self.domain, self.server, self.matches) = (domain, server, matches)
        }

        var testDescription: String { "\(domain) and \(server)" }
    }

    // Specification: shared-credentials.md, "The domains of web and app must match exactly".
    static let cases = [
        Case("app.test", "app.test", true),
        Case("App.Test", "app.test", true),
        Case("app.test", "APP.test", true),
        Case("app.test", "app.test:8443", true),
        Case("app.test:8443", "app.test:8443", true),
        Case("app.test:443", "app.test", true),
        Case("127.0.0.1", "127.0.0.1:8443", true),
        Case("[::1]", "[::1]:8443", true),
        Case("[::1]:8443", "[::1]:8443", true),
        Case("www.app.test", "app.test", false),
        Case("app.test", "www.app.test", false),
        Case("app.test.", "app.test", false),
        Case("*.app.test", "app.test", false),
        Case("app.test.evil.test", "app.test", false),
        Case("evilapp.test", "app.test", false),
        Case("app.test:8443", "app.test", false),
        Case("app.test:8443", "app.test:8444", false),
        Case("app.test:08443", "app.test:8443", false),
        Case("https://app.test", "app.test", false),
        Case("app.test/", "app.test", false),
        Case(" app.test", "app.test", false),
        Case("", "app.test", false),
    ]

    private func app(_ bench: AppBench, _ server: String) throws -> MotivatorApp {
        bench.app(APIClient(server: try ServerAddress(server), trust: []))
    }

    @Test(
        "They match letter by letter but for their case, and a port that is named has to be the same", arguments: cases)
    func match(_ each: Case) throws {
        let mismatch = try app(AppBench(domain: each.domain), each.server).mismatch
        #expect((mismatch == nil) == each.matches)
        if let mismatch {
            #expect(mismatch.problem.contains(each.domain.lowercased()) && mismatch.problem.contains(each.server))
        }
    }

    @Test("Every flow reports a mismatch before it sends anything")
    func beforeAnything() async throws {
        var bench = AppBench(Credential(account: "antoine", password: "the-secret"), domain: "www.app.test")
        bench.user.typed = Credential(account: "antoine", password: "the-secret")
        let session = AppBench.session("antoine")
        try await bench.run({ _ in .json(.ok, "{}") }) { app in
            let mismatch = try #require(app.mismatch)
            #expect(await app.launchAndLogIn() == .domainMismatch(mismatch))
            #expect(await app.signUp(account: "antoine", password: .generated) == .domainMismatch(mismatch))
            #expect(await app.signUp(account: "", password: .generated) == .domainMismatch(mismatch))
            let update = await app.update(account: "antoine", current: "the-secret", new: .generated)
            #expect(update == .domainMismatch(mismatch))
            #expect(await app.signOut(session) == .domainMismatch(mismatch))
            #expect(await app.deleteAccount(session, password: "the-secret") == .domainMismatch(mismatch))
        }
        #expect(bench.diary.lines.isEmpty)
    }

    static let addresses: [(text: String, description: String?)] = [
        ("example.com", "example.com"), ("EXAMPLE.com", "example.com"), ("example.com:443", "example.com"),
        ("example.com:8443", "example.com:8443"), ("127.0.0.1:1", "127.0.0.1:1"), ("[::1]", "[::1]"),
        ("[0:0::1]:65535", "[::1]:65535"), ("", nil), ("example.com/", nil), ("example.com/api", nil),
        ("example.com?a", nil), ("example.com#a", nil), ("https://example.com", nil), ("user@example.com", nil),
        ("example.com:0", nil), ("example.com:65536", nil), ("example.com:8443/x", nil), ("exa mple.com", nil),
        (" example.com", nil), ("example.com\r\nHost: evil", nil), ("::1", nil),
    ]

    @Test("The address of a server is a host with a port perhaps, and nothing else", arguments: addresses.indices)
    func address(index: Int) {
        let (text, description) = Self.addresses[index]
        #expect((try? ServerAddress(text))?.description == description, "\(text)")
    }
}
