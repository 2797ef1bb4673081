import Certificates
import Testing

@testable import AssociatedDomains
@testable import AssociationChecker
@testable import HTTPSClient

/// The issues with statuses, redirects and content types that `SiteCases` does not contain.
@Suite("The statuses and fields of a site") struct SiteStatusTests {
    private static let developer = ["webcredentials:example.com?mode=developer"]
    private static let file = Array(credentials(demoApp).utf8)
    private static let page = Array("<!doctype html>\n<title>Welcome</title>\n".utf8)
    private static let html: [(name: String, value: String)] = [("Content-Type", "text/html")]

    /// Returns a site that responds to both paths with a status, fields and content.
    private static func both(
        _ name: String, _ verdicts: String, _ codes: Set<String>, entries: [String] = [], status: Int = 200,
        _ fields: [(name: String, value: String)] = SiteBuilder.json, _ content: [UInt8] = file
    ) -> CheckCase {
        SiteBuilder.site(
            name, verdicts, codes, entries,
            wellKnown: { [try SiteBuilder.step(SiteBuilder.wellKnown, status: status, fields, content)] },
            root: { [try SiteBuilder.step(SiteBuilder.root, status: status, fields, content)] })
    }

    private static let refused =
        [400, 404, 410, 418, 429, 451].map { status in
            both("\(status)", "DDDD", ["http-status-refused"], status: status, html, page)
        } + [401, 403].map { both("\($0)", "DDDD", ["http-status-access-denied"], status: $0, html, page) }

    private static let redirects =
        [301, 302, 303, 307, 308].map { status in
            both("\(status) to https", "DDDD", ["http-redirect"], status: status, [("Location", "/file")], [])
        } + [
            both(
                "302 to another host", "DDDD", ["http-redirect"], status: 302,
                [("Location", "https://www.example.org/file")], []),
            both(
                "302 to an invalid URL", "DDDD", ["http-redirect"], status: 302, [("Location", "https://[::bad")], []),
        ]

    private static let others =
        [
            both("300 with the file", "DDDD", ["http-status-refused"], status: 300),
            both(
                "300 with the file and a mode", "ADDD", ["http-status-parsed", "entitlement-developer-mode"],
                entries: developer,
                status: 300),
            both("500 with the file", "RRRR", ["http-status-server-error"], status: 500),
            both("203 with the file", "DDDD", ["http-status-without-file"], status: 203),
            both("600, as 500 (RFC 9110, 15)", "RRRR", ["http-status-server-error"], status: 600),
            both("999, as 500 (RFC 9110, 15)", "RRRR", ["http-status-server-error"], status: 999, html, page),
            both(
                "204 with a mode", "DDDD", ["http-status-without-file", "entitlement-developer-mode"],
                entries: developer,
                status: 204, [], []),
        ]
        + [302, 304].map { status in
            both(
                "\(status) without Location and with a mode", "DDDD",
                ["http-status-refused", "entitlement-developer-mode"], entries: developer, status: status, [], [])
        }

    private static let contents = [
        both("text/html", "AAAD", ["http-content-type", "signature-missing"], html),
        both(
            "application/octet-stream", "AAAD", ["http-content-type", "signature-missing"],
            [("Content-Type", "application/octet-stream")]),
        both("an HTML page", "DDDD", ["json-html", "http-content-type", "signature-missing"], html, page),
        SiteBuilder.site(
            "a start page above the limit of the size", "DDDD", ["json-html", "path-only-well-known"],
            wellKnown: {
                [
                    try SiteBuilder.step(
                        SiteBuilder.wellKnown, SiteBuilder.json, page + [UInt8](repeating: 0x20, count: 131_100),
                        failure: .tooLarge(limit: 131_073))
                ]
            }),
        both("no content", "DDDD", ["json-empty", "signature-missing"], SiteBuilder.json, []),
        both("a cookie", "AAAD", ["signature-missing"], SiteBuilder.json + [("Set-Cookie", "seen=1")]),
        both(
            "the coding identity, in any case", "AAAD", ["signature-missing"],
            SiteBuilder.json + [("Content-Encoding", "Identity")]),
    ]

    /// Responses without the file whose content fails. The status counts (associated-domains.md: one cause, one error).
    private static let brokenContents: [(status: Int, failure: FetchFailure, verdicts: String, code: String)] = [
        (503, .tooLarge(limit: 131_073), "RRRR", "http-status-server-error"),
        (500, .cutShort(got: 2, of: 500), "RRRR", "http-status-server-error"),
        (404, .tooLarge(limit: 131_073), "DDDD", "http-status-refused"),
        (404, .cutShort(got: 2, of: 500), "DDDD", "http-status-refused"),
        (403, .contentTimedOut(SiteBuilder.publicAddress, seconds: 15, got: 0), "DDDD", "http-status-access-denied"),
    ]

    private static let failures = brokenContents.map { broken in
        SiteBuilder.broken("\(broken.status), and \(broken.failure.problem)", broken.verdicts, broken.code) { url in
            try SiteBuilder.step(url, status: broken.status, html, page, failure: broken.failure)
        }
    }

    @Test("A site gets the verdict of each profile", arguments: refused + redirects + others + contents + failures)
    func site(_ check: CheckCase) throws { try check.verify() }

    @Test("A redirect to a path that redirects to itself is one error, with the number of redirects")
    func loop() throws {
        let steps = [
            try SiteBuilder.step(SiteBuilder.wellKnown, status: 302, [("Location", "/login")]),
            try SiteBuilder.step("https://example.com/login", status: 302, [("Location", "/login")]),
        ]
        var request = CheckRequest()
        request.entries = Self.developer.map { .init($0) }
        let report = Checker(request, at: 0).check(
            fetches: [FileFetch(path: .wellKnown, steps: steps)], site: "example.com", host: "example.com")
        let errors = report.issues.filter { $0.severity(in: .device) == .error }
        #expect(errors.map(\.message) == ["Too many redirects: redirect 2 leads to \"/login\"."])
        #expect(errors.map(\.subject) == ["https://example.com/login"])
    }

    @Test(
        "A redirect to the path with a slash, and a status that requires a sign-in, have their causes and fixes",
        arguments: [
            (
                301, "Location", "\(SiteBuilder.wellKnown)/", "adds a slash to the path. Exclude the path from",
                "Exclude its path"
            ),
            (301, "Location", "http://example.com/apple-app-site-association/", "adds a slash", "Exclude its"),
            (301, "Location", "https://www.example.com/", "a redirect (301)", "Exclude its path from the redirect"),
            (401, "WWW-Authenticate", "Basic realm=\"Staging\"", "requires a sign-in", "Exempt the path"),
            (403, "Server", "nginx", "status 403", "Also make sure that the file exists"),
        ])
    func causes(_ status: Int, _ name: String, _ value: String, _ cause: String, _ fix: String) throws {
        let step = try SiteBuilder.step(SiteBuilder.wellKnown, status: status, [(name, value)])
        let report = Checker(CheckRequest(), at: 0).check(
            fetches: [FileFetch(path: .wellKnown, steps: [step])], site: "example.com", host: "example.com")
        let issue = try #require(report.issues.first)
        #expect(issue.text.contains(cause) && issue.fix.contains(fix), "\(issue.text) \(issue.fix)")
    }

    @Test(
        "A failure of the CDN has the fix for its code, and its details in the message (Apple, TN3155)",
        arguments: [
            ("SWCERR00101 Bad HTTP Response: 404", "it did not respond to the CDN with status 200."),
            ("SWCERR00202 Private IP", "add ?mode=developer to the entry."),
            ("SWCERR00301 Timeout", "it did not respond to the CDN in time."),
            ("SWCERR00401 Bad JSON", "its file is not valid JSON."), ("SWCERR00999 New", "Check the host itself."),
        ])
    func cdn(_ reason: String, _ fix: String) throws {
        let host = "app-site-association.cdn-apple.com"
        let step = try SiteBuilder.step(
            "https://\(host)/a/v1/example.com", status: 404,
            [("Apple-Failure-Reason", reason), ("Apple-Failure-Details", "a cause")])
        let fetch = FileFetch(path: .given, steps: [step])
        let report = Checker(CheckRequest(), at: 0).check(fetches: [fetch], site: "cdn", host: host)
        let issue = try #require(report.issues.first { $0.code == "network-cdn-failure" })
        #expect(issue.fix.hasSuffix(fix), "\(issue.fix)")
        #expect(issue.message.hasSuffix(" (\"a cause\")."), "\(issue.message)")
    }

    @Test("The fix for a root that was given does not add an entry that the app already has")
    func secondEntry() throws {
        let entries = ["webcredentials:example.com", "webcredentials:example.com?mode=developer"]
        let step = try SiteBuilder.step(
            SiteBuilder.wellKnown, SiteBuilder.json, Self.file, anchor: .given(subject: "CN=Own"))
        let fetch = FileFetch(path: .wellKnown, steps: [step], entries: [try AssociatedDomain(entries[0])])
        for (count, advice) in [(1, "add ?mode=developer"), (2, "turn on developer mode for the entry \(entries[1])")] {
            var request = CheckRequest()
            request.entries = entries.prefix(count).map { CheckRequest.Entry($0) }
            let report = Checker(request, at: 0).check(fetches: [fetch], site: "example.com", host: "example.com")
            let issue = try #require(report.issues.first { $0.code == "tls-given-root" })
            #expect(issue.fix.hasPrefix("During development, \(advice)"), "\(issue.fix)")
        }
    }

    @Test("On Apple's CDN, the entries and the signer are those of the host in the path")
    func hostOnCDN() throws {
        let signed = try SignatureCases.Signed.fresh()
        let cdn = "app-site-association.cdn-apple.com"
        for (name, isCovered) in [("example.com", true), ("example.com:443", true), ("example.org", false)] {
            let step = try SiteBuilder.step("https://\(cdn)/a/v1/\(name)", SiteBuilder.json, signed.message)
            var request = CheckRequest()
            request.entries = [.init("webcredentials:example.com")]
            let report = Checker(request, trust: [signed.root], at: signed.time).check(
                fetches: [FileFetch(path: .given, steps: [step])], site: "cdn", host: cdn)
            let codes = Set(report.issues.map(\.code)).intersection(["entitlement-other-host", "signer-wrong-domain"])
            #expect(codes.isEmpty == isCovered, "\(name): \(codes)")
        }
        #expect(try WebURL("https://\(cdn)/robots.txt").siteOnCDN == nil)
        #expect(try WebURL("https://example.com/a/v1/example.org").siteOnCDN == nil)
    }

    private static let copy = "https://app-site-association.cdn-apple.com/a/v1/example.com:8443"

    private static func report(_ step: FileFetch.Step) throws -> Report {
        var request = CheckRequest()
        request.apps = [try AppIdentifier(demoApp)]
        return Checker(request, at: 0).check(
            fetches: [FileFetch(path: .given, steps: [step])], site: "example.com", host: "example.com")
    }

    @Test("The fix for a response of Apple's CDN names the host that it copies", arguments: [204, 302, 404, 500])
    func copied(_ status: Int) throws {
        let step = try SiteBuilder.step(Self.copy, status: status, [("Location", "https://example.org/")])
        let issue = try #require(try Self.report(step).issues.first)
        #expect(
            issue.fix.hasSuffix("example.com:8443. To check it, run: motivator association check example.com:8443."))
    }

    @Test("If the origin is correct, the fix for its copy on Apple's CDN is to wait")
    func oldCopy() throws {
        let other = Array(credentials("D3KQX62K1A.com.example.Other").utf8)
        let fields: [(name: String, value: String)] =
            SiteBuilder.json + [("Age", "300"), ("Cache-Control", "max-age=3600")]
        let origin = try Self.report(SiteBuilder.good(SiteBuilder.wellKnown))
        let old = try Self.report(SiteBuilder.step(Self.copy, fields, other))
        let issue = try #require(old.asCopy(of: origin).issues.first)
        #expect(issue.code == "app-not-listed" && issue.fix.hasPrefix("The origin is correct. "))
        #expect(issue.fix.contains(#"("Age: 300", "Cache-Control: max-age=3600")"#), "\(issue.fix)")
        #expect(old.asCopy(of: old).issues.first?.fix.hasPrefix("Add ") == true)
        let failed: [(name: String, value: String)] = [("Apple-Failure-Reason", "SWCERR00301 Timeout")]
        let missing = try Self.report(SiteBuilder.step(Self.copy, status: 404, failed)).asCopy(of: origin)
        let fix = try #require(missing.issues.first?.fix)
        #expect(fix.hasPrefix("Check whether the host blocks") && fix.contains("in time. The origin is correct."))
    }

    @Test("The message about a status or the CDN contains the reason of the server")
    func reasons() throws {
        func message(_ code: String, _ status: Int, _ fields: [(name: String, value: String)]) throws -> String {
            let step = try SiteBuilder.step(
                "https://app-site-association.cdn-apple.com/a/v1/example.com", status: status, fields)
            let report = Checker(CheckRequest(), at: 0).check(
                fetches: [FileFetch(path: .given, steps: [step])], site: "cdn",
                host: "app-site-association.cdn-apple.com")
            return try #require(report.issues.first { $0.code == code }?.message)
        }
        #expect(try message("http-status-server-error", 503, [("Retry-After", "120")]).contains("120"))
        for reason in ["SWCERR00101 Bad HTTP Response: 404", "SWCERR00202 Private IP", "SWCERR00401 Bad JSON"] {
            #expect(try message("network-cdn-failure", 404, [("Apple-Failure-Reason", reason)]).contains(reason))
        }
    }
}
