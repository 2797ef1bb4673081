import MotivatorHTTP

/// The request line: octets, a single SP between the parts, and CRLF at the end (RFC 9112 §3).
enum RequestLineCases {
    private static func line(_ rule: String, _ line: String, _ expected: Expected) -> ParserCase {
        ParserCase(rule, "9112 §3", line + "\r\nHost: a\r\n\r\n", expected)
    }

    static let shape: [ParserCase] = [
        line(
            "method, target and version with one space between them are a request line", "GET / HTTP/1.1", .accepted()),
        ParserCase("one CRLF before the line is skipped", "9112 §2.2", "\r\n" + get(), .accepted()),
        ParserCase("a lone leading CRLF begins a message", "9112 §2.2", "\r\n", .unfinished),
        ParserCase(
            "a second CRLF before the line is refused", "9112 §2.2", "\r\n\r\n" + get(), .rejected(.malformedMethod)),
        ParserCase("a bare LF before the line is refused", "9112 §2.2", "\n" + get(), .rejected(.bareLineFeed)),
        ParserCase("a bare LF after a skipped CRLF is refused", "9112 §2.2", "\r\n\n", .rejected(.bareLineFeed)),
        ParserCase("a bare CR before the line is refused", "9112 §2.2", "\r" + get(), .rejected(.malformedMethod)),
        line("a leading space is refused", " GET / HTTP/1.1", .rejected(.malformedMethod)),
        line("a leading tab is refused", "\tGET / HTTP/1.1", .rejected(.malformedMethod)),
        line("a leading NUL is refused", "\0GET / HTTP/1.1", .rejected(.malformedMethod)),
        line("two spaces before the target are refused", "GET  / HTTP/1.1", .rejected(.malformedRequestLine)),
        line("two spaces before the version are refused", "GET /  HTTP/1.1", .rejected(.malformedVersion)),
        line("a tab before the target is refused", "GET\t/ HTTP/1.1", .rejected(.malformedMethod)),
        line("a tab before the version is refused", "GET /\tHTTP/1.1", .rejected(.malformedRequestLine)),
        line("a vertical tab is no separator", "GET\u{B}/ HTTP/1.1", .rejected(.malformedMethod)),
        line("a form feed is no separator", "GET /\u{C}HTTP/1.1", .rejected(.malformedRequestLine)),
        line("0xA0 is no separator", "GET\u{A0}/ HTTP/1.1", .rejected(.malformedMethod)),
        line("a trailing space is refused", "GET / HTTP/1.1 ", .rejected(.malformedVersion)),
        line("a trailing tab is refused", "GET / HTTP/1.1\t", .rejected(.malformedVersion)),
        line("a fourth part is refused", "GET / x HTTP/1.1", .rejected(.malformedVersion)),
        line("a missing version is refused, as in HTTP/0.9", "GET /", .rejected(.malformedRequestLine)),
        line("a missing version after a space is refused", "GET / ", .rejected(.malformedRequestLine)),
        line("a missing target is refused", "GET HTTP/1.1", .rejected(.malformedRequestLine)),
        line("a method alone is refused", "GET", .rejected(.malformedMethod)),
        line("a bare CR before the line's end is refused", "GET / HTTP/1.1\r", .rejected(.malformedVersion)),
        line("a bare CR as separator is refused", "GET\r/ HTTP/1.1", .rejected(.malformedMethod)),
        line("a bare CR after the target is refused", "GET /\r HTTP/1.1", .rejected(.malformedTarget)),
        line("a NUL after the version is refused", "GET / HTTP/1.1\0", .rejected(.malformedVersion)),
        ParserCase(
            "a request line that ends with LF alone is refused", "9112 §2.2", "GET / HTTP/1.1\nHost: a\r\n\r\n",
            .rejected(.bareLineFeed)),
        ParserCase(
            "a bare LF inside the request line ends it", "9112 §2.2", "GET /\n HTTP/1.1\r\nHost: a\r\n\r\n",
            .rejected(.bareLineFeed)),
        ParserCase("a bare LF after the method is refused", "9112 §2.2", "GET\n", .rejected(.malformedMethod)),
        ParserCase("LF CR does not end a line", "9112 §2.2", "GET / HTTP/1.1\n\rHost: a", .rejected(.bareLineFeed)),
        ParserCase("a line without its end waits", "9112 §3", "GET / HTTP/1.1", .unfinished),
        ParserCase("a line without its LF waits", "9112 §3", "GET / HTTP/1.1\r", .unfinished),
        ParserCase("a method that may go on waits", "9112 §3", "GE", .unfinished),
        ParserCase("a TLS hello is no method", "9112 §3", "\u{16}\u{3}\u{1}", .rejected(.malformedMethod)),
    ]

    static let methods: [ParserCase] = [
        line("HEAD is known", "HEAD / HTTP/1.1", .accepted(.head)),
        line("POST is known", "POST / HTTP/1.1", .accepted(.post)),
        line("PUT is known", "PUT / HTTP/1.1", .accepted(.put)),
        line("PATCH is known", "PATCH / HTTP/1.1", .accepted(.patch)),
        line("DELETE is known", "DELETE / HTTP/1.1", .accepted(.delete)),
        line("OPTIONS is known", "OPTIONS / HTTP/1.1", .accepted(.options)),
        line("TRACE is known, to be refused by name", "TRACE / HTTP/1.1", .accepted(.trace)),
        line("a method in lower case is another method", "get / HTTP/1.1", .accepted(.other, named: "get")),
        line("a method in mixed case is another method", "Post / HTTP/1.1", .accepted(.other, named: "Post")),
        line(
            "a name that begins with a known one is another method", "GETS / HTTP/1.1", .accepted(.other, named: "GETS")
        ),
        line(
            "every token character is allowed in a method", "!#$%&'*+-.^_`|~09azAZ / HTTP/1.1",
            .accepted(.other, named: "!#$%&'*+-.^_`|~09azAZ")),
        line(
            "a method of 32 bytes is a method", .repeating("M", 32) + " / HTTP/1.1",
            .accepted(.other, named: .repeating("M", 32))),
        line("a method of 33 bytes is too long", .repeating("M", 33) + " / HTTP/1.1", .rejected(.methodTooLong)),
        ParserCase(
            "a method is too long before its end is there", "9112 §3", .repeating("M", 33), .rejected(.methodTooLong)),
    ]

    static let nonTokens: [ParserCase] = "\0\u{1}\u{7F}\u{80}\u{FF}\"(),/:;<=>?@[\\]{}".unicodeScalars.map { scalar in
        let code = String(scalar.value, radix: 16)
        return ParserCase(
            "0x\(code) in a method is refused", "9110 §9.1", "G\(scalar)T / HTTP/1.1\r\nHost: a\r\n\r\n",
            .rejected(.malformedMethod))
    }

    private static func version(_ rule: String, _ version: String, _ expected: Expected) -> ParserCase {
        ParserCase(rule, "9112 §2.3", "GET / \(version)\r\nHost: a\r\n\r\n", expected)
    }

    static let versions: [ParserCase] = [
        version("1.0 does not keep the connection", "HTTP/1.0", .accepted(version: .http10, keepsAlive: false)),
        version("1.2 is served as 1.1", "HTTP/1.2", .accepted()),
        version("1.9 is served as 1.1", "HTTP/1.9", .accepted()),
        version("major version 2 is not spoken", "HTTP/2.0", .rejected(.unsupportedVersion)),
        version("major version 0 is not spoken", "HTTP/0.9", .rejected(.unsupportedVersion)),
        version("major version 3 is not spoken", "HTTP/3.1", .rejected(.unsupportedVersion)),
        ParserCase(
            "the preface of HTTP/2 gets 505", "9113 §3.4", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
            .rejected(.unsupportedVersion)),
        version("the name's case counts", "http/1.1", .rejected(.malformedVersion)),
        version("one letter of another case counts", "HTTp/1.1", .rejected(.malformedVersion)),
        version("a version has a minor number", "HTTP/1", .rejected(.malformedVersion)),
        version("a minor number is not empty", "HTTP/1.", .rejected(.malformedVersion)),
        version("a major number has no leading zero", "HTTP/01.1", .rejected(.malformedVersion)),
        version("a minor number has one digit", "HTTP/1.10", .rejected(.malformedVersion)),
        version("a minor number has no leading zero", "HTTP/1.01", .rejected(.malformedVersion)),
        version("a comma is no point", "HTTP/1,1", .rejected(.malformedVersion)),
        version("a letter is no digit", "HTTP/1.x", .rejected(.malformedVersion)),
        version("a sign is no digit", "HTTP/+.1", .rejected(.malformedVersion)),
        version("a space is no slash", "HTTP 1.1", .rejected(.malformedVersion)),
        version("another protocol is refused", "HTTPS/1.1", .rejected(.malformedVersion)),
        version("ICY is refused", "ICY/1.1", .rejected(.malformedVersion)),
        version("0xB1 is no digit", "HTTP/1.\u{B1}", .rejected(.malformedVersion)),
    ]
}
