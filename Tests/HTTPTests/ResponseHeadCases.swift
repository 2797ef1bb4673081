import MotivatorHTTP

/// Status lines, field lines and interim responses (RFC 9112 §4 and §5, RFC 9110 §15.2).
enum ResponseHeadCases {
    private static let empty = "Content-Length: 0"

    private static func line(_ line: String) -> String { "\(line)\r\n\(empty)\r\n\r\n" }

    private static func accepted(
        _ rule: String, _ source: String, _ text: String, _ status: Int, _ reason: String
    ) -> ResponseCase {
        ResponseCase(rule, source, line(text), .message(status, reason: reason, fields: [empty]))
    }

    private static func refused(
        _ rule: String, _ source: String, _ text: String, _ fault: ResponseError
    ) -> ResponseCase {
        ResponseCase(rule, source, line(text), .inHead(fault))
    }

    static let statusLines: [ResponseCase] = [
        accepted("status and reason are taken", "9112 §4", "HTTP/1.1 200 OK", 200, "OK"),
        accepted("a reason may be empty", "9112 §4", "HTTP/1.1 200 ", 200, ""),
        accepted("the space before an empty reason may be missing", "real servers", "HTTP/1.1 200", 200, ""),
        accepted("a reason may have spaces", "9112 §4", "HTTP/1.1 404 Not  Found ", 404, "Not  Found "),
        accepted("a reason may be any text", "9112 §4", "HTTP/1.1 200 \u{C3}\u{A9}", 200, "\u{C3}\u{A9}"),
        accepted("a status above 599 is shown as it is", "9110 §15", "HTTP/1.1 999 Denied", 999, "Denied"),
        accepted("1.0 is spoken", "9112 §2.3", "HTTP/1.0 200 OK", 200, "OK"),
        accepted("a later minor version is read as 1.1", "9110 §2.5", "HTTP/1.9 200 OK", 200, "OK"),
        refused("a status below 100 is none", "9110 §15", "HTTP/1.1 099 Low", .malformedStatusLine),
        refused("a status has three digits", "9112 §4", "HTTP/1.1 20 OK", .malformedStatusLine),
        refused("a status has no fourth digit", "9112 §4", "HTTP/1.1 2000 OK", .malformedStatusLine),
        refused("a status has no sign", "9112 §4", "HTTP/1.1 +20 OK", .malformedStatusLine),
        refused("two spaces are one too many", "9112 §4", "HTTP/1.1  200 OK", .malformedStatusLine),
        refused("a tab is no space", "9112 §4", "HTTP/1.1\t200 OK", .malformedStatusLine),
        refused("a reason has no control character", "9112 §4", "HTTP/1.1 200 O\u{1B}K", .malformedStatusLine),
        refused("a status line is not the version alone", "9112 §4", "HTTP/1.1", .malformedStatusLine),
        refused("a version has a number", "9112 §2.3", "HTTP/x.1 200 OK", .malformedStatusLine),
        refused("HTTP/2 is no text", "9113 §3", "HTTP/2 200 OK", .unsupportedVersion),
        refused("HTTP/2.0 is no text", "9113 §3", "HTTP/2.0 200 OK", .unsupportedVersion),
        refused("0.9 has no status line", "9112 §2.3", "HTTP/0.9 200 OK", .unsupportedVersion),
    ]

    static let foreign: [ResponseCase] = [
        refused("a page without a head is not HTTP", "9112 §4", "<html>", .notHTTP(start: latin1("<html>"))),
        refused("the name has capital letters", "9112 §2.3", "http/1.1 200", .notHTTP(start: latin1("http/1.1 200"))),
        refused("an old radio is not HTTP", "SHOUTcast", "ICY 200 OK", .notHTTP(start: latin1("ICY 200 OK"))),
        ResponseCase(
            "a line break before the status line is refused", "9112 §2.2", "\r\nHTTP/1.1 200 OK\r\n\r\n",
            .inHead(.notHTTP(start: []))),
        ResponseCase(
            "of a long start, 32 bytes are reported", "hostile server", .repeating("x", 100),
            .inHead(.notHTTP(start: latin1(.repeating("x", 32))))),
        ResponseCase("a short beginning waits", "hostile server", "SSH-2.0", .unfinishedHead),
        ResponseCase(
            "and is reported at the end", "hostile server", "SSH-2.0", .inHead(.notHTTP(start: latin1("SSH-2.0"))),
            then: .ragged),
        ResponseCase(
            "a beginning of the name may go on", "9112 §4", "HTTP", .inHead(.cutShortInHead(got: 4)),
            then: .clean),
        ResponseCase(
            "HTTP/2 begins with SETTINGS", "9113 §3.4",
            "\0\0\u{12}\u{4}\0\0\0\0\0" + .repeating("\0\u{3}\0\0\0\u{A}", 8), .inHead(.http2)),
        ResponseCase(
            "HTTP/2 is known by its frame's head", "9113 §3.4", "\0\0\0\u{4}\0\0\0\0\0", .inHead(.http2),
            then: .clean),
        ResponseCase(
            "another frame is not known", "9113 §3.4", "\0\0\0\u{7}\0\0\0\0\0",
            .inHead(.notHTTP(start: latin1("\0\0\0\u{7}\0\0\0\0\0"))), then: .clean),
        ResponseCase("no bytes are not a response", "9112 §8", "", .inHead(.cutShortInHead(got: 0)), then: .clean),
    ]

    private static func field(_ rule: String, _ source: String, _ lines: String, _ fault: ResponseError) -> ResponseCase
    {
        ResponseCase(rule, source, "HTTP/1.1 200 OK\r\n\(lines)\r\n\r\n", .inHead(fault))
    }

    static let fields: [ResponseCase] = [
        ResponseCase(
            "fields are kept in order, with their case", "9110 §5.3",
            "HTTP/1.1 200 OK\r\nB: 1\r\na:2\r\nB:\t3 \r\nContent-Length: 0\r\n\r\n",
            .message(fields: ["B: 1", "a: 2", "B: 3", "Content-Length: 0"])),
        ResponseCase(
            "a value's bytes are characters of their number", "9110 §5.5",
            "HTTP/1.1 200 OK\r\nX: \u{E9}\u{FF}\r\nContent-Length: 0\r\n\r\n",
            .message(fields: ["X: \u{E9}\u{FF}", "Content-Length: 0"])),
        ResponseCase(
            "a head without fields is legal", "9112 §5", "HTTP/1.1 204 \r\n\r\n",
            .message(204, reason: "", fields: [])),
        field("a line without a colon is refused", "9112 §5", "X", .shared(.malformedFieldLine)),
        field("a name without a byte is refused", "9110 §5.1", ": x", .shared(.malformedFieldName)),
        field("a space before the colon is refused", "9112 §5.1", "X : x", .shared(.malformedFieldName)),
        field("a name is a token", "9110 §5.1", "X(: x", .shared(.malformedFieldName)),
        field("a NUL in a value is refused", "9110 §5.5", "X: a\0b", .shared(.malformedFieldValue)),
        field("a CR in a value is refused", "9112 §2.2", "X: a\rb", .shared(.malformedFieldValue)),
        field("a folded line is refused", "9112 §5.2", "X: a\r\n b", .shared(.foldedFieldLine)),
        field("LF alone ends no field line", "9112 §2.2", "X: a\nY: b", .shared(.bareLineFeed)),
        ResponseCase(
            "LF alone ends no status line", "9112 §2.2", "HTTP/1.1 200 OK\nX: a\n\n", .inHead(.shared(.bareLineFeed))),
        ResponseCase("LF alone ends no head", "9112 §2.2", "HTTP/1.1 200 OK\r\n\n", .inHead(.shared(.bareLineFeed))),
        ResponseCase(
            "a truncated head is reported with its length", "9112 §8", "HTTP/1.1 200 OK\r\nX: a\r\n",
            .inHead(.cutShortInHead(got: 23)), then: .clean),
    ]

    static let interim: [ResponseCase] = [
        ResponseCase(
            "interim responses are skipped", "9110 §15.2",
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" + line("HTTP/1.1 200 OK"),
            .message(fields: [empty], interimResponses: 2)),
        ResponseCase(
            "the length of an interim response frames nothing", "9110 §15.2",
            "HTTP/1.1 103 \r\nContent-Length: 7\r\n\r\n" + line("HTTP/1.1 200 OK"),
            .message(fields: [empty], interimResponses: 1)),
        ResponseCase(
            "interim responses alone are not a response", "9110 §15.2", "HTTP/1.1 100 \r\n\r\n",
            .inHead(.cutShortInHead(got: 0), interimResponses: 1), then: .clean),
        ResponseCase(
            "101 was not requested", "9110 §15.2.2", "HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\n",
            .inHead(.unrequestedUpgrade)),
        ResponseCase(
            "an interim response must be followed by HTTP", "9112 §4", "HTTP/1.1 100 \r\n\r\nhello\r\n",
            .inHead(.notHTTP(start: latin1("hello")), interimResponses: 1)),
    ]

    static let limits: [ResponseCase] = [
        ResponseCase(
            "the longest status line is legal", "limit", line("HTTP/1.1 200 OKOK"),
            .message(reason: "OKOK", fields: [empty])
        ) { $0.startLine = 17 },
        ResponseCase(
            "a longer status line is refused", "limit", line("HTTP/1.1 200 OKOKO"),
            .inHead(.statusLineTooLong(limit: 17))
        ) { $0.startLine = 17 },
        ResponseCase(
            "a status line is too long before its end is there", "limit",
            "HTTP/1.1 200 " + .repeating("x", 100), .inHead(.statusLineTooLong(limit: 80))
        ) { $0.startLine = 80 },
        ResponseCase(
            "as many bytes of fields as allowed are legal", "limit", line("HTTP/1.1 200 OK"),
            .message(fields: [empty])
        ) { $0.fieldBytes = 19 },
        ResponseCase(
            "more bytes of fields are refused", "limit", line("HTTP/1.1 200 OK"),
            .inHead(.shared(.fieldsTooLarge))
        ) { $0.fieldBytes = 18 },
        ResponseCase(
            "an endless field is refused", "limit", "HTTP/1.1 200 OK\r\nX: " + .repeating("x", 500),
            .inHead(.shared(.fieldsTooLarge))
        ) { $0.fieldBytes = 100 },
        ResponseCase(
            "as many field lines as allowed are legal", "limit",
            "HTTP/1.1 200 OK\r\nA: 1\r\nContent-Length: 0\r\n\r\n",
            .message(fields: ["A: 1", "Content-Length: 0"])
        ) { $0.fieldLines = 2 },
        ResponseCase(
            "more field lines are refused", "limit", "HTTP/1.1 200 OK\r\nA: 1\r\nA: 2\r\nA: 3\r\n\r\n",
            .inHead(.shared(.tooManyFieldLines))
        ) { $0.fieldLines = 2 },
        ResponseCase(
            "the maximum number of interim responses is accepted", "limit",
            .repeating("HTTP/1.1 103 \r\n\r\n", 3) + line("HTTP/1.1 200 OK"),
            .message(fields: [empty], interimResponses: 3)
        ) { $0.interimResponses = 3 },
        ResponseCase(
            "more interim responses are refused", "limit", .repeating("HTTP/1.1 103 \r\n\r\n", 4),
            .inHead(.tooManyInterimResponses(limit: 3), interimResponses: 3)
        ) { $0.interimResponses = 3 },
    ]
}
