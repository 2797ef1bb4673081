import MotivatorHTTP

/// Each limit, tested with its last valid value and the next value.
enum LimitCases {
    private static let defaults = Limits()

    private static func small(_ change: (inout Limits) -> Void) -> Limits {
        var limits = Limits()
        change(&limits)
        return limits
    }

    private static func line(_ bytes: Int) -> (request: String, target: String) {
        let target = "/" + .repeating("x", bytes - "GET / HTTP/1.1".utf8.count)
        return ("GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n", target)
    }

    private static let longest = line(8192)

    static let lines: [ParserCase] = [
        ParserCase(
            "a request line of 8192 bytes is legal", "9112 §3", longest.request, .accepted(target: longest.target)),
        ParserCase(
            "a request line of 8193 bytes is too long", "9112 §3", line(8193).request, .rejected(.requestLineTooLong)),
        ParserCase(
            "a request line is too long before its end is there", "9112 §3", "GET /" + .repeating("x", 8190),
            .rejected(.requestLineTooLong)),
        ParserCase(
            "a request line that may still end in time waits", "9112 §3", "GET /" + .repeating("x", 8188) + "\r",
            .unfinished),
        ParserCase(
            "a leading CRLF does not count against the request line", "9112 §2.2", "\r\n" + longest.request,
            .accepted(target: longest.target)),
    ]

    /// Returns field lines with this total number of bytes, including CRLFs and Host.
    private static func fields(_ bytes: Int) -> String {
        let fixed = "Host: a\r\nX: \r\n".utf8.count
        return get("X: " + .repeating("x", bytes - fixed))
    }

    private static func count(_ lines: Int) -> String {
        "GET / HTTP/1.1\r\nHost: a\r\n" + .repeating("X: y\r\n", lines - 1) + "\r\n"
    }

    static let heads: [ParserCase] = [
        ParserCase("field lines of 16384 bytes are legal", "6585 §5", fields(16_384), .accepted()),
        ParserCase("field lines of 16385 bytes are too large", "6585 §5", fields(16_385), .rejected(.fieldsTooLarge)),
        ParserCase(
            "a field line is too large before its end is there", "6585 §5",
            "GET / HTTP/1.1\r\nHost: a\r\nX: " + .repeating("x", 16_400), .rejected(.fieldsTooLarge)),
        ParserCase("a hundred field lines are legal", "6585 §5", count(100), .accepted()),
        ParserCase("a hundred and one field lines are too many", "6585 §5", count(101), .rejected(.tooManyFieldLines)),
        ParserCase(
            "the request line does not count against the field lines", "6585 §5",
            "GET \(longest.target) HTTP/1.1\r\nHost: a\r\nX: " + .repeating("x", 16_384 - 14) + "\r\n\r\n",
            .accepted(target: longest.target)),
        ParserCase(
            "limits begin anew with each request", "6585 §5", count(100) + fields(16_384) + count(100),
            Expected.accepted().then(.accepted()).then(.accepted())),
    ]

    private static func trailers(_ bytes: Int) -> String {
        chunked("0\r\nX: " + .repeating("x", bytes - "X: \r\n".utf8.count) + "\r\n\r\n")
    }

    private static let none = Expected.accepted(.post, framing: .chunked)

    static let trailers: [ParserCase] = [
        ParserCase("trailers of 16384 bytes are legal", "6585 §5", trailers(16_384), none),
        ParserCase("trailers of 16385 bytes are too large", "6585 §5", trailers(16_385), .rejected(.fieldsTooLarge)),
        ParserCase(
            "a trailer is too large before its end is there", "6585 §5", chunked("0\r\nX: " + .repeating("x", 16_400)),
            .rejected(.fieldsTooLarge)),
        ParserCase(
            "many small trailers are counted together", "6585 §5",
            chunked("0\r\n" + .repeating("X: " + .repeating("x", 195) + "\r\n", 83) + "\r\n"),
            .rejected(.fieldsTooLarge)),
        ParserCase(
            "a hundred trailers are legal", "6585 §5", chunked("0\r\n" + .repeating("X: y\r\n", 100) + "\r\n"), none),
        ParserCase(
            "a hundred and one trailers are too many", "6585 §5",
            chunked("0\r\n" + .repeating("X: y\r\n", 101) + "\r\n"),
            .rejected(.tooManyFieldLines)),
        ParserCase(
            "trailers are counted anew for each message", "6585 §5",
            .repeating(chunked("0\r\n" + .repeating("X: y\r\n", 100) + "\r\n"), 2), none.then(none)),
    ]

    private static func extended(_ sizes: Int...) -> String {
        chunked(sizes.map { "1;" + .repeating("x", $0 - 1) + "\r\nh\r\n" }.joined() + "0\r\n\r\n")
    }

    static let extensions: [ParserCase] = [
        ParserCase(
            "extensions of 4096 bytes are legal", "9112 §7.1.1", extended(4096),
            .accepted(.post, framing: .chunked, content: "h")),
        ParserCase(
            "extensions of 4097 bytes are too large", "9112 §7.1.1", extended(4097), .rejected(.chunkExtensionsTooLarge)
        ),
        ParserCase(
            "extensions of 4096 bytes in two chunks are legal", "9112 §7.1.1", extended(2000, 2096),
            .accepted(.post, framing: .chunked, content: "hh")),
        ParserCase(
            "extensions of all chunks are counted together", "9112 §7.1.1", extended(2000, 2097),
            .rejected(.chunkExtensionsTooLarge)),
        ParserCase(
            "extensions of many chunks are counted together", "9112 §7.1.1", extended(1400, 100, 1400, 1197),
            .rejected(.chunkExtensionsTooLarge)),
        ParserCase(
            "extensions are too large before their end is there", "9112 §7.1.1", chunked("1;" + .repeating("x", 4096)),
            .rejected(.chunkExtensionsTooLarge)),
        ParserCase(
            "extensions that end with LF alone are refused at the limit too", "9112 §7.1.1",
            chunked("1;" + .repeating("x", 4095) + "\nh\r\n"), .rejected(.malformedChunkSize)),
        ParserCase(
            "extensions are counted anew for each message", "9112 §7.1.1", extended(4096) + extended(4096),
            Expected.accepted(.post, framing: .chunked, content: "h").then(
                .accepted(.post, framing: .chunked, content: "h"))),
    ]

    private static let ten = small { $0.content = 10 }

    static let contents: [ParserCase] = [
        ParserCase(
            "content of the limit is legal", "9110 §15.5.14", post("Content-Length: 10") + "0123456789",
            .accepted(.post, framing: .length(10), content: "0123456789"), limits: ten),
        ParserCase(
            "a length over the limit is refused at once", "9110 §15.5.14", post("Content-Length: 11"),
            .rejected(.contentTooLarge), limits: ten),
        ParserCase("the default limit is 1 MiB", "9110 §15.5.14", post("Content-Length: 1048576"), .unfinished),
        ParserCase(
            "a byte over 1 MiB is refused", "9110 §15.5.14", post("Content-Length: 1048577"),
            .rejected(.contentTooLarge)),
        ParserCase(
            "chunks of the limit are legal", "9110 §15.5.14", chunked("5\r\n01234\r\n5\r\n56789\r\n0\r\n\r\n"),
            .accepted(.post, framing: .chunked, content: "0123456789"), limits: ten),
        ParserCase(
            "chunks are refused when their sum passes the limit", "9110 §15.5.14",
            chunked("5\r\n01234\r\n6\r\n567890\r\n0\r\n\r\n"), .rejected(.contentTooLarge), limits: ten),
        ParserCase(
            "a chunk is refused when its data passes the limit", "9110 §15.5.14", chunked("ff\r\n01234567890"),
            .rejected(.contentTooLarge), limits: ten),
        ParserCase(
            "a chunk is not refused for its size alone", "9110 §15.5.14", chunked("ff\r\n0123456789"), .unfinished,
            limits: ten),
        ParserCase(
            "the limit on sizes of chunks is a limit", "9112 §7.1", chunked("00005\r\nhello\r\n0\r\n\r\n"),
            .rejected(.malformedChunkSize), limits: small { $0.chunkSizeDigits = 4 }),
        ParserCase(
            "the limit on methods is a limit", "9112 §3", get(), .rejected(.methodTooLong),
            limits: small { $0.method = 2 }),
    ]
}
