import MotivatorHTTP
import Testing

@Suite("Accepted media types")
struct AcceptedMediaTypesTests {
    /// The weights of text/html, text/plain and application/json, in thousandths.
    typealias Weighing = Row<[String], [Int]>
    typealias Choosing = Row<[String], ErrorFormat>

    static let chrome =
        "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8,"
        + "application/signed-exchange;v=b3;q=0.7"

    static let weights: [Weighing] = [
        Weighing("no field names nothing", "§12.5.1", [], [0, 0, 0]),
        Weighing("an empty field names nothing", "§12.5.1", [""], [0, 0, 0]),
        Weighing("a field with nothing readable names nothing", "§12.5.1", ["html"], [0, 0, 0]),
        Weighing("anything is no name", "§12.5.1", ["*/*;q=0.8"], [0, 0, 0]),
        Weighing("one type", "§12.5.1", ["text/html"], [1000, 0, 0]),
        Weighing("case does not count", "§8.3.1", ["TEXT/Html"], [1000, 0, 0]),
        Weighing("a family is no name", "§12.5.1", ["text/*;q=0.3"], [0, 0, 0]),
        Weighing(
            "only the full name counts, wherever it stands", "§12.5.1",
            ["*/*;q=0.1, text/plain;q=0.2, text/*;q=0.9"], [0, 200, 0]),
        Weighing("a specific refusal", "§12.5.1", ["text/html;q=0, */*"], [0, 0, 0]),
        Weighing("twice the same, the highest", "§12.5.1", ["text/html;q=0.1, text/html;q=0.7"], [700, 0, 0]),
        Weighing("over two lines", "§5.3", ["text/html;q=0.5", "application/json"], [500, 0, 1000]),
        Weighing("a parameter we do not send", "§12.5.1", ["text/html;level=1, text/plain"], [0, 1000, 0]),
        Weighing("our charset", "§12.5.1", ["text/html;charset=UTF-8;q=0.4"], [400, 0, 0]),
        Weighing("our charset in quotes", "§5.6.6", [#"text/html; charset="utf-8""#], [1000, 0, 0]),
        Weighing("another charset", "§12.5.1", ["text/html;charset=latin1, application/json;q=0.1"], [0, 0, 100]),
        Weighing("the weight before a parameter", "§12.4.2", ["text/html;q=0.4;charset=utf-8"], [400, 0, 0]),
        Weighing("an empty parameter", "§5.6.6", ["text/html; ;;q=0.4;"], [400, 0, 0]),
        Weighing("white space around semicolons", "§5.6.6", ["text/html \t; \tq=0.4"], [400, 0, 0]),
        Weighing("a quoted comma", "§5.6.4", [#"a/b;c="x, text/html", text/plain"#], [0, 1000, 0]),
        Weighing("a longer name is another type", "§12.5.1", ["text/html5, text/htm"], [0, 0, 0]),
        Weighing("a browser", "§12.5.1", [chrome], [1000, 0, 0]),
    ]

    @Test("A type is named only by its full name", arguments: weights)
    func weighs(_ row: Weighing) {
        let weights = withLines(row.input) { lines in
            [
                lines.weight(of: "text", "html"), lines.weight(of: "text", "plain"),
                lines.weight(of: "application", "json"),
            ]
        }
        #expect(weights == row.expected)
    }

    @Test(
        "A malformed member is ignored and the others count",
        arguments: [
            "text", "text/", "/html", "*", "*/html", "text/html/x", "text /html", "text/ html", "text html",
            "text/html;q", "text/html;q=", "text/html;q=2", "text/html;q=1.0001", "text/html;q=0.1234",
            "text/html;q=\"1\"", "text/html;q=1;q=1", "text/html;level", "text/html;level=", "text/html;=1",
            "text/html;q =1", "text/html;q= 1", "text/html;a=\"x", "text/html;a=\"x\"y", "text/html x",
            "text/html\u{A0}", "\u{85}text/html", "text/html;a=\"\u{1}\"", "text/html;a=\"\\\u{7F}\"",
            "text/html;q=" + String(repeating: "1", count: 5000),
        ])
    func ignoresMalformedMembers(_ member: String) {
        let weights = withLines(["text/plain;q=0.5", member]) { lines in
            [lines.weight(of: "text", "html"), lines.weight(of: "text", "plain")]
        }
        #expect(weights == [0, 500])
    }

    @Test(
        "An error outside the API takes the form that its reader names",
        arguments: [
            Choosing("a browser", "§12.5.1", [chrome], .html),
            Choosing("only HTML, hardly", "§12.4.2", ["text/html;q=0.001"], .html),
            Choosing("HTML refused", "§12.4.2", ["text/html;q=0, */*"], .text),
            Choosing("a command-line tool", "§12.5.1", ["*/*"], .text),
            Choosing("no field", "§12.5.1", [], .text),
            Choosing("a family is no name", "§12.5.1", ["text/*"], .text),
            Choosing("an image", "§12.5.1", ["image/png,image/*;q=0.8"], .text),
            Choosing("a script", "§12.5.1", ["application/json, text/plain, */*"], .json),
            Choosing("JSON rather than HTML", "§12.5.1", ["application/json, text/html;q=0.9"], .json),
            Choosing("both alike", "§12.5.1", ["application/json, text/html"], .html),
            Choosing("garbage", "§12.5.1", ["text/html;q=x"], .text),
        ])
    func choosesFormats(_ row: Choosing) {
        #expect(withLines(row.input) { ErrorFormat($0, isAPI: false) } == row.expected)
        #expect(withLines(row.input) { ErrorFormat($0, isAPI: true) } == .json)
    }
}
