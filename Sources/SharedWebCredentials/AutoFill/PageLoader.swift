package import AssociationChecker
package import Certificates
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

    /// - Parameter options: the options of the HTTPS client. The maximum size of the content is ignored.
    package init(options: Fetcher.Options, trust: [Certificate]?) {
        var options = options
        options.maximumContent = Self.maximumPage
        fetcher = Fetcher(options)
        self.trust = trust
    }

    /// Fetches a page as `fetch` does, without blocking a thread of the concurrency runtime.
    package func load(_ url: WebURL, at time: UnixTime) async throws(ExplainedFailure) -> (url: WebURL, html: [UInt8]) {
        try await Fetcher.blocking { Result { () throws(ExplainedFailure) in try fetch(url, at: time) } }.get()
    }

    /// Fetches a page, and follows redirects to https URLs.
    package func fetch(_ url: WebURL, at time: UnixTime) throws(ExplainedFailure) -> (url: WebURL, html: [UInt8]) {
        let verifier: ChainVerifier
        do throws(CMSIssue) { verifier = try ChainVerifier(trust: trust, at: time) } catch {
            throw ExplainedFailure(error)
        }
        var next = url
        for _ in 0...Self.maximumRedirects {
            guard next.scheme == "https" else { throw .pageNotHTTPS("\(next)") }
            let response = try response(from: next, verifier)
            if (200...299).contains(response.status) {
                let html = response.decoded(limit: Self.maximumPage + 1)
                if let html, html.count <= Self.maximumPage { return (next, html) }
                throw .pageCoding(response.coding ?? "", url: "\(next)")
            }
            guard (300...399).contains(response.status), let location = response.first("location"),
                let target = try? next.resolving(location)
            else { throw .pageStatus(response.status, url: "\(next)") }
            next = target
        }
        throw .tooManyRedirects("\(url)")
    }

    /// Returns the issues with the URL for changing passwords on the host of a page.
    ///
    /// As a password manager does, it also requests a path that cannot exist.
    package func changeURLIssues(of page: WebURL, name: String, at time: UnixTime) -> [Issue] {
        func failure(_ path: String) -> ExplainedFailure? {
            guard let url = try? page.resolving("/.well-known/\(path)") else { return nil }
            do throws(ExplainedFailure) {
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

    private func response(from url: WebURL, _ verifier: ChainVerifier) throws(ExplainedFailure) -> FetchedResponse {
        let request = FetchRequest(
            host: url.host, port: url.port ?? 443, target: url.requestTarget,
            fields: [(name: "Accept", value: "text/html")])
        let fetched = fetcher.fetch(request) { verifier.verdict(on: $0, host: url.host).isAccepted }
        if case .refusedChain = fetched.failure, let chain = fetched.tls?.chain {
            let issue = verifier.verdict(on: chain, host: url.host).issues.first { !$0.isNote }
            throw ExplainedFailure(
                "the certificate of \(url.host.excerpt) is not accepted: "
                    + (issue?.problem ?? "its certificates are not trusted"),
                fix: issue?.fix ?? "Trust the root of its chain", exitCode: .unavailable)
        }
        if let failure = fetched.failure { throw ExplainedFailure(failure) }
        guard let response = fetched.response else { throw .pageStatus(0, url: "\(url)") }
        return response
    }
}

/// The reasons why a page cannot be fetched. Its forms are then unknown, so the exit code is not that of a verdict.
extension ExplainedFailure {
    static func pageNotHTTPS(_ url: String) -> ExplainedFailure {
        ExplainedFailure(
            "\(url.excerpt) is not an https URL",
            fix: "Use the page's https URL. AutoFill offers no passwords without TLS")
    }

    static func pageStatus(_ status: Int, url: String) -> ExplainedFailure {
        noPage("the response from \(url.excerpt) has status \(status)")
    }

    static func pageCoding(_ coding: String, url: String) -> ExplainedFailure {
        ExplainedFailure(
            "could not decode the content of \(url.excerpt) from Content-Encoding: \(coding.excerpt), up to 1 MiB",
            fix: "Save the HTML of the page and pass the file", exitCode: .unavailable)
    }

    static func tooManyRedirects(_ url: String) -> ExplainedFailure { noPage("too many redirects from \(url.excerpt)") }

    private static func noPage(_ problem: String) -> ExplainedFailure {
        ExplainedFailure(
            problem, fix: "Use the URL of a page that needs no session, or save its HTML and pass the file",
            exitCode: .unavailable)
    }
}
