import AssociationChecker
import Certificates
import HTTPSClient
import HTTPTypes
import MotivatorHTTP
import MotivatorPlatform
import MotivatorServer
import MotivatorTLS
import TestSupport
import Testing

@testable import SharedWebCredentials

/// The loader is tested here because these tests have a server.
@Suite("Pages for AutoFill") struct PageLoaderTests {
    private static let host = "app.test"

    /// A handler whose response depends only on the target.
    private struct Pages: Handler {
        let response: @Sendable (String) -> Response

        func respond(to request: Request) async -> Response { response(request.head.targetText) }
    }

    /// Loads `/0` from a server.
    private func load(
        trustsServer: Bool = true, _ response: @escaping @Sendable (String) -> Response
    ) async throws -> Result<(url: WebURL, html: [UInt8]), ExplainedFailure> {
        var site = Site()
        site.route(.get, "/{page}", to: Pages(response: response))
        let loaded = Guarded<Result<(url: WebURL, html: [UInt8]), ExplainedFailure>?>(nil)
        try await serve(site, trustsServer: trustsServer) { loader in
            let url = try WebURL("https://\(Self.host)/0")
            let result: Result<(url: WebURL, html: [UInt8]), ExplainedFailure>
            do throws(ExplainedFailure) {
                result = .success(try await loader.load(url, at: Clock.system.now()))
            } catch {
                result = .failure(error)
            }
            loaded.withLock { $0 = result }
        }
        return try #require(loaded.withLock { $0 })
    }

    /// Calls `body` with a loader for the pages of a server.
    private func serve(
        _ site: Site, trustsServer: Bool = true, _ body: @escaping @Sendable (PageLoader) async throws -> Void
    ) async throws {
        let authority = try Authority.temporary(permitted: [Self.host])
        let context = try TLSContext(identity: authority.issue(hosts: [Self.host]), tickets: TicketKeys())
        let router = Router(fallback: site, servesEveryHost: true)
        let snapshot = ServerSnapshot(router: router, plainRouter: router, context: context)
        try await LoopbackServer.run(Self.host, { _ in (snapshot, authority.root) }) { server in
            try await body(PageLoader(options: try server.options, trust: trustsServer ? [authority.root] : []))
        }
    }

    private static func page(_ text: String, _ status: HTTPResponse.Status = .ok) -> Response {
        Response(status, type: "text/html", text: text)
    }

    /// Redirects `/0` to `/1`, and so on, a number of times.
    private static func redirects(_ count: Int, _ status: HTTPResponse.Status = .found)
        -> @Sendable (String) -> Response
    {
        { target in
            let number = Int(target.dropFirst()) ?? 0
            return number < count
                ? Response(status, fields: [.location: "/\(number + 1)"]) : page("page \(number)")
        }
    }

    @Test(
        "A host without the URL for changing passwords, or with status 200 for every path, has an issue",
        arguments: [
            (["change-password"], []), ([], ["form-change-url"]),
            (
                ["change-password", "resource-that-should-not-exist-whose-status-code-should-not-be-200"],
                ["form-change-probe"]
            ),
        ])
    func changeURL(_ found: [String], _ codes: [String]) async throws {
        var site = Site()
        for name in found { site.route(.get, "/.well-known/\(name)", to: Pages { _ in Self.page("here") }) }
        try await serve(site) { loader in
            let page = try WebURL("https://\(Self.host)/signin")
            let issues = loader.changeURLIssues(of: page, name: "page", at: Clock.system.now())
            #expect(issues.map(\.code) == codes)
        }
    }

    @Test("5 redirects are followed, and not 6", arguments: [0, 1, 5, 6])
    func redirectLimit(_ count: Int) async throws {
        switch try await load(Self.redirects(count)) {
        case .success(let (url, html)):
            #expect(count <= 5 && "\(url)" == "https://app.test/\(count)")
            #expect(String(decoding: html, as: UTF8.self) == "page \(count)")
        case .failure(let failure): #expect(count == 6 && failure == .tooManyRedirects("https://app.test/0"))
        }
    }

    @Test("Each redirect status is followed", arguments: [301, 302, 303, 307, 308])
    func statuses(_ status: Int) async throws {
        let loaded = try await load(Self.redirects(1, HTTPResponse.Status(code: status)))
        #expect(try "\(loaded.get().url)" == "https://app.test/1")
    }

    @Test("A redirect to http is not followed")
    func insecure() async throws {
        let loaded = try await load { _ in Response(.found, fields: [.location: "http://app.test/1"]) }
        #expect(throws: ExplainedFailure.pageNotHTTPS("http://app.test/1")) { try loaded.get() }
    }

    @Test("Every other status is a failure, and so is a redirect without a valid target", arguments: [400, 404, 500])
    func failures(_ status: Int) async throws {
        let loaded = try await load { _ in Self.page("no", HTTPResponse.Status(code: status)) }
        #expect(throws: ExplainedFailure.pageStatus(status, url: "https://app.test/0")) { try loaded.get() }
        let aimless = try await load { _ in Response(.found) }
        #expect(throws: ExplainedFailure.pageStatus(302, url: "https://app.test/0")) { try aimless.get() }
    }

    @Test("A page with a status from 200 to 299 is loaded", arguments: [200, 203, 299])
    func success(_ status: Int) async throws {
        let loaded = try await load { _ in Self.page("yes", HTTPResponse.Status(code: status)) }
        #expect(try String(decoding: loaded.get().html, as: UTF8.self) == "yes")
    }

    @Test("A page of exactly 1 MiB is loaded, and a larger one is refused", arguments: [0, 1])
    func size(_ excess: Int) async throws {
        let loaded = try await load { _ in
            Response(.ok, content: [UInt8](repeating: 0x61, count: PageLoader.maximumPage + excess))
        }
        if excess == 0 {
            #expect(try loaded.get().html.count == 1 << 20)
        } else {
            #expect(throws: ExplainedFailure(FetchFailure.tooLarge(limit: 1 << 20))) { try loaded.get() }
        }
    }

    @Test("A page with a known content coding is decoded up to 1 MiB")
    func coding() async throws {
        let html = [UInt8](repeating: 0x61, count: PageLoader.maximumPage)
        let packed = try #require(Gzip.compress(html))
        let loaded = try await load { _ in Response(.ok, fields: [.contentEncoding: "gzip"], content: packed) }
        #expect(try loaded.get().html == html)
        let tooLarge = try #require(Gzip.compress(html + [0x61]))
        for (coding, content) in [("gzip", tooLarge), ("gzip", Array("<form>".utf8)), ("br", packed)] {
            let loaded = try await load { _ in Response(.ok, fields: [.contentEncoding: coding], content: content) }
            #expect(throws: ExplainedFailure.pageCoding(coding, url: "https://app.test/0")) { try loaded.get() }
        }
    }

    @Test("A server without a trusted certificate sends no page")
    func untrusted() async throws {
        let requested = Guarded(0)
        let loaded = try await load(trustsServer: false) { _ in
            requested.withLock { $0 += 1 }
            return Self.page("no")
        }
        let failure = #expect(throws: ExplainedFailure.self) { try loaded.get() }
        #expect(failure?.problem.contains("the certificate of \"\(Self.host)\" is not accepted: ") == true)
        #expect(failure?.exitCode == .unavailable)
        #expect(requested.withLock { $0 } == 0)
    }

    @Test("A page that cannot be fetched has no verdict, so the exit code is not 1")
    func exitCodes() {
        #expect(ExplainedFailure.pageStatus(404, url: "https://a.test/").exitCode == .unavailable)
        #expect(ExplainedFailure.tooManyRedirects("https://a.test/").exitCode == .unavailable)
    }
}
