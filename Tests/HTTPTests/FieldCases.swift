import MotivatorHTTP

/// `name ":" OWS value OWS`, where OWS consists of SP and HTAB (RFC 9112 §5).
enum FieldCases {
    private static func valid(_ rule: String, _ line: String, _ field: String) -> ParserCase {
        ParserCase(rule, "9112 §5", get(line), .accepted(fields: ["Host: a", field]))
    }

    private static func invalid(
        _ rule: String, _ line: String, _ rejection: Rejection, source: String = "9112 §5"
    ) -> ParserCase {
        ParserCase(rule, source, get(line), .rejected(rejection))
    }

    static let shape: [ParserCase] = [
        valid("white space before the value is none of it", "X: \t b", "X: b"),
        valid("white space after the value is none of it", "X:b \t ", "X: b"),
        valid("white space inside the value is kept", "X: a \t b", "X: a \t b"),
        valid("a value may be empty", "X:", "X: "),
        valid("a value may be white space", "X: \t ", "X: "),
        valid("a value may have colons", "X: a:b: c", "X: a:b: c"),
        valid("the case of a name is kept", "x-Y: b", "x-Y: b"),
        valid("an underscore is never a hyphen", "Content_Length: 5", "Content_Length: 5"),
        valid("every token character is allowed in a name", "!#$%&'*+-.^_`|~09azAZ: b", "!#$%&'*+-.^_`|~09azAZ: b"),
        ParserCase(
            "a name that Transfer_Encoding resembles frames nothing", "9112 §5", post("Transfer_Encoding: chunked"),
            .accepted(.post)),
        ParserCase("a lower-case name is the same name", "9110 §5.1", "GET / HTTP/1.1\r\nhost: a\r\n\r\n", .accepted()),
        ParserCase(
            "field lines keep their order", "9110 §5.3", get("X: 1", "Y: 2", "X: 3"),
            .accepted(fields: ["Host: a", "X: 1", "Y: 2", "X: 3"])),
        invalid("a space before the colon is refused", "X : b", .malformedFieldName, source: "9112 §5.1"),
        invalid("a tab before the colon is refused", "X\t: b", .malformedFieldName, source: "9112 §5.1"),
        invalid("a space inside a name is refused", "X Y: b", .malformedFieldName),
        invalid("an empty name is refused", ": b", .malformedFieldName),
        invalid("a colon alone is refused", ":", .malformedFieldName),
        invalid("a line without a colon is refused", "X", .malformedFieldLine),
        invalid("a folded line is refused", "X: a\r\n b", .foldedFieldLine, source: "9112 §5.2"),
        invalid("a line folded with a tab is refused", "X: a\r\n\tb", .foldedFieldLine, source: "9112 §5.2"),
        invalid("a folded line of white space is refused", "X: a\r\n ", .foldedFieldLine, source: "9112 §5.2"),
        invalid("a folded line with a colon is refused", "X: a\r\n Y: b", .foldedFieldLine, source: "9112 §5.2"),
        ParserCase(
            "white space before the first line is refused", "9112 §2.2", "GET / HTTP/1.1\r\n Host: a\r\n\r\n",
            .rejected(.foldedFieldLine)),
        ParserCase(
            "a tab before the first line is refused", "9112 §2.2", "GET / HTTP/1.1\r\n\tHost: a\r\n\r\n",
            .rejected(.foldedFieldLine)),
        ParserCase(
            "a line of white space before the first is refused", "9112 §2.2", "GET / HTTP/1.1\r\n \r\nHost: a\r\n\r\n",
            .rejected(.foldedFieldLine)),
        ParserCase(
            "a folded Host is refused", "9112 §5.2", "GET / HTTP/1.1\r\nHost:\r\n a\r\n\r\n", .rejected(.malformedHost)),
        invalid("a bare LF in a value is refused", "X: a\nY: b", .bareLineFeed, source: "9112 §2.2"),
        invalid("a bare LF in a name is refused", "X\nY: b", .bareLineFeed, source: "9112 §2.2"),
        invalid("a bare LF before a line is refused", "\nX: b", .bareLineFeed, source: "9112 §2.2"),
        invalid("a bare CR in a value is refused", "X: a\rY: b", .malformedFieldValue, source: "9112 §2.2"),
        invalid("a bare CR before the line's end is refused", "X: a\r", .malformedFieldValue, source: "9112 §2.2"),
        invalid("a bare CR in a name is refused", "X\rY: b", .malformedFieldName, source: "9112 §2.2"),
        invalid("a bare CR before a name is refused", "\rX: b", .malformedFieldName, source: "9112 §2.2"),
        invalid("a bare CR alone on a line is refused", "\r", .malformedFieldName, source: "9112 §2.2"),
        ParserCase(
            "a line that ends with LF alone is refused", "9112 §2.2", "GET / HTTP/1.1\r\nHost: a\nX: b\r\n\r\n",
            .rejected(.bareLineFeed)),
        ParserCase(
            "a head that ends with LF alone is refused", "9112 §2.2", "GET / HTTP/1.1\r\nHost: a\r\n\n",
            .rejected(.bareLineFeed)),
        ParserCase(
            "a head that ends with two LF is refused", "9112 §2.2", "GET / HTTP/1.1\nHost: a\n\n",
            .rejected(.bareLineFeed)),
        ParserCase(
            "CR CR LF does not end a head", "9112 §2.2", "GET / HTTP/1.1\r\nHost: a\r\n\r\r\n",
            .rejected(.malformedFieldName)),
        ParserCase("a head without its last LF waits", "9112 §2.1", "GET / HTTP/1.1\r\nHost: a\r\n\r", .unfinished),
        ParserCase("a head without its empty line waits", "9112 §2.1", "GET / HTTP/1.1\r\nHost: a\r\n", .unfinished),
        ParserCase("a head inside a line waits", "9112 §2.1", "GET / HTTP/1.1\r\nHost: a", .unfinished),
        invalid("a second request line is no field", "GET / HTTP/1.1", .malformedFieldName),
    ]

    /// Controls except HTAB, CR and LF, which have separate cases.
    private static let controls = (0...0x1F).filter { ![0x09, 0x0A, 0x0D].contains($0) } + [0x7F]

    static let controlsInValues: [ParserCase] = controls.map { code in
        let byte = Character(Unicode.Scalar(UInt8(code)))
        return invalid(
            "0x\(String(code, radix: 16)) in a value is refused", "X: a\(byte)b", .malformedFieldValue,
            source: "9110 §5.5")
    }

    static let nonTokensInNames: [ParserCase] =
        (controls + [0x80, 0x85, 0xA0, 0xFF] + "\"(),/;<=>?@[\\]{}".utf8.map(Int.init)).map { code in
            let byte = Character(Unicode.Scalar(UInt8(code)))
            return invalid(
                "0x\(String(code, radix: 16)) in a name is refused", "X\(byte)Y: b", .malformedFieldName,
                source: "9110 §5.1")
        }

    /// A value with these bytes around a Connection option is a different option, so the connection stays open.
    static let notWhiteSpace: [ParserCase] = [0x85, 0xA0].flatMap { code in
        let byte = Character(Unicode.Scalar(UInt8(code)))
        let name = "0x\(String(code, radix: 16))"
        return [
            ParserCase(
                "\(name) before a value is a part of it", "9110 §5.6.3", get("Connection: \(byte)close"), .accepted()),
            ParserCase(
                "\(name) after a value is a part of it", "9110 §5.6.3", get("Connection: close\(byte)"), .accepted()),
        ]
    }
}
