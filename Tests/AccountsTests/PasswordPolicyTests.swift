import Testing

@testable import Accounts

@Suite("Password policy") struct PasswordPolicyTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let rule: String
        let typed: String
        var name = "Ada"
        var minimum = 8
        var fault: PasswordPolicy.Failure?
        var testDescription: String { rule }
    }

    private static let tooLong = PasswordPolicy.Failure.tooLong(maximumBytes: 1024)

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
            Case(rule: "the user name with something", typed: "Lovelace!", name: "Lovelace", fault: .isUserName),
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

    @Test("A minimum that is set later is also limited to the range")
    func setLater() {
        var policy = PasswordPolicy()
        policy.minimumLength = 3
        #expect(policy.minimumLength == 8)
        policy.minimumLength = 15
        #expect(policy.minimumLength == 15)
    }

    struct Decoration: CustomTestStringConvertible, Sendable {
        let rule: String
        let typed: String
        var name = "Ada"
        var sites = ["Ultra Motivator", "www.books.example"]
        var fault: PasswordPolicy.Failure?
        var testDescription: String { rule }
    }

    private static func site(_ word: String) -> PasswordPolicy.Failure { .isSiteName(word: word) }

    @Test(
        "A password must not be the site's name or the user name, even if it is decorated",
        arguments: [
            Decoration(rule: "the site's name", typed: "Ultra Motivator", fault: site("Ultra Motivator")),
            Decoration(rule: "in one word", typed: "ultramotivator", fault: site("Ultra Motivator")),
            Decoration(rule: "a word of it", typed: "Motivator", fault: site("Motivator")),
            Decoration(rule: "in capitals", typed: "MOTIVATOR", fault: site("Motivator")),
            Decoration(rule: "with a year", typed: "motivator2026", fault: site("Motivator")),
            Decoration(rule: "with punctuation around it", typed: "!!ultra!!", fault: site("Ultra")),
            Decoration(rule: "with characters between", typed: "m-o-t-i-v-a-t-o-r", fault: site("Motivator")),
            Decoration(rule: "a label of the domain", typed: "books123", fault: site("books")),
            Decoration(rule: "the domain", typed: "www.books.example", fault: site("www.books.example")),
            Decoration(rule: "8 decorations", typed: "ultra87654321", fault: site("Ultra")),
            Decoration(rule: "9 decorations may be hard to guess", typed: "ultra876543219"),
            Decoration(rule: "another word with it", typed: "ultra books"),
            Decoration(
                rule: "a word of 4 letters", typed: "bike1234", sites: ["Bike Shop"], fault: site("Bike")),
            Decoration(rule: "a word of 3 letters does not count", typed: "art87654", sites: ["Art Shop"]),
            Decoration(rule: "a short label does not count", typed: "www87654321"),
            Decoration(rule: "a site without a name", typed: "ultra1234", sites: []),
            Decoration(rule: "the user name with digits", typed: "Ada12345", fault: .isUserName),
            Decoration(rule: "the user name with other digits", typed: "ada98765", name: "Ada1990", fault: .isUserName),
            Decoration(
                rule: "a user name of digits", typed: "+47 1234 5678", name: "4712345678", fault: .isUserName),
            Decoration(rule: "other digits", typed: "+47 1234 5679", name: "4712345678"),
            Decoration(rule: "a user name of emoji", typed: "🏔🏔🏔🏔🏔🏔🏔🏔", name: "🏔🏔🏔🏔🏔🏔🏔🏔", fault: .isUserName),
            Decoration(rule: "other emoji", typed: "🚀🚀🚀🚀🚀🚀🚀🚀", name: "🏔🏔🏔🏔🏔🏔🏔🏔"),
            Decoration(rule: "Cyrillic", typed: "ТУРГЕНЕВ!1", name: "Тургенев", fault: .isUserName),
        ])
    func decorations(_ example: Decoration) throws {
        let policy = PasswordPolicy(siteNames: example.sites)
        let name = try UserName(example.name)
        do {
            try policy.check(example.typed, for: name)
            #expect(example.fault == nil)
        } catch {
            #expect(error == example.fault)
        }
    }

    @Test("At least 10,000 common passwords of 8 or more characters are refused")
    func list() {
        let guesses = PasswordGuesses.forms.flatMap { form in
            let endings: [String] = PasswordGuesses.suffixes.map { form + $0 }
            let beginnings: [String] = PasswordGuesses.prefixes.map { $0 + form }
            return [form] + endings + beginnings
        }
        let all = CommonPasswords.entries.union(PasswordGuesses.patterns).union(guesses)
        let long = all.filter { $0.unicodeScalars.count >= 8 && $0.utf8.count <= 64 }
        #expect(long.count >= 10_000)
        #expect(CommonPasswords.entries.count >= 3500)
        #expect(PasswordGuesses.patterns.filter { $0.count >= 8 }.count >= 5000)
        #expect(CommonPasswords.entries.allSatisfy { $0.count >= 8 && $0 == $0.lowercased() })
        // The sample covers each part of the rules.
        for password in long.shuffled().prefix(5000) { #expect(CommonPasswords.contains(password), "\(password)") }
    }

    @Test(
        "Common passwords and their variants are refused",
        arguments: [
            "trustno1", "password", "PASSWORD", "P@$$w0rd", "password2026!", "Password1!", "Summer2024", "dragon123",
            "monkey!!", "qwertyuiop", "poiuytrewq", "asdfghjkl", "1qaz2wsx", "zaq12wsx", "1q2w3e4r", "qwer1234",
            "dragon1950", "dragon2035", "12345678", "87654321", "11111111", "aaaaaaaa", "abcabcabc", "abcdefgh",
            "01011990", "19901990", "20260101",
            "iloveyou", "ilovemichael", "letmeinletmein", "!@#$%^&*", "123qweasd", "passwort1", "contrasena1",
        ])
    func common(_ password: String) {
        #expect(CommonPasswords.contains(password))
    }

    @Test(
        "Passwords that no rule of guessing makes are accepted",
        arguments: [
            "123456", "mnbzxcvl", "a mountain of books", "Bücherberge", "dragon-monkey-lamp", "kq8#vTz!", "xyzzy-plugh",
            "correct horse", "19840229", "passwordless car", "dragon1949", "dragon2036",
        ])
    func uncommon(_ password: String) {
        #expect(!CommonPasswords.contains(password))
    }

    @Test("A password is hashed in NFC")
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
