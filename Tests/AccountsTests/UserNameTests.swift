import Foundation
import Testing

@testable import Accounts

@Suite("User names") struct UserNameTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let rule: String
        let typed: String
        var fault: UserName.Failure?
        var testDescription: String { rule }
    }

    @Test("A name that is accepted keeps its form, also with marks that Swift orders in two steps")
    func orderedMarks() throws {
        let name = try UserName("\u{F40}\u{333}\u{F81}")
        #expect(name.text.unicodeScalars.elementsEqual("\u{F40}\u{F71}\u{F80}\u{333}".unicodeScalars))
        #expect(try UserName(name.text).text.utf8.elementsEqual(name.text.utf8))
        #expect(try UserName(name.text).key == name.key)
    }

    @Test(
        "A name is accepted in NFC, or refused with the reason",
        arguments: [
            Case(rule: "one code point is enough", typed: "a"),
            Case(rule: "nothing is no name", typed: "", fault: .empty),
            Case(rule: "64 code points", typed: String(repeating: "x", count: 64)),
            Case(rule: "65 code points", typed: String(repeating: "x", count: 65), fault: .tooLong(codePoints: 65)),
            Case(rule: "64 code points outside the BMP", typed: String(repeating: "🏔", count: 64)),
            Case(
                rule: "64 after composition of 128", typed: String(repeating: "e\u{301}", count: 64)),
            Case(
                rule: "64 after composition of 256",
                typed: String(repeating: "\u{3C9}\u{313}\u{300}\u{345}", count: 64)),
            Case(
                rule: "65 after composition", typed: String(repeating: "e\u{301}", count: 65),
                fault: .tooLong(codePoints: 65)),
            Case(
                rule: "code points count, not characters: a flag is two", typed: String(repeating: "🇩🇪", count: 33),
                fault: .tooLong(codePoints: 66)),
            Case(rule: "single spaces between words", typed: "Ada B. Lovelace"),
            Case(rule: "a space only", typed: " ", fault: .extraSpace),
            Case(rule: "a space at the start", typed: " Ada", fault: .extraSpace),
            Case(rule: "a space at the end, which keyboards add", typed: "Ada ", fault: .extraSpace),
            Case(rule: "two spaces in a row", typed: "Ada  Lovelace", fault: .extraSpace),
            Case(rule: "a space that carries an accent, at the start", typed: " \u{301}a", fault: .extraSpace),
            Case(
                rule: "66 after decomposition of 33 that NFC keeps apart (U+0958)",
                typed: String(repeating: "\u{958}", count: 33), fault: .tooLong(codePoints: 66)),
            Case(
                rule: "far too many are not composed", typed: String(repeating: "x", count: 257),
                fault: .tooLong(codePoints: 257)),
            Case(rule: "a name is not changed: case and a space inside stay", typed: "Ada LOVELACE"),
            Case(rule: "an e-mail address", typed: "ada@example.com"),
            Case(rule: "emoji without joiners", typed: "👩🏽🚀🇩🇪"),
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
            Case(
                rule: "what stands beside the overrides: narrow space", typed: "a\u{202F}b",
                fault: .variantCharacter(at: 2)),
            Case(
                rule: "what stands beside the isolates: invisible plus", typed: "a\u{2064}b",
                fault: .invisibleCharacter(at: 2)),
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

    private static func text(_ scalars: [UInt32]) -> String {
        String(String.UnicodeScalarView(scalars.compactMap(Unicode.Scalar.init)))
    }

    @Test(
        "The name of a new account is not mistaken for another (Unicode Technical Standard #39)",
        arguments: [
            Case(rule: "soft hyphen", typed: "ad\u{AD}min", fault: .invisibleCharacter(at: 3)),
            Case(rule: "combining grapheme joiner", typed: "a\u{34F}", fault: .invisibleCharacter(at: 2)),
            Case(rule: "Hangul filler", typed: "\u{3164}", fault: .invisibleCharacter(at: 1)),
            Case(rule: "half-width Hangul filler", typed: "a\u{FFA0}", fault: .invisibleCharacter(at: 2)),
            Case(rule: "Hangul choseong filler", typed: "a\u{115F}", fault: .invisibleCharacter(at: 2)),
            Case(rule: "zero-width space", typed: "a\u{200B}", fault: .invisibleCharacter(at: 2)),
            Case(rule: "zero-width joiner, also in emoji", typed: "👩‍🚀", fault: .invisibleCharacter(at: 2)),
            Case(rule: "left-to-right mark", typed: "\u{200E}a", fault: .invisibleCharacter(at: 1)),
            Case(rule: "Arabic letter mark", typed: "a\u{61C}", fault: .invisibleCharacter(at: 2)),
            Case(rule: "word joiner", typed: "a\u{2060}b", fault: .invisibleCharacter(at: 2)),
            Case(rule: "Mongolian vowel separator", typed: "a\u{180E}", fault: .invisibleCharacter(at: 2)),
            Case(rule: "byte order mark", typed: "\u{FEFF}a", fault: .invisibleCharacter(at: 1)),
            Case(rule: "variation selector", typed: "❤\u{FE0F}", fault: .invisibleCharacter(at: 2)),
            Case(rule: "supplementary variation selector", typed: "a\u{E0100}", fault: .invisibleCharacter(at: 2)),
            Case(rule: "tag", typed: "a\u{E0061}", fault: .invisibleCharacter(at: 2)),
            Case(rule: "blank Braille pattern", typed: "a\u{2800}", fault: .invisibleCharacter(at: 2)),
            Case(rule: "interlinear annotation", typed: "a\u{FFF9}", fault: .invisibleCharacter(at: 2)),
            Case(rule: "private use", typed: "a\u{E000}", fault: .invisibleCharacter(at: 2)),
            Case(rule: "unassigned", typed: "a\u{50000}", fault: .invisibleCharacter(at: 2)),
            Case(
                rule: "unassigned after composition", typed: "\u{1113}\u{1161}\u{11AB}",
                fault: .invisibleCharacter(at: 1)),
            Case(rule: "noncharacter", typed: "a\u{FFFE}", fault: .invisibleCharacter(at: 2)),
            Case(rule: "no-break space", typed: "a\u{A0}b", fault: .variantCharacter(at: 2)),
            Case(rule: "ideographic space", typed: "山\u{3000}田", fault: .variantCharacter(at: 2)),
            Case(rule: "full-width letter", typed: "\u{FF41}dmin", fault: .variantCharacter(at: 1)),
            Case(rule: "mathematical letter", typed: "\u{1D41A}dmin", fault: .variantCharacter(at: 1)),
            Case(rule: "mathematical Greek letter", typed: "\u{1D6C2}", fault: .variantCharacter(at: 1)),
            Case(rule: "ligature", typed: "o\u{FB03}ce", fault: .variantCharacter(at: 2)),
            Case(rule: "circled letter", typed: "\u{24D0}", fault: .variantCharacter(at: 1)),
            Case(rule: "Latin with Cyrillic а", typed: "\u{430}dmin", fault: .mixedScripts),
            Case(rule: "Latin with Greek ο", typed: "r\u{3BF}\u{3BF}t", fault: .mixedScripts),
            Case(rule: "Latin with Armenian", typed: "ada \u{585}", fault: .mixedScripts),
            Case(rule: "Latin with Arabic", typed: "ada محمد", fault: .mixedScripts),
            Case(rule: "Greek with Cyrillic", typed: "αж", fault: .mixedScripts),
            Case(rule: "Cyrillic with Han", typed: "ж山", fault: .mixedScripts),
            Case(rule: "Hangul with Hiragana", typed: "한あ", fault: .mixedScripts),
            Case(rule: "Bopomofo with Hiragana", typed: "ㄅあ", fault: .mixedScripts),
            Case(rule: "a script that is not in common use: Lisu", typed: "ꓮꓓꓟꓲꓠ", fault: .mixedScripts),
            Case(rule: "a script that is not in common use: Cherokee", typed: "ᎪᎠᎷ", fault: .mixedScripts),
            Case(rule: "digits of two systems", typed: "12৪", fault: .mixedScripts),
            Case(rule: "Cyrillic that reads as Latin", typed: "\u{441}\u{43E}\u{441}\u{43E}", fault: .looksLatin),
            Case(rule: "Cyrillic that reads as Latin, with digits", typed: "\u{430}-1", fault: .looksLatin),
            Case(rule: "Cyrillic with an accent", typed: "\u{440}\u{435}\u{451}", fault: .looksLatin),
            Case(
                rule: "each small Cyrillic letter that reads as Latin",
                typed: text([
                    0x430, 0x441, 0x435, 0x43E, 0x440, 0x445, 0x443, 0x456, 0x458, 0x455, 0x4BB, 0x501, 0x51B, 0x51D,
                    0x4CF, 0x433, 0x44C, 0x475, 0x4AF,
                ]), fault: .looksLatin),
            Case(
                rule: "each capital Cyrillic letter that reads as Latin",
                typed: text([
                    0x410, 0x412, 0x415, 0x41A, 0x41C, 0x41D, 0x41E, 0x420, 0x421, 0x422, 0x425, 0x423, 0x406, 0x408,
                    0x405, 0x4AE, 0x51A, 0x51C, 0x50C, 0x4C0, 0x474, 0x42C,
                ]), fault: .looksLatin),
            Case(
                rule: "each Greek letter that reads as Latin",
                typed: text([
                    0x3B1, 0x3B9, 0x3BD, 0x3BF, 0x3C1, 0x3C3, 0x3C5, 0x3B3, 0x3F2, 0x3F3, 0x3F1, 0x391, 0x392, 0x395,
                    0x396, 0x397, 0x399, 0x39A, 0x39C, 0x39D, 0x39F, 0x3A1, 0x3A4, 0x3A5, 0x3A7, 0x3F9, 0x37F,
                ]), fault: .looksLatin),
            Case(
                rule: "each Armenian letter that reads as Latin",
                typed: text([0x585, 0x578, 0x57D, 0x570, 0x581, 0x566, 0x575, 0x555, 0x54D, 0x54F, 0x53C]),
                fault: .looksLatin),
            Case(rule: "Greek capitals that read as Latin", typed: "\u{391}\u{392}\u{395}", fault: .looksLatin),
            Case(rule: "Armenian that reads as Latin", typed: "\u{570}\u{578}\u{585}", fault: .looksLatin),
            Case(rule: "Latin with accents", typed: "Émile Zátopek-Ångström Łukasz"),
            Case(rule: "Cyrillic", typed: "Лев Толстой"),
            Case(rule: "Cyrillic with one letter of its own", typed: "Роман"),
            Case(rule: "Greek", typed: "Σωκράτης"),
            Case(rule: "Armenian", typed: "Արամ Խաչատրյան և"),
            Case(rule: "Arabic", typed: "محمد"),
            Case(rule: "Arabic with its digits", typed: "محمد ٤٢"),
            Case(rule: "Hebrew", typed: "שרה"),
            Case(rule: "Hindi", typed: "लक्ष्मी"),
            Case(rule: "Bengali", typed: "রবীন্দ্রনাথ"),
            Case(rule: "Tamil", typed: "தமிழ்"),
            Case(rule: "Telugu", typed: "తెలుగు"),
            Case(rule: "Kannada", typed: "ಕನ್ನಡ"),
            Case(rule: "Malayalam", typed: "മലയാളം"),
            Case(rule: "Gujarati", typed: "ગુજરાતી"),
            Case(rule: "Gurmukhi", typed: "ਪੰਜਾਬੀ"),
            Case(rule: "Odia", typed: "ଓଡ଼ିଆ".precomposedStringWithCanonicalMapping),
            Case(rule: "Sinhala", typed: "සිංහල"),
            Case(rule: "Thai", typed: "น้ำฝน"),
            Case(rule: "Lao", typed: "ລາວ"),
            Case(rule: "Khmer", typed: "ខ្មែរ"),
            Case(rule: "Burmese", typed: "မြန်မာ"),
            Case(rule: "Tibetan", typed: "བོད"),
            Case(rule: "Georgian", typed: "შოთა"),
            Case(rule: "Ethiopic", typed: "አበበ"),
            Case(rule: "Thaana", typed: "ދިވެހި"),
            Case(rule: "Japanese with Latin", typed: "山田はなこ ハナコー Hanako"),
            Case(rule: "Chinese with Latin", typed: "王小明 Ming"),
            Case(rule: "Chinese with Bopomofo and Latin", typed: "王ㄅㄆ Wang"),
            Case(rule: "Korean with Latin", typed: "김민수 金 Kim"),
            Case(rule: "digits and symbols alone", typed: "№7 🏔🇩🇪 €".replacingOccurrences(of: "№", with: "#")),
        ])
    func appearance(_ example: Case) {
        do {
            #expect(try UserName(example.typed).text == example.typed)
            #expect(example.fault == nil)
        } catch {
            #expect(error == example.fault)
        }
    }

    @Test(
        "Names of earlier accounts are read by the earlier rules",
        arguments: ["\u{430}dmin", "a\u{200B}", "\u{FF41}", " ", "a "])
    func existing(_ name: String) throws {
        #expect(try UserName(existing: name).text == name)
        #expect(throws: UserName.Failure.self) { try UserName(name) }
    }

    struct Pair: CustomTestStringConvertible, Sendable {
        let rule: String
        let one: String
        let other: String
        var same = true
        var testDescription: String { rule }
    }

    @Test(
        "Names that differ only in case or composition belong to the same account",
        arguments: [
            Pair(rule: "ASCII", one: "Ada", other: "aDA"),
            Pair(rule: "sharp s and SS", one: "Straße", other: "STRASSE"),
            Pair(rule: "capital sharp s", one: "Straße", other: "STRA\u{1E9E}E"),
            Pair(rule: "final sigma", one: "ΟΔΟΣ", other: "οδος"),
            Pair(rule: "final sigma and the other", one: "οδοσ", other: "οδος"),
            // NFC composes the lowercase letter with the iota below it, but not the uppercase letter.
            Pair(rule: "iota below two accents", one: "\u{38F}\u{301}\u{345}", other: "\u{3CE}\u{301}\u{345}"),
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
        let (one, other) = (try UserName(existing: pair.one), try UserName(existing: pair.other))
        #expect((Array(one.key.utf8) == Array(other.key.utf8)) == pair.same)
    }

    @Test("A displayed name is in NFC, and a folded name folds to itself")
    func forms() throws {
        let name = try UserName("E\u{301}mile")
        #expect(Array(name.text.utf8) == Array("\u{C9}mile".utf8))
        #expect(Array(name.key.utf8) == Array("\u{E9}mile".utf8))
        #expect(try UserName(name.key).key == name.key)
    }
}
