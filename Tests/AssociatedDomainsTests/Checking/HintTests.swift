import AssociatedDomains
import MotivatorPlatform
import Testing

@testable import AssociationChecker
@testable import HTTPSClient

/// The likely reasons why a host does not send the file.
@Suite("Hints") struct HintTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let status: Int
        var fields: [(name: String, value: String)] = [("Content-Type", "text/html")]
        let content: String
        /// A part of the hint, or nil for no hint.
        let hint: String?

        var testDescription: String { name }
    }

    private static let page = "<!doctype html><html><head><title>Shop</title></head><body></body></html>"
    private static let login = "<html><body><form><input type=\"password\" name=\"p\"></form></body></html>"
    private static let denied =
        "<?xml version=\"1.0\"?>\n<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>"

    static let cases = [
        Case(name: "S3, 403", status: 403, fields: [("Server", "AmazonS3")], content: denied, hint: ".well-known"),
        Case(name: "an object store, by its content", status: 404, content: denied, hint: "object stores"),
        Case(
            name: "Azure", status: 404, fields: [("Server", "Windows-Azure-Blob/1.0")], content: "",
            hint: "object stores"),
        Case(
            name: "S3 as a website", status: 403, content: "<html><ul><li>Code: AccessDenied</li></ul></html>",
            hint: "object stores"),
        Case(name: "IIS", status: 404, fields: [("Server", "Microsoft-IIS/10.0")], content: page, hint: "MIME type"),
        Case(
            name: "IIS, another status", status: 403, fields: [("Server", "Microsoft-IIS/10.0")], content: "", hint: nil
        ),
        Case(name: "a start page", status: 200, content: page, hint: "rewrite unknown paths"),
        Case(
            name: "a page without a type", status: 200, fields: [], content: "\n <HTML lang=en>",
            hint: "rewrite unknown"),
        Case(
            name: "a warning of PHP", status: 200, content: "<br />\n<b>Warning</b>: x<br />\n{\"applinks\":{}}",
            hint: nil),
        Case(name: "a login form", status: 200, content: login, hint: "require a login"),
        Case(
            name: "a redirect to a login", status: 302, fields: [("Location", "https://id.example.com/login?next=%2F")],
            content: "", hint: "require a login"),
        Case(
            name: "a redirect to www", status: 301, fields: [("Location", "https://www.example.com/author")],
            content: "",
            hint: nil),
        Case(
            name: "a directory of Apache", status: 200,
            content: "<html><head><title>Index of /.well-known</title></head></html>", hint: "lists a directory"),
        Case(
            name: "a directory of nginx", status: 200, content: "<html><head></head><body><h1>Index of /a/</h1>",
            hint: "lists a directory"),
        Case(name: "an empty object", status: 200, fields: SiteBuilder.json, content: "{}\n", hint: "hosting service"),
        Case(name: "an empty list", status: 200, fields: SiteBuilder.json, content: " [ ]", hint: "hosting service"),
        Case(
            name: "a challenge", status: 403, fields: [("cf-mitigated", "challenge")], content: page, hint: "AASA-Bot"),
        Case(
            name: "a challenge of Cloudflare", status: 403, fields: [("cf-mitigated", "challenge")], content: page,
            hint: "Cloudflare challenged the request."),
        Case(
            name: "nginx without a client certificate", status: 400,
            content: "<html><head><title>400 No required SSL certificate was sent</title></head></html>",
            hint: "requires a client certificate"),
        Case(
            name: "nginx with a wrong client certificate", status: 400,
            content: "<html><head><title>400 The SSL certificate error</title></head></html>",
            hint: "requires a client certificate"),
        Case(
            name: "a challenge with status 200", status: 200, content: "<html><title>Just a moment...</title>",
            hint: "AASA-Bot"),
        Case(
            name: "a page that begins with a comment", status: 200, content: "<!-- x -->\n<html></html>",
            hint: "rewrite unknown"),
        Case(name: "XML", status: 200, fields: SiteBuilder.json, content: "<?xml version=\"1.0\"?><a/>", hint: nil),
        Case(
            name: "a bot filter, by its field", status: 403, fields: [("X-DataDome", "protected")], content: "",
            hint: "AASA-Bot"),
        Case(
            name: "a directory of IIS", status: 200, content: "<pre><A HREF=\"/\">[To Parent Directory]</A></pre>",
            hint: "lists a directory"),
        Case(name: "a plain 404", status: 404, content: page, hint: nil),
        Case(name: "a broken file", status: 200, fields: SiteBuilder.json, content: "{\"applinks\":", hint: nil),
    ]

    @Test("A response has the hint for its most specific sign", arguments: cases)
    func hint(_ table: Case) throws {
        let step = try SiteBuilder.step(
            SiteBuilder.wellKnown, status: table.status, table.fields, Array(table.content.utf8))
        let hint = step.hint
        #expect((hint == nil) == (table.hint == nil), "\(hint ?? "no hint")")
        if let part = table.hint { #expect(hint?.contains(part) == true, "\(hint ?? "no hint")") }
    }

    @Test("A hint follows the message of the error, and does not change the verdict", arguments: cases)
    func message(_ table: Case) throws {
        func report(_ fields: [(name: String, value: String)], _ content: String) throws -> Report {
            let step = try SiteBuilder.step(SiteBuilder.wellKnown, status: table.status, fields, Array(content.utf8))
            return Checker(CheckRequest(), at: 1_700_000_000).check(
                fetches: [FileFetch(path: .wellKnown, steps: [step])], site: "example.com", host: "example.com")
        }
        let report = try report(table.fields, table.content)
        #expect(report.verdict(.device) == .denied)
        #expect(report.issues.contains { table.hint.map($0.text.contains) ?? false } == (table.hint != nil))
    }

    /// Returns the result of the additional request, and the heads of all requests.
    private func probe(
        _ answers: [String], after address: String = SiteBuilder.wellKnown
    ) throws -> (HintProbe?, [String]) {
        let server = try HostileServer()
        let seen = Guarded<[String]>([])
        server.serve(answers.count) { connection in
            let head = connection.request()
            let number = seen.withLock { heads in
                heads.append(head)
                return heads.count
            }
            connection.send(answers[number - 1])
            connection.closeNotify()
        }
        var options = Fetcher.Options()
        options.deadline = 600
        options.connectTo = [try Fetcher.ConnectTo(":443:127.0.0.1:\(server.address.port)")]
        let fetcher = Fetcher(options)
        let url = try WebURL(address)
        let fetched = fetcher.fetch(FetchRequest(host: url.host, target: url.requestTarget))
        let step = FileFetch.Step(url: url, fetched: fetched, chain: nil)
        return (fetcher.probe(after: step), seen.withLock { $0 })
    }

    private func response(_ status: Int, _ content: String) -> String {
        "HTTP/1.1 \(status) X\r\nContent-Length: \(content.utf8.count)\r\n\r\n\(content)"
    }

    @Test("One more request finds a rewrite, the other host, or a bot filter")
    func probes() throws {
        let (rewrite, paths) = try probe([response(200, Self.page), response(200, Self.page)])
        #expect(rewrite == .everyPath && paths.count == 2)
        #expect(paths.last?.hasPrefix("GET /.well-known/ultra-motivator-no-such-file ") == true)
        #expect(try probe([response(200, Self.page), response(404, Self.page)]).0 == nil)

        let (other, hosts) = try probe([response(404, ""), response(200, "{}")])
        #expect(other == .otherHost("www.example.com"))
        #expect(hosts.last?.contains("Host: www.example.com\r\n") == true)
        #expect(try probe([response(404, ""), response(200, Self.page)]).0 == nil)

        let (filter, agents) = try probe([response(403, ""), response(200, "{}")])
        #expect(filter == .onlyForBrowsers && agents.last?.contains("Safari") == true)
        #expect(agents.first?.contains("User-Agent: UltraMotivator\r\n") == true)
        #expect(try probe([response(403, ""), response(403, "")]).0 == nil)
    }

    @Test("Each status of a missing file or of a bot filter causes its additional request")
    func probeStatuses() throws {
        #expect(try probe([response(410, ""), response(200, "{}")]).0 == .otherHost("www.example.com"))
        for status in [401, 406, 429, 503] {
            #expect(try probe([response(status, ""), response(200, "{}")]).0 == .onlyForBrowsers, "\(status)")
        }
        let (other, heads) = try probe(
            [response(404, ""), response(200, "{}")],
            after: SiteBuilder.wellKnown.replacing("example.com", with: "www.example.com"))
        #expect(other == .otherHost("example.com"))
        #expect(heads.last?.contains("Host: example.com\r\n") == true)
    }

    @Test("A file, even a broken one, causes no additional request")
    func noProbe() throws {
        for answer in [response(200, "{\"applinks\":"), response(302, ""), response(500, "")] {
            let (result, heads) = try probe([answer])
            #expect(result == nil && heads.count == 1)
        }
    }

    @Test("Only public names are sent to Apple's CDN, with their port")
    func cdn() throws {
        let cdn = "https://app-site-association.cdn-apple.com/a/v1/"
        for (site, url, isPrivate) in [
            ("example.com", cdn + "example.com", false), ("example.com:8443", cdn + "example.com:8443", false),
            ("shop.test", cdn + "shop.test", true), ("192.168.1.7", cdn + "192.168.1.7", true),
            ("https://localhost:8443/x", cdn + "localhost:8443", true),
        ] {
            let copy = try SiteTarget.locate(site).onCDN()
            #expect(copy.files.map(\.url.description) == [url] && copy.isOnCDN)
            #expect(copy.isPrivate == isPrivate, "\(site)")
        }
    }
}
