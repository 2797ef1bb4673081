import MotivatorHTTP

/// The parser validates trailers like fields, and discards them (RFC 9112 §7.1.2).
enum TrailerCases {
    private static func valid(_ rule: String, _ trailers: String, fields: [String]? = nil) -> ParserCase {
        ParserCase(
            rule, "9112 §7.1.2", chunked("2\r\nhi\r\n0\r\n\(trailers)\r\n"),
            .accepted(.post, fields: fields, framing: .chunked, content: "hi"))
    }

    private static func invalid(_ rule: String, _ trailers: String, _ rejection: Rejection) -> ParserCase {
        ParserCase(rule, "9112 §7.1.2", chunked("2\r\nhi\r\n0\r\n\(trailers)\r\n\r\n"), .rejected(rejection))
    }

    private static let own = ["Host: a", "Transfer-Encoding: chunked"]

    static let all: [ParserCase] = [
        valid("a trailer is dropped", "X: b\r\n", fields: own),
        valid("several trailers are dropped", "X: b\r\nY:\r\nX: c\r\n", fields: own),
        valid("a trailer's Content-Length frames nothing", "Content-Length: 5\r\n", fields: own),
        valid("a trailer's malformed Content-Length frames nothing", "Content-Length: x\r\n", fields: own),
        valid("a trailer's Transfer-Encoding frames nothing", "Transfer-Encoding: chunked\r\n", fields: own),
        valid("a trailer's Host is no Host", "Host: evil\r\nHost: worse\r\n", fields: own),
        valid("a trailer's Connection does not close", "Connection: close\r\n", fields: own),
        valid("a trailer's Expect expects nothing", "Expect: x\r\n", fields: own),
        valid("obs-text may stand in a trailer's value", "X: \u{80}\u{FF}\r\n", fields: own),
        invalid("a trailer without a colon is refused", "X", .malformedFieldLine),
        invalid("a trailer with an empty name is refused", ": b", .malformedFieldName),
        invalid("a space before a trailer's colon is refused", "X : b", .malformedFieldName),
        invalid("a trailer's name that is no token is refused", "X/Y: b", .malformedFieldName),
        invalid("a NUL in a trailer is refused", "X: \0", .malformedFieldValue),
        invalid("a bare CR in a trailer is refused", "X: a\rb", .malformedFieldValue),
        invalid("a vertical tab in a trailer is refused", "X: \u{B}a", .malformedFieldValue),
        invalid("DEL in a trailer is refused", "X: \u{7F}", .malformedFieldValue),
        invalid("a folded trailer is refused", "X: a\r\n b", .foldedFieldLine),
        invalid("white space before the first trailer is refused", " X: a", .foldedFieldLine),
        invalid("a trailer folded with a tab is refused", "X: a\r\n\tb", .foldedFieldLine),
        invalid("a bare LF in a trailer is refused", "X: a\nY: b", .bareLineFeed),
        invalid("a bare LF before a trailer is refused", "\nX: a", .bareLineFeed),
        invalid("a CR alone on a line is refused", "\r", .malformedFieldName),
        invalid("a request after a missing empty line is no trailer", "GET / HTTP/1.1", .malformedFieldName),
        ParserCase(
            "trailers that end with LF alone are refused", "9112 §2.2", chunked("0\r\nX: a\r\n\n"),
            .rejected(.bareLineFeed)),
        ParserCase(
            "a last chunk that ends with LF alone is refused", "9112 §2.2", chunked("0\r\n\n"), .rejected(.bareLineFeed)
        ),
        ParserCase("trailers without their end wait", "9112 §7.1.2", chunked("0\r\nX: a\r\n"), .unfinished),
        ParserCase("trailers without their last LF wait", "9112 §7.1.2", chunked("0\r\nX: a\r\n\r"), .unfinished),
    ]
}
