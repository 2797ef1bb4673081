import MotivatorHTTP

/// Content-Length is `1*DIGIT`. It appears once, and without Transfer-Encoding (RFC 9110 §8.6, RFC 9112 §6).
enum LengthCases {
    private static func invalid(_ rule: String, _ value: String) -> ParserCase {
        ParserCase(rule, "9110 §8.6", post("Content-Length: \(value)") + "12345", .rejected(.malformedContentLength))
    }

    private static func framed(_ method: String, _ kind: Method) -> ParserCase {
        ParserCase(
            "\(method) with content is framed like any other", "9112 §6.3",
            "\(method) / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello",
            .accepted(kind, framing: .length(5), content: "hello"))
    }

    static let lengths: [ParserCase] = [
        ParserCase(
            "content has as many bytes as Content-Length", "9112 §6.2", post("Content-Length: 5") + "hello",
            .accepted(.post, framing: .length(5), content: "hello")),
        ParserCase(
            "the name has no case", "9110 §5.1", post("cONTENT-lENGTH: 5") + "hello",
            .accepted(.post, framing: .length(5), content: "hello")),
        ParserCase(
            "leading zeros are digits", "9110 §8.6", post("Content-Length: 0000000000000000000000005") + "hello",
            .accepted(.post, framing: .length(5), content: "hello")),
        ParserCase("no content is legal", "9112 §6.3", post("Content-Length: 0"), .accepted(.post)),
        ParserCase("many zeros are no content", "9112 §6.3", post("Content-Length: 000"), .accepted(.post)),
        ParserCase("without framing there is no content", "9112 §6.3", post(), .accepted(.post)),
        ParserCase(
            "content may be any bytes", "9112 §6.2", post("Content-Length: 6") + "\0\r\n\u{FF}\u{85}\n",
            .accepted(.post, framing: .length(6), content: "\0\r\n\u{FF}\u{85}\n")),
        ParserCase(
            "content that looks like a request is content", "9112 §11.2",
            post("Content-Length: 18") + "GET / HTTP/1.1\r\n\r\n",
            .accepted(.post, framing: .length(18), content: "GET / HTTP/1.1\r\n\r\n")),
        ParserCase(
            "content that is not there yet is waited for", "9112 §8", post("Content-Length: 5") + "hell", .unfinished),
        ParserCase("content that has not begun is waited for", "9112 §8", post("Content-Length: 5"), .unfinished),
        ParserCase(
            "1.0 frames by Content-Length too", "9112 §6.3", "POST / HTTP/1.0\r\nContent-Length: 2\r\n\r\nhi",
            .accepted(.post, host: nil, version: .http10, framing: .length(2), content: "hi", keepsAlive: false)),
        framed("GET", .get), framed("HEAD", .head), framed("DELETE", .delete), framed("OPTIONS", .options),
        framed("TRACE", .trace),
        ParserCase(
            "another method's content is framed too", "9112 §6.3",
            "PURGE / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nhi",
            .accepted(.other, named: "PURGE", framing: .length(2), content: "hi")),
        ParserCase(
            "CONNECT's content is framed too", "9112 §6.3",
            "CONNECT a:1 HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nhi",
            .accepted(.connect, target: "a:1", framing: .length(2), content: "hi")),
        invalid("an empty length is refused", ""),
        invalid("a plus sign is refused", "+5"),
        invalid("a minus sign is refused", "-5"),
        invalid("minus zero is refused", "-0"),
        invalid("a space inside is refused", "1 2"),
        invalid("a tab inside is refused", "1\t2"),
        invalid("a list is refused", "5, 5"),
        invalid("a list without space is refused", "5,5"),
        invalid("a trailing comma is refused", "5,"),
        invalid("a leading comma is refused", ",5"),
        invalid("hexadecimal is refused", "0x5"),
        invalid("hexadecimal digits are refused", "a"),
        invalid("an underscore is refused", "1_0"),
        invalid("a decimal point is refused", "5.0"),
        invalid("an exponent is refused", "5e0"),
        invalid("a quoted length is refused", "\"5\""),
        invalid("a parameter is refused", "5;a=b"),
        invalid("0xA0 before the length is refused", "\u{A0}5"),
        invalid("0x85 after the length is refused", "5\u{85}"),
        invalid("0xB2 is no digit", "\u{B2}"),
        invalid("a digit of another script is refused", "\u{D9}\u{A5}"),
        invalid("Int64.max + 1 is refused", "9223372036854775808"),
        invalid("2 to the 64th is refused", "18446744073709551616"),
        invalid("2 to the 64th plus 5 is refused", "18446744073709551621"),
        invalid("a hundred digits are refused", .repeating("9", 100)),
        ParserCase(
            "a vertical tab is no white space", "9110 §5.6.3", post("Content-Length: \u{B}5"),
            .rejected(.malformedFieldValue)),
        ParserCase(
            "a form feed is no white space", "9110 §5.6.3", post("Content-Length: 5\u{C}"),
            .rejected(.malformedFieldValue)),
        ParserCase("a NUL is refused", "9110 §5.5", post("Content-Length: 5\0"), .rejected(.malformedFieldValue)),
        ParserCase(
            "a space before the colon is refused", "9112 §5.1", post("Content-Length : 5"),
            .rejected(.malformedFieldName)),
        ParserCase(
            "a folded length is refused", "9112 §5.2", post("Content-Length: 1\r\n 5"), .rejected(.foldedFieldLine)),
        ParserCase(
            "Int64.max is a number, and too large", "9110 §8.6", post("Content-Length: 9223372036854775807"),
            .rejected(.contentTooLarge)),
        ParserCase(
            "two equal lengths are refused", "9112 §6.3", post("Content-Length: 5", "Content-Length: 5") + "hello",
            .rejected(.repeatedContentLength)),
        ParserCase(
            "two different lengths are refused", "9112 §6.3", post("Content-Length: 5", "content-length: 6") + "hello",
            .rejected(.repeatedContentLength)),
        ParserCase(
            "two lengths of zero are refused", "9112 §6.3", post("Content-Length: 0", "Content-Length: 0"),
            .rejected(.repeatedContentLength)),
        ParserCase(
            "a length and an empty one are refused", "9112 §6.3", post("Content-Length: 0", "Content-Length:"),
            .rejected(.repeatedContentLength)),
    ]
}
