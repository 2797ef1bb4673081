import Certificates
import MotivatorHTTP
import MotivatorPlatform
import TestSupport

@testable import AssociationChecker
@testable import HTTPSClient

/// The issues with a site, and their severity in each profile (associated-domains.md: fetching).
enum SiteCases {
    private static let developer = ["webcredentials:example.com?mode=developer"]
    private static let address = SiteBuilder.publicAddress

    static let places: [CheckCase] = [
        SiteBuilder.site("only .well-known", "AAAD", ["path-only-well-known"]),
        SiteBuilder.site(
            "only the root", "DAAD", ["path-only-root", "signature-missing"],
            wellKnown: { [try SiteBuilder.missing(SiteBuilder.wellKnown)] },
            root: { [try SiteBuilder.good(SiteBuilder.root)] }),
        SiteBuilder.site("both", "AAAD", ["signature-missing"], root: { [try SiteBuilder.good(SiteBuilder.root)] }),
        SiteBuilder.site(
            "both, in another order of keys", "AAAD", ["signature-missing", "service-unknown"],
            wellKnown: {
                [
                    try SiteBuilder.good(
                        SiteBuilder.wellKnown, "{\"a\":1,\"webcredentials\":{\"apps\":[\"\(demoApp)\"]}}")
                ]
            },
            root: {
                [try SiteBuilder.good(SiteBuilder.root, "{\"webcredentials\":{\"apps\":[\"\(demoApp)\"]},\"a\":1}")]
            }),
        SiteBuilder.site(
            "both, with different content", "AAAD", ["signature-missing", "path-contents-differ"],
            root: { [try SiteBuilder.good(SiteBuilder.root, credentials("D3KQX62K1A.com.example.Other"))] }),
        SiteBuilder.site(
            "both, of which the root lists only the first app", "AAAD", ["signature-missing", "path-contents-differ"],
            wellKnown: { [try SiteBuilder.good(SiteBuilder.wellKnown, credentials(demoApp, other))] },
            root: { [try SiteBuilder.good(SiteBuilder.root)] }),
        SiteBuilder.site(
            "both, of which the root lists another app too", "AAAD", ["signature-missing", "path-contents-differ"],
            root: { [try SiteBuilder.good(SiteBuilder.root, credentials(demoApp, other))] }),
        differing("a further key at the end", "{}", #"{"z":1}"#),
        differing("a number", #"{"z":1}"#, #"{"z":10}"#),
        differing("a Boolean", #"{"z":true}"#, #"{"z":false}"#),
        differing("a string that continues", #"{"z":"a"}"#, #"{"z":"ab"}"#),
        differing("an array that continues", #"{"z":[1]}"#, #"{"z":[1,2]}"#),
        differing("null", #"{"z":null}"#, #"{"z":0}"#),
        differing("the second of two keys", #"{"y":1,"z":1}"#, #"{"y":1,"z":2}"#),
        differing("the name of a key", #"{"z":1}"#, #"{"zz":1}"#),
        SiteBuilder.site(
            "neither", "DDDD", ["http-status-refused"],
            wellKnown: { [try SiteBuilder.missing(SiteBuilder.wellKnown)] }),
    ]

    /// Creates a check of a public name that resolves to an address.
    private static func reached(
        _ address: String, isOverridden: Bool = false, _ verdicts: String, _ codes: Set<String>
    ) -> CheckCase {
        SiteBuilder.site(
            "a public name at \(address)\(isOverridden ? ", which the user chose" : "")", verdicts,
            codes.union(["path-only-well-known"]),
            wellKnown: {
                let step = try SiteBuilder.step(
                    SiteBuilder.wellKnown, SiteBuilder.json, Array(credentials(demoApp).utf8),
                    address: SocketAddress(address, port: 443))
                return [
                    FileFetch.Step(
                        url: step.url, fetched: step.fetched, chain: step.chain, addressIsOverridden: isOverridden)
                ]
            })
    }

    private static let other = "D3KQX62K1A.com.example.Other"

    /// Creates a check of two files that differ only in the value of an unknown service.
    private static func differing(_ name: String, _ one: String, _ two: String) -> CheckCase {
        @Sendable func file(_ value: String) -> String {
            "{\"webcredentials\":{\"apps\":[\"\(demoApp)\"]},\"x\":\(value)}"
        }
        return SiteBuilder.site(
            "both, with another value: \(name)", "AAAD",
            ["signature-missing", "service-unknown", "path-contents-differ"],
            wellKnown: { [try SiteBuilder.good(SiteBuilder.wellKnown, file(one))] },
            root: { [try SiteBuilder.good(SiteBuilder.root, file(two))] })
    }

    static let urls: [CheckCase] = [
        SiteBuilder.given("the URL that devices ask for", SiteBuilder.wellKnown, "AAAD", []),
        SiteBuilder.given("the URL at the root", SiteBuilder.root, "DAAD", ["path-only-root"]),
        SiteBuilder.given(
            "the URL of the CDN", "https://app-site-association.cdn-apple.com/a/v1/example.com", "AAAD", []),
        SiteBuilder.given("another path", "https://example.com/other", "DDDD", ["path-not-read"]),
        SiteBuilder.given("an extension", SiteBuilder.wellKnown + ".json", "DDDD", ["path-not-read"]),
        SiteBuilder.given("a query", SiteBuilder.wellKnown + "?v=2", "DDDD", ["path-not-read"]),
        SiteBuilder.given("a slash behind", SiteBuilder.wellKnown + "/", "DDDD", ["path-not-read"]),
        SiteBuilder.given(
            "the CDN's path at another host", "https://example.com/a/v1/example.com", "DDDD", ["path-not-read"]),
        CheckCase(
            name: "the URL at the root, where nothing is", verdicts: "DDDD",
            codes: ["path-only-root", "http-status-refused"]
        ) {
            let fetches = [FileFetch(path: .given, steps: [try SiteBuilder.missing(SiteBuilder.root)])]
            return Checker(CheckRequest(), at: 0).check(fetches: fetches, site: SiteBuilder.root, host: "example.com")
        },
    ]

    static let statuses: [CheckCase] = [
        SiteBuilder.broken("401", "DDDD", "http-status-access-denied") { try SiteBuilder.step($0, status: 401) },
        SiteBuilder.broken("403", "DDDD", "http-status-access-denied") { try SiteBuilder.step($0, status: 403) },
        SiteBuilder.broken("400", "DDDD", "http-status-refused") { try SiteBuilder.step($0, status: 400) },
        SiteBuilder.broken("402", "DDDD", "http-status-refused") { try SiteBuilder.step($0, status: 402) },
        SiteBuilder.broken("499", "DDDD", "http-status-refused") { try SiteBuilder.step($0, status: 499) },
        SiteBuilder.broken("300", "DDDD", "http-status-refused") { try SiteBuilder.step($0, status: 300) },
        SiteBuilder.broken("500", "RRRR", "http-status-server-error") { try SiteBuilder.step($0, status: 500) },
        SiteBuilder.broken("599", "RRRR", "http-status-server-error") { try SiteBuilder.step($0, status: 599) },
        SiteBuilder.broken("201", "DDDD", "http-status-without-file") { try SiteBuilder.step($0, status: 201) },
        SiteBuilder.broken("299", "DDDD", "http-status-without-file") { try SiteBuilder.step($0, status: 299) },
        SiteBuilder.broken("300 with a Location", "DDDD", "http-status-refused") {
            try SiteBuilder.step($0, status: 300, [("Location", "https://www.example.com/")])
        },
        SiteBuilder.broken("301 without a Location", "DDDD", "http-status-refused") {
            try SiteBuilder.step($0, status: 301)
        },
        SiteBuilder.broken("303 to https", "DDDD", "http-redirect") {
            try SiteBuilder.step($0, status: 303, [("Location", "https://www.example.com/")])
        },
        SiteBuilder.broken("307 to https", "DDDD", "http-redirect") {
            try SiteBuilder.step($0, status: 307, [("Location", "https://www.example.com/")])
        },
        SiteBuilder.broken("308 to https", "DDDD", "http-redirect") {
            try SiteBuilder.step($0, status: 308, [("Location", "https://www.example.com/")])
        },
        SiteBuilder.broken("308 to http", "DDDD", "http-redirect-insecure") {
            try SiteBuilder.step($0, status: 308, [("Location", "http://example.com/file")])
        },
        SiteBuilder.site(
            "302 to http with a mode", "DDDD", ["http-redirect-insecure", "entitlement-developer-mode"], developer,
            wellKnown: {
                [try SiteBuilder.step(SiteBuilder.wellKnown, status: 302, [("Location", "http://example.com/")])]
            },
            root: { [try SiteBuilder.step(SiteBuilder.root, status: 302, [("Location", "http://example.com/")])] }),
        SiteBuilder.site(
            "404 with a mode", "DDDD", ["http-status-refused", "entitlement-developer-mode"], developer,
            wellKnown: { [try SiteBuilder.missing(SiteBuilder.wellKnown)] }),
        SiteBuilder.broken("304 to an unconditional request", "DDDD", "http-status-refused") {
            try SiteBuilder.step($0, status: 304)
        },
        SiteBuilder.broken("503", "RRRR", "http-status-server-error") { try SiteBuilder.step($0, status: 503) },
        SiteBuilder.broken("204", "DDDD", "http-status-without-file") { try SiteBuilder.step($0, status: 204) },
        SiteBuilder.broken("301 to https", "DDDD", "http-redirect") {
            try SiteBuilder.step($0, status: 301, [("Location", "https://www.example.com/")])
        },
        SiteBuilder.broken("302 to http", "DDDD", "http-redirect-insecure") {
            try SiteBuilder.step($0, status: 302, [("Location", "http://example.com/file")])
        },
        SiteBuilder.broken("302 to itself", "DDDD", "http-redirect-loop") {
            try SiteBuilder.step($0, status: 302, [("Location", $0)])
        },
        SiteBuilder.broken("302 to itself, as a path", "DDDD", "http-redirect-loop") {
            try SiteBuilder.step($0, status: 302, [("Location", "\($0.dropFirst("https://example.com".count))")])
        },
        SiteBuilder.site(
            "302 to https, followed with a mode", "ADDD", ["http-redirect-followed", "entitlement-developer-mode"],
            developer,
            wellKnown: {
                [
                    try SiteBuilder.step(SiteBuilder.wellKnown, status: 302, [("Location", "/real")]),
                    try SiteBuilder.good("https://example.com/real"),
                ]
            },
            root: { [try SiteBuilder.step(SiteBuilder.root, status: 302, [("Location", "/real")])] }),
        SiteBuilder.site(
            "redirects without end, with a mode", "DDDD",
            ["http-redirect-followed", "http-redirect-loop", "entitlement-developer-mode"], developer,
            wellKnown: {
                [
                    try SiteBuilder.step(SiteBuilder.wellKnown, status: 302, [("Location", "/a")]),
                    try SiteBuilder.step("https://example.com/a", status: 302, [("Location", "/b")]),
                ]
            },
            root: { [try SiteBuilder.step(SiteBuilder.root, status: 302, [("Location", "/a")])] }),
        SiteBuilder.site(
            "503 with a mode: one issue, no broken file", "RRRR",
            ["http-status-server-error", "entitlement-developer-mode"],
            developer,
            wellKnown: {
                [
                    try SiteBuilder.step(
                        SiteBuilder.wellKnown, status: 500, SiteBuilder.json, Array(credentials(demoApp).utf8))
                ]
            },
            root: { [try SiteBuilder.step(SiteBuilder.root, status: 500)] }),
    ]

    static let answers: [CheckCase] = [
        SiteBuilder.site(
            "203 with a mode", "ADDD", ["http-status-parsed", "entitlement-developer-mode"], developer,
            wellKnown: {
                [
                    try SiteBuilder.step(
                        SiteBuilder.wellKnown, status: 203, SiteBuilder.json, Array(credentials(demoApp).utf8))
                ]
            },
            root: { [try SiteBuilder.step(SiteBuilder.root, status: 203, SiteBuilder.json, Array("{}".utf8))] }),
        SiteBuilder.site(
            "a redirect whose content does not arrive", "DDDD", ["http-redirect"],
            wellKnown: {
                [
                    try SiteBuilder.step(
                        SiteBuilder.wellKnown, status: 301, [("Location", "https://www.example.com/")],
                        failure: .contentTimedOut(SiteBuilder.publicAddress, seconds: 15, got: 0))
                ]
            },
            root: {
                [try SiteBuilder.step(SiteBuilder.root, status: 301, [("Location", "https://www.example.com/")])]
            }),
        SiteBuilder.site(
            "404 at .well-known, 503 at the root", "DRRR", ["http-status-refused", "http-status-server-error"],
            wellKnown: { [try SiteBuilder.missing(SiteBuilder.wellKnown)] },
            root: { [try SiteBuilder.step(SiteBuilder.root, status: 503)] }),
        SiteBuilder.site(
            "503 at .well-known, the file at the root", "RAAD", ["http-status-server-error", "signature-missing"],
            wellKnown: { [try SiteBuilder.step(SiteBuilder.wellKnown, status: 503)] },
            root: { [try SiteBuilder.good(SiteBuilder.root)] }),
        SiteBuilder.site(
            "no Content-Type", "AAAD", ["http-content-type", "path-only-well-known"],
            wellKnown: { [try SiteBuilder.step(SiteBuilder.wellKnown, [], Array(credentials(demoApp).utf8))] }),
        SiteBuilder.site(
            "application/json with a parameter", "AAAD", ["path-only-well-known"],
            wellKnown: {
                [
                    try SiteBuilder.step(
                        SiteBuilder.wellKnown, [("content-type", "Application/JSON; charset=utf-8")],
                        Array(credentials(demoApp).utf8))
                ]
            }),
        SiteBuilder.site(
            "a coding that nobody asked for", "DDDD", ["file-neither-json-nor-cms", "path-only-well-known"],
            wellKnown: {
                [
                    try SiteBuilder.step(
                        SiteBuilder.wellKnown, SiteBuilder.json + [("Content-Encoding", "br")],
                        [0x0B, 0x02, 0x80, 0, 0])
                ]
            }),
        SiteBuilder.site(
            "gzip that nobody asked for", "AAAD", ["http-content-encoding", "path-only-well-known"],
            wellKnown: {
                [
                    try SiteBuilder.step(
                        SiteBuilder.wellKnown, SiteBuilder.json + [("Content-Encoding", "gzip")], InflationTests.gzip)
                ]
            }),
        SiteBuilder.site(
            "a coding of a file that is too large", "DDDD",
            ["http-content-encoding", "file-too-large", "path-only-well-known"],
            wellKnown: {
                [
                    try SiteBuilder.step(
                        SiteBuilder.wellKnown, SiteBuilder.json + [("Content-Encoding", "deflate")],
                        InflationTests.spaces)
                ]
            }),
        SiteBuilder.site(
            "gzip without Content-Encoding", "DDDD", ["file-neither-json-nor-cms", "path-only-well-known"],
            wellKnown: { [try SiteBuilder.step(SiteBuilder.wellKnown, SiteBuilder.json, InflationTests.gzip)] }),
        SiteBuilder.site(
            "a private address", "DAAD", ["network-private-host", "path-only-well-known"],
            wellKnown: {
                [
                    try SiteBuilder.step(
                        SiteBuilder.wellKnown, SiteBuilder.json, Array(credentials(demoApp).utf8),
                        address: SocketAddress("192.168.1.7", port: 443))
                ]
            }),
        CheckCase(
            name: "a private name that an entry has too", verdicts: "DAAD",
            codes: ["network-private-host", "path-only-well-known"]
        ) {
            var request = CheckRequest()
            request.entries = [.init("webcredentials:site.test")]
            let urls = [SiteBuilder.wellKnown, SiteBuilder.root].map { $0.replacing("example.com", with: "site.test") }
            let fetches = [
                FileFetch(path: .wellKnown, steps: [try SiteBuilder.good(urls[0])]),
                FileFetch(path: .root, steps: [try SiteBuilder.missing(urls[1])]),
            ]
            return Checker(request, at: 0).check(fetches: fetches, site: "site.test", host: "site.test")
        },
        reached("127.0.0.1", "DAAD", ["network-private-host"]),
        reached("::1", "DAAD", ["network-private-host"]),
        reached("10.0.0.1", "DAAD", ["network-private-host"]),
        reached("fd00::1", "DAAD", ["network-private-host"]),
        reached("127.0.0.1", isOverridden: true, "AAAD", []),
        reached("192.168.1.7", isOverridden: true, "AAAD", []),
        reached("203.0.113.7", "AAAD", []),
        SiteBuilder.site(
            "a root that was given", "DAAD", ["tls-given-root", "path-only-well-known"],
            wellKnown: {
                [
                    try SiteBuilder.step(
                        SiteBuilder.wellKnown, SiteBuilder.json, Array(credentials(demoApp).utf8),
                        anchor: .given(subject: "CN=Own"))
                ]
            }),
        ownRoot("in developer mode", "AAAD", [], "developer"),
        ownRoot("in both modes", "AAAD", [], "developer+managed"),
        ownRoot("under management", "DAAD", ["tls-given-root"], "managed"),
        SiteBuilder.site(
            "a certificate that is its own root", "DDAD",
            ["tls-self-signed", "path-only-well-known", "entitlement-developer-mode"],
            developer,
            wellKnown: {
                let own = try Authority.temporary(permitted: ["example.com"]).root
                return [
                    try SiteBuilder.step(
                        SiteBuilder.wellKnown, SiteBuilder.json, Array(credentials(demoApp).utf8),
                        anchor: .given(subject: "CN=Own"), path: [own])
                ]
            }),
        SiteBuilder.site(
            "more than is read", "DDDD", ["file-too-large", "path-only-well-known"],
            wellKnown: {
                [
                    try SiteBuilder.step(
                        SiteBuilder.wellKnown, SiteBuilder.json, [UInt8](repeating: 0x20, count: 131_073),
                        failure: .tooLarge(limit: 131_073))
                ]
            }),
        CheckCase(name: "the CDN's failure", verdicts: "DDDD", codes: ["network-cdn-failure", "http-status-refused"]) {
            let step = try SiteBuilder.step(
                "https://app-site-association.cdn-apple.com/a/v1/example.com", status: 404,
                [("Apple-Failure-Reason", "SWCERR00301 Timeout"), ("Apple-Failure-Details", "{}")])
            return Checker(CheckRequest(), at: 0).check(
                fetches: [FileFetch(path: .given, steps: [step])], site: "cdn",
                host: "app-site-association.cdn-apple.com")
        },
    ]

    static let network: [CheckCase] = [
        failure("an unknown name", "DDDD", "network-unknown-host", .unknownHost("example.com")),
        failure("a resolver that fails", "RRRR", "network-name-failed", .nameFailed("example.com", reason: "SERVFAIL")),
        failure("nobody listens", "RRRR", "network-unreachable", .refused(address)),
        failure("time is over", "RRRR", "network-timed-out", .headTimedOut(address, seconds: 15)),
        failure("a reset", "RRRR", "network-closed", .reset(address)),
        failure("no socket left here", "RRRR", "network-not-requested", .noResources(reason: "Too many open files")),
        failure("plain HTTP on the port", "DDDD", "tls-not-spoken", .notTLS(address, start: "HTTP/1.1 400")),
        failure("a failed handshake", "DDDD", "tls-handshake-failed", .handshakeFailed(address, reason: "alert")),
        failure("an address that the caller does not permit", "RRRR", "network-not-requested", .notPermitted(address)),
        failure("TLS 1.1", "DDDD", "tls-too-old", .protocolTooOld(address, version: "TLSv1.1")),
        failure("no HTTP", "DDDD", "http-malformed", .malformed(.shared(.bareLineFeed))),
    ]

    static let certificates: [CheckCase] = [
        SiteBuilder.certificate("expired", "DDDD", "tls-expired", .expired(subject: "CN=a", at: 0)),
        SiteBuilder.certificate("not yet valid", "DDDD", "tls-not-yet-valid", .notYetValid(subject: "CN=a", from: 0)),
        SiteBuilder.certificate("another host", "DDDD", "tls-wrong-host", .wrongHost(host: "example.com", names: [])),
        SiteBuilder.certificate(
            "no subjectAltName", "DDDD", "tls-no-alternative-name", .noAlternativeName(commonName: "a")),
        SiteBuilder.certificate("a wide wildcard", "DDDD", "tls-wildcard-too-wide", .wildcardTooWide(name: "*.test")),
        SiteBuilder.certificate("self-signed", "DDDD", "tls-self-signed", .selfSigned(subject: "CN=a")),
        SiteBuilder.certificate("an unknown root", "DDDD", "tls-untrusted-root", .untrustedRoot(subject: "CN=r")),
        SiteBuilder.certificate(
            "no intermediate", "DDDD", "tls-incomplete-chain", .incomplete(subject: "CN=a", missing: "CN=i")),
        SiteBuilder.certificate("a bad link", "DDDD", "tls-bad-chain", .badSignature(subject: "CN=a")),
        SiteBuilder.certificate("826 days", "DDDD", "tls-valid-too-long", .tooLong(days: 826, limit: 825)),
        SiteBuilder.certificate("no serverAuth", "DDDD", "tls-not-for-servers", .notForServers(subject: "CN=a")),
        SiteBuilder.certificate("no key usage", "DDDD", "tls-no-extended-key-usage", .noPurpose(subject: "CN=a")),
        SiteBuilder.certificate("RSA 1024", "DDDD", "tls-weak-key", .weakKey(subject: "CN=a", kind: "RSA", bits: 1024)),
        SiteBuilder.certificate("SHA-1", "DDDD", "tls-weak-digest", .weakDigest(subject: "CN=a", name: "SHA-1")),
        SiteBuilder.certificate("one certificate too many", "AAAD", "tls-untidy-chain", .unneeded(subjects: ["CN=r"])),
    ]

    static let all = places + urls + statuses + answers + network + certificates

    /// Creates a case for a user-installed root and an entry with a mode.
    private static func ownRoot(_ name: String, _ verdicts: String, _ codes: Set<String>, _ mode: String) -> CheckCase {
        SiteBuilder.site(
            "a root that was given, \(name)", verdicts,
            codes.union(["path-only-well-known"]).union(
                mode.split(separator: "+").map { "entitlement-\($0)-mode" }),
            ["webcredentials:example.com?mode=\(mode)"],
            wellKnown: {
                [
                    try SiteBuilder.step(
                        SiteBuilder.wellKnown, SiteBuilder.json, Array(credentials(demoApp).utf8),
                        anchor: .given(subject: "CN=Own"))
                ]
            })
    }

    private static func failure(
        _ name: String, _ verdicts: String, _ code: String, _ failure: FetchFailure
    ) -> CheckCase {
        SiteBuilder.broken(name, verdicts, code) { try SiteBuilder.step($0, status: nil, failure: failure) }
    }
}
