import MotivatorHTTP

/// Chunked content: CRLF everywhere, hexadecimal sizes, never a resync (RFC 9112 §7.1).
enum ChunkCases {
    private static func valid(_ rule: String, _ content: String, _ decoded: String) -> ParserCase {
        ParserCase(rule, "9112 §7.1", chunked(content), .accepted(.post, framing: .chunked, content: decoded))
    }

    private static func size(_ rule: String, _ line: String) -> ParserCase {
        invalid(rule, line + "\r\nhello\r\n0\r\n\r\n", .malformedChunkSize)
    }

    private static func invalid(
        _ rule: String, _ content: String, _ rejection: Rejection, limits: Limits = Limits()
    ) -> ParserCase {
        ParserCase(rule, "9112 §7.1", chunked(content), .rejected(rejection), limits: limits)
    }

    static let sizes: [ParserCase] = [
        valid("the last chunk alone is no content", "0\r\n\r\n", ""),
        valid("chunks are put together", "5\r\nhello\r\n1\r\n \r\n5\r\nworld\r\n0\r\n\r\n", "hello world"),
        valid("sizes are hexadecimal, in capitals", "A\r\n0123456789\r\n0\r\n\r\n", "0123456789"),
        valid("sizes are hexadecimal, in small letters", "a\r\n0123456789\r\n0\r\n\r\n", "0123456789"),
        valid(
            "two digits are one size", "1f\r\n0123456789012345678901234567890\r\n0\r\n\r\n",
            "0123456789012345678901234567890"),
        valid("leading zeros are digits", "005\r\nhello\r\n000\r\n\r\n", "hello"),
        valid("sixteen digits are a size", "0000000000000005\r\nhello\r\n0000000000000000\r\n\r\n", "hello"),
        valid("data may be any bytes", "7\r\n\r\n0\r\n\r\n\r\n0\r\n\r\n", "\r\n0\r\n\r\n"),
        invalid("seventeen digits are refused", "00000000000000005\r\nhello\r\n0\r\n\r\n", .malformedChunkSize),
        invalid("seventeen zeros are refused", .repeating("0", 17) + "\r\n\r\n", .malformedChunkSize),
        invalid("seventeen digits are refused before the line ends", .repeating("0", 17), .malformedChunkSize),
        invalid("2 to the 63rd is refused", "8000000000000000\r\n", .malformedChunkSize),
        invalid("2 to the 64th less one is refused", "ffffffffffffffff\r\n", .malformedChunkSize),
        invalid("2 to the 64th plus 5 is refused", "10000000000000005\r\nhello\r\n0\r\n\r\n", .malformedChunkSize),
        ParserCase("Int64.max is a size", "9112 §7.1", chunked("7fffffffffffffff\r\nhello"), .unfinished),
        size("0x is refused", "0x5"),
        size("0X is refused", "0X5"),
        size("a plus sign is refused", "+5"),
        size("a minus sign is refused", "-5"),
        size("minus one is refused", "-1"),
        size("minus zero is refused", "-0"),
        size("an underscore is refused", "5_0"),
        size("an underscore before the size is refused", "_5"),
        size("a space before the size is refused", " 5"),
        size("a tab before the size is refused", "\t5"),
        size("a letter that is no digit is refused", "g"),
        size("a letter after a digit is refused", "5g"),
        size("an h after the size is refused", "5h"),
        size("a decimal point is refused", "5.0"),
        size("a comma is refused", "5,5"),
        size("a quoted size is refused", "\"5\""),
        size("a vertical tab is refused", "\u{B}5"),
        size("a form feed is refused", "5\u{C}"),
        size("a NUL after the size is refused", "5\0"),
        size("0xA0 after the size is refused", "5\u{A0}"),
        size("0x85 before the size is refused", "\u{85}5"),
        size("0xB5 is no digit", "\u{B5}"),
        size("an empty size is refused", ""),
        size("an extension without a size is refused", ";a=b"),
        size("a bare CR after the size is refused", "5\r"),
        size("a bare CR inside the size is refused", "5\r5"),
        invalid("a size that ends with LF alone is refused", "5\nhello\r\n0\r\n\r\n", .malformedChunkSize),
        invalid("a last size that ends with LF alone is refused", "0\n\r\n", .malformedChunkSize),
        invalid("a bare CR after the size is refused at once", "5\rX", .malformedChunkSize),
        invalid(
            "a bare CR after the size is refused before its extensions are counted",
            "5\r" + .repeating("x", 5000) + "\n",
            .malformedChunkSize),
        ParserCase("a size without its end waits", "9112 §7.1", chunked("5"), .unfinished),
        ParserCase("a size without its LF waits", "9112 §7.1", chunked("5\r"), .unfinished),
        ParserCase("data without its end waits", "9112 §7.1", chunked("5\r\nhel"), .unfinished),
        ParserCase("content without its last chunk waits", "9112 §8", chunked("5\r\nhello\r\n"), .unfinished),
        ParserCase("a last chunk without the empty line waits", "9112 §7.1", chunked("0\r\n"), .unfinished),
    ]

    static let ends: [ParserCase] = [
        invalid("data longer than its size is refused", "5\r\nhelloX\r\n0\r\n\r\n", .malformedChunkEnd),
        invalid("data shorter than its size is refused", "6\r\nhello\r\n0\r\n\r\n", .malformedChunkEnd),
        invalid("a missing line end after the data is refused", "5\r\nhello0\r\n\r\n", .malformedChunkEnd),
        invalid("LF alone after the data is refused", "5\r\nhello\n0\r\n\r\n", .malformedChunkEnd),
        invalid("CR alone after the data is refused", "5\r\nhello\r0\r\n\r\n", .malformedChunkEnd),
        invalid("any two bytes after the data are no line end", "5\r\nhelloXX0\r\n\r\n", .malformedChunkEnd),
        invalid("two CR after the data are refused", "5\r\nhello\r\r\n0\r\n\r\n", .malformedChunkEnd),
        invalid("two line ends after the data are refused", "5\r\nhello\r\n\r\n0\r\n\r\n", .malformedChunkSize),
        ParserCase("a line end without its LF waits", "9112 §7.1", chunked("5\r\nhello\r"), .unfinished),
    ]

    private static func accepted(_ rule: String, _ text: String) -> ParserCase {
        ParserCase(
            rule, "9112 §7.1.1", chunked("5\(text)\r\nhello\r\n0\(text)\r\n\r\n"),
            .accepted(.post, framing: .chunked, content: "hello"))
    }

    private static func refused(_ rule: String, _ text: String) -> ParserCase {
        ParserCase(
            rule, "9112 §7.1.1", chunked("5\(text)\r\nhello\r\n0\r\n\r\n"), .rejected(.malformedChunkExtension))
    }

    static let extensions: [ParserCase] = [
        accepted("a name alone is an extension", ";a"),
        accepted("a name and a token are an extension", ";a=b"),
        accepted("a name and a quoted string are an extension", ";a=\"b c;\t,\""),
        accepted("an empty quoted string is a value", ";a=\"\""),
        accepted("obs-text may be quoted", ";a=\"\u{80}\u{FF}\""),
        accepted("a quote may be escaped", ";a=\"\\\"\""),
        accepted("a backslash may be escaped", ";a=\"\\\\\""),
        accepted("a tab may be escaped", ";a=\"\\\t\""),
        accepted("several extensions are several", ";a;b=c;d=\"e\";f"),
        accepted("white space is allowed before and after delimiters", "; a = b ;\tc\t=\t\"d\"  ;e"),
        accepted("a space before an extension is dropped", " ;a"),
        accepted("a tab before an extension is dropped", "\t;a=b"),
        refused("a space after the size is refused", " "),
        refused("a tab after the size is refused", "\t"),
        refused("a word after a space is refused", " a"),
        refused("a semicolon alone is refused", ";"),
        refused("a semicolon at the end is refused", ";a;"),
        refused("two semicolons are refused", ";;a"),
        refused("a value without a name is refused", ";=b"),
        refused("a name without its value is refused", ";a="),
        refused("two values are refused", ";a=b=c"),
        refused("two words are refused", ";a b"),
        refused("white space at the end is refused", ";a "),
        refused("white space after a value is refused", ";a=b\t"),
        refused("white space after a quoted string is refused", ";a=\"b\" "),
        refused("white space alone after a semicolon is refused", "; "),
        refused("a name that is no token is refused", ";a/b"),
        refused("a value that is no token is refused", ";a=b/c"),
        refused("text after a quoted string is refused", ";a=\"b\"c"),
        refused("a quoted string without its end is refused", ";a=\"b"),
        refused("a backslash at the end is refused", ";a=\"b\\"),
        refused("an escaped quote does not end the string", ";a=\"b\\\""),
        refused("a NUL in quotes is refused", ";a=\"\0\""),
        refused("an escaped NUL is refused", ";a=\"\\\0\""),
        refused("an escaped DEL is refused", ";a=\"\\\u{7F}\""),
        refused("an escaped CR is refused", ";a=\"\\\r\""),
        refused("a bare CR in a name is refused", ";a\rb"),
        refused("a bare CR in quotes is refused", ";a=\"\r\""),
        refused("a bare CR before the line's end is refused", ";a\r"),
        refused("a NUL in a name is refused", ";a\0"),
        refused("0x80 in a name is refused", ";\u{80}"),
        refused("0xA0 is no white space", ";\u{A0}a"),
        ParserCase(
            "an extension that ends with LF alone is refused", "9112 §7.1.1", chunked("5;a\nhello\r\n0\r\n\r\n"),
            .rejected(.malformedChunkSize)),
        ParserCase(
            "a quoted LF ends the line", "9112 §7.1.1", chunked("5;a=\"\n\"\r\nhello\r\n0\r\n\r\n"),
            .rejected(.malformedChunkSize)),
        ParserCase("an extension without its line end waits", "9112 §7.1.1", chunked("5;a=\""), .unfinished),
    ]
}
