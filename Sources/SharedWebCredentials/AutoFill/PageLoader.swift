package import AssociationChecker
package import Certificates
import Dispatch
package import HTTPSClient
package import MotivatorPlatform

/// A loader that fetches pages as a browser does, to read their forms.
package struct PageLoader: Sendable {
    /// The maximum size of a page in bytes. Pages with forms are much smaller.
    package static let maximumPage = 1 << 20
    /// The maximum number of redirects. A sign-in page rarely needs more than two.
    static let maximumRedirects = 5

    private let fetcher: Fetcher
    private let trust: [Certificate]?

    /// Creates a loader.
    ///
    /// - Parameters:
    ///   - options: the options of the HTTPS client. The maximum size of the content is ignored.
    ///   - trust: the trust anchors; nil for the system's trust anchors.
    package init(options: Fetcher.Options, trust: [Certificate]?) {
        var options = options
        options.maximumContent = Self.maximumPage
        fetcher = Fetcher(options)
        self.trust = trust
    }

    /// Fetches a page as `fetch` does, without blocking a thread of the concurrency runtime.
    package func load(_ url: WebURL, at time: UnixTime) async throws(PageFailure) -> (url: WebURL, html: [UInt8]) {
        let result = await withCheckedContinuation { done in
            DispatchQueue.global().async {
                done.resume(returning: Result { () throws(PageFailure) in try fetch(url, at: time) })
            }
        }
        return try result.get()
    }

    /// Fetches a page, and follows redirects to https URLs.
    ///
    /// - Parameters:
    ///   - url: the URL of the page.
    ///   - time: the time for verifying certificates.
    /// - Returns: the URL and the content of the page after all redirects.
    /// - Throws: `PageFailure`.
    package func fetch(_ url: WebURL, at time: UnixTime) throws(PageFailure) -> (url: WebURL, html: [UInt8]) {
        let verifier: ChainVerifier
        do throws(CMSIssue) { verifier = try ChainVerifier(trust: trust, at: time) } catch {
            throw .noTrustAnchors(error)
        }
        var next = url
        for _ in 0...Self.maximumRedirects {
            guard next.scheme == "https" else { throw .notHTTPS("\(next)") }
            let response = try response(from: next, verifier)
            if (200...299).contains(response.status) { return (next, response.content) }
            guard (300...399).contains(response.status), let location = response.first("location"),
                let target = try? next.resolving(location)
            else { throw .status(response.status, url: "\(next)") }
            next = target
        }
        throw .tooManyRedirects("\(url)")
    }

    /// Returns the issues with the URL for changing passwords on the host of a page.
    ///
    /// As a password manager does, it also requests a path that cannot exist.
    package func changeURLIssues(of page: WebURL, name: String, at time: UnixTime) -> [Issue] {
        func failure(_ path: String) -> PageFailure? {
            guard let url = try? page.resolving("/.well-known/\(path)") else { return nil }
            do throws(PageFailure) {
                _ = try fetch(url, at: time)
                return nil
            } catch {
                return error
            }
        }
        guard failure("resource-that-should-not-exist-whose-status-code-should-not-be-200") != nil else {
            return [Issue(PageIssue.unreliableStatus(host: page.authority), in: name)]
        }
        return failure("change-password").map {
            [Issue(PageIssue.noChangeURL(host: page.authority, reason: $0.problem), in: name)]
        } ?? []
    }

    private func response(from url: WebURL, _ verifier: ChainVerifier) throws(PageFailure) -> FetchedResponse {
        let request = FetchRequest(
            host: url.host, port: url.port ?? 443, target: url.requestTarget,
            fields: [(name: "Accept", value: "text/html")])
        let fetched = fetcher.fetch(request) { verifier.verdict(on: $0, host: url.host).isAccepted }
        if case .refusedChain = fetched.failure, let chain = fetched.tls?.chain {
            let issues = verifier.verdict(on: chain, host: url.host).issues.filter { !$0.isNote }
            throw .untrusted(host: url.host, issues)
        }
        if let failure = fetched.failure { throw .network(failure) }
        guard let response = fetched.response else { throw .status(0, url: "\(url)") }
        return response
    }
}

/// The reason why a page cannot be fetched.
package enum PageFailure: ExplainedError, Equatable {
    case noTrustAnchors(CMSIssue)
    case notHTTPS(String)
    case untrusted(host: String, [ChainIssue])
    case network(FetchFailure)
    case status(Int, url: String)
    case tooManyRedirects(String)

    package var problem: String {
        switch self {
        case .noTrustAnchors(let error): error.problem
        case .notHTTPS(let url): "\(url.excerpt) is not an https URL"
        case .untrusted(let host, let issues):
            "the server's certificate is not valid for \(host.excerpt): "
                + (issues.first?.problem ?? "its certificates are not trusted")
        case .network(let failure): failure.problem
        case .status(let status, let url): "the response from \(url.excerpt) has status \(status)"
        case .tooManyRedirects(let url): "too many redirects from \(url.excerpt)"
        }
    }

    package var fix: String {
        switch self {
        case .noTrustAnchors(let error): error.fix
        case .notHTTPS: "Use the page's https URL. AutoFill offers no passwords without TLS"
        case .untrusted(_, let issues): issues.first?.fix ?? "Trust the root of its chain"
        case .network(let failure): failure.fix
        case .status, .tooManyRedirects:
            "Use the URL of a page that needs no session, or save its HTML and pass the file"
        }
    }

    package var exitCode: ExitCode {
        switch self {
        case .noTrustAnchors(let error): error.exitCode
        case .notHTTPS: .usage
        case .untrusted, .status, .tooManyRedirects: .no
        case .network(let failure): failure.exitCode
        }
    }
}
