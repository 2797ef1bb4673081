import AssociatedDomains
import Platform
import Testing

@testable import SourceJSON

@Suite("Files that are no list of entitlements")
struct EntitlementsFaultTests {
    typealias Fault = Entitlements.Fault
    typealias Builder = BinaryListBuilder

    struct Case: CustomTestStringConvertible {
        let name: String
        let bytes: [UInt8]
        let fault: Fault
        var testDescription: String { name }

        init(_ name: String, _ bytes: [UInt8], _ fault: Fault) {
            (self.name, self.bytes, self.fault) = (name, bytes, fault)
        }

        init(_ name: String, _ text: String, _ fault: Fault) {
            self.init(name, Array(text.utf8), fault)
        }

        /// A text and what is wrong at a column of its last line.
        init(_ name: String, _ text: String, column: Int, _ mistake: Entitlements.XMLMistake) {
            let last = text.split(separator: "\n", omittingEmptySubsequences: false)
            let before = last.dropLast().reduce(0) { $0 + $1.utf8.count + 1 }
            let within = (last.last ?? "").unicodeScalars.prefix(column - 1).reduce(0) { $0 + UTF8.width($1) }
            let place = SourceJSON.SourceLocation(line: last.count, column: column, offset: before + within)
            self.init(name, text, .xml(place, mistake))
        }
    }

    @Test("Each fault has a name of its own", arguments: wrongFiles + xml + binary)
    func fault(_ test: Case) {
        #expect(throws: test.fault) { try Entitlements(test.bytes) }
        #expect(!test.fault.problem.hasSuffix(".") && !test.fault.remedy.hasSuffix("."))
        #expect(!test.fault.remedy.isEmpty && test.fault.exitCode == .badInput)
        #expect(!test.fault.description.contains("\n") && test.fault.description.utf8.count < 500)
    }

    private static let wrongFiles: [Case] = [
        Case("nothing", "", .empty),
        Case("white space", " \n\t", .empty),
        Case("a mark alone", "\u{FEFF}\n", .empty),
        Case("too large", [UInt8](repeating: 0x20, count: 262_145), .tooLarge(size: 262_145)),
        Case("UTF-16 with a mark", [0xFF, 0xFE, 0x3C, 0], .encoding(name: "UTF-16")),
        Case("UTF-16 without", [0, 0x3C, 0, 0x3F], .encoding(name: "UTF-16")),
        Case("another binary version", "bplist15" + String(repeating: "0", count: 40), .binaryVersion),
        Case("DER of a signature", [0x70, 0x81, 0x90, 0x02, 0x01, 0x01], .distinguishedEncoding),
        Case("short DER", [0x70, 0x03, 0x02, 0x01, 0x01], .distinguishedEncoding),
        Case("codesign without --xml", [0xFA, 0xDE, 0x71, 0x71, 0, 0, 1, 0] + Array("<?xml".utf8), .signatureBlob),
        Case("the DER blob", [0xFA, 0xDE, 0x71, 0x72, 0, 0, 1, 0, 0x70], .signatureBlob),
        Case("a profile", [0x30, 0x82, 0x2F, 0x10, 0x06, 0x09], .provisioningProfile),
        Case("an executable", [0xCF, 0xFA, 0xED, 0xFE, 0x0C, 0, 0, 1], .executable),
        Case("an executable of two kinds", [0xCA, 0xFE, 0xBA, 0xBE, 0, 0, 0, 2], .executable),
        Case("an archive", "PK\u{3}\u{4}\u{14}", .archive),
        Case("an old list", "{ \"com.apple.developer.associated-domains\" = (\"applinks:a.com\"); }", .openStep),
        Case("an old array", "( \"applinks:a.com\" )", .openStep),
        Case("a project", "// !$*UTF8*$!\n{ archiveVersion = 1; }", .openStep),
        Case("an association file", "{\"applinks\":{\"details\":[]}}", .json),
        Case("a JSON array", "[\"applinks:a.com\"]", .json),
        Case("JSON with a mistake", "{\"applinks\":{},}", .json),
        Case("a page", "<!DOCTYPE html>\n<title>404</title>", .html),
        Case("a page in upper case", "\n<HTML>", .html),
        Case("rich text", "{\\rtf1\\ansi}", .richText),
        Case("an entry", "applinks:a.com\nwebcredentials:a.com\n", .entries("applinks:a.com")),
        Case("something", "hello world", .neither(beginning: "hello")),
        Case("zeros", [0, 0, 0, 0], .neither(beginning: "\0\0\0\0")),
    ]

    private static let head = "<plist>\n<dict>\n"

    private static let xml: [Case] = [
        Case("cut off", "<plist>\n<dict>\n<key>a", column: 7, .cutOff(inside: "<key>")),
        Case("cut off in a tag", "<plist>\n<dict", column: 1, .cutOff(inside: "a tag")),
        Case("cut off in a comment", "<plist>\n<!-- a -- >", column: 1, .cutOff(inside: "the comment")),
        Case("cut off in CDATA", "<plist><string><![CDATA[a]]", column: 16, .cutOff(inside: "the CDATA section")),
        Case(
            "cut off in an instruction", "<?xml version='1.0'", column: 1, .cutOff(inside: "the processing instruction")
        ),
        Case("cut off in the DOCTYPE", "<!DOCTYPE plist \"a>", column: 1, .cutOff(inside: "the DOCTYPE")),
        Case("a bare <", "<plist><string>a < b</string></plist>", column: 18, .malformedTag),
        Case("a tag within a tag", "<plist><string<a>", column: 8, .malformedTag),
        Case("an empty tag", "<plist><></plist>", column: 8, .malformedTag),
        Case("an end tag with attributes", "<plist><dict></dict a=\"b\">", column: 14, .malformedTag),
        Case("an unknown element", "<plist><strng>a</strng></plist>", column: 8, .unknownElement("strng")),
        Case("upper case", "<plist><Dict/></plist>", column: 8, .unknownElement("Dict")),
        Case("plist in plist", "<plist><plist/></plist>", column: 8, .unknownElement("plist")),
        Case("crossed", "\(head)<key>a</string>", column: 7, .wrongEnd(found: "string", expected: "key")),
        Case("too many ends", "<plist><dict/></plist></plist>", column: 23, .wrongEnd(found: "plist", expected: nil)),
        Case("text in a dictionary", "\(head) a <key>", column: 2, .text(inside: "dict")),
        Case("text in an array", "<plist><array>applinks:a.com", column: 15, .text(inside: "array")),
        Case("text in front", "<?xml version='1.0'?> a <plist/>", column: 23, .noValue),
        Case("text behind", "<plist><dict/></plist> a", column: 24, .secondValue),
        Case("a second value", "<plist><dict/><dict/></plist>", column: 15, .secondValue),
        Case("a second list", "<plist><dict/></plist>\n<plist/>", column: 1, .secondValue),
        Case("a tag in a string", "<plist><string>a<b>", column: 17, .elementInside("string")),
        Case("an unclosed string", "<plist><array><string>a\n<string>", column: 1, .elementInside("string")),
        Case("a value without a key", "\(head)<string>", column: 1, .missingKey),
        Case("a second value of a key", "\(head)<key>a</key><true/><true/>", column: 20, .missingKey),
        Case("a key without a value", "\(head)<key>a</key>\n<key>", column: 1, .missingValue(key: "a")),
        Case("the last key without a value", "\(head)<key>a</key></dict>", column: 13, .missingValue(key: "a")),
        Case("a key in an array", "<plist><array><key>", column: 15, .keyOutsideDictionary),
        Case("a key at the top", "<key>a</key>", column: 1, .keyOutsideDictionary),
        Case("an empty list", "<plist>\n</plist>", column: 1, .noValue),
        Case("an empty element", "<plist/>", column: 1, .noValue),
        Case("a comment alone", "<!-- a -->", column: 11, .noValue),
        Case("an entity of HTML", "<plist><string>a&nbsp;", column: 17, .unknownEntity("nbsp")),
        Case("an entity of its own", "<plist><string>&lol9;</string>", column: 16, .unknownEntity("lol9")),
        Case("a reference without digits", "<plist><string>&#;", column: 16, .unknownEntity("#")),
        Case("a signed reference", "<plist><string>&#x-1;", column: 16, .unknownEntity("#x-1")),
        Case("a bare ampersand", "<plist><string>a & b; c", column: 18, .ampersand),
        Case("an ampersand at the end", "<plist><string>a&", column: 17, .ampersand),
        Case("a reference to nothing", "<plist><string>&#0;", column: 16, .forbiddenCharacter(0)),
        Case("half of a pair", "<plist><string>&#xD800;", column: 16, .forbiddenCharacter(0xD800)),
        Case("beyond Unicode", "<plist><string>&#x110000;", column: 16, .forbiddenCharacter(0x11_0000)),
        Case("a zero byte", "<plist><string>a\0", column: 17, .forbiddenCharacter(0)),
        Case("a control character in CDATA", "<plist><string><![CDATA[\u{1}]]>", column: 25, .forbiddenCharacter(1)),
        Case("declarations", "<!DOCTYPE plist [", column: 17, .declarations),
        Case("an encoding", "<?xml version=\"1.0\" encoding='ISO-8859-1'?>", column: 1, .encoding("ISO-8859-1")),
        Case("a typographic quote", "<plist version=\u{201C}1.0\u{201D}>", column: 16, .typographicQuote),
        Case(
            "no UTF-8", Array("<plist>\nä".utf8) + [0xFF],
            .xml(SourceJSON.SourceLocation(line: 2, column: 2, offset: 10), .invalidUTF8(byte: 0xFF))),
        Case(
            "an array at the top", "<plist><array/></plist>",
            .notADictionary(SourceJSON.SourceLocation(line: 1, column: 16, offset: 15), found: "an array")),
        Case(
            "a key twice", "<plist><dict><key>a</key><true/><key>a</key><true/></dict></plist>",
            .duplicateKey(SourceJSON.SourceLocation(line: 1, column: 38, offset: 37), key: "a")),
        Case(
            "too deep", String(repeating: "<array>", count: 65), column: 449, .tooDeep(limit: 64)),
    ]

    private static let key = Builder.ascii(Entitlements.key)

    private static let binary: [Case] = [
        Case("cut off", Array(EntitlementsTests.binary.prefix(30)), .binary(offset: 30, .tooShort)),
        Case("the end is missing", EntitlementsTests.binary.dropLast(9) + [], .binary(offset: 230, .trailer)),
        Case("no object", Builder(objects: []).bytes, .binary(offset: 40, .tooShort)),
        Case("too many objects", Builder(objects: [[0xD0]], claimedCount: .max).bytes, .binary(offset: 13, .trailer)),
        Case("a top that is not there", Builder(objects: [[0xD0]], top: 1).bytes, .binary(offset: 13, .trailer)),
        Case(
            "references of 9 bytes", Builder(objects: [[0xD0]], referenceSize: 9).bytes, .binary(offset: 13, .trailer)),
        Case("an object in the header", Builder(objects: [[0xD0]], offsets: [7]).bytes, .binary(offset: 9, .offset)),
        Case("an object in the table", Builder(objects: [[0xD0]], offsets: [9]).bytes, .binary(offset: 9, .offset)),
        Case("a top that is an array", Builder(objects: [[0xA0]]).bytes, .notADictionary(nil, found: "an array")),
        Case("an unknown object", Builder(objects: [[0xF0]]).bytes, .binary(offset: 8, .unknownObject)),
        Case("an unknown simple object", Builder(objects: [[0x05]]).bytes, .binary(offset: 8, .unknownObject)),
        Case("a reference to nothing", Builder(objects: [[0xD1, 1, 7], key]).bytes, .binary(offset: 10, .reference)),
        Case("a dictionary beyond the end", Builder(objects: [[0xD9, 1]]).bytes, .binary(offset: 9, .length)),
        Case(
            "a huge count", Builder(objects: [[0xDF, 0x13] + Builder.number(.max, 8)]).bytes,
            .binary(offset: 8, .length)),
        Case(
            "a count that doubles to nothing",
            Builder(objects: [[0xDF, 0x13] + Builder.number(1 << 63, 8)]).bytes, .binary(offset: 8, .length)),
        Case("a count of 16 bytes", Builder(objects: [[0xDF, 0x14]]).bytes, .binary(offset: 8, .length)),
        Case("a count cut off", Builder(objects: [[0xDF, 0x13, 0]]).bytes, .binary(offset: 8, .length)),
        Case(
            "a string beyond the end", Builder(objects: [[0xD1, 1, 1], [0x59, 0x61]]).bytes,
            .binary(offset: 11, .length)),
        Case(
            "a string of Latin-1", Builder(objects: [[0xD1, 1, 1], [0x51, 0xE4]]).bytes, .binary(offset: 11, .text)),
        Case("half of a pair", Builder(objects: [[0xD1, 1, 1], [0x61, 0xD8, 0]]).bytes, .binary(offset: 11, .text)),
        Case("a key that is no string", Builder(objects: [[0xD1, 1, 1], [0x09]]).bytes, .binary(offset: 11, .key)),
        Case("a key that is the list", Builder(objects: [[0xD1, 0, 0]]).bytes, .binary(offset: 8, .key)),
        Case(
            "a key twice", Builder(objects: [[0xD2, 1, 1, 2, 2], [0x51, 0x61], [0x08]]).bytes,
            .duplicateKey(nil, key: "a")),
        Case(
            "one long string repeated",
            Builder(
                objects: [
                    [0xD1, 1, 2], key, Builder.array([UInt8](repeating: 3, count: 3_000)),
                    Builder.ascii(String(repeating: "a", count: 3_000)),
                ]
            ).bytes, .binary(offset: 3061, .repetition)),
    ]
}
