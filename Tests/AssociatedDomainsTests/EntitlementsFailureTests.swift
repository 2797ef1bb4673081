import AssociatedDomains
import MotivatorPlatform
import Testing

@testable import SourceJSON

@Suite("Files that are not a list of entitlements")
struct EntitlementsFaultTests {
    typealias Failure = Entitlements.Failure
    typealias Builder = BinaryListBuilder

    struct Case: CustomTestStringConvertible {
        let name: String
        let bytes: [UInt8]
        let fault: Failure
        var testDescription: String { name }

        init(_ name: String, _ bytes: [UInt8], _ fault: Failure) {
            (self.name, self.bytes, self.fault) = (name, bytes, fault)
        }

        init(_ name: String, _ text: String, _ fault: Failure) {
            self.init(name, Array(text.utf8), fault)
        }
    }

    @Test("Each kind of file is recognized", arguments: wrongFiles + lists)
    func fault(_ test: Case) {
        #expect(throws: test.fault) { try Entitlements(test.bytes) }
        #expect(!test.fault.problem.hasSuffix(".") && !test.fault.fix.hasSuffix("."))
        #expect(!test.fault.fix.isEmpty && test.fault.exitCode == .badInput)
        #expect(!test.fault.description.contains("\n") && test.fault.description.utf8.count < 500)
    }

    private static let wrongFiles: [Case] = [
        Case("nothing", "", .empty),
        Case("white space", " \n\t", .empty),
        Case("a mark alone", "\u{FEFF}\n", .empty),
        Case("too large", [UInt8](repeating: 0x20, count: 262_145), .tooLarge(size: 262_145)),
        Case("UTF-16 with a mark", [0xFF, 0xFE, 0x3C, 0], .other(.utf16)),
        Case("UTF-16 without", [0, 0x3C, 0, 0x3F], .other(.utf16)),
        Case(
            "codesign without --xml", [0xFA, 0xDE, 0x71, 0x71, 0, 0, 1, 0] + Array("<?xml".utf8),
            .other(.signatureBlob)),
        Case("the DER blob", [0xFA, 0xDE, 0x71, 0x72, 0, 0, 1, 0, 0x70], .other(.signatureBlob)),
        Case("a profile", [0x30, 0x82, 0x2F, 0x10, 0x06, 0x09], .other(.provisioningProfile)),
        Case("an executable", [0xCF, 0xFA, 0xED, 0xFE, 0x0C, 0, 0, 1], .other(.executable)),
        Case("an executable of two kinds", [0xCA, 0xFE, 0xBA, 0xBE, 0, 0, 0, 2], .other(.executable)),
        Case("an archive", "PK\u{3}\u{4}\u{14}", .other(.archive)),
        Case(
            "an old list", "{ \"com.apple.developer.associated-domains\" = (\"applinks:a.com\"); }",
            .neither(beginning: "{")),
        Case("an old array", "( \"applinks:a.com\" )", .neither(beginning: "(")),
        Case("a project", "// !$*UTF8*$!\n{ archiveVersion = 1; }", .neither(beginning: "//")),
        Case("an association file", "{\"applinks\":{\"details\":[]}}", .other(.json)),
        Case("a JSON array", "[\"applinks:a.com\"]", .other(.json)),
        Case("JSON with a mistake", "{\"applinks\":{},}", .other(.json)),
        Case("a page", "<!DOCTYPE html>\n<title>404</title>", .other(.html)),
        Case("a page in upper case", "\n<HTML>", .other(.html)),
        Case("rich text", "{\\rtf1\\ansi}", .other(.richText)),
        Case("an entry", "applinks:a.com\nwebcredentials:a.com\n", .entries("applinks:a.com")),
        Case("something", "hello world", .neither(beginning: "hello")),
        Case("zeros", [0, 0, 0, 0], .neither(beginning: "\0\0\0\0")),
    ]

    private static let lists: [Case] = [
        Case("an array at the top", "<plist><array/></plist>", .notADictionary(found: "an array")),
        Case(
            "a key twice",
            "<plist><dict><key>\(Entitlements.key)</key><true/><key>\(Entitlements.key)</key><true/></dict></plist>",
            .duplicateKey(SourceJSON.SourceLocation(line: 1, column: 75, offset: 74), key: Entitlements.key)),
        Case(
            "a key twice, and in a comment between",
            "<plist><dict><key>\(Entitlements.key)</key><true/><!--<key>\(Entitlements.key)</key>-->"
                + "<key>\(Entitlements.key)</key><true/></dict></plist>",
            .duplicateKey(SourceJSON.SourceLocation(line: 1, column: 131, offset: 130), key: Entitlements.key)),
        Case("a binary array at the top", Builder(objects: [[0xA0]]).bytes, .notADictionary(found: "an array")),
    ]

    private static let head = "<plist>\n<dict>\n"

    @Test(
        "XML that is not well-formed is rejected, at the line of the error",
        arguments: [
            ("cut off", "<plist>\n<dict>\n<key>a", nil), ("cut off in a tag", "<plist>\n<dict", nil),
            ("cut off in a comment", "<plist>\n<!-- a -- >", 2),
            ("a bare <", "<plist><string>a < b</string></plist>", 1),
            ("an unknown element", "<plist><strng>a</strng></plist>", 1),
            ("crossed", "\(head)<key>a</string>", 3), ("text in a dictionary", "\(head) a <key>", 3),
            ("a second value", "<plist><dict/><dict/></plist>", 1),
            ("a value without a key", "\(head)<string>x</string></dict></plist>", 3),
            ("a key without a value", "\(head)<key>a</key>\n<key>b</key><true/></dict></plist>", 4),
            ("the last key without a value", "\(head)<key>a</key></dict></plist>", 3),
            ("an empty list", "<plist>\n</plist>", nil), ("an empty element", "<plist/>", nil),
            ("an entity of HTML", "<plist><string>a&nbsp;b</string></plist>", 1),
            ("a bare ampersand", "<plist><string>a & b; c</string></plist>", 1),
            ("half of a pair", "<plist><string>&#xD800;</string></plist>", 1),
            ("declarations", "<!DOCTYPE plist [<!ENTITY a \"b\">]><plist><dict/></plist>", 1),
            ("too deep", String(repeating: "<array>", count: 2_000), 1),
        ] as [(String, String, Int?)])
    func xml(name: String, text: String, line: Int?) throws {
        let fault = try #require(throws: Failure.self) { try Entitlements(Array(text.utf8)) }
        guard case .malformed(let place, let reason) = fault else {
            Issue.record("\(name): \(fault)")
            return
        }
        #expect(place?.line == line && !reason.isEmpty)
        #expect(fault.exitCode == .badInput && !fault.fix.isEmpty && !fault.fix.hasSuffix("."))
    }

    @Test("Bytes that are not UTF-8 are rejected")
    func encoding() {
        let bytes = Array("<plist><string>ä".utf8) + [0xFF] + Array("</string></plist>".utf8)
        #expect(throws: Failure.self) { try Entitlements(bytes) }
    }

    private static let key = Builder.ascii(Entitlements.key)

    @Test("A damaged binary list is rejected", arguments: damaged)
    func binary(name: String, bytes: [UInt8]) throws {
        let fault = try #require(throws: Failure.self) { try Entitlements(bytes) }
        guard case .malformed(nil, _) = fault else {
            Issue.record("\(name): \(fault)")
            return
        }
    }

    private static let damaged: [(String, [UInt8])] = [
        ("another version", Array("bplist15".utf8) + EntitlementsTests.binary.dropFirst(8)),
        ("cut off", Array(EntitlementsTests.binary.prefix(30))),
        ("the end is missing", EntitlementsTests.binary.dropLast(9) + []),
        ("no object", Builder(objects: []).bytes),
        ("too many objects", Builder(objects: [[0xD0]], claimedCount: .max).bytes),
        ("a top that does not exist", Builder(objects: [[0xD0]], top: 1).bytes),
        ("references of 9 bytes", Builder(objects: [[0xD0]], referenceSize: 9).bytes),
        ("an object in the header", Builder(objects: [[0xD0]], offsets: [7]).bytes),
        ("an object in the table", Builder(objects: [[0xD0]], offsets: [9]).bytes),
        ("an unknown object", Builder(objects: [[0xF0]]).bytes),
        ("an unknown simple object", Builder(objects: [[0x05]]).bytes),
        ("a reference to nothing", Builder(objects: [[0xD1, 1, 7], key]).bytes),
        ("a dictionary beyond the end", Builder(objects: [[0xD9, 1]]).bytes),
        ("a huge count", Builder(objects: [[0xDF, 0x13] + Builder.number(.max, 8)]).bytes),
        ("a count that doubles to nothing", Builder(objects: [[0xDF, 0x13] + Builder.number(1 << 63, 8)]).bytes),
        ("a count of 16 bytes", Builder(objects: [[0xDF, 0x14]]).bytes),
        ("a count cut off", Builder(objects: [[0xDF, 0x13, 0]]).bytes),
        ("a string beyond the end", Builder(objects: [[0xD1, 1, 1], [0x59, 0x61]]).bytes),
        ("a key that is not a string", Builder(objects: [[0xD1, 1, 1], [0x09]]).bytes),
        ("a key that is the list", Builder(objects: [[0xD1, 0, 0]]).bytes),
        (
            "one long string repeated",
            Builder(
                objects: [
                    [0xD1, 1, 2], key, Builder.array([UInt8](repeating: 3, count: 3_000)),
                    Builder.ascii(String(repeating: "a", count: 3_000)),
                ]
            ).bytes
        ),
        (
            "arrays that refer to each other",
            Builder(objects: (0..<100).map { [0xA2, $0 + 1, $0 + 1] } + [[0xA0]]).bytes
        ),
        ("arrays in arrays", Builder(objects: (0..<250).map { [0xA1, $0 + 1] } + [[0xA2, 0, 0]]).bytes),
    ]
}
