import MotivatorHTTP
import Testing

@Suite("List-valued fields")
struct ListMembersTests {
    typealias Splitting = Row<String, [String]>

    @Test(
        "A list is cut at its commas",
        arguments: [
            Splitting("one member", "§5.6.1", "close", ["close"]),
            Splitting("two members", "§5.6.1", "a, b", ["a", "b"]),
            Splitting("no white space", "§5.6.1", "a,b", ["a", "b"]),
            Splitting("spaces and tabs go", "§5.6.3", " \ta\t ,\t b \t", ["a", "b"]),
            Splitting("white space inside stays", "§5.6.3", "a b,c\td", ["a b", "c\td"]),
            Splitting("empty members go", "§5.6.1.2", ",, a ,\t, b,,", ["a", "b"]),
            Splitting("an empty value has no members", "§5.6.1.2", "", []),
            Splitting("commas alone are no members", "§5.6.1.2", " ,\t,, ", []),
            Splitting("a quoted comma does not separate", "§5.6.4", #"a="x,y", b"#, [#"a="x,y""#, "b"]),
            Splitting("an escaped quote does not end", "§5.6.4", #"a="x\",y", b"#, [#"a="x\",y""#, "b"]),
            Splitting("an escaped backslash does not escape", "§5.6.4", #"a="x\\",b"#, [#"a="x\\""#, "b"]),
            Splitting("a backslash outside quotes is nothing", "§5.6.4", #"a\,b"#, [#"a\"#, "b"]),
            Splitting("an open quote takes the rest", "§5.6.4", #"a, "b, c"#, ["a", #""b, c"#]),
            Splitting("a backslash at the very end", "§5.6.4", #"a, "b\"#, ["a", #""b\"#]),
            Splitting("only a quote", "§5.6.4", #"""#, [#"""#]),
        ])
    func splits(_ row: Splitting) {
        #expect(withField(row.input) { ListMembers($0).map { text($0) } } == row.expected)
    }

    @Test("0x85, 0xA0, VT and FF are not white space", arguments: ["\u{85}", "\u{A0}", "\u{0B}", "\u{0C}"])
    func keepsForeignWhitespace(_ space: String) {
        withField("\(space)close\(space),\(space)") { value in
            #expect(ListMembers(value).map(Array.init) == [latin1("\(space)close\(space)"), latin1(space)])
            #expect(!ListMembers(value).containsToken("close"))
        }
    }

    @Test("A token is found without regard to case, and only as a whole")
    func findsTokens() {
        withField("Keep-Alive, CLOSE") { value in
            #expect(ListMembers(value).containsToken("close"))
            #expect(ListMembers(value).containsToken("keep-alive"))
            #expect(!ListMembers(value).containsToken("keep"))
            #expect(!ListMembers(value).containsToken("closed"))
            #expect(!ListMembers(value).containsToken("upgrade"))
        }
    }

    @Test(
        "A media type is named only in full, with any parameters",
        arguments: [
            Row<[String], Bool>("no field", "§12.5.1", [], false),
            Row("a browser", "§12.5.1", ["text/html,application/xhtml+xml,*/*;q=0.8"], true),
            Row("a command-line tool", "§12.5.1", ["*/*"], false),
            Row("a family", "§12.5.1", ["text/*"], false),
            Row("in capitals, with a weight", "§8.3.1", ["image/png, TEXT/Html ; q=0.4"], true),
            Row("on a second line", "§5.3", ["application/json", "text/html"], true),
            Row("a longer name", "§12.5.1", ["text/html5, text/htm"], false),
            Row("in a quoted parameter", "§5.6.4", [#"a/b;c="x, text/html""#], false),
        ])
    func findsMediaTypes(_ row: Row<[String], Bool>) {
        #expect(withLines(row.input) { $0.haveMediaType("text/html") } == row.expected)
    }

    @Test("Only the letters A to Z fold")
    func foldsLettersOnly() {
        #expect(withField("AZaz") { $0.equalsIgnoringCase("azaz") })
        // Each pair differs by the bit that distinguishes uppercase letters.
        for (value, name): (String, StaticString) in [("@", "`"), ("[", "{"), ("\u{0}", " "), ("\u{CB}", "k")] {
            #expect(!withField(value) { $0.equalsIgnoringCase(name) })
        }
    }

    @Test("A list of ten thousand members has ten thousand members")
    func readsLongLists() {
        let value = String(repeating: "a,", count: 10_000)
        #expect(withField(value) { ListMembers($0).reduce(0) { count, _ in count + 1 } } == 10_000)
    }

    @Test("Lines are kept in order, and only a single one counts as single")
    func collectsLines() {
        for count in 0..<5 {
            let values = (0..<count).map { "v\($0)" }
            withLines(values) { lines in
                #expect(lines.map { text($0) } == values)
                #expect(lines.only.map { text($0) } == (count == 1 ? "v0" : nil))
            }
        }
        #expect(withLines([""]) { $0.only?.isEmpty == true })
    }
}

extension ListMembers {
    fileprivate func containsToken(_ lowercase: StaticString) -> Bool { contains { $0.equalsIgnoringCase(lowercase) } }
}
