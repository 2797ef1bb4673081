@testable import AssociatedDomains

/// Entries that a device accepts.
enum AssociatedDomainCases {
    typealias Accepted = AssociatedDomainTests.Accepted

    private static let form = "Associated Domains Entitlement: <service>:<fully qualified domain>[:port]"
    private static let modes = "Associated Domains Entitlement: ?mode=<alternate mode>"
    private static let mode = "associated-domains.md: mode words are case-insensitive, unknown ones ignored"
    private static let wildcard = "associated-domains.md: host may begin with *."
    private static let port = "associated-domains.md: not documented for applinks (TN3155), but devices take it"
    private static let address = "associated-domains.md: an IP address only with a mode"
    private static let cdn = "associated-domains.md: without a mode Apple's CDN fetches the file"

    static let accepted: [Accepted] = eachService + ports + modeWords + wildcards + names + addresses

    private static let eachService: [Accepted] = [
        Accepted(
            name: "passwords", text: "webcredentials:example.com", service: .webcredentials, host: "example.com",
            source: form),
        Accepted(
            name: "universal links", text: "applinks:example.com", service: .applinks, host: "example.com",
            source: form),
        Accepted(
            name: "App Clips", text: "appclips:example.com", service: .appclips, host: "example.com", source: form),
        Accepted(
            name: "Handoff", text: "activitycontinuation:example.com", service: .activitycontinuation,
            host: "example.com", source: form),
        Accepted(
            name: "message filters", text: "messagefilter:example.com", service: .messagefilter, host: "example.com",
            source: form),
        Accepted(
            name: "call and message reports", text: "classificationreport:example.com",
            service: .classificationreport, host: "example.com", source: form),
        Accepted(
            name: "single sign-on", text: "authsrv:example.com?mode=managed", service: .authsrv, host: "example.com",
            modes: .managed, issues: ["entitlement-managed-mode"], source: form),
        Accepted(
            name: "a subdomain", text: "webcredentials:www.example.com", service: .webcredentials,
            host: "www.example.com", source: form),
        Accepted(
            name: "the reference's own", text: "webcredentials:ultra-motivator.com", service: .webcredentials,
            host: "ultra-motivator.com", source: "Shared Web Credentials Reference"),
    ]

    private static let ports: [Accepted] = [
        Accepted(
            name: "a port for passwords", text: "webcredentials:example.com:8443", service: .webcredentials,
            host: "example.com", port: 8443, issues: ["entitlement-credentials-port"],
            source: "Shared Web Credentials Reference: documented"),
        Accepted(
            name: "a port for links", text: "applinks:example.com:8443", service: .applinks, host: "example.com",
            port: 8443, issues: ["entitlement-undocumented-port"], source: port),
        Accepted(
            name: "a port for App Clips", text: "appclips:example.com:8443", service: .appclips, host: "example.com",
            port: 8443, issues: ["entitlement-undocumented-port"], source: port),
        Accepted(
            name: "a port for Handoff", text: "activitycontinuation:example.com:1", service: .activitycontinuation,
            host: "example.com", port: 1, issues: ["entitlement-undocumented-port"], source: port),
        Accepted(
            name: "the smallest port", text: "webcredentials:example.com:1", service: .webcredentials,
            host: "example.com", port: 1, issues: ["entitlement-credentials-port"], source: "RFC 6335, 6: 0 is reserved"
        ),
        Accepted(
            name: "the largest port", text: "webcredentials:example.com:65535", service: .webcredentials,
            host: "example.com", port: 65_535, issues: ["entitlement-credentials-port"], source: "RFC 6335, 6: 16 bits"),
        Accepted(
            name: "zeros in front", text: "webcredentials:example.com:0008443", service: .webcredentials,
            host: "example.com", port: 8443, issues: ["entitlement-credentials-port"], source: "RFC 3986, 3.2.3: *DIGIT"
        ),
        Accepted(
            name: "the port of https", text: "applinks:example.com:443", service: .applinks, host: "example.com",
            port: 443, issues: ["entitlement-undocumented-port"], source: "RFC 9110, 4.2.2"),
        Accepted(
            name: "a port and a mode", text: "webcredentials:example.com:8443?mode=developer",
            service: .webcredentials, host: "example.com", port: 8443, modes: .developer,
            issues: ["entitlement-developer-mode", "entitlement-credentials-port"],
            source: modes),
    ]

    private static let modeWords: [Accepted] = [
        Accepted(
            name: "developer", text: "applinks:example.com?mode=developer", service: .applinks, host: "example.com",
            modes: .developer, issues: ["entitlement-developer-mode"], source: modes),
        Accepted(
            name: "managed", text: "applinks:example.com?mode=managed", service: .applinks, host: "example.com",
            modes: .managed, issues: ["entitlement-managed-mode"], source: modes),
        Accepted(
            name: "both", text: "applinks:example.com?mode=developer+managed", service: .applinks,
            host: "example.com", modes: [.developer, .managed],
            issues: ["entitlement-developer-mode", "entitlement-managed-mode"],
            source: modes),
        Accepted(
            name: "both the other way round", text: "applinks:example.com?mode=managed+developer", service: .applinks,
            host: "example.com", modes: [.developer, .managed],
            issues: ["entitlement-developer-mode", "entitlement-managed-mode"],
            source: "associated-domains.md: words, in any order"),
        Accepted(
            name: "capital letter", text: "applinks:example.com?mode=Developer", service: .applinks,
            host: "example.com", modes: .developer, issues: ["entitlement-developer-mode", "entitlement-mode-case"],
            source: mode),
        Accepted(
            name: "upper case", text: "applinks:example.com?mode=DEVELOPER", service: .applinks, host: "example.com",
            modes: .developer, issues: ["entitlement-developer-mode", "entitlement-mode-case"], source: mode),
        Accepted(
            name: "mixed case", text: "applinks:example.com?mode=DevelopER+mAnaged", service: .applinks,
            host: "example.com", modes: [.developer, .managed],
            issues: ["entitlement-developer-mode", "entitlement-managed-mode", "entitlement-mode-case"],
            source: mode),
        Accepted(
            name: "unknown word", text: "applinks:example.com?mode=debug", service: .applinks, host: "example.com",
            issues: ["entitlement-unknown-mode"], source: mode),
        Accepted(
            name: "misspelt word", text: "applinks:example.com?mode=develop", service: .applinks, host: "example.com",
            issues: ["entitlement-unknown-mode"], source: mode),
        Accepted(
            name: "unknown beside known", text: "applinks:example.com?mode=developer+debug", service: .applinks,
            host: "example.com", modes: .developer, issues: ["entitlement-unknown-mode", "entitlement-developer-mode"],
            source: mode),
        Accepted(
            name: "a comma in place of the plus", text: "applinks:example.com?mode=developer,managed",
            service: .applinks, host: "example.com", issues: ["entitlement-unknown-mode"], source: mode),
        Accepted(
            name: "a percent-encoded plus", text: "applinks:example.com?mode=developer%2Bmanaged", service: .applinks,
            host: "example.com", issues: ["entitlement-unknown-mode"], source: mode),
        Accepted(
            name: "no word", text: "applinks:example.com?mode=", service: .applinks, host: "example.com",
            issues: ["entitlement-query"], source: mode),
        Accepted(
            name: "a plus behind", text: "applinks:example.com?mode=managed+", service: .applinks,
            host: "example.com", modes: .managed, issues: ["entitlement-unknown-mode", "entitlement-managed-mode"],
            source: mode),
        Accepted(
            name: "one word twice", text: "applinks:example.com?mode=developer+developer", service: .applinks,
            host: "example.com", modes: .developer, issues: ["entitlement-developer-mode"], source: mode),
        Accepted(
            name: "of two mode items, the last one counts", text: "applinks:example.com?mode=developer&mode=managed",
            service: .applinks, host: "example.com", modes: .managed,
            issues: ["entitlement-mode-twice", "entitlement-managed-mode"], source: mode),
        Accepted(
            name: "of two mode items, an empty last one counts", text: "applinks:example.com?mode=developer&mode=",
            service: .applinks, host: "example.com", issues: ["entitlement-query", "entitlement-mode-twice"],
            source: mode),
        Accepted(
            name: "a query item that only begins with mode", text: "applinks:example.com?modes=developer",
            service: .applinks, host: "example.com", issues: ["entitlement-query"], source: mode),
        Accepted(
            name: "the maximum length of 1,024 bytes",
            text: "applinks:example.com/" + String(repeating: "a", count: 1_003), service: .applinks,
            host: "example.com", issues: ["entitlement-path"], source: "README.md: entries of at most 1,024 bytes"),
        Accepted(
            name: "a slash in the word", text: "applinks:example.com?mode=developer/", service: .applinks,
            host: "example.com", issues: ["entitlement-unknown-mode"], source: "RFC 3986, 3.4: a query may have a slash"
        ),
        Accepted(
            name: "a fragment after the word", text: "applinks:example.com?mode=developer#top", service: .applinks,
            host: "example.com", modes: .developer, issues: ["entitlement-path", "entitlement-developer-mode"],
            source: "RFC 3986, 3.4: the query ends before the fragment"),
        Accepted(
            name: "localhost", text: "webcredentials:localhost?mode=developer", service: .webcredentials,
            host: "localhost", modes: .developer, issues: ["entitlement-developer-mode", "entitlement-localhost"],
            source: "associated-domains.md: localhost only with mode exactly developer"),
        Accepted(
            name: "localhost with a port", text: "webcredentials:localhost:8443?mode=DEVELOPER",
            service: .webcredentials, host: "localhost", port: 8443, modes: .developer,
            issues: [
                "entitlement-developer-mode", "entitlement-credentials-port", "entitlement-mode-case",
                "entitlement-localhost",
            ],
            source: "associated-domains.md: localhost only with mode exactly developer"),
        Accepted(
            name: "localhost in capitals", text: "webcredentials:LocalHost?mode=developer", service: .webcredentials,
            host: "localhost", modes: .developer,
            issues: ["entitlement-host-case", "entitlement-developer-mode", "entitlement-localhost"],
            source: "RFC 4343: names are compared without case"),
        Accepted(
            name: "localhost and a word that is ignored", text: "applinks:localhost?mode=developer+debug",
            service: .applinks, host: "localhost", modes: .developer,
            issues: ["entitlement-unknown-mode", "entitlement-developer-mode", "entitlement-localhost"],
            source: mode),
    ]

    private static let wildcards: [Accepted] = [
        Accepted(
            name: "a wildcard", text: "applinks:*.example.com", service: .applinks, host: "example.com",
            isWildcard: true, issues: ["entitlement-wildcard-root"], source: wildcard),
        Accepted(
            name: "a wildcard for passwords", text: "webcredentials:*.example.com", service: .webcredentials,
            host: "example.com", isWildcard: true, issues: ["entitlement-wildcard-root"], source: wildcard),
        Accepted(
            name: "a wildcard for Handoff", text: "activitycontinuation:*.example.com",
            service: .activitycontinuation, host: "example.com", isWildcard: true,
            issues: ["entitlement-wildcard-root"],
            source: wildcard),
        Accepted(
            name: "a wildcard deep down", text: "applinks:*.a.b.example.com", service: .applinks,
            host: "a.b.example.com", isWildcard: true, issues: ["entitlement-wildcard-root"], source: wildcard),
        Accepted(
            name: "a wildcard with port and mode", text: "webcredentials:*.example.com:8443?mode=managed",
            service: .webcredentials, host: "example.com", isWildcard: true, port: 8443, modes: .managed,
            issues: ["entitlement-wildcard-root", "entitlement-managed-mode", "entitlement-credentials-port"],
            source: wildcard),
        Accepted(
            name: "a domain below a public suffix", text: "applinks:*.example.co.uk", service: .applinks,
            host: "example.co.uk", isWildcard: true, issues: ["entitlement-wildcard-root"], source: wildcard),
    ]

    private static let names: [Accepted] = [
        Accepted(
            name: "upper case", text: "applinks:WWW.Example.COM", service: .applinks, host: "www.example.com",
            issues: ["entitlement-host-case"], source: "RFC 4343: names are compared without case"),
        Accepted(
            name: "Punycode", text: "applinks:xn--mnchen-3ya.de", service: .applinks, host: "xn--mnchen-3ya.de",
            source: "RFC 5891: A-labels"),
        Accepted(
            name: "digits", text: "applinks:1.2.3.com", service: .applinks, host: "1.2.3.com",
            source: "RFC 1123, 2.1: a label may begin with a digit"),
        Accepted(
            name: "the longest label", text: "applinks:\(label63).com", service: .applinks, host: "\(label63).com",
            source: "RFC 1035, 2.3.4: 63 octets"),
        Accepted(
            name: "the longest name", text: "applinks:\(name253)", service: .applinks, host: name253,
            source: "RFC 1035, 2.3.4: 255 octets with its lengths"),
        Accepted(
            name: "an underscore", text: "applinks:my_app.example.com", service: .applinks,
            host: "my_app.example.com", issues: ["entitlement-unusual-name"],
            source: "RFC 2181, 11: DNS takes any label"),
        Accepted(
            name: "a hyphen at the edge", text: "applinks:-a.example.com", service: .applinks,
            host: "-a.example.com", issues: ["entitlement-unusual-name"], source: "RFC 1123, 2.1"),
        Accepted(
            name: "this project's domain without a mode", text: "webcredentials:ultra-motivator.test",
            service: .webcredentials, host: "ultra-motivator.test", issues: ["entitlement-private-host"], source: cdn),
        Accepted(
            name: "this project's domain with a mode", text: "webcredentials:ultra-motivator.test:8443?mode=developer",
            service: .webcredentials, host: "ultra-motivator.test", port: 8443, modes: .developer,
            issues: ["entitlement-developer-mode", "entitlement-credentials-port"],
            source: "RFC 6761, 6.2: the mode fetches straight"),
        Accepted(
            name: "Bonjour", text: "applinks:mac.local", service: .applinks, host: "mac.local",
            issues: ["entitlement-private-host"], source: cdn),
        Accepted(
            name: "below localhost", text: "applinks:app.localhost", service: .applinks, host: "app.localhost",
            issues: ["entitlement-private-host"], source: "RFC 6761, 6.3"),
        Accepted(
            name: "ends like a private name", text: "applinks:mylocal.com", service: .applinks, host: "mylocal.com",
            source: "RFC 6762, 3: only the label counts"),
        Accepted(
            name: "an application identifier", text: "webcredentials:D3KQX62K1A.com.example.DemoApp",
            service: .webcredentials, host: "d3kqx62k1a.com.example.demoapp",
            issues: ["entitlement-not-a-domain"], source: "pasted from the association file"),
        Accepted(
            name: "a bundle identifier", text: "webcredentials:com.example.demoapp", service: .webcredentials,
            host: "com.example.demoapp", issues: ["entitlement-not-a-domain"], source: "pasted from Xcode"),
        Accepted(
            name: "a label com in front of a domain", text: "webcredentials:com.example.com",
            service: .webcredentials, host: "com.example.com", source: "a domain the right way round"),
        Accepted(
            name: "begins like a scheme", text: "applinks:http.example.com", service: .applinks,
            host: "http.example.com", source: "RFC 3986, 3.1: a scheme ends at a colon"),
    ]

    private static let addresses: [Accepted] = [
        Accepted(
            name: "IPv4", text: "applinks:192.0.2.7?mode=developer", service: .applinks, host: "192.0.2.7",
            modes: .developer, issues: ["entitlement-developer-mode", "entitlement-address-with-mode"], source: address),
        Accepted(
            name: "IPv4 managed", text: "applinks:10.0.0.1?mode=managed", service: .applinks, host: "10.0.0.1",
            modes: .managed, issues: ["entitlement-managed-mode", "entitlement-address-with-mode"], source: address),
        Accepted(
            name: "IPv4 with a port", text: "webcredentials:127.0.0.1:8443?mode=developer", service: .webcredentials,
            host: "127.0.0.1", port: 8443, modes: .developer,
            issues: ["entitlement-developer-mode", "entitlement-credentials-port", "entitlement-address-with-mode"],
            source: address),
        Accepted(
            name: "IPv6", text: "applinks:[::1]?mode=developer", service: .applinks, host: "::1", modes: .developer,
            issues: ["entitlement-developer-mode", "entitlement-address-with-mode"], source: address),
        Accepted(
            name: "IPv6 in another spelling", text: "webcredentials:[2001:0DB8:0:0::0001]:8443?mode=developer",
            service: .webcredentials, host: "2001:db8::1", port: 8443, modes: .developer,
            issues: ["entitlement-developer-mode", "entitlement-credentials-port", "entitlement-address-with-mode"],
            source: "RFC 5952: one address, one text"),
    ]

    static let label63 = String(repeating: "a", count: 63)
    static let name253 = [label63, label63, label63, String(repeating: "b", count: 61)].joined(separator: ".")
}
