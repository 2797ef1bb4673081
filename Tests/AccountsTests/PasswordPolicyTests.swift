import Testing

@testable import Accounts

@Suite("Password policy") struct PasswordPolicyTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let rule: String
        let typed: String
        var name = "Ada"
        var minimum = 8
        var fault: PasswordPolicy.Fault?
        var testDescription: String { rule }
    }

    private static let tooLong = PasswordPolicy.Fault.tooLong(maximumBytes: 1024)

    @Test(
        "A new password is fine, or refused with the reason (NIST SP 800-63B-4 §3.1.1.2)",
        arguments: [
            Case(rule: "8 code points", typed: "mnbzxcvl"),
            Case(rule: "7 code points", typed: "mnbzxcv", fault: .tooShort(minimum: 8)),
            Case(rule: "nothing", typed: "", fault: .tooShort(minimum: 8)),
            Case(rule: "8 code points outside the BMP", typed: "🏔🏔🏔🏔🏔🏔🏔🏔"),
            Case(rule: "code points count, not characters", typed: "🇩🇪🇩🇪🇩🇪🇩🇪"),
            Case(
                rule: "code points count after NFC", typed: "e\u{301}e\u{301}e\u{301}e\u{301}",
                fault: .tooShort(minimum: 8)),
            Case(rule: "NUL counts", typed: "mnbz\0cvl"),
            Case(rule: "spaces are not trimmed", typed: "  mnbz  "),
            Case(rule: "spaces alone are no rule's business", typed: "        "),
            Case(rule: "no rule asks for digits", typed: "only letters here"),
            Case(rule: "1024 bytes", typed: String(repeating: "x", count: 1024)),
            Case(rule: "1025 bytes", typed: String(repeating: "x", count: 1025), fault: tooLong),
            Case(rule: "bytes count, not code points", typed: String(repeating: "é", count: 513), fault: tooLong),
            Case(rule: "bytes count after NFC: 1536 as typed", typed: String(repeating: "e\u{301}", count: 512)),
            Case(rule: "one more", typed: String(repeating: "e\u{301}", count: 513), fault: tooLong),
            Case(
                rule: "far too long is told without composing", typed: String(repeating: "e\u{301}", count: 100_000),
                fault: tooLong),
            Case(rule: "one of the commonest", typed: "password", fault: .common),
            Case(rule: "in another case", typed: "PassWord", fault: .common),
            Case(rule: "one of the commonest with digits", typed: "1qaz2wsx", fault: .common),
            Case(rule: "not trimmed for the list either", typed: "password "),
            Case(rule: "the user name", typed: "Lovelace", name: "Lovelace", fault: .isUserName),
            Case(
                rule: "the user name in another case", typed: "STRASSENMUSIK", name: "Straßenmusik",
                fault: .isUserName),
            Case(
                rule: "the user name composed otherwise", typed: "e\u{301}milienne", name: "\u{C9}milienne",
                fault: .isUserName),
            Case(rule: "the user name with something", typed: "Lovelace!", name: "Lovelace"),
            Case(rule: "too short comes before the user name", typed: "Ada", fault: .tooShort(minimum: 8)),
            Case(rule: "14 of 15", typed: "mnbzxcvlkjhgfd", minimum: 15, fault: .tooShort(minimum: 15)),
            Case(rule: "15 of 15", typed: "mnbzxcvlkjhgfds", minimum: 15),
            Case(rule: "a minimum below the range is 8", typed: "mnbzxcv", minimum: 1, fault: .tooShort(minimum: 8)),
            Case(rule: "a minimum above the range is 64", typed: String(repeating: "x", count: 64), minimum: 1000),
        ])
    func policy(_ example: Case) throws {
        let name = try UserName(example.name)
        do {
            try PasswordPolicy(minimumLength: example.minimum).check(example.typed, for: name)
            #expect(example.fault == nil)
        } catch {
            #expect(error == example.fault)
        }
    }

    @Test("A minimum that is set later is brought into the range too")
    func setLater() {
        var policy = PasswordPolicy()
        policy.minimumLength = 3
        #expect(policy.minimumLength == 8)
        policy.minimumLength = 15
        #expect(policy.minimumLength == 15)
    }

    @Test("The list has more than 3,000 passwords, all of which the other rules would let pass")
    func list() {
        #expect(CommonPasswords.count == 3600)
        #expect(CommonPasswords.contains("trustno1"))
        #expect(!CommonPasswords.contains("123456"))
    }

    @Test("A password is hashed in NFC, whichever way it was typed")
    func composition() throws {
        let composed = try Password("p\u{E4}sswo\u{308}rd")
        let decomposed = try Password("pa\u{308}ssw\u{F6}rd")
        #expect(composed.withBytes { Array($0) } == Array("p\u{E4}ssw\u{F6}rd".utf8))
        #expect(decomposed.withBytes { Array($0) } == composed.withBytes { Array($0) })
    }

    @Test("A password has all its bytes, and is not printed", arguments: ["", "secret", "sec\0ret", "\0secret"])
    func bytes(_ typed: String) throws {
        let password = try Password(typed)
        #expect(password.withBytes { Array($0) } == Array(typed.utf8))
        var shown = "\(password) \(String(reflecting: password))"
        dump(password, to: &shown)
        #expect(!shown.contains("ret"))
    }

    @Test("Passwords that differ by a NUL at the end differ for the HMAC, which fills up with NULs (RFC 2104 §2)")
    func ends() throws {
        let typed = ["a", "a\0", "a\0\0", "a\u{1}", "a\0\u{1}", "a\u{1}\u{1}", "a\u{1}\0", "", "\0", "\u{1}"]
        let hashed = try typed.map { try Password($0).withBytes { Array($0) } }
        #expect(Set(hashed).count == typed.count)
        for bytes in hashed { #expect(bytes.last != 0) }
    }
}
