import AssociatedDomains

/// Entries that a device ignores, and texts that are not entries.
extension AssociatedDomainCases {
    typealias Refusal = AssociatedDomainTests.Refusal

    private static let form = "Associated Domains Entitlement: <service>:<fully qualified domain>"
    private static let invalid = "associated-domains.md: invalid"
    private static let pasted = "pasted from elsewhere"

    private static func character(_ name: String, _ text: String, _ scalar: Unicode.Scalar, _ position: Int) -> Refusal
    {
        Refusal(name, text, .character(text, scalar, position: position), "RFC 1123, 2.1: letters, digits and hyphens")
    }

    private static func space(_ name: String, _ text: String, _ scalar: Unicode.Scalar, _ position: Int) -> Refusal {
        Refusal(name, text, .space(text, scalar, position: position), "RFC 3986, 2: a URI has no space")
    }

    static let whole: [Refusal] = [
        Refusal("nothing", "", .empty, form),
        Refusal("spaces", "  ", .empty, form),
        Refusal("a line break", "\n", .empty, form),
        Refusal(
            "too long", "applinks:" + String(repeating: "a", count: 1_016), .tooLong(length: 1_025), "maximumLength"),
        Refusal("a space in front", " applinks:a.com", .surroundingSpace(" applinks:a.com"), "a line of a list"),
        Refusal("a space behind", "applinks:a.com ", .surroundingSpace("applinks:a.com "), "a line of a list"),
        Refusal("a line break behind", "applinks:a.com\n", .surroundingSpace("applinks:a.com\n"), "echo writes one"),
        Refusal("a no-break space", "applinks:a.com\u{A0}", .surroundingSpace("applinks:a.com\u{A0}"), "a web page"),
        Refusal("straight quotes", "\"applinks:a.com\"", .quotes("\"applinks:a.com\"", "\""), pasted),
        Refusal("single quotes", "'applinks:a.com'", .quotes("'applinks:a.com'", "'"), pasted),
        Refusal(
            "typographic quotes", "\u{201C}applinks:a.com\u{201D}",
            .quotes("\u{201C}applinks:a.com\u{201D}", "\u{201C}"), "macOS replaces quotes"),
        Refusal("a quote behind", "applinks:a.com\u{201D}", .quotes("applinks:a.com\u{201D}", "\u{201D}"), pasted),
        Refusal(
            "a string element", "<string>applinks:a.com</string>", .markup("<string>applinks:a.com</string>"), pasted),
        Refusal("an indented one", "\t<string>applinks:a.com", .markup("\t<string>applinks:a.com"), pasted),
        Refusal(
            "a whole list", "<?xml version=\"1.0\"?>\n<plist/>", .markup("<?xml version=\"1.0\"?>\n<plist/>"), pasted),
        Refusal("the key", "<key>\(Entitlements.key)</key>", .markup("<key>\(Entitlements.key)</key>"), pasted),
        Refusal("the key alone", Entitlements.key, .entitlementKey(Entitlements.key), pasted),
        Refusal("an association file", "{\"applinks\":{}}", .json("{\"applinks\":{}}"), pasted),
        Refusal("an array of strings", "[\"applinks:a.com\"]", .json("[\"applinks:a.com\"]"), pasted),
        Refusal("an app", "D3KQX62K1A.com.example.A", .appIdentifier("D3KQX62K1A.com.example.A"), pasted),
        Refusal(
            "with a comma", "applinks:a.com,applinks:b.com", .severalEntries("applinks:a.com,applinks:b.com"), pasted),
        Refusal(
            "with spaces", "applinks:a.com applinks:b.com", .severalEntries("applinks:a.com applinks:b.com"), pasted),
        Refusal(
            "in lines", "applinks:a.com\nappclips:a.com\n", .severalEntries("applinks:a.com\nappclips:a.com\n"), pasted),
        Refusal(
            "quoted and with commas", "\"applinks:a.com\", \"webcredentials:a.com\"",
            .severalEntries("\"applinks:a.com\", \"webcredentials:a.com\""), pasted),
        Refusal("a build setting", "applinks:$(DOMAIN)", .buildSetting("applinks:$(DOMAIN)"), "Xcode build settings"),
        Refusal("with braces", "applinks:${DOMAIN}", .buildSetting("applinks:${DOMAIN}"), "Xcode build settings"),
        Refusal("the page's own form", "webcredentials:<domain>", .placeholder("webcredentials:<domain>"), form),
        Refusal("a template", "applinks:{{domain}}", .placeholder("applinks:{{domain}}"), "a template"),
    ]

    static let services: [Refusal] = [
        Refusal("a domain alone", "example.com", .noService("example.com"), form),
        Refusal("a domain and a port", "example.com:8443", .noService("example.com:8443"), form),
        Refusal("localhost and a port", "localhost:8443", .noService("localhost:8443"), form),
        Refusal("a wildcard alone", "*.example.com", .noService("*.example.com"), form),
        Refusal("a path with a colon", "example.com/a:b", .noService("example.com/a:b"), form),
        Refusal("an empty service", ":example.com", .noService(":example.com"), form),
        Refusal("a word alone", "webcredentials", .noColon("webcredentials", service: .webcredentials), form),
        Refusal("a semicolon", "applinks;a.com", .noColon("applinks;a.com", service: .applinks), form),
        Refusal("an equals sign", "applinks=a.com:80", .noColon("applinks=a.com:80", service: .applinks), form),
        Refusal("a space", "applinks a.com", .noColon("applinks a.com", service: .applinks), form),
        Refusal("a full-width colon", "applinks：a.com", .noColon("applinks：a.com", service: .applinks), form),
        Refusal("a dot in its place", "applinks.a.com", .noService("applinks.a.com"), "may be a domain"),
        Refusal("a bundle identifier", "com.example.demo", .noService("com.example.demo"), pasted),
        Refusal("an e-mail address", "me@example.com", .noService("me@example.com"), pasted),
        Refusal("a host with a space", "my host.com", .noService("my host.com"), form),
        Refusal("a minus sign", "-", .noService("-"), form),
        Refusal(
            "a service of its own making", "payments:a.com",
            .unknownService("payments:a.com", service: "payments", suggestion: nil),
            "associated-domains.md: an unknown service is dropped silently"),
        Refusal(
            "mail", "mailto:a@b.com", .unknownService("mailto:a@b.com", service: "mailto", suggestion: nil), pasted),
        Refusal(
            "a URL behind an unknown service", "applink:https://a.com",
            .unknownService("applink:https://a.com", service: "applink", suggestion: .applinks), pasted),
        space("before the colon", "applinks :a.com", " ", 9),
        space("inside the service", "web credentials:a.com", " ", 4),
        Refusal("a URL", "https://example.com", .scheme("https://example.com", scheme: "https"), pasted),
        Refusal("http", "http://example.com/a", .scheme("http://example.com/a", scheme: "http"), pasted),
        Refusal("upper case", "HTTPS://example.com", .scheme("HTTPS://example.com", scheme: "HTTPS"), pasted),
        Refusal("without slashes", "https:example.com", .scheme("https:example.com", scheme: "https"), pasted),
        Refusal("an app's scheme", "myapp://example.com", .scheme("myapp://example.com", scheme: "myapp"), pasted),
        Refusal(
            "a URL behind the service", "applinks:https://a.com",
            .scheme("applinks:https://a.com", scheme: "https"), "\(invalid): a scheme"),
        Refusal(
            "a scheme without slashes", "applinks:http:a.com", .scheme("applinks:http:a.com", scheme: "http"),
            "\(invalid): a scheme"),
        Refusal(
            "another scheme", "applinks:ftp://a.com", .scheme("applinks:ftp://a.com", scheme: "ftp"),
            "\(invalid): a scheme"),
        Refusal("slashes", "applinks://a.com", .slashes("applinks://a.com"), "the service is no scheme"),
        Refusal("two services", "applinks:webcredentials:a.com", .twoServices("applinks:webcredentials:a.com"), form),
        Refusal("one service twice", "applinks:applinks:a.com", .twoServices("applinks:applinks:a.com"), form),
    ]

    static let hosts: [Refusal] = [
        Refusal("no host", "applinks:", .emptyHost("applinks:"), "\(invalid): empty host"),
        Refusal("a port alone", "applinks::8443", .emptyHost("applinks::8443"), "\(invalid): empty host"),
        Refusal(
            "a mode alone", "applinks:?mode=developer", .emptyHost("applinks:?mode=developer"), "\(invalid): empty host"
        ),
        Refusal("a path alone", "applinks:/a", .emptyHost("applinks:/a"), "\(invalid): empty host"),
        Refusal("nothing behind the wildcard", "applinks:*.", .emptyHost("applinks:*."), "\(invalid): empty host"),
        Refusal("a dot in front", "applinks:.a.com", .emptyLabel("applinks:.a.com", position: 10), "\(invalid): dot"),
        Refusal("a dot alone", "applinks:.", .emptyLabel("applinks:.", position: 10), "\(invalid): leading dot"),
        Refusal(
            "two dots in front", "applinks:..a.com", .emptyLabel("applinks:..a.com", position: 10),
            "\(invalid): leading dot"),
        Refusal("two dots", "applinks:a..com", .emptyLabel("applinks:a..com", position: 12), "\(invalid): .."),
        Refusal("two dots behind", "applinks:a.com..", .emptyLabel("applinks:a.com..", position: 16), "\(invalid): .."),
        Refusal("behind a wildcard", "applinks:*..com", .emptyLabel("applinks:*..com", position: 12), "\(invalid): .."),
        Refusal("a dot behind", "applinks:a.com.", .emptyLabel("applinks:a.com.", position: 15), "a decision"),
        Refusal(
            "a dot before the port", "applinks:a.com.:8443", .emptyLabel("applinks:a.com.:8443", position: 15),
            "a decision"),
        Refusal(
            "a label of 64", "applinks:\(label63)a.com",
            .nameTooLong("applinks:\(label63)a.com", name: "\(label63)a", limit: 63), "RFC 1035, 2.3.4"),
        Refusal(
            "a name of 254", "applinks:\(name253)b",
            .nameTooLong("applinks:\(name253)b", name: "\(name253)b", limit: 253), "RFC 1035, 2.3.4"),
        Refusal(
            "a name of 252 after a wildcard", "applinks:*.\(name253.dropLast())",
            .nameTooLong("applinks:*.\(name253.dropLast())", name: "*.\(name253.dropLast())", limit: 253),
            "RFC 1035, 2.3.4: 254 with the wildcard"),
        Refusal("no dot", "applinks:example", .noDot("applinks:example", host: "example"), "\(invalid): no dot"),
        Refusal(
            "no dot with a mode", "applinks:myhost?mode=developer",
            .noDot("applinks:myhost?mode=developer", host: "myhost"), "\(invalid): no dot"),
        Refusal("a number", "applinks:12345", .noDot("applinks:12345", host: "12345"), "\(invalid): no dot"),
        Refusal(
            "localhost", "applinks:localhost", .localhostWithoutDeveloperMode("applinks:localhost"),
            "associated-domains.md: localhost only with mode exactly developer"),
        Refusal(
            "localhost and a port", "applinks:localhost:8443",
            .localhostWithoutDeveloperMode("applinks:localhost:8443"),
            "associated-domains.md: localhost only with mode exactly developer"),
        Refusal(
            "localhost managed", "applinks:localhost?mode=managed",
            .localhostWithoutDeveloperMode("applinks:localhost?mode=managed"),
            "associated-domains.md: localhost only with mode exactly developer"),
        Refusal(
            "localhost in both modes", "applinks:localhost?mode=developer+managed",
            .localhostWithoutDeveloperMode("applinks:localhost?mode=developer+managed"),
            "associated-domains.md: localhost only with mode exactly developer"),
        Refusal(
            "localhost with an unknown mode", "applinks:localhost?mode=debug",
            .localhostWithoutDeveloperMode("applinks:localhost?mode=debug"),
            "associated-domains.md: localhost only with mode exactly developer"),
        Refusal(
            "IPv4", "applinks:192.0.2.7", .addressWithoutMode("applinks:192.0.2.7", address: "192.0.2.7"),
            "associated-domains.md: an IP address only with a mode"),
        Refusal(
            "IPv4 with an unknown mode", "applinks:192.0.2.7?mode=debug",
            .addressWithoutMode("applinks:192.0.2.7?mode=debug", address: "192.0.2.7"),
            "associated-domains.md: an IP address only with a mode"),
        Refusal(
            "IPv6", "applinks:[::1]:8443", .addressWithoutMode("applinks:[::1]:8443", address: "[::1]"),
            "associated-domains.md: an IP address only with a mode"),
        Refusal(
            "IPv6 without brackets", "applinks:2001:db8::1?mode=developer",
            .addressWithoutBrackets("applinks:2001:db8::1?mode=developer", address: "2001:db8::1"), "RFC 3986, 3.2.2"),
        Refusal(
            "IPv6 with a zone", "applinks:[fe80::1%en0]?mode=developer",
            .malformedAddress("applinks:[fe80::1%en0]?mode=developer", address: "[fe80::1%en0]"), "WHATWG URL, 3.5"),
        Refusal(
            "IPv4 in brackets", "applinks:[192.0.2.7]?mode=developer",
            .malformedAddress("applinks:[192.0.2.7]?mode=developer", address: "[192.0.2.7]"), "RFC 3986, 3.2.2"),
        Refusal(
            "an open bracket", "applinks:[::1?mode=developer",
            .malformedAddress("applinks:[::1?mode=developer", address: "[::1"), "RFC 3986, 3.2.2"),
        Refusal(
            "empty brackets", "applinks:[]", .malformedAddress("applinks:[]", address: "[]"), "RFC 3986, 3.2.2"),
        character("text behind brackets", "applinks:[::1]a?mode=developer", "a", 15),
        Refusal(
            "a number over 255", "applinks:192.0.2.256?mode=developer",
            .malformedAddress("applinks:192.0.2.256?mode=developer", address: "192.0.2.256"), "WHATWG URL, 3.5"),
        Refusal(
            "three numbers", "applinks:192.0.2?mode=developer",
            .malformedAddress("applinks:192.0.2?mode=developer", address: "192.0.2"), "WHATWG URL, 3.5"),
        Refusal(
            "zeros in front", "applinks:192.0.2.07?mode=developer",
            .malformedAddress("applinks:192.0.2.07?mode=developer", address: "192.0.2.07"), "RFC 6943, 3.1.1"),
        Refusal("a star alone", "applinks:*", .wildcardAlone("applinks:*"), "host may begin with *."),
        Refusal("a star and a port", "applinks:*:8443", .wildcardAlone("applinks:*:8443"), "host may begin with *."),
        Refusal(
            "in the middle", "applinks:a.*.com", .wildcardInside("applinks:a.*.com", position: 12), "begins with *."),
        Refusal(
            "at the end", "applinks:example.*", .wildcardInside("applinks:example.*", position: 18), "begins with *."),
        Refusal(
            "no dot after the star", "applinks:*a.com", .wildcardInside("applinks:*a.com", position: 10),
            "begins with *."),
        Refusal(
            "two stars", "applinks:*.*.a.com", .wildcardInside("applinks:*.*.a.com", position: 12), "begins with *."),
        Refusal("in a label", "applinks:a*.com", .wildcardInside("applinks:a*.com", position: 11), "begins with *."),
        Refusal(
            "an address", "applinks:*.10.0.0.1?mode=developer", .wildcardAddress("applinks:*.10.0.0.1?mode=developer"),
            "an address has no subdomains"),
        Refusal("a user", "applinks:me@a.com", .userinfo("applinks:me@a.com"), "RFC 3986, 3.2.1: no host"),
        Refusal("a password", "applinks:me:pw@a.com:8443", .userinfo("applinks:me:pw@a.com:8443"), "RFC 3986, 3.2.1"),
        space("after the colon", "webcredentials: example.com", " ", 16),
        space("inside the host", "applinks:exam ple.com", " ", 14),
        space("a tab", "applinks:\texample.com", "\t", 10),
        space("a no-break space", "applinks:a\u{A0}b.com", "\u{A0}", 11),
        character("an umlaut", "applinks:münchen.de", "ü", 11),
        character("a Cyrillic letter that looks Latin", "applinks:\u{430}pple.com", "\u{430}", 10),
        character("a zero width space", "applinks:a\u{200B}.com", "\u{200B}", 11),
        character("percent encoding", "applinks:a%2Eb.com", "%", 11),
        character("a backslash", "applinks:a.com\\b", "\\", 15),
        character("a comma", "applinks:a.com,b.com", ",", 15),
        character("a zero byte", "applinks:a\0.com", "\0", 11),
        character("an emoji", "applinks:a\u{1F600}.com", "\u{1F600}", 11),
        character("a full-width dot", "applinks:a\u{FF0E}com", "\u{FF0E}", 11),
        character("a combining accent", "applinks:e\u{301}.com", "\u{301}", 11),
        character("a quote inside", "applinks:a\"b.com", "\"", 11),
    ]

    static let tails: [Refusal] = [
        Refusal("port 0", "applinks:a.com:0", .port("applinks:a.com:0", port: "0"), "\(invalid): port 0"),
        Refusal("port 000", "applinks:a.com:000", .port("applinks:a.com:000", port: "000"), "\(invalid): port 0"),
        Refusal(
            "65536", "applinks:a.com:65536", .port("applinks:a.com:65536", port: "65536"),
            "\(invalid): over 65535"),
        Refusal(
            "more than 64 bits", "applinks:a.com:99999999999999999999",
            .port("applinks:a.com:99999999999999999999", port: "99999999999999999999"), "\(invalid): over 65535"
        ),
        Refusal(
            "a word", "applinks:a.com:https", .port("applinks:a.com:https", port: "https"), "RFC 3986, 3.2.3"),
        Refusal("a sign", "applinks:a.com:+80", .port("applinks:a.com:+80", port: "+80"), "RFC 3986, 3.2.3"),
        Refusal("below zero", "applinks:a.com:-1", .port("applinks:a.com:-1", port: "-1"), "RFC 3986, 3.2.3"),
        Refusal(
            "hexadecimal", "applinks:a.com:0x50", .port("applinks:a.com:0x50", port: "0x50"), "RFC 3986, 3.2.3"
        ),
        Refusal("two ports", "applinks:a.com:80:81", .port("applinks:a.com:80:81", port: "80:81"), "[:port]"),
        Refusal(
            "Arabic digits", "applinks:a.com:٨٠", .port("applinks:a.com:٨٠", port: "٨٠"),
            "RFC 3986: DIGIT is ASCII"),
        space("in the mode", "applinks:a.com?mode=developer managed", " ", 30),
        character("a zero width space behind", "applinks:a.com?mode=managed\u{200B}", "\u{200B}", 28),
        character("a non-ASCII path", "applinks:a.com/ä", "ä", 16),
    ]
}
