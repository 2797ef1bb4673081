import MotivatorHTTP

/// HTTP/1.1 requires exactly one Host with a valid authority (RFC 9112 §3.2, RFC 3986 §3.2).
enum HostCases {
    private static func valid(_ rule: String, _ value: String, _ host: String) -> ParserCase {
        ParserCase(rule, "3986 §3.2.2", "GET / HTTP/1.1\r\nHost: \(value)\r\n\r\n", .accepted(host: host))
    }

    private static func invalid(_ rule: String, _ value: String) -> ParserCase {
        ParserCase(rule, "9112 §3.2", "GET / HTTP/1.1\r\nHost: \(value)\r\n\r\n", .rejected(.malformedHost))
    }

    static let presence: [ParserCase] = [
        ParserCase("1.1 needs a Host", "9112 §3.2", "GET / HTTP/1.1\r\n\r\n", .rejected(.missingHost)),
        ParserCase("1.2 needs a Host", "9112 §3.2", "GET / HTTP/1.2\r\n\r\n", .rejected(.missingHost)),
        ParserCase(
            "a name that ends with host is not Host", "9112 §3.2", "GET / HTTP/1.1\r\nX-Host: a\r\n\r\n",
            .rejected(.missingHost)),
        ParserCase(
            "1.0 needs no Host", "9112 §3.2", "GET / HTTP/1.0\r\n\r\n",
            .accepted(host: nil, version: .http10, keepsAlive: false)),
        ParserCase(
            "1.0 may have a Host", "9112 §3.2", "GET / HTTP/1.0\r\nHost: a\r\n\r\n",
            .accepted(version: .http10, keepsAlive: false)),
        ParserCase(
            "two Hosts in 1.0 are refused", "9112 §3.2", "GET / HTTP/1.0\r\nHost: a\r\nHost: a\r\n\r\n",
            .rejected(.repeatedHost)),
        ParserCase("two equal Hosts are refused", "9112 §3.2", get("Host: a"), .rejected(.repeatedHost)),
        ParserCase("two different Hosts are refused", "9112 §3.2", get("hOST: b"), .rejected(.repeatedHost)),
        ParserCase("a Host and an empty one are refused", "9112 §3.2", get("Host:"), .rejected(.repeatedHost)),
        ParserCase(
            "two Hosts with other fields between them are refused", "9112 §3.2", get("Accept: */*", "Host: a"),
            .rejected(.repeatedHost)),
    ]

    static let hosts: [ParserCase] = [
        valid("a name is a host", "www.example.com", "www.example.com"),
        valid("the port is no part of the host", "a.example:8443", "a.example"),
        valid("an empty port is the default one", "a:", "a"),
        valid("the largest port is 65535", "a:65535", "a"),
        valid("zeros before a port are digits", "a:00080", "a"),
        valid("the case of a host is kept", "ExAmPle", "ExAmPle"),
        valid("an underscore is a host's byte", "a_b", "a_b"),
        valid("a trailing dot is the host's", "a.", "a."),
        valid("a percent-encoding is a host's", "a%2Db", "a%2Db"),
        valid("a percent-encoding may stand before a port", "a%2D:1", "a%2D"),
        valid("an IPv4 address is a host", "127.0.0.1:80", "127.0.0.1"),
        valid("white space around the value is not the host's", " \t a \t", "a"),
        invalid("an empty Host is refused", ""),
        invalid("a Host of white space is refused", "  \t"),
        invalid("a port alone is refused", ":80"),
        invalid("a colon alone is refused", ":"),
        invalid("user information is refused", "u@a"),
        invalid("user information with a password is refused", "u:p@a"),
        invalid("a path is refused", "a/x"),
        invalid("a path after a port is refused", "a:80/x"),
        invalid("a URL is refused", "http://a"),
        invalid("a query is refused", "a?x"),
        invalid("a fragment is refused", "a#x"),
        invalid("a backslash is refused", "a\\b"),
        invalid("a space inside is refused", "a b"),
        invalid("a tab inside is refused", "a\tb"),
        invalid("a list is refused", "a, b"),
        invalid("a quoted host is refused", "\"a\""),
        invalid("angle brackets are refused", "<a>"),
        invalid("0x80 is refused", "a\u{80}"),
        invalid("0xA0 is no white space", "\u{A0}a"),
        invalid("0x85 is no white space", "a\u{85}"),
        invalid("a port over 65535 is refused", "a:65536"),
        invalid("a port of six digits is refused", "a:000080"),
        invalid("a port with a sign is refused", "a:+80"),
        invalid("a negative port is refused", "a:-1"),
        invalid("a port with a space is refused", "a: 80"),
        invalid("a port of letters is refused", "a:http"),
        invalid("two ports are refused", "a:1:2"),
        invalid("a percent sign alone is refused", "a%"),
        invalid("half a percent-encoding is refused", "a%4"),
        invalid("a percent-encoding cut by the port is refused", "a%4:1"),
        invalid("a percent-encoding of other letters is refused", "a%zz"),
    ]

    static let addresses: [ParserCase] = [
        valid("eight groups are an address", "[1:2:3:4:5:6:7:8]", "[1:2:3:4:5:6:7:8]"),
        valid("two colons stand for zeros", "[::]", "[::]"),
        valid("two colons may begin", "[::1]:8443", "[::1]"),
        valid("two colons may end", "[fe80::]", "[fe80::]"),
        valid("two colons may stand inside", "[2001:DB8::a:b]", "[2001:DB8::a:b]"),
        valid("two colons may stand for one group", "[1:2:3:4:5:6:7::]", "[1:2:3:4:5:6:7::]"),
        valid("an IPv4 address may end it", "[::ffff:192.0.2.1]", "[::ffff:192.0.2.1]"),
        valid("six groups and an IPv4 address are an address", "[1:2:3:4:5:6:1.2.3.255]", "[1:2:3:4:5:6:1.2.3.255]"),
        valid("an empty port may follow", "[::1]:", "[::1]"),
        invalid("an address needs its brackets", "::1"),
        invalid("an open bracket alone is refused", "["),
        invalid("empty brackets are refused", "[]"),
        invalid("a missing bracket is refused", "[::1"),
        invalid("a bracket after a name is refused", "a]"),
        invalid("text after the bracket is refused", "[::1]x"),
        invalid("two addresses are refused", "[::1][::1]"),
        invalid("one colon is refused", "[:]"),
        invalid("three colons are refused", "[:::]"),
        invalid("two colons twice are refused", "[1::2::3]"),
        invalid("a leading colon is refused", "[:1:2:3:4:5:6:7]"),
        invalid("a trailing colon is refused", "[1:2:3:4:5:6:7:]"),
        invalid("seven groups are refused", "[1:2:3:4:5:6:7]"),
        invalid("nine groups are refused", "[1:2:3:4:5:6:7:8:9]"),
        invalid("eight groups leave no room for two colons", "[1:2:3:4::5:6:7:8]"),
        invalid("five digits in a group are refused", "[::12345]"),
        invalid("a letter that is no digit is refused", "[::g]"),
        invalid("a zone is refused", "[fe80::1%25eth0]"),
        invalid("an IPv4 address alone in brackets is refused", "[1.2.3.4]"),
        invalid("an IPv4 address before other groups is refused", "[::1.2.3.4:5]"),
        invalid("an IPv4 address of three numbers is refused", "[::1.2.3]"),
        invalid("an IPv4 address with an empty number is refused", "[::1..3.4]"),
        invalid("an IPv4 number over 255 is refused", "[::1.2.3.256]"),
        invalid("an IPv4 number with a leading zero is refused", "[::1.2.3.04]"),
        invalid("an IPv4 number in hexadecimal is refused", "[::a.2.3.4]"),
        invalid("an IPv4 address after seven groups is refused", "[1:2:3:4:5:6:7:1.2.3.4]"),
        invalid("a later version of IP is refused", "[v1.x]"),
        invalid("a port over 65535 after an address is refused", "[::1]:65536"),
    ]
}
