import MotivatorPlatform
import TestSupport
import Testing

@testable import AssociatedDomains

@Suite("Entries of the associated-domains entitlement")
struct AssociatedDomainTests {
    struct Accepted: CustomTestStringConvertible {
        let name: String
        let text: String
        let service: Service
        let host: String
        var isWildcard = false
        var port: UInt16?
        var modes: AssociatedDomain.Modes = []
        var issues: Set<String> = []
        let source: String
        var testDescription: String { "\(name): \(text.debugDescription) (\(source))" }
    }

    @Test("An entry that a device accepts is parsed", arguments: AssociatedDomainCases.accepted)
    func accepted(_ test: Accepted) throws {
        let domain = try AssociatedDomain(test.text)
        #expect(domain.service == test.service)
        #expect(domain.host == test.host)
        #expect(domain.isWildcard == test.isWildcard)
        #expect(domain.port == test.port)
        #expect(domain.modes == test.modes)
        #expect(Set(domain.issues.map(\.entry.diagnostic.code)) == test.issues)
    }

    @Test("The description of an entry is an equal entry", arguments: AssociatedDomainCases.accepted)
    func description(_ test: Accepted) throws {
        let domain = try AssociatedDomain(test.text)
        let again = try AssociatedDomain(domain.description)
        #expect(again == domain)
        #expect(again.hashValue == domain.hashValue)
        #expect(again.description == domain.description)
    }

    @Test("Hosts are compared without case", arguments: AssociatedDomainCases.accepted)
    func caseOfHost(_ test: Accepted) throws {
        let domain = try AssociatedDomain(test.text)
        guard let colon = test.text.firstIndex(of: ":") else { return }
        let upper = test.text[...colon] + test.text[colon...].dropFirst().uppercased()
        // The word "mode" itself must remain unchanged.
        let changed = upper.replacing("?MODE=", with: "?mode=").replacing("&MODE=", with: "&mode=")
        #expect(try AssociatedDomain(String(changed)) == domain)
    }

    struct Refusal: CustomTestStringConvertible {
        let name: String
        let text: String
        let error: AssociatedDomain.Malformed
        let source: String
        var testDescription: String { "\(name): \(text.debugDescription) (\(source))" }

        init(_ name: String, _ text: String, _ error: AssociatedDomain.Malformed, _ source: String) {
            (self.name, self.text, self.error, self.source) = (name, text, error, source)
        }
    }

    @Test(
        "Each kind of malformed text has its own error",
        arguments: AssociatedDomainCases.whole + AssociatedDomainCases.services + AssociatedDomainCases.hosts
            + AssociatedDomainCases.tails)
    func malformed(_ refusal: Refusal) {
        #expect(throws: refusal.error) { try AssociatedDomain(refusal.text) }
        #expect(!refusal.error.problem.hasSuffix(".") && !refusal.error.fix.hasSuffix("."))
        #expect(!refusal.error.fix.isEmpty && !refusal.error.description.contains("\n"))
        #expect(refusal.error.description.utf8.count < 600)
        #expect(refusal.error.exitCode == .badInput)
    }

    @Test(
        "If the intended entry is certain, the fix contains it",
        arguments: [
            (" webcredentials:example.com", "webcredentials:example.com"),
            ("webcredentials: example.com", "webcredentials:example.com"),
            ("\u{201C}applinks:example.com\u{201D}", "applinks:example.com"),
            ("<string>applinks:*.example.com</string>", "applinks:*.example.com"),
            ("https://www.example.com/a?b=c#d", "webcredentials:www.example.com"),
            ("applinks:https://example.com/", "applinks:example.com"),
            ("applinks://example.com", "applinks:example.com"),
            ("example.com:8443", "webcredentials:example.com:8443"),
            ("webcredential:example.com?mode=Developer", "webcredentials:example.com?mode=developer"),
            ("applinks:.example..com.", "applinks:example.com"),
            ("applinks:user:secret@example.com:8443", "applinks:example.com:8443"),
            ("applinks:example.com:0", "applinks:example.com"),
            ("applinks:localhost", "applinks:localhost?mode=developer"),
            ("applinks:localhost:8443?mode=managed", "applinks:localhost:8443?mode=developer"),
            ("applinks:192.0.2.7", "applinks:192.0.2.7?mode=developer"),
            ("applinks:[2001:DB8::1]:8443", "applinks:[2001:db8::1]:8443?mode=developer"),
            ("applinks:::1?mode=developer", "applinks:[::1]?mode=developer"),
            ("applinks;example.com", "applinks:example.com"),
            ("applinks example.com:8443", "applinks:example.com:8443"),
            ("https://127.0.0.1:8443/", "webcredentials:127.0.0.1:8443?mode=developer"),
            ("localhost", "webcredentials:localhost?mode=developer"),
            ("applinks:::1", "applinks:[::1]?mode=developer"),
            ("applinks:example.com,", "applinks:example.com"),
            ("applinks:example\u{200B}.com", "applinks:example.com"),
            ("applinks:example.com&mode=developer", "applinks:example.com?mode=developer"),
            ("applinks:example.com;mode=Managed", "applinks:example.com?mode=managed"),
            ("applinks:example.com mode=developer", "applinks:example.com?mode=developer"),
            ("applinks:*example.com", "applinks:*.example.com"),
            ("applinks:*.*.example.com:8443", "applinks:*.example.com:8443"),
            ("applinks:www.*.example.com?mode=developer", "applinks:*.example.com?mode=developer"),
        ])
    func corrected(text: String, meant: String) {
        let error = #expect(throws: AssociatedDomain.Malformed.self) { try AssociatedDomain(text) }
        #expect(error?.fix.hasPrefix("Write \"\(meant)\"") == true, "\(error?.fix ?? "none")")
    }

    @Test(
        "The error of an unknown service names the most similar service",
        arguments: [
            ("webcredential", Service.webcredentials), ("web-credentials", .webcredentials),
            ("webcredentails", .webcredentials), ("applink", .applinks),
            ("applniks", .applinks),
            ("appclip", .appclips), ("activitycontinuations", .activitycontinuation),
            ("handoff", .activitycontinuation), ("messagefilters", .messagefilter),
            ("classificationreports", .classificationreport), ("authserv", .authsrv), ("SSO", .authsrv),
            ("universallinks", .applinks),
        ])
    func nearMiss(word: String, service: Service) {
        let text = "\(word):example.com"
        #expect(throws: AssociatedDomain.Malformed.unknownService(text, service: word, suggestion: service)) {
            try AssociatedDomain(text)
        }
    }

    @Test("A message shows what cannot be seen, and stays on one line of reasonable length")
    func message() throws {
        let invisible = AssociatedDomain.Malformed.character("applinks:a\u{200B}b.c", "\u{200B}", position: 11)
        #expect(invisible.problem.contains("U+200B at character 11"))
        for text in [String(repeating: "x\n", count: 500), "applinks:" + String(repeating: "a/", count: 400)] {
            let error = try #require(throws: AssociatedDomain.Malformed.self) { try AssociatedDomain(text) }
            #expect(error.description.utf8.count < 600 && !error.description.contains("\n"))
        }
    }

    @Test("The host of the file follows the wildcard, and its authority is that of a URL")
    func file() throws {
        let wildcard = try AssociatedDomain("applinks:*.Example.com:8443")
        #expect(wildcard.fileHost == "example.com" && wildcard.fileAuthority == "example.com:8443")
        let www = try AssociatedDomain("applinks:www.example.com")
        #expect(www.fileHost == "www.example.com" && www.fileAuthority == "www.example.com")
        let address = try AssociatedDomain("applinks:[2001:db8::1]:8443?mode=developer")
        #expect(address.fileHost == "2001:db8::1" && address.fileAuthority == "[2001:db8::1]:8443")
        #expect(address.isAddress && !wildcard.isAddress)
    }

    @Test("Random bytes and edits of entries are parsed or refused, and the description of a parsed entry parses again")
    func random() throws {
        var generator = SeededGenerator(seed: 0xE27)
        let pieces =
            AssociatedDomainCases.accepted.map(\.text) + ["*.", "..", ":", "?mode=", "[::1]", "//", "\u{0}", "ä", "@"]
        var accepted = 0
        for _ in 0..<1_500 {
            var bytes = Array((pieces.randomElement(using: &generator) ?? "").utf8)
            for _ in 0..<Int.random(in: 0...3, using: &generator) {
                let index = Int.random(in: 0...bytes.count, using: &generator)
                switch Int.random(in: 0..<4, using: &generator) {
                case 0: bytes.insert(UInt8.random(in: 0...255, using: &generator), at: index)
                case 1 where index < bytes.count: bytes.remove(at: index)
                case 2 where index < bytes.count: bytes[index] = UInt8.random(in: 0...255, using: &generator)
                default: bytes.insert(contentsOf: (pieces.randomElement(using: &generator) ?? "").utf8, at: index)
                }
            }
            do throws(AssociatedDomain.Malformed) {
                let domain = try AssociatedDomain(String(decoding: bytes, as: UTF8.self))
                accepted += 1
                #expect(try AssociatedDomain(domain.description) == domain)
                #expect(domain.isWildcard || domain.covers(domain.fileHost, in: .ios9))
            } catch {
                #expect(error.description.utf8.count < 1_200 && !error.description.contains("\n"))
            }
        }
        #expect(accepted > 200, "too few edits produce a valid entry")
    }
}
