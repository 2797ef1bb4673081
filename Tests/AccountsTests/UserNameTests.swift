import Testing

@testable import Accounts

@Suite("User names") struct UserNameTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let rule: String
        let typed: String
        var fault: UserName.Fault?
        var testDescription: String { rule }
    }

    @Test(
        "A name is taken as typed in NFC, or refused with the reason",
        arguments: [
            Case(rule: "one code point is enough", typed: "a"),
            Case(rule: "nothing is no name", typed: "", fault: .empty),
            Case(rule: "64 code points", typed: String(repeating: "x", count: 64)),
            Case(rule: "65 code points", typed: String(repeating: "x", count: 65), fault: .tooLong(codePoints: 65)),
            Case(rule: "64 code points outside the BMP", typed: String(repeating: "🏔", count: 64)),
            Case(
                rule: "64 after composition of 128", typed: String(repeating: "e\u{301}", count: 64)),
            Case(
                rule: "65 after composition", typed: String(repeating: "e\u{301}", count: 65),
                fault: .tooLong(codePoints: 65)),
            Case(
                rule: "code points count, not characters: a flag is two", typed: String(repeating: "🇩🇪", count: 33),
                fault: .tooLong(codePoints: 66)),
            Case(
                rule: "66 after decomposition of 33 that NFC keeps apart (U+0958)",
                typed: String(repeating: "\u{958}", count: 33), fault: .tooLong(codePoints: 66)),
            Case(
                rule: "far too many are not composed", typed: String(repeating: "x", count: 257),
                fault: .tooLong(codePoints: 257)),
            Case(rule: "spaces are kept", typed: " Ada  Lovelace "),
            Case(rule: "an e-mail address", typed: "ada@example.com"),
            Case(rule: "emoji with joiners", typed: "👩‍🚀"),
            Case(rule: "NUL", typed: "\0", fault: .controlCharacter(at: 1)),
            Case(rule: "newline in the middle", typed: "ada\nadmin", fault: .controlCharacter(at: 4)),
            Case(rule: "CR LF, which is one character", typed: "ab\r\n", fault: .controlCharacter(at: 3)),
            Case(rule: "escape", typed: "a\u{1B}[2J", fault: .controlCharacter(at: 2)),
            Case(rule: "DEL", typed: "a\u{7F}", fault: .controlCharacter(at: 2)),
            Case(rule: "C1", typed: "\u{85}", fault: .controlCharacter(at: 1)),
            Case(rule: "line separator", typed: "ab\u{2028}", fault: .controlCharacter(at: 3)),
            Case(rule: "paragraph separator", typed: "ab\u{2029}", fault: .controlCharacter(at: 3)),
            Case(rule: "first embedding", typed: "a\u{202A}", fault: .controlCharacter(at: 2)),
            Case(rule: "right-to-left override", typed: "a\u{202E}nimda", fault: .controlCharacter(at: 2)),
            Case(rule: "first isolate", typed: "\u{2066}a", fault: .controlCharacter(at: 1)),
            Case(rule: "last isolate", typed: "a\u{2069}", fault: .controlCharacter(at: 2)),
            Case(rule: "what stands beside the overrides: narrow space", typed: "a\u{202F}b"),
            Case(rule: "what stands beside the isolates: invisible plus", typed: "a\u{2064}b"),
            Case(rule: "place counted in what was typed", typed: "e\u{301}\n", fault: .controlCharacter(at: 3)),
        ])
    func faults(_ example: Case) {
        do {
            let name = try UserName(example.typed)
            #expect(example.fault == nil)
            #expect(name.text == example.typed)
        } catch {
            #expect(error == example.fault)
        }
    }

    struct Pair: CustomTestStringConvertible, Sendable {
        let rule: String
        let one: String
        let other: String
        var same = true
        var testDescription: String { rule }
    }

    @Test(
        "Names that only case or composition tells apart are the same account",
        arguments: [
            Pair(rule: "ASCII", one: "Ada", other: "aDA"),
            Pair(rule: "sharp s and SS", one: "Straße", other: "STRASSE"),
            Pair(rule: "capital sharp s", one: "Straße", other: "STRA\u{1E9E}E"),
            Pair(rule: "final sigma", one: "ΟΔΟΣ", other: "οδος"),
            Pair(rule: "final sigma and the other", one: "οδοσ", other: "οδος"),
            Pair(rule: "capital I with dot and its parts", one: "\u{130}stanbul", other: "I\u{307}stanbul"),
            Pair(rule: "capital I with dot in lower case", one: "\u{130}", other: "i\u{307}"),
            Pair(rule: "capital I with dot is not I", one: "\u{130}stanbul", other: "Istanbul", same: false),
            Pair(rule: "dotless i has I as its capital", one: "\u{131}", other: "I"),
            Pair(rule: "long s", one: "\u{17F}alt", other: "SALT"),
            Pair(rule: "ligature", one: "\u{FB03}", other: "FFI"),
            Pair(rule: "composed and decomposed", one: "\u{E9}", other: "e\u{301}"),
            Pair(rule: "composed and decomposed in another case", one: "\u{C9}", other: "e\u{301}"),
            Pair(rule: "Kelvin sign", one: "\u{212A}", other: "k"),
            Pair(rule: "Cyrillic", one: "Лев", other: "ЛЕВ"),
            Pair(rule: "iota below", one: "\u{1FB3}", other: "\u{391}\u{399}"),
            Pair(rule: "Deseret", one: "\u{10400}", other: "\u{10428}"),
            Pair(rule: "Cyrillic a is not Latin a", one: "\u{430}", other: "a", same: false),
            Pair(rule: "accents count", one: "e", other: "é", same: false),
            Pair(rule: "spaces count", one: "ada", other: "ada ", same: false),
            Pair(rule: "width counts", one: "a", other: "\u{FF41}", same: false),
        ])
    func keys(_ pair: Pair) throws {
        let (one, other) = (try UserName(pair.one), try UserName(pair.other))
        #expect((Array(one.key.utf8) == Array(other.key.utf8)) == pair.same)
    }

    @Test("What is shown is in NFC, and a folded name folds to itself")
    func forms() throws {
        let name = try UserName("E\u{301}mile")
        #expect(Array(name.text.utf8) == Array("\u{C9}mile".utf8))
        #expect(Array(name.key.utf8) == Array("\u{E9}mile".utf8))
        #expect(try UserName(name.key).key == name.key)
    }
}
