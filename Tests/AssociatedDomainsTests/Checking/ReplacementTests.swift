import AssociationDiagnostics
import MotivatorPlatform
import TestSupport
import Testing

@testable import AssociationChecker
@testable import SourceJSON
@testable import motivator

@Suite("Changes that follow a fix") struct ReplacementTests {
    private static let good = #"{"webcredentials":{"apps":["D3KQX62K1A.com.example.DemoApp"]}}"#

    /// A text with one mistake, and the text after the change; nil if the fix needs a choice.
    static let edits: [(text: String, fixed: String?)] = [
        (#"{"a":[1,2,]}"#, #"{"a":[1,2]}"#), (#"{"a":1,}"#, #"{"a":1}"#), (#"{"a":[,1]}"#, #"{"a":[1]}"#),
        (#"{"a":[1,,]}"#, #"{"a":[1]}"#), (#"{"a":[1, ,, 2]}"#, #"{"a":[1,  2]}"#),
        (#"{"a":1,"b":[,]}"#, #"{"a":1,"b":[]}"#),
        (#"{"a":1 "b":2}"#, #"{"a":1, "b":2}"#), ("\u{FEFF}{}", "{}"), ("{\"a\":1\u{A0}}", #"{"a":1}"#),
        ("{a:1}", #"{"a":1}"#), (#"{"a":True}"#, #"{"a":true}"#), (#"{"a":NULL}"#, #"{"a":null}"#),
        ("{\"a\":1 // why\n}", "{\"a\":1 \n}"), (#"{"a":/* why */1}"#, #"{"a":1}"#),
        (#"{"a":/*/ why */1}"#, #"{"a":1}"#),
        ("{'a':1}", #"{"a":1}"#), ("{“a”:1}", #"{"a":1}"#), ("{\"a\":„b“}", #"{"a":"b"}"#),
        (#"{"a":yes}"#, nil), (#"{"a":"#, nil), (#"{"a" 1}"#, nil), (#"{"a":1} x"#, nil), ("", nil),
        (#"{"a":[1}"#, nil), (#"{"a":01}"#, nil), (#"{"a":1,"a":2}"#, nil), ("{\"a\":\"\t\"}", nil), ("<html>", nil),
    ]

    @Test("A JSON error that needs no choice has a change that removes it", arguments: edits)
    func edit(_ text: String, _ fixed: String?) {
        let bytes = Array(text.utf8)
        let errors = RecoveringJSONDocument(bytes).errors
        let changed = errors.first.flatMap { $0.edit(in: bytes) }?.applied(to: bytes)
        #expect(changed.map { String(decoding: $0, as: UTF8.self) } == fixed)
    }

    private static func report(_ text: String) -> Report {
        Checker(CheckRequest(), at: 0).check(file: Array(text.utf8), name: "site.json")
    }

    @Test("Several fingerprints in one string become several strings", arguments: [",", ", ", " ", "\\n", ";"])
    func fingerprints(_ separator: String) throws {
        let prints = [AssetLinksCases.print, AssetLinksCases.otherPrint]
        func list(_ prints: String) -> String {
            "[\(AssetLinksCases.statement(AssetLinksCases.app("com.a.b", "[\(prints)]")))]"
        }
        let text = list("\"\(prints[0].lowercased())\(separator)\(prints[1])\"")
        let issue = try #require(Self.report(text).issues.first)
        #expect(issue.message.hasSuffix(": it is 2 fingerprints in one string."))
        let array = "\"\(prints[0])\", \"\(prints[1])\""
        #expect(issue.fix == "Write only the fingerprints, one in each string: [\(array)].")
        let changed = try #require(issue.replacement).applied(to: Array(text.utf8))
        #expect(String(decoding: changed, as: UTF8.self) == list(array))
        let utf16 = Array(text.utf16).flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        let other = Checker(CheckRequest(), at: 0).check(file: utf16, name: "site.json")
        #expect(other.issues.contains { $0.fix == issue.fix } && other.issues.allSatisfy { $0.replacement == nil })
    }

    @Test("A report shows the line before and after the change, and its range")
    func written() throws {
        let report = Self.report("{\n  \"é\": 1,\n" + Self.good.dropFirst().dropLast() + ",\n}")
        let replacement = try #require(report.issues.lazy.compactMap(\.replacement).first)
        #expect(replacement.start.line == 3 && replacement.start.column == 61 && replacement.text.isEmpty)
        #expect(replacement.end.offset == replacement.start.offset + 1)
        let before = try #require(replacement.before)
        #expect(
            before.hasPrefix("…") && before.hasSuffix(#"DemoApp"]},"#) && String(before.dropLast()) == replacement.after
        )
        let text = ReportText(report, profiles: [.device]).text
        #expect(text.contains("  - \(before)\n  + \(before.dropLast())\n"), "\(text)")
        let json = String(decoding: report.json(profiles: [.device], version: "1").bytes(), as: UTF8.self)
        #expect(json.contains(#""replacement""#) && json.contains(#""offset""#))
        let sarif = ReportsForCI([report], profiles: [.device], version: "1").sarif.bytes()
        #expect(String(decoding: sarif, as: UTF8.self).contains(#""deletedRegion""#))
    }

    @Test("A file in another encoding, and a file with many errors, have no change for each error")
    func limits() {
        let bytes = Array(#"{"a":1,}"#.utf16).flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        let report = Checker(CheckRequest(), at: 0).check(file: bytes, name: "site.json")
        #expect(report.issues.allSatisfy { $0.replacement == nil })
        let many = Self.report("[" + String(repeating: "{\"a\":1,},", count: 50) + "1]")
        #expect((1...10).contains(many.issues.count { $0.replacement != nil }))
    }

    @Test("--fix changes only what needs no choice, keeps each backup, and keeps the mode")
    func fix() throws {
        let folder = try TemporaryDirectory()
        let path = folder.file("site.json")
        let broken = "{“webcredentials”:{apps:['D3KQX62K1A.com.example.DemoApp',]}, /* x */\n\"x\": yes,}"
        for backup in ["site.json.bak", "site.json.2.bak"] {
            try folder.write(broken, to: "site.json", mode: 0o640)
            let fix = try FileFix(path) { Self.report(String(decoding: $0, as: UTF8.self)) }
            #expect(fix.diff.hasPrefix("-1: {“") && fix.diff.contains("\n+1: {\""))
            #expect(try fix.write() == folder.file(backup))
            #expect(try File.read(folder.file(backup), limit: 1_000) == Array(broken.utf8))
            #expect(try folder.mode(backup) == 0o640)
        }
        let fixed = try String(decoding: File.read(path, limit: 1_000), as: UTF8.self)
        #expect(fixed == #"{"webcredentials":{"apps":["D3KQX62K1A.com.example.DemoApp"]}, "# + "\n\"x\": yes}")
        #expect(try folder.mode("site.json") == 0o640)
        // A link stays a link, and its target changes.
        try folder.write(broken, to: "site.json")
        let link = folder.file("link.json")
        try #require(symlink(path, link) == 0)
        #expect(try FileFix(link) { Self.report(String(decoding: $0, as: UTF8.self)) }.write() == "\(link).bak")
        #expect(File.resolved(link) == File.resolved(path))
        #expect(try String(decoding: File.read(path, limit: 1_000), as: UTF8.self) == fixed)
        let again = try FileFix(path) { Self.report(String(decoding: $0, as: UTF8.self)) }
        #expect(again.fixed == again.original && again.diff.isEmpty)
        // The parser stops before the end of a text with as many errors.
        let apps = (0..<60).map { "'D3KQX62K1A.com.example.App\($0)'" }.joined(separator: ",")
        try folder.write("{'webcredentials':{'apps':[\(apps)]}}", to: "site.json")
        let many = try FileFix(path) { Self.report(String(decoding: $0, as: UTF8.self)) }
        #expect(!many.fixed.contains(UInt8(ascii: "'")))
    }
}
