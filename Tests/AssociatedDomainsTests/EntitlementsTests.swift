import AssociatedDomains
import Testing

@testable import SourceJSON

@Suite("Lists of entitlements")
struct EntitlementsTests {
    /// The output of `codesign` and of Python's `plistlib`.
    static let xml = """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        <plist version="1.0">
        <dict>
        \t<key>application-identifier</key>
        \t<string>D3KQX62K1A.com.example.DemoApp</string>
        \t<key>com.apple.developer.associated-domains</key>
        \t<array>
        \t\t<string>webcredentials:example.com</string>
        \t\t<string>applinks:*.example.com</string>
        \t\t<string>applinks:münchen.de</string>
        \t</array>
        \t<key>get-task-allow</key>
        \t<true/>
        </dict>
        </plist>

        """

    /// The same list as the output of `plistlib.dumps(…, fmt=plistlib.FMT_BINARY)`.
    static let binary = bytes(
        """
        62706c6973743030d30102030405095f10166170706c69636174696f6e2d6964656e7469666965725f1026636f6d2e6170706c652e646576
        656c6f7065722e6173736f6369617465642d646f6d61696e735e6765742d7461736b2d616c6c6f775f101e44334b515836324b31412e636f
        6d2e6578616d706c652e44656d6f417070a30607085f101a77656263726564656e7469616c733a6578616d706c652e636f6d5f1016617070
        6c696e6b733a2a2e6578616d706c652e636f6d6f1013006100700070006c0069006e006b0073003a006d00fc006e006300680065006e002e
        0064006509080f2851608185a2bbe40000000000000101000000000000000a000000000000000000000000000000e5
        """)

    static func bytes(_ hexadecimal: String) -> [UInt8] {
        let digits = hexadecimal.compactMap(\.hexDigitValue).map { UInt8($0) }
        return stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }

    /// Returns a list with a value for the key and other members.
    static func list(_ value: String, and other: String = "") -> [UInt8] {
        Array("<plist><dict><key>\(Entitlements.key)</key>\(value)\(other)</dict></plist>".utf8)
    }

    @Test("XML and binary lists have the same content", arguments: [Array(xml.utf8), binary])
    func entries(_ bytes: [UInt8]) throws {
        let list = try Entitlements(bytes)
        #expect(list.applicationIdentifier == "D3KQX62K1A.com.example.DemoApp")
        #expect(
            list.entries.map(\.text) == ["webcredentials:example.com", "applinks:*.example.com", "applinks:münchen.de"])
        #expect(try list.entries[0].domain.get() == AssociatedDomain("webcredentials:example.com"))
        #expect(try list.entries[1].domain.get().isWildcard)
        #expect(throws: AssociatedDomain.Malformed.character("applinks:münchen.de", "ü", position: 11)) {
            try list.entries[2].domain.get()
        }
        #expect(list.issues.isEmpty)
    }

    @Test("An entry in XML has the location of its text; an entry in a binary list has none")
    func places() throws {
        let list = try Entitlements(Array(Self.xml.utf8))
        #expect(list.entries.map { $0.location?.line } == [9, 10, 11])
        #expect(list.entries.map { $0.location?.column } == [11, 11, 11])
        let place = try #require(list.entries[1].location)
        #expect(Self.xml.utf8.dropFirst(place.offset).starts(with: "applinks:*".utf8))
        #expect(try Entitlements(Self.binary).entries.allSatisfy { $0.location == nil })
    }

    @Test("Line ends of each kind count as one, and columns count scalars")
    func lines() throws {
        let text =
            "<plist>\r\n<dict>\r<key>\(Entitlements.key)</key>\n<array><!-- ä€😀 --><string>applinks:a.com</string>"
        let list = try Entitlements(Array((text + "</array></dict></plist>").utf8))
        let place = try #require(list.entries.first?.location)
        #expect(place.line == 4 && place.column == 28)
    }

    @Test(
        "Strings are parsed as XML requires",
        arguments: [
            ("<string>applinks:a.com</string>", "applinks:a.com", "XML 1.0, 3.1"),
            ("<string></string>", "", "XML 1.0, 3.1"),
            ("<string/>", "", "XML 1.0, 3.1: an empty-element tag"),
            ("<string />", "", "XML 1.0, 3.1: with a space"),
            ("<string\n>x</string >", "x", "XML 1.0, 3.1: white space in tags"),
            ("<string>a&amp;b&lt;c&gt;d&quot;e&apos;</string>", "a&b<c>d\"e'", "XML 1.0, 4.6"),
            ("<string>&#97;&#x62;&#x1F600;</string>", "ab\u{1F600}", "XML 1.0, 4.1"),
            ("<string>&#13;</string>", "\r", "XML 1.0, 2.11: a reference stays"),
            ("<string>a > b ]]&gt; ü</string>", "a > b ]]> ü", "XML 1.0, 2.4"),
        ])
    func texts(element: String, text: String, source: String) throws {
        let list = try Entitlements(Self.list("<array>\(element)</array>"))
        #expect(list.entries.map(\.text) == [text], "\(source)")
    }

    @Test("A byte order mark, a missing declaration and a missing <plist> are accepted")
    func leniency() throws {
        let inner = "<dict><key>\(Entitlements.key)</key><array><string>applinks:a.com</string></array></dict>"
        #expect(try Entitlements([0xEF, 0xBB, 0xBF] + Self.list("<array/>")).entries.isEmpty)
        #expect(try Entitlements(Array("\n \(inner)\n<!-- end -->".utf8)).entries.count == 1)
    }

    @Test("A list of exactly the maximum size is read")
    func largest() throws {
        let list = Self.list("<array><string>applinks:a.com</string></array>")
        let padded = list + [UInt8](repeating: 0x20, count: Entitlements.maximumSize - list.count)
        #expect(padded.count == 262_144)
        #expect(try Entitlements(padded).entries.map(\.text) == ["applinks:a.com"])
    }

    @Test("Of the same entry three times, the second and the third repeat the first")
    func thrice() throws {
        let entry = "<string>applinks:a.com</string>"
        let list = try Entitlements(Self.list("<array>\(entry)<string>applinks:b.com</string>\(entry)\(entry)</array>"))
        #expect(
            list.issues.map(\.problem) == [
                "entry 3, \"applinks:a.com\", is the same as entry 1",
                "entry 4, \"applinks:a.com\", is the same as entry 1",
            ])
    }

    @Test(
        "An element that is not a string is reported with its number and its kind, and the entries around it are read",
        arguments: [
            ("<date>2020-01-01T00:00:00Z</date>", "a date"), ("<data>AAAA</data>", "data"), ("<array/>", "an array"),
            ("<dict/>", "a dictionary"), ("<integer>1</integer>", "a number or a Boolean"),
            ("<true/>", "a number or a Boolean"),
        ])
    func otherElement(_ element: String, _ kind: String) throws {
        let entries = ["applinks:a.com", "applinks:b.com"].map { "<string>\($0)</string>" }
        let list = try Entitlements(Self.list("<array>\(entries[0])\n\(element)\n\(entries[1])</array>"))
        #expect(list.issues.map(\.problem) == ["element 2 of \"\(Entitlements.key)\" is \(kind), not a string"])
        #expect(list.entries.map(\.text) == ["applinks:a.com", "applinks:b.com"])
        #expect(list.entries.map { $0.location?.line } == [1, 3])
    }

    @Test("On macOS the identifier has another key; without both keys it is nil")
    func identifier() throws {
        let both =
            "<key>com.apple.application-identifier</key><string>D3KQX62K1A.mac</string>"
            + "<key>application-identifier</key><string>D3KQX62K1A.ios</string>"
        #expect(try Entitlements(Self.list("<array/>", and: both)).applicationIdentifier == "D3KQX62K1A.ios")
        let mac = "<key>com.apple.application-identifier</key><string>D3KQX62K1A.a</string>"
        #expect(try Entitlements(Self.list("<array/>", and: mac)).applicationIdentifier == "D3KQX62K1A.a")
        #expect(try Entitlements(Self.list("<array/>")).applicationIdentifier == nil)
    }

    struct Reported: CustomTestStringConvertible {
        let name: String
        let bytes: [UInt8]
        let kinds: [Entitlements.EntryIssue.Kind]
        let source: String
        var testDescription: String { "\(name) (\(source))" }

        init(_ name: String, _ bytes: [UInt8], _ kinds: [Entitlements.EntryIssue.Kind], _ source: String) {
            (self.name, self.bytes, self.kinds, self.source) = (name, bytes, kinds, source)
        }

        init(_ name: String, key: String, _ kinds: [Entitlements.EntryIssue.Kind], _ source: String) {
            self.init(name, Array("<plist><dict><key>\(key)</key><array/></dict></plist>".utf8), kinds, source)
        }

        init(_ name: String, entries: [String], _ kinds: [Entitlements.EntryIssue.Kind], _ source: String) {
            let strings = entries.map { "<string>\($0)</string>" }.joined()
            self.init(name, EntitlementsTests.list("<array>\(strings)</array>"), kinds, source)
        }
    }

    @Test("Each list has exactly the expected issues", arguments: reported)
    func issues(_ test: Reported) throws {
        let list = try Entitlements(test.bytes)
        #expect(list.issues.map(\.kind) == test.kinds)
        for issue in list.issues {
            #expect(!issue.problem.hasSuffix(".") && !issue.fix.hasSuffix(".") && !issue.fix.isEmpty)
            #expect(!issue.problem.contains("\n") && issue.problem.utf8.count < 500)
        }
    }

    private static let device = "a device reads strings in the array of the key, and nothing else"

    private static let reported: [Reported] = [
        Reported("nothing wrong", entries: ["applinks:a.com", "appclips:a.com"], [], "two services"),
        Reported("twice", entries: ["applinks:a.com", "applinks:a.com"], [.duplicate], "says nothing new"),
        Reported("twice but for letters", entries: ["applinks:a.com", "applinks:A.COM"], [.duplicate], "RFC 4343"),
        Reported(
            "thrice", entries: ["applinks:a.com", "applinks:a.com", "applinks:a.com"], [.duplicate, .duplicate], "1, 2"),
        Reported(
            "with and without a mode", entries: ["applinks:a.com", "applinks:a.com?mode=developer"], [], "differ"),
        Reported("a malformed one twice", entries: ["a.com", "a.com"], [.duplicate], "says nothing new"),
        Reported("two malformed ones", entries: ["a.com", "b.com"], [], "the entries tell themselves"),
        Reported("30 domains", entries: (1...30).map { "applinks:a\($0).com" }, [], "Apple advises about 20 to 30"),
        Reported(
            "20 domains for two services",
            entries: (1...20).flatMap { ["applinks:a\($0).com", "webcredentials:a\($0).com"] }, [],
            "domains, not entries"),
        Reported("a build setting", entries: ["applinks:$(DOMAIN)", "applinks:${B}"], [], "each entry has its issue"),
        Reported("no entry", entries: [], [.noEntry], device),
        Reported(
            "the key in a comment, in another dictionary and in character data",
            list(
                "<array><string>applinks:a.com</string></array>",
                and: """
                    <!-- <key>\(Entitlements.key)</key><true/> --><key>a</key><dict>\
                    <key>\(Entitlements.key)</key><true/></dict><key>b</key>\
                    <string><![CDATA[<key>\(Entitlements.key)</key> <!-- ]]></string>
                    """), [], "plistlib reads one key"),
        Reported("no key", Array("<plist><dict/></plist>".utf8), [.missingKey], device),
        Reported("another key", key: "com.apple.developer.applesignin", [.missingKey], device),
        Reported(
            "domains from device management", key: "com.apple.developer.associated-domains.mdm-managed", [.missingKey],
            "a key of its own"),
        Reported("a letter less", key: "com.apple.developer.associated-domain", [.misspeltKey], device),
        Reported("an underscore", key: "com.apple.developer.associated_domains", [.misspeltKey], device),
        Reported("two letters swapped", key: "com.apple.developer.assocaited-domains", [.misspeltKey], device),
        Reported("without developer", key: "com.apple.associated-domains", [.misspeltKey], device),
        Reported("the words of Xcode", key: "Associated Domains", [.misspeltKey], device),
        Reported("upper case", key: "com.apple.developer.Associated-Domains", [.misspeltKey], device),
        Reported("a string", list("<string>applinks:a.com</string>"), [.notAnArray], device),
        Reported("a profile's star", list("<string>*</string>"), [.notAnArray], "provisioning profiles hold *"),
        Reported("a dictionary", list("<dict><key>a</key><array/></dict>"), [.notAnArray], device),
        Reported("a Boolean", list("<true/>"), [.notAnArray], device),
        Reported("a number", list("<array><integer>1</integer></array>"), [.notAString], device),
        Reported(
            "an array in it", list("<array><array/><string>applinks:a.com</string></array>"), [.notAString], device),
        Reported(
            "each kind",
            list("<array><date>2020-01-01T00:00:00Z</date><data>AAAA</data><real>1</real><false/></array>"),
            Array(repeating: .notAString, count: 4),
            device),
        Reported(
            "a malformed identifier",
            list(
                "<array><string>applinks:a.com</string></array>",
                and: "<key>application-identifier</key><string>com.a</string>"),
            [.malformedIdentifier], "AppIdentifier"),
        Reported(
            "an identifier before the build",
            list(
                "<array><string>applinks:a.com</string></array>",
                and: "<key>application-identifier</key><string>$(AppIdentifierPrefix)a</string>"),
            [.buildSetting], "Xcode"),
        Reported(
            "a wildcard as identifier",
            list(
                "<array><string>applinks:a.com</string></array>",
                and: "<key>application-identifier</key><string>D3KQX62K1A.*</string>"),
            [.malformedIdentifier], "only a profile has a wildcard"),
        Reported("a decoded profile", key: "Entitlements", [.profile], "security cms -D"),
        Reported("another part of a profile", key: "TeamIdentifier", [.profile], "security cms -D"),
        Reported("an Info.plist", key: "CFBundleIdentifier", [.informationList], "the wrong file of the target"),
        Reported(
            "an Info.plist with the key",
            list("<array><string>applinks:a.com</string></array>", and: "<key>CFBundleName</key><string>A</string>"),
            [.informationList], device),
    ]

    @Test(
        "The location of an entry is not in a comment, in a nested array or in a longer entry",
        arguments: [
            "<!-- <string>applinks:a.com</string> -->", "<array><string>applinks:a.com</string></array>",
            "<!-- <string>applinks:a.com.old</string> -->", "<?a <string>applinks:a.com</string>?>",
        ])
    func otherTexts(_ other: String) throws {
        let list = try Entitlements(Self.list("<array>\n\(other)\n<string>applinks:a.com</string></array>"))
        #expect(list.entries.map { $0.location?.description } == ["line 3, column 9"])
    }

    @Test("A issue has the location of its cause")
    func issuePlaces() throws {
        let twice = try Entitlements(
            Self.list("<array>\n<string>applinks:a.com</string>\n<string>applinks:a.com</string></array>"))
        #expect(twice.issues.first?.location?.description == "line 3, column 9")
        #expect(twice.issues.first?.problem == "entry 2, \"applinks:a.com\", is the same as entry 1")
        let misspelt = try Entitlements(
            Array("<plist><dict>\n<key>associated-domains</key><array/></dict></plist>".utf8))
        #expect(misspelt.issues.first?.location?.column == 6)
    }
}
