import MotivatorHTTP
import Testing

@Suite("Entity tags")
struct EntityTagTests {
    typealias Comparing = Row<[String], [Bool]>
    typealias Matching = Row<[String], EntityTagList>

    static func tag(_ value: String) throws -> EntityTag {
        try #require(withField(value) { EntityTag($0) })
    }

    @Test(
        "An entity tag is read and written back",
        arguments: [
            #""abc""#, #"W/"abc""#, #""""#, #"W/"""#, #""!#~""#, #""a,b""#, #""a\""#, #""*""#, #""W/""#, #""'""#,
        ])
    func reads(_ value: String) throws {
        let tag = try Self.tag(value)
        #expect(text(tag.bytes) == value)
        #expect(tag.isWeak == value.hasPrefix("W"))
    }

    @Test("An entity tag may hold obs-text")
    func readsObsoleteText() throws {
        let tag = try Self.tag("\"\u{80}\u{85}\u{A0}\u{FF}\"")
        #expect(tag.bytes == [0x22, 0x80, 0x85, 0xA0, 0xFF, 0x22])
    }

    @Test(
        "Text that is not exactly one entity tag is refused",
        arguments: [
            "", "abc", "*", "\"", "\"abc", "abc\"", "'abc'", "w/\"abc\"", "W\"abc\"", "W/abc", "W/", "W/ \"abc\"",
            "\"a b\"", "\"a\tb\"", "\"a\u{7F}\"", "\"a\u{0}\"", "\"a\"b\"", #""a\"b""#, "\"a\" ", " \"a\"",
            "\"a\",\"b\"", "\"a\"x",
        ])
    func refuses(_ value: String) {
        #expect(withField(value) { EntityTag($0) } == nil)
    }

    @Test("A tag has only bytes that are allowed between quotes")
    func validates() throws {
        let weak = try #require(EntityTag(opaque: Array("1-a".utf8), isWeak: true))
        #expect(text(weak.bytes) == #"W/"1-a""#)
        let strong = try #require(EntityTag(opaque: []))
        #expect(text(strong.bytes) == #""""#)
        for byte: UInt8 in [0x00, 0x09, 0x0A, 0x0D, 0x20, 0x22, 0x7F] {
            #expect(EntityTag(opaque: [0x61, byte]) == nil)
        }
    }

    @Test(
        "Tags compare strongly and weakly",
        arguments: [
            // The first four rows are from the RFC's table.
            Comparing("both weak", "§8.8.3.2", [#"W/"1""#, #"W/"1""#], [false, true]),
            Comparing("different weak ones", "§8.8.3.2", [#"W/"1""#, #"W/"2""#], [false, false]),
            Comparing("one weak", "§8.8.3.2", [#"W/"1""#, #""1""#], [false, true]),
            Comparing("both strong", "§8.8.3.2", [#""1""#, #""1""#], [true, true]),
            Comparing("different strong ones", "§8.8.3.2", [#""1""#, #""2""#], [false, false]),
            Comparing("case counts", "§8.8.3", [#""a""#, #""A""#], [false, false]),
            Comparing("a beginning is not the whole", "§8.8.3.2", [#""ab""#, #""a""#], [false, false]),
            Comparing("empty ones", "§8.8.3.2", [#""""#, #"W/"""#], [false, true]),
        ])
    func compares(_ row: Comparing) throws {
        let left = try Self.tag(row.input[0])
        let right = try Self.tag(row.input[1])
        #expect([left.matches(right, by: .strong), left.matches(right, by: .weak)] == row.expected)
        #expect([right.matches(left, by: .strong), right.matches(left, by: .weak)] == row.expected)
    }

    @Test(
        "A list of tags is compared with the strong tag \"now\"",
        arguments: [
            Matching("the tag itself", "§13.1.2", [#""now""#], .matched),
            Matching("another tag", "§13.1.2", [#""old""#], .unmatched),
            Matching("last of several", "§13.1.2", [#""a", W/"b" ,"now""#], .matched),
            Matching("on a second line", "§5.3", [#""a""#, #""now""#], .matched),
            Matching("weak spelling", "§13.1.2", [#"W/"now""#], .matched),
            Matching("any", "§13.1.2", ["*"], .matched),
            Matching("any, among empty members", "§5.6.1.2", [" ,*\t,"], .matched),
            Matching("a quoted star is a tag", "§8.8.3", [#""*""#], .unmatched),
            Matching("empty members", "§5.6.1.2", [#",, "now" ,,"#], .matched),
            Matching("an empty list", "§5.6.1.2", [""], .unmatched),
            Matching("a comma inside a tag", "§8.8.3", [#""x,"now"#], .malformed),
            Matching("a tag that holds a comma", "§8.8.3", [#""x,y", "now""#], .matched),
            Matching("a backslash escapes nothing", "§8.8.3", [#""x\", "now""#], .matched),
            Matching("no quotes", "§13.1.2", ["now"], .malformed),
            Matching("garbage after a match", "§13.1.2", [#""now", x"#], .malformed),
            Matching("garbage on a second line", "§13.1.2", [#""now""#, "x"], .malformed),
            Matching("an open quote", "§13.1.2", [#""now"#], .malformed),
            Matching("no comma between", "§13.1.2", [#""a" "now""#], .malformed),
            Matching("tags that touch", "§13.1.2", [#""a""now""#], .malformed),
            Matching("any beside a tag", "§13.1.2", [#"*, "now""#], .malformed),
            Matching("a tag beside any", "§13.1.2", [#""now""#, "*"], .malformed),
            Matching("any twice", "§13.1.2", ["*,*"], .malformed),
            Matching("any with a tail", "§13.1.2", ["*x"], .malformed),
            Matching("a small w", "§8.8.3", [#"w/"now""#], .malformed),
            Matching("0xA0 is not white space", "§5.6.3", ["\u{A0}\"now\""], .malformed),
            Matching("0x85 is not white space", "§5.6.3", ["\"now\"\u{85}"], .malformed),
        ])
    func matchesLists(_ row: Matching) throws {
        let current = Validators(entityTag: try Self.tag(#""now""#))
        #expect(withLines(row.input) { EntityTagList($0, current: current, by: .weak) } == row.expected)
    }

    @Test("A star matches every representation, and does not match a missing one")
    func matchesExistence() {
        withLines(["*"]) { lines in
            #expect(EntityTagList(lines, current: nil, by: .strong) == .unmatched)
            #expect(EntityTagList(lines, current: Validators(), by: .strong) == .matched)
        }
    }

    @Test("Ten thousand tags are read to the last")
    func readsLongLists() throws {
        let current = Validators(entityTag: try Self.tag(#""now""#))
        let others = String(repeating: #""x","#, count: 10_000)
        #expect(withLines([others + #""now""#]) { EntityTagList($0, current: current, by: .strong) } == .matched)
        #expect(withLines([others + "now"]) { EntityTagList($0, current: current, by: .strong) } == .malformed)
    }
}
