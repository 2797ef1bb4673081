import MotivatorHTTP
import Testing

@Suite("Entity tags")
struct EntityTagTests {
    typealias Comparing = Row<[String], [Bool]>
    typealias Matching = Row<[String], Bool>

    /// Returns whether an If-Match field and an If-None-Match field with these lines match a tag. Only If-Match uses
    /// the strong comparison.
    private func matches(_ tag: String, _ lines: [String]) throws -> [Bool] {
        let validators = Validators(entityTag: tag, lastModified: 0)
        let strong = try #require(requestHead(lines.map { "If-Match: \($0)" }))
        let weak = try #require(requestHead(lines.map { "If-None-Match: \($0)" }))
        return [
            strong.withFields { validators.evaluate($0, now: 1000) } == .proceed,
            weak.withFields { validators.evaluate($0, now: 1000) } == .notModified,
        ]
    }

    @Test(
        "An entity tag has every byte that is allowed between quotes",
        arguments: ["abc", "", "!#~", "a,b", #"a\"#, "*", "W/", "'"])
    func reads(_ tag: String) throws {
        #expect(try matches(tag, ["\"\(tag)\""]) == [true, true])
        #expect(try matches(tag, ["W/\"\(tag)\""]) == [false, true])
    }

    @Test("An entity tag may hold obs-text")
    func readsObsoleteText() throws {
        #expect(try matches("now", ["\"\u{80}\u{85}\u{A0}\u{FF}\", \"now\""]) == [true, true])
    }

    @Test(
        "Text that is not exactly one entity tag is refused",
        arguments: [
            "abc", "\"", "\"abc", "abc\"", "'abc'", "w/\"abc\"", "W\"abc\"", "W/abc", "W/", "W/ \"abc\"",
            "\"a b\"", "\"a\tb\"", "\"a\"b\"", #""a\"b""#, "\"abc\"x",
        ])
    func refuses(_ value: String) throws {
        #expect(try matches("abc", [value]) == [false, false])
        #expect(try matches("abc", ["\"abc\"", value]) == [false, false])
    }

    @Test(
        "Tags compare strongly and weakly",
        arguments: [
            Comparing("one weak", "§8.8.3.2", [#"W/"1""#, "1"], [false, true]),
            Comparing("different, one weak", "§8.8.3.2", [#"W/"2""#, "1"], [false, false]),
            Comparing("both strong", "§8.8.3.2", [#""1""#, "1"], [true, true]),
            Comparing("different strong ones", "§8.8.3.2", [#""2""#, "1"], [false, false]),
            Comparing("case counts", "§8.8.3", [#""a""#, "A"], [false, false]),
            Comparing("a beginning is not the whole", "§8.8.3.2", [#""a""#, "ab"], [false, false]),
            Comparing("a whole is not the beginning", "§8.8.3.2", [#""ab""#, "a"], [false, false]),
            Comparing("empty ones", "§8.8.3.2", [#"W/"""#, ""], [false, true]),
        ])
    func compares(_ row: Comparing) throws {
        #expect(try matches(row.input[1], [row.input[0]]) == row.expected)
    }

    @Test(
        "A list of tags is compared with the tag \"now\"",
        arguments: [
            Matching("the tag itself", "§13.1.2", [#""now""#], true),
            Matching("another tag", "§13.1.2", [#""old""#], false),
            Matching("last of several", "§13.1.2", [#""a", W/"b" ,"now""#], true),
            Matching("on a second line", "§5.3", [#""a""#, #""now""#], true),
            Matching("weak spelling", "§13.1.2", [#"W/"now""#], true),
            Matching("any", "§13.1.2", ["*"], true),
            Matching("any, among empty members", "§5.6.1.2", [" ,*\t,"], true),
            Matching("a quoted star is a tag", "§8.8.3", [#""*""#], false),
            Matching("empty members", "§5.6.1.2", [#",, "now" ,,"#], true),
            Matching("an empty list", "§5.6.1.2", [""], false),
            Matching("a comma inside a tag", "§8.8.3", [#""x,"now"#], false),
            Matching("a tag that holds a comma", "§8.8.3", [#""x,y", "now""#], true),
            Matching("a backslash escapes nothing", "§8.8.3", [#""x\", "now""#], true),
            Matching("no quotes", "§13.1.2", ["now"], false),
            Matching("garbage after a match", "§13.1.2", [#""now", x"#], false),
            Matching("garbage on a second line", "§13.1.2", [#""now""#, "x"], false),
            Matching("an open quote", "§13.1.2", [#""now"#], false),
            Matching("no comma between", "§13.1.2", [#""a" "now""#], false),
            Matching("tags that touch", "§13.1.2", [#""a""now""#], false),
            Matching("any beside a tag", "§13.1.2", [#"*, "now""#], false),
            Matching("a tag beside any", "§13.1.2", [#""now""#, "*"], false),
            Matching("any twice", "§13.1.2", ["*,*"], false),
            Matching("any with a tail", "§13.1.2", ["*x"], false),
            Matching("a small w", "§8.8.3", [#"w/"now""#], false),
            Matching("0xA0 is not white space", "§5.6.3", ["\u{A0}\"now\""], false),
            Matching("0x85 is not white space", "§5.6.3", ["\"now\"\u{85}"], false),
        ])
    func matchesLists(_ row: Matching) throws {
        #expect(try matches("now", row.input)[1] == row.expected)
    }

    @Test("Ten thousand tags are read to the last")
    func readsLongLists() throws {
        let others = String(repeating: #""x","#, count: 10_000)
        #expect(try matches("now", [others + #""now""#]) == [true, true])
        #expect(try matches("now", [others + "now"]) == [false, false])
    }
}
