import AssociationChecker
import MotivatorPlatform
import Testing

@testable import HTTPSClient

@Suite("URLs of the web")
struct MatchingURLTests {
    struct Parts: CustomTestStringConvertible, Sendable {
        let text: String
        let host: String
        let port: UInt16?
        let path: String
        let query: String?
        let fragment: String?
        let why: String
        var testDescription: String { "\(text.debugDescription): \(why)" }

        init(
            _ text: String, _ host: String, _ path: String, port: UInt16? = nil, query: String? = nil,
            fragment: String? = nil, _ why: String
        ) {
            (self.text, self.host, self.path, self.port) = (text, host, path, port)
            (self.query, self.fragment, self.why) = (query, fragment, why)
        }
    }

    private static let good: [Parts] = [
        Parts("https://example.com/a?b#c", "example.com", "/a", query: "b", fragment: "c", "RFC 3986, 3"),
        Parts("HTTPS://EXAMPLE.com/A", "example.com", "/A", "scheme and host have no case, RFC 3986, 6.2.2.1"),
        Parts("http://example.com", "example.com", "", "RFC 3986, 3.3: the path may be empty"),
        Parts("https://example.com?q", "example.com", "", query: "q", "a query without a path"),
        Parts("https://example.com#f", "example.com", "", fragment: "f", "a fragment without a path"),
        Parts("https://example.com/?", "example.com", "/", query: "", "an empty query is a query"),
        Parts("https://example.com/#", "example.com", "/", fragment: "", "an empty fragment is a fragment"),
        Parts("https://example.com/a#b?c#d", "example.com", "/a", fragment: "b?c#d", "the first # divides"),
        Parts("https://example.com/a?b?c", "example.com", "/a", query: "b?c", "the first ? divides"),
        Parts("https://example.com:8443/", "example.com", "/", port: 8443, "RFC 3986, 3.2.3"),
        Parts("https://example.com:443/", "example.com", "/", port: 443, "a port stays when written"),
        Parts("https://example.com:/", "example.com", "/", "RFC 3986, 3.2.3: an empty port is none"),
        Parts("https://example.com:65535", "example.com", "", port: 65535, "the last port"),
        Parts("https://example.com:00080/", "example.com", "/", port: 80, "leading zeros"),
        Parts("https://192.0.2.1/", "192.0.2.1", "/", "RFC 3986, 3.2.2"),
        Parts("https://[2001:DB8:0:0::1]:8443/", "2001:db8::1", "/", port: 8443, "RFC 5952"),
        Parts("https://[::1]", "::1", "", "no brackets in the host"),
        Parts("https://a_b.example/", "a_b.example", "/", "browsers take it"),
        Parts("https://localhost/", "localhost", "/", "a single label"),
        Parts("https://xn--mnchen-3ya.example/", "xn--mnchen-3ya.example", "/", "Punycode"),
        Parts("https://example.com/a b", "example.com", "/a%20b", "WHATWG URL, path percent-encode set"),
        Parts("https://example.com/é?ü#ö", "example.com", "/%C3%A9", query: "%C3%BC", fragment: "%C3%B6", "UTF-8"),
        Parts("https://example.com/\"<>`{}^", "example.com", "/%22%3C%3E%60%7B%7D%5E", "path percent-encode set"),
        Parts(
            "https://example.com/?\"<>`{}'", "example.com", "/", query: "%22%3C%3E`{}%27",
            "special-query percent-encode set"),
        Parts(
            "https://example.com/#\"<>`{}'", "example.com", "/", fragment: "%22%3C%3E%60{}'",
            "fragment percent-encode set"),
        Parts("https://example.com/%c3%A9", "example.com", "/%c3%A9", "escapes stay as written"),
        Parts("https://example.com/a/../b/./c", "example.com", "/a/../b/./c", "dot segments are not touched"),
        Parts("https://example.com//a//", "example.com", "//a//", "slashes are not touched"),
        Parts("https://example.com/[a]|b", "example.com", "/[a]|b", "browsers leave them"),
        Parts("https://example.com/a@b:c", "example.com", "/a@b:c", "RFC 3986, 3.3: pchar"),
    ]

    @Test("A URL is parsed into its parts", arguments: good)
    func parts(_ test: Parts) throws {
        let url = try WebURL(test.text)
        #expect(url.host == test.host && url.port == test.port && url.path == test.path, "\(test.why)")
        #expect(url.query == test.query && url.fragment == test.fragment, "\(test.why)")
        #expect(try WebURL(url.description) == url)
    }

    @Test(
        "Each kind of unsafe URL has its own error",
        arguments: [
            ("", .empty), (" https://a.b", .surroundingSpace(" https://a.b")),
            ("https://a.b\n", .surroundingSpace("https://a.b\n")),
            ("https://a.b/\tc", .controlCharacter("https://a.b/\tc", "\t", position: 13)),
            ("https://a.b/\u{7F}c", .controlCharacter("https://a.b/\u{7F}c", "\u{7F}", position: 13)),
            ("https://a.b\\c", .backslash("https://a.b\\c", position: 12)),
            ("https://a.b/%", .loneEscape("https://a.b/%", position: 13)),
            ("https://a.b/%4", .loneEscape("https://a.b/%4", position: 13)),
            ("https://a.b/%zz", .loneEscape("https://a.b/%zz", position: 13)),
            ("example.com/a", .noScheme("example.com/a")), ("/a", .noScheme("/a")),
            ("//example.com", .noScheme("//example.com")),
            ("example.com:80/a", .noScheme("example.com:80/a")),
            ("ftp://a.b", .otherScheme("ftp://a.b", scheme: "ftp")),
            ("javascript:alert(1)", .otherScheme("javascript:alert(1)", scheme: "javascript")),
            ("https:/a.b", .noHost("https:/a.b")), ("https:a.b", .noHost("https:a.b")),
            ("https:///a", .noHost("https:///a")),
            ("https://:80/", .noHost("https://:80/")), ("https://a@b.c/", .userInformation("https://a@b.c/")),
            ("https://a:b@c.d/", .userInformation("https://a:b@c.d/")),
            ("https://münchen.example/", .internationalHost("https://münchen.example/", host: "münchen.example")),
            ("https://a b.c/", .hostCharacter("a b.c", " ")), ("https://*.a.b/", .hostCharacter("*.a.b", "*")),
            ("https://a%2Eb/", .hostCharacter("a%2Eb", "%")),
            ("https://a..b/", .emptyLabel("https://a..b/", host: "a..b")),
            ("https://a.b./", .emptyLabel("https://a.b./", host: "a.b.")),
            ("https://.a/", .emptyLabel("https://.a/", host: ".a")),
            ("https://1.2.3/", .malformedAddress("https://1.2.3/", host: "1.2.3")),
            ("https://1.2.3.256/", .malformedAddress("https://1.2.3.256/", host: "1.2.3.256")),
            ("https://01.2.3.4/", .malformedAddress("https://01.2.3.4/", host: "01.2.3.4")),
            ("https://0x7f/", .malformedAddress("https://0x7f/", host: "0x7f")),
            ("https://2130706433/", .malformedAddress("https://2130706433/", host: "2130706433")),
            ("https://[::1/", .malformedAddress("https://[::1/", host: "[::1")),
            ("https://[::g]/", .malformedAddress("https://[::g]/", host: "::g")),
            ("https://[fe80::1%25eth0]/", .malformedAddress("https://[fe80::1%25eth0]/", host: "fe80::1%25eth0")),
            ("https://a.b:0/", .malformedPort("https://a.b:0/", port: "0")),
            ("https://a.b:65536/", .malformedPort("https://a.b:65536/", port: "65536")),
            ("https://a.b:x/", .malformedPort("https://a.b:x/", port: "x")),
            ("https://a.b:-1/", .malformedPort("https://a.b:-1/", port: "-1")),
            ("https://[::1]a/", .malformedPort("https://[::1]a/", port: "a")),
            ("https://a:b:c/", .malformedPort("https://a:b:c/", port: "b:c")),
        ] as [(String, WebURL.Malformed)])
    func malformed(text: String, error: WebURL.Malformed) {
        #expect(throws: error) { try WebURL(text) }
        #expect(!error.problem.hasSuffix(".") && !error.fix.hasSuffix(".") && error.exitCode == .badInput)
    }

    @Test(
        "In a URL that a user enters, only the international host is converted (WHATWG URL, domain to ASCII)",
        arguments: [
            ("https://bücher.de/x?b=bücher.de", "https://xn--bcher-kva.de/x?b=b%C3%BCcher.de"),
            ("https://Bücher.de:8443", "https://xn--bcher-kva.de:8443"),
            ("https://example.com/é", "https://example.com/%C3%A9"),
        ])
    func entered(text: String, url: String) throws {
        #expect(try WebURL.entered(text).description == url)
        #expect(throws: WebURL.Malformed.noScheme("bücher.de")) { try WebURL.entered("bücher.de") }
    }

    @Test("A URL that is too long is refused, as written or percent-encoded")
    func length() throws {
        let fitting = String(repeating: "a", count: WebURL.maximumLength - 12)
        #expect(try WebURL("https://a.b/" + fitting).path.utf8.count == fitting.count + 1)
        #expect(throws: WebURL.Malformed.tooLong(length: WebURL.maximumLength + 1)) {
            try WebURL("https://a.b/a" + fitting)
        }
        let spaces = String(repeating: "\"", count: WebURL.maximumLength - 12)
        #expect(throws: WebURL.Malformed.self) { try WebURL("https://a.b/" + spaces) }
        #expect(throws: WebURL.Malformed.hostTooLong(String(repeating: "a", count: 64))) {
            try WebURL("https://" + String(repeating: "a", count: 64))
        }
    }

    @Test(
        "References are resolved (RFC 3986, 5.4)",
        arguments: [
            ("//g", "http://g"), ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"),
            ("/g", "http://a/g"),
            ("?y", "http://a/b/c/d;p?y"), ("g?y", "http://a/b/c/g?y"), ("#s", "http://a/b/c/d;p?q#s"),
            ("g#s", "http://a/b/c/g#s"),
            ("g?y#s", "http://a/b/c/g?y#s"), (";x", "http://a/b/c/;x"), ("g;x", "http://a/b/c/g;x"),
            ("", "http://a/b/c/d;p?q"),
            (".", "http://a/b/c/"), ("./", "http://a/b/c/"), ("..", "http://a/b/"), ("../", "http://a/b/"),
            ("../g", "http://a/b/g"),
            ("../..", "http://a/"), ("../../g", "http://a/g"), ("../../../g", "http://a/g"),
            ("../../../../g", "http://a/g"),
            ("/./g", "http://a/g"), ("/../g", "http://a/g"), ("g.", "http://a/b/c/g."), (".g", "http://a/b/c/.g"),
            ("g..", "http://a/b/c/g.."),
            ("./../g", "http://a/b/g"), ("./g/.", "http://a/b/c/g/"), ("g/./h", "http://a/b/c/g/h"),
            ("g/../h", "http://a/b/c/h"),
            ("g;x=1/./y", "http://a/b/c/g;x=1/y"), ("g?y/../x", "http://a/b/c/g?y/../x"),
            ("g#s/../x", "http://a/b/c/g#s/../x"),
            ("https://e.f/x/../y", "https://e.f/y"), ("//e.f:1/y", "http://e.f:1/y"), ("a b", "http://a/b/c/a%20b"),
        ])
    func resolving(reference: String, expected: String) throws {
        let base = try WebURL("http://a/b/c/d;p?q")
        #expect(try base.resolving(reference).description == expected)
    }

    @Test(
        "A reference that leads off the web is refused",
        arguments: ["ftp://a.b", "javascript:1", "http:g", "\\g", "a\nb", "//"])
    func refused(reference: String) throws {
        let base = try WebURL("https://example.com/a")
        #expect(throws: WebURL.Malformed.self) { try base.resolving(reference) }
    }

    @Test("The target of a request is never empty, and has no fragment")
    func requestTarget() throws {
        #expect(try WebURL("https://a.b").requestTarget == "/")
        #expect(try WebURL("https://a.b?c#d").requestTarget == "/?c")
        #expect(try WebURL("https://a.b/c?d").requestTarget == "/c?d")
        #expect(try WebURL("https://a.b").resolving("c").path == "/c")
    }
}
