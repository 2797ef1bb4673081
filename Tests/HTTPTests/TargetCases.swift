import MotivatorHTTP

/// The four forms of a request target, and their valid bytes (RFC 9112 §3.2).
enum TargetCases {
    private static func target(
        _ rule: String, _ target: String, _ expected: Expected, source: String = "9112 §3.2", method: String = "GET",
        host: String = "a"
    ) -> ParserCase {
        ParserCase(rule, source, "\(method) \(target) HTTP/1.1\r\nHost: \(host)\r\n\r\n", expected)
    }

    static let origin: [ParserCase] = [
        target("a path is a target", "/x/y", .accepted(target: "/x/y")),
        target(
            "a query follows the first question mark", "/x?y=1", .accepted(target: "/x?y=1", path: "/x", query: "y=1")),
        target("a query may be empty", "/x?", .accepted(target: "/x?", path: "/x", query: "")),
        target("a query may have question marks", "/?a?b", .accepted(target: "/?a?b", path: "/", query: "a?b")),
        target("two slashes begin a path, not an authority", "//b/x", .accepted(target: "//b/x")),
        target("dot segments are kept for the router", "/a/../b/.", .accepted(target: "/a/../b/.")),
        target("percent-encodings are kept", "/%41%2f%2F", .accepted(target: "/%41%2f%2F")),
        target("an encoded line end is kept encoded", "/%0d%0aX:1", .accepted(target: "/%0d%0aX:1")),
        target(
            "a percent-encoding may end the query", "/?a=%7E", .accepted(target: "/?a=%7E", path: "/", query: "a=%7E")),
        target("punctuation of RFC 3986 is kept", "/-._~!$&'()*+,;=:@", .accepted(target: "/-._~!$&'()*+,;=:@")),
        target("a target without a slash is refused", "x/y", .rejected(.malformedTarget)),
        target("a question mark alone is no path", "?x", .rejected(.malformedTarget)),
        target("a backslash in the path is refused", "/a\\b", .rejected(.malformedTarget)),
        target("a backslash in the query is refused", "/?a\\b", .rejected(.malformedTarget)),
        target("a fragment is refused", "/a#b", .rejected(.malformedTarget)),
        target("a fragment after a query is refused", "/?a#b", .rejected(.malformedTarget)),
        target("a double quote is refused", "/a\"b", .rejected(.malformedTarget)),
        target("a less-than sign is refused", "/a<b", .rejected(.malformedTarget)),
        target("a greater-than sign is refused", "/a>b", .rejected(.malformedTarget)),
        target("a square bracket is refused", "/a[b", .rejected(.malformedTarget)),
        target("a closing square bracket is refused", "/a]b", .rejected(.malformedTarget)),
        target("a caret is refused", "/a^b", .rejected(.malformedTarget)),
        target("a backtick is refused", "/a`b", .rejected(.malformedTarget)),
        target("a brace is refused", "/a{b", .rejected(.malformedTarget)),
        target("a closing brace is refused", "/a}b", .rejected(.malformedTarget)),
        target("a vertical bar is refused", "/a|b", .rejected(.malformedTarget)),
        target("a bracket in the query is refused", "/?a[]=b", .rejected(.malformedTarget)),
        target("DEL is refused", "/a\u{7F}", .rejected(.malformedTarget)),
        target("a NUL is refused", "/a\0b", .rejected(.malformedTarget)),
        target("a tab is refused", "/a\tb", .rejected(.malformedTarget)),
        target("a bare CR is refused", "/a\rb", .rejected(.malformedTarget)),
        target("a control is refused", "/\u{1F}", .rejected(.malformedTarget)),
        target("0x80 is refused", "/\u{80}", .rejected(.malformedTarget)),
        target("raw UTF-8 is refused", "/\u{C3}\u{A9}", .rejected(.malformedTarget)),
        target("0xFF in a query is refused", "/?\u{FF}", .rejected(.malformedTarget)),
        target("a percent sign alone is refused", "/%", .rejected(.malformedTarget)),
        target("one digit after a percent sign is refused", "/%4", .rejected(.malformedTarget)),
        target("a letter that is no hexadecimal digit is refused", "/%4g", .rejected(.malformedTarget)),
        target("a first letter that is no hexadecimal digit is refused", "/%G4", .rejected(.malformedTarget)),
        target("two percent signs are refused", "/%%41", .rejected(.malformedTarget)),
        target("a bad percent-encoding in the query is refused", "/?%zz", .rejected(.malformedTarget)),
        target("a percent-encoding is not cut by the query", "/%4?1", .rejected(.malformedTarget)),
        target("the %u of old scripts is refused", "/%u0041", .rejected(.malformedTarget)),
        target("an encoded NUL is refused", "/a%00", .rejected(.malformedTarget)),
        target("an encoded NUL in the query is refused", "/?a=%00b", .rejected(.malformedTarget)),
    ]

    static let absolute: [ParserCase] = [
        target("absolute-form is accepted", "http://b/x", .accepted(target: "http://b/x", path: "/x", host: "b")),
        target(
            "its authority wins over Host", "https://b:1/x", .accepted(target: "https://b:1/x", path: "/x", host: "b")),
        target("its scheme has no case", "HtTpS://b/", .accepted(target: "HtTpS://b/", path: "/", host: "b")),
        target("an empty path is a slash", "http://b", .accepted(target: "http://b", path: "/", host: "b")),
        target(
            "an empty path may have a query", "http://b?q",
            .accepted(target: "http://b?q", path: "/", query: "q", host: "b")
        ),
        target(
            "path and query are parted", "http://b/x?y",
            .accepted(target: "http://b/x?y", path: "/x", query: "y", host: "b")
        ),
        target(
            "an IPv6 authority is one", "http://[::1]:8/",
            .accepted(target: "http://[::1]:8/", path: "/", host: "[::1]")),
        ParserCase(
            "absolute-form does not replace Host", "9112 §3.2", "GET http://b/ HTTP/1.1\r\n\r\n",
            .rejected(.missingHost)),
        target("a malformed Host is refused beside absolute-form", "http://b/", .rejected(.malformedHost), host: "b c"),
        ParserCase(
            "absolute-form in 1.0 needs no Host", "9112 §3.2", "GET http://b/x HTTP/1.0\r\n\r\n",
            .accepted(target: "http://b/x", path: "/x", host: "b", version: .http10, keepsAlive: false)),
        target("another scheme is refused", "ftp://b/", .rejected(.malformedTarget)),
        target("a scheme alone is refused", "http:", .rejected(.malformedTarget)),
        target("a scheme with one slash is refused", "http:/b/", .rejected(.malformedTarget)),
        target("a scheme without authority is refused", "http://", .rejected(.malformedTarget)),
        target("https without authority is refused", "https://", .rejected(.malformedTarget)),
        target("an empty authority is refused", "http:///x", .rejected(.malformedHost)),
        target("an empty host with a port is refused", "http://:80/", .rejected(.malformedHost)),
        target("an empty authority before a query is refused", "http://?x", .rejected(.malformedHost)),
        target("user information is refused", "http://u:p@b/", .rejected(.malformedHost), source: "9110 §4.2.4"),
        target("an authority with a fragment is refused", "http://b#x", .rejected(.malformedHost)),
        target("an authority with a backslash is refused", "http://b\\c/", .rejected(.malformedHost)),
        target("a port over 65535 is refused", "http://b:65536/", .rejected(.malformedHost)),
        target("a bad path after an authority is refused", "http://b/%zz", .rejected(.malformedTarget)),
        target("a fragment after an authority is refused", "http://b/#x", .rejected(.malformedTarget)),
        target("a raw byte after an authority is refused", "http://b/\u{E9}", .rejected(.malformedTarget)),
    ]

    static let others: [ParserCase] = [
        target(
            "an asterisk goes with OPTIONS", "*", .accepted(.options, target: "*", isAsterisk: true), method: "OPTIONS"),
        target("an asterisk with GET is refused", "*", .rejected(.targetFormNotForMethod)),
        target("an asterisk with another method is refused", "*", .rejected(.targetFormNotForMethod), method: "PURGE"),
        target("an asterisk and more is no target", "*/x", .rejected(.malformedTarget), method: "OPTIONS"),
        target(
            "OPTIONS of an authority alone asks about the server", "http://b",
            .accepted(.options, target: "http://b", path: "/", host: "b", isAsterisk: true), source: "9112 §3.2.4",
            method: "OPTIONS"),
        target(
            "OPTIONS of an authority with a slash asks about the slash", "http://b/",
            .accepted(.options, target: "http://b/", path: "/", host: "b"), source: "9112 §3.2.4", method: "OPTIONS"),
        target(
            "OPTIONS of an authority with a query does not ask about the server", "http://b?q",
            .accepted(.options, target: "http://b?q", path: "/", query: "q", host: "b"), method: "OPTIONS"),
        target("authority-form goes with CONNECT", "b:443", .accepted(.connect, target: "b:443"), method: "CONNECT"),
        target(
            "an IPv6 authority goes with CONNECT", "[::1]:1", .accepted(.connect, target: "[::1]:1"), method: "CONNECT"),
        target("authority-form with GET is refused", "b:443", .rejected(.malformedTarget)),
        target("a host alone with GET is refused", "b", .rejected(.malformedTarget)),
        target(
            "CONNECT needs a port", "b", .rejected(.targetFormNotForMethod), source: "9110 §9.3.6", method: "CONNECT"),
        target(
            "CONNECT needs a port that is not empty", "b:", .rejected(.targetFormNotForMethod), source: "9110 §9.3.6",
            method: "CONNECT"),
        target("CONNECT with a path is refused", "/", .rejected(.targetFormNotForMethod), method: "CONNECT"),
        target("CONNECT with a URL is refused", "http://b:1/", .rejected(.targetFormNotForMethod), method: "CONNECT"),
        target("CONNECT with an asterisk is refused", "*", .rejected(.targetFormNotForMethod), method: "CONNECT"),
        target(
            "CONNECT with user information is refused", "u@b:1", .rejected(.targetFormNotForMethod), method: "CONNECT"),
    ]
}
