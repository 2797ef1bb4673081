import Certificates
import HTTP
import Platform

@testable import AssociationChecker
@testable import HTTPSClient

/// What is found at a site, and what each reading makes of it (associated-domains: fetching).
enum SiteCases {
    private static let developer = ["webcredentials:example.com?mode=developer"]
    private static let address = SiteBuilder.publicAddress

    static let places: [CheckCase] = [
        SiteBuilder.site("only .well-known", "AAD", ["path-only-well-known"]),
        SiteBuilder.site(
            "only the root", "ADD", ["path-only-root", "signature-missing", "http-status-refused"],
            wellKnown: { [try SiteBuilder.missing(SiteBuilder.wellKnown)] },
            root: { [try SiteBuilder.good(SiteBuilder.root)] }),
        SiteBuilder.site("both", "AAD", ["signature-missing"], root: { [try SiteBuilder.good(SiteBuilder.root)] }),
        SiteBuilder.site(
            "both, in another order of keys", "AAD", ["signature-missing", "service-unknown"],
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
            "both, with different content", "AAD", ["signature-missing", "path-contents-differ"],
            root: { [try SiteBuilder.good(SiteBuilder.root, credentials("D3KQX62K1A.com.example.Other"))] }),
        SiteBuilder.site(
            "neither", "DDD", ["http-status-refused"],
            wellKnown: { [try SiteBuilder.missing(SiteBuilder.wellKnown)] }),
    ]

    static let urls: [CheckCase] = [
        SiteBuilder.given("the URL that devices ask for", SiteBuilder.wellKnown, "AAD", []),
        SiteBuilder.given("the URL at the root", SiteBuilder.root, "ADD", ["path-only-root"]),
        SiteBuilder.given(
            "the URL of the CDN", "https://app-site-association.cdn-apple.com/a/v1/example.com", "AAD", []),
        SiteBuilder.given("another path", "https://example.com/other", "DDD", ["path-not-read"]),
        SiteBuilder.given("an extension", SiteBuilder.wellKnown + ".json", "DDD", ["path-not-read"]),
        SiteBuilder.given("a query", SiteBuilder.wellKnown + "?v=2", "DDD", ["path-not-read"]),
        SiteBuilder.given("a slash behind", SiteBuilder.wellKnown + "/", "DDD", ["path-not-read"]),
        SiteBuilder.given(
            "the CDN's path at another host", "https://example.com/a/v1/example.com", "DDD", ["path-not-read"]),
        CheckCase(
            name: "the URL at the root, where nothing is", verdicts: "DDD",
            codes: ["path-only-root", "http-status-refused"]
        ) {
            let visits = [Visit(location: .given, hops: [try SiteBuilder.missing(SiteBuilder.root)])]
            return Checker(Question(), at: 0).check(visits: visits, site: SiteBuilder.root, host: "example.com")
        },
    ]

    static let statuses: [CheckCase] = [
        SiteBuilder.broken("401", "DDD", "http-status-refused") { try SiteBuilder.hop($0, status: 401) },
        SiteBuilder.broken("304 to an unconditional request", "DDD", "http-status-refused") {
            try SiteBuilder.hop($0, status: 304)
        },
        SiteBuilder.broken("503", "RDR", "http-status-server-error") { try SiteBuilder.hop($0, status: 503) },
        SiteBuilder.broken("204", "DDD", "http-status-without-file") { try SiteBuilder.hop($0, status: 204) },
        SiteBuilder.broken("301 to https", "DDD", "http-redirect") {
            try SiteBuilder.hop($0, status: 301, [("Location", "https://www.example.com/")])
        },
        SiteBuilder.broken("302 to http", "DDD", "http-redirect-insecure") {
            try SiteBuilder.hop($0, status: 302, [("Location", "http://example.com/file")])
        },
        SiteBuilder.broken("302 to itself", "DDD", "http-redirect-loop") {
            try SiteBuilder.hop($0, status: 302, [("Location", $0)])
        },
        SiteBuilder.site(
            "302 to https, followed with a mode", "DAD", ["http-redirect-followed", "entitlement-mode"], developer,
            wellKnown: {
                [
                    try SiteBuilder.hop(SiteBuilder.wellKnown, status: 302, [("Location", "/real")]),
                    try SiteBuilder.good("https://example.com/real"),
                ]
            },
            root: { [try SiteBuilder.hop(SiteBuilder.root, status: 302, [("Location", "/real")])] }),
        SiteBuilder.site(
            "redirects without end, with a mode", "DDD",
            ["http-redirect-followed", "http-redirect-loop", "entitlement-mode"], developer,
            wellKnown: {
                [
                    try SiteBuilder.hop(SiteBuilder.wellKnown, status: 302, [("Location", "/a")]),
                    try SiteBuilder.hop("https://example.com/a", status: 302, [("Location", "/b")]),
                ]
            },
            root: { [try SiteBuilder.hop(SiteBuilder.root, status: 302, [("Location", "/a")])] }),
        SiteBuilder.site(
            "500 with the file, read by a device with a mode", "RAR", ["http-status-server-error", "entitlement-mode"],
            developer,
            wellKnown: {
                [
                    try SiteBuilder.hop(
                        SiteBuilder.wellKnown, status: 500, SiteBuilder.json, Array(credentials(demoApp).utf8))
                ]
            },
            root: { [try SiteBuilder.hop(SiteBuilder.root, status: 500)] }),
    ]

    static let answers: [CheckCase] = [
        SiteBuilder.site(
            "no Content-Type", "AAD", ["http-content-type", "path-only-well-known"],
            wellKnown: { [try SiteBuilder.hop(SiteBuilder.wellKnown, [], Array(credentials(demoApp).utf8))] }),
        SiteBuilder.site(
            "application/json with a parameter", "AAD", ["path-only-well-known"],
            wellKnown: {
                [
                    try SiteBuilder.hop(
                        SiteBuilder.wellKnown, [("content-type", "Application/JSON; charset=utf-8")],
                        Array(credentials(demoApp).utf8))
                ]
            }),
        SiteBuilder.site(
            "a coding that nobody asked for", "DDD",
            ["http-content-encoding", "file-neither-json-nor-cms", "path-only-well-known"],
            wellKnown: {
                [
                    try SiteBuilder.hop(
                        SiteBuilder.wellKnown, SiteBuilder.json + [("Content-Encoding", "br")],
                        [0x0B, 0x02, 0x80, 0, 0])
                ]
            }),
        SiteBuilder.site(
            "gzip that nobody asked for", "AAD", ["http-content-encoding", "path-only-well-known"],
            wellKnown: {
                [
                    try SiteBuilder.hop(
                        SiteBuilder.wellKnown, SiteBuilder.json + [("Content-Encoding", "gzip")], InflationTests.gzip)
                ]
            }),
        SiteBuilder.site(
            "a private address", "AAD", ["network-private-address", "path-only-well-known"],
            wellKnown: {
                [
                    try SiteBuilder.hop(
                        SiteBuilder.wellKnown, SiteBuilder.json, Array(credentials(demoApp).utf8),
                        address: SocketAddress("192.168.1.7", port: 443))
                ]
            }),
        SiteBuilder.site(
            "a root that was given", "AAD", ["tls-given-root", "path-only-well-known"],
            wellKnown: {
                [
                    try SiteBuilder.hop(
                        SiteBuilder.wellKnown, SiteBuilder.json, Array(credentials(demoApp).utf8),
                        anchor: .given(subject: "CN=Own"))
                ]
            }),
        ownRoot("in developer mode", "AAD", [], "developer"),
        ownRoot("in either mode", "AAD", [], "developer+managed"),
        ownRoot("under management", "AAD", ["tls-given-root"], "managed"),
        SiteBuilder.site(
            "a certificate that is its own root", "DDD",
            ["tls-self-signed", "path-only-well-known", "entitlement-mode"],
            developer,
            wellKnown: {
                let folder = try TemporaryFolder()
                let own = try Authority.create(folder: folder.path, permitted: ["example.com"]).root
                return [
                    try SiteBuilder.hop(
                        SiteBuilder.wellKnown, SiteBuilder.json, Array(credentials(demoApp).utf8),
                        anchor: .given(subject: "CN=Own"), path: [own])
                ]
            }),
        SiteBuilder.site(
            "more than is read", "DDD", ["file-too-large", "path-only-well-known"],
            wellKnown: {
                [
                    try SiteBuilder.hop(
                        SiteBuilder.wellKnown, SiteBuilder.json, [UInt8](repeating: 0x20, count: 131_073),
                        failure: .tooLarge(limit: 131_073))
                ]
            }),
        CheckCase(name: "the CDN's failure", verdicts: "DDD", codes: ["network-cdn-failure", "http-status-refused"]) {
            let hop = try SiteBuilder.hop(
                "https://app-site-association.cdn-apple.com/a/v1/example.com", status: 404,
                [("Apple-Failure-Reason", "SWCERR00301 Timeout"), ("Apple-Failure-Details", "{}")])
            return Checker(Question(), at: 0).check(
                visits: [Visit(location: .given, hops: [hop])], site: "cdn", host: "app-site-association.cdn-apple.com")
        },
    ]

    static let network: [CheckCase] = [
        failure("an unknown name", "DDD", "network-unknown-host", .unknownHost("example.com")),
        failure("a resolver that fails", "RRR", "network-name-failed", .nameFailed("example.com", reason: "SERVFAIL")),
        failure("nobody listens", "RRR", "network-unreachable", .refused(address)),
        failure("time is over", "RRR", "network-timed-out", .headTimedOut(address, seconds: 15)),
        failure("a reset", "RRR", "network-closed", .reset(address)),
        failure("no socket left here", "RRR", "network-not-asked", .noResources(reason: "Too many open files")),
        failure("plain HTTP on the port", "DDD", "tls-not-spoken", .notTLS(address, start: "HTTP/1.1 400")),
        failure("a failed handshake", "DDD", "tls-handshake-failed", .handshakeFailed(address, reason: "alert")),
        failure("TLS 1.1", "DDD", "tls-too-old", .protocolTooOld(address, version: "TLSv1.1")),
        failure("no HTTP", "DDD", "http-malformed", .malformed(.bareLineFeed)),
    ]

    static let certificates: [CheckCase] = [
        SiteBuilder.certificate("expired", "DDD", "tls-expired", .expired(subject: "CN=a", at: 0)),
        SiteBuilder.certificate("not yet valid", "DDD", "tls-not-yet-valid", .notYetValid(subject: "CN=a", from: 0)),
        SiteBuilder.certificate("another host", "DDD", "tls-wrong-host", .wrongHost(host: "example.com", names: [])),
        SiteBuilder.certificate(
            "no subjectAltName", "DDD", "tls-no-alternative-name", .noAlternativeName(commonName: "a")),
        SiteBuilder.certificate("a wide wildcard", "DDD", "tls-wildcard-too-wide", .wildcardTooWide(name: "*.test")),
        SiteBuilder.certificate("self-signed", "DDD", "tls-self-signed", .selfSigned(subject: "CN=a")),
        SiteBuilder.certificate("an unknown root", "DDD", "tls-untrusted-root", .untrustedRoot(subject: "CN=r")),
        SiteBuilder.certificate(
            "no intermediate", "DDD", "tls-incomplete-chain", .incomplete(subject: "CN=a", missing: "CN=i")),
        SiteBuilder.certificate("a bad link", "DDD", "tls-bad-chain", .badSignature(subject: "CN=a")),
        SiteBuilder.certificate("826 days", "DDD", "tls-valid-too-long", .tooLong(days: 826, limit: 825)),
        SiteBuilder.certificate("no serverAuth", "DDD", "tls-not-for-servers", .notForServers(subject: "CN=a")),
        SiteBuilder.certificate("RSA 1024", "DDD", "tls-weak-key", .weakKey(subject: "CN=a", kind: "RSA", bits: 1024)),
        SiteBuilder.certificate("SHA-1", "DDD", "tls-weak-digest", .weakDigest(subject: "CN=a", name: "SHA-1")),
        SiteBuilder.certificate("one certificate too many", "AAD", "tls-untidy-chain", .unneeded(subjects: ["CN=r"])),
    ]

    static let all = places + urls + statuses + answers + network + certificates

    /// A root that a user installed, for an entry with a mode.
    private static func ownRoot(_ name: String, _ verdicts: String, _ codes: Set<String>, _ mode: String) -> CheckCase {
        SiteBuilder.site(
            "a root that was given, \(name)", verdicts, codes.union(["path-only-well-known", "entitlement-mode"]),
            ["webcredentials:example.com?mode=\(mode)"],
            wellKnown: {
                [
                    try SiteBuilder.hop(
                        SiteBuilder.wellKnown, SiteBuilder.json, Array(credentials(demoApp).utf8),
                        anchor: .given(subject: "CN=Own"))
                ]
            })
    }

    private static func failure(
        _ name: String, _ verdicts: String, _ code: String, _ failure: FetchFailure
    ) -> CheckCase {
        SiteBuilder.broken(name, verdicts, code) { try SiteBuilder.hop($0, status: nil, failure: failure) }
    }
}
