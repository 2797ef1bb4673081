public import AssociatedDomains
package import Certificates
import Dispatch
public import HTTPSClient
public import MotivatorPlatform

/// A site to check, with the URLs of its files.
public struct SiteTarget: Sendable {
    /// The site, as entered by the user.
    public let text: String
    /// The host in lower case.
    public let host: String
    package let files: [File]

    package struct File: Sendable {
        let path: FilePath
        package let url: WebURL
        /// The entries that lead to this URL. Empty if the URL comes only from the target.
        package let entries: [AssociatedDomain]
    }

    /// Locates the files of a site.
    /// - Parameters:
    ///   - text: `example.com`, `example.com:8443`, or an https URL. A URL with a path stays unchanged.
    ///   - entries: The entries of the app's entitlement. An entry can change the port and, with a wildcard, the host.
    ///   - service: The service whose entries apply, or nil for the entries of all services.
    /// - Throws: an error if the text does not identify a site.
    public static func locate(
        _ text: String, entries: [AssociatedDomain] = [], service: Service? = nil
    ) throws(ExplainedFailure) -> SiteTarget {
        let url = try httpsURL(text)
        if url.requestTarget == AssetLinks.path { return try locate(assetLinks: text) }
        let deciding = entries.deciding(for: url.host, port: url.port, service: service)
        guard url.path.isEmpty || url.path == "/", url.query == nil else {
            return SiteTarget(text: text, host: url.host, files: [File(path: .given, url: url, entries: deciding)])
        }
        let authorities = deciding.map { authority($0.fileHost, port: url.port ?? $0.port) }
        var files: [File] = []
        for site in authorities.isEmpty ? [authority(url.host, port: url.port)] : authorities.distinct {
            let entries = zip(authorities, deciding).filter { $0.0 == site }.map(\.1)
            for path in [FilePath.wellKnown, .root] {
                let url = try SiteTarget.url("https://\(site)\(path.text)")
                files.append(File(path: path, url: url, entries: entries))
            }
        }
        return SiteTarget(text: text, host: url.host, files: files)
    }

    /// Locates the assetlinks.json file of a site.
    /// - Parameter text: `example.com`, `example.com:8443`, or an https URL. A URL with a path stays unchanged.
    package static func locate(assetLinks text: String) throws(ExplainedFailure) -> SiteTarget {
        var url = try httpsURL(text)
        if url.requestTarget == "/" { url = try SiteTarget.url("https://\(url.authority)\(AssetLinks.path)") }
        return SiteTarget(text: text, host: url.host, files: [File(path: .assetLinks, url: url, entries: [])])
    }

    package var isAssetLinks: Bool { files.first?.path == .assetLinks }

    package var isOnCDN: Bool { FilePath.networks.contains(host) }

    /// Whether the site is not in the public DNS, or is a private address. On the CDN, the path names the site.
    package var isPrivate: Bool {
        guard let host = served?.host else { return false }
        return HostText.isPrivate(host) || SocketAddress(host, port: 443).map { $0.isPrivate || $0.isLoopback } == true
    }

    package func onCDN() throws(ExplainedFailure) -> SiteTarget {
        guard let (host, port) = served else { return self }
        return try SiteTarget.locate("https://\(FilePath.networks[0])/a/v1/" + SiteTarget.name(host, port))
    }

    package static func locate(_ path: FilePath, _ authority: String) throws(ExplainedFailure) -> SiteTarget {
        let url = try url("https://\(authority)\(path.text)")
        return SiteTarget(text: authority, host: url.host, files: [File(path: path, url: url, entries: [])])
    }

    static func httpsURL(_ text: String) throws(ExplainedFailure) -> WebURL {
        if text.hasPrefix("*.") {
            throw ExplainedFailure(
                "\(text.excerpt) is a wildcard, not a site",
                fix: "Enter \(String(text.dropFirst(2)).excerpt), which serves its file, or a subdomain")
        }
        let url = try url(text.contains("://") ? text : "https://\(HostText.isAddress(text) ? text.bracketed : text)/")
        guard url.scheme == "https" else {
            throw ExplainedFailure(
                "\(text.excerpt) is not an https URL",
                fix: "Enter only the domain or its https URL; devices request only https URLs")
        }
        return url
    }

    private static func authority(_ host: String, port: UInt16?) -> String {
        name(host, port == 443 ? nil : port)
    }

    private static func url(_ text: String) throws(ExplainedFailure) -> WebURL {
        do { return try WebURL.entered(text) } catch { throw ExplainedFailure(error.problem, fix: error.fix) }
    }

    /// Requests all files concurrently.
    ///
    /// Follows redirects from https to https only if each entry has a mode, as a device does.
    /// - Parameters:
    ///   - hints: Whether to send one more request for a hint if the first path does not have the file.
    ///   - redirects: The maximum number of redirects for each file.
    package func fetches(
        _ fetcher: Fetcher, verifier: ChainVerifier, within seconds: Int? = nil, hints: Bool = false,
        redirects: Int = Checker.maximumRedirects
    ) -> [FileFetch] {
        let fetches = Guarded([FileFetch?](repeating: nil, count: files.count))
        DispatchQueue.concurrentPerform(iterations: files.count) { index in
            var fetch = fetch(files[index], fetcher, verifier, within: seconds, redirects: redirects)
            if hints, index == 0, let last = fetch.steps.last {
                fetch.steps[fetch.steps.count - 1].probe = fetcher.probe(after: last)
            }
            fetches.withLock { $0[index] = fetch }
        }
        return fetches.withLock { $0.compactMap(\.self) }
    }

    /// Requests the files as the devices of some profiles do. Requests a path only if one of the profiles needs it: the
    /// second path only if the first path has no file, or for iOS 8.
    package func fetches(
        _ fetcher: Fetcher, verifier: ChainVerifier, as profiles: [Profile], onlyIfTrusted: Bool
    ) -> [FileFetch] {
        var fetches: [FileFetch] = []
        for file in files where profiles.contains(where: file.path.isRequested) {
            let isKnown = fetches.contains { $0.entries == file.entries && $0.hasFile }
            if isKnown, !profiles.contains(.ios8) { continue }
            fetches.append(fetch(file, fetcher, verifier, within: nil, onlyIfTrusted: onlyIfTrusted))
        }
        return fetches
    }

    /// - Parameter onlyIfTrusted: Whether to close the connection before the request if the chain is untrusted, as a
    ///   device does. Otherwise, the report also contains the response.
    private func fetch(
        _ file: File, _ fetcher: Fetcher, _ verifier: ChainVerifier, within seconds: Int?, onlyIfTrusted: Bool = false,
        redirects: Int = Checker.maximumRedirects
    ) -> FileFetch {
        let follows = file.entries.bypassCDN || file.path == .relatedOrigins
        var steps: [FileFetch.Step] = []
        var next: WebURL? = file.url
        // Redirects do not extend the deadline.
        let deadline = (seconds.map(fetcher.limited) ?? fetcher).deadline
        while let url = next, steps.count <= redirects, !steps.contains(where: { $0.url == url }) {
            let step = fetcher.step(to: url, verifier, until: deadline, onlyIfTrusted: onlyIfTrusted)
            steps.append(step)
            next = follows ? step.redirect.flatMap { try? url.resolving($0) } : nil
            if next?.scheme != "https" { next = nil }
        }
        return FileFetch(path: file.path, steps: steps, entries: file.entries)
    }
}

extension Fetcher {
    fileprivate func step(
        to url: WebURL, _ verifier: ChainVerifier, until deadline: Deadline, onlyIfTrusted: Bool
    ) -> FileFetch.Step {
        let request = FetchRequest(host: url.host, port: url.port ?? 443, target: url.requestTarget)
        let fetched = fetch(request, until: deadline) { chain in
            !onlyIfTrusted || verifier.verdict(on: chain, host: url.host).issues.allSatisfy(\.isNote)
        }
        let chain = fetched.tls.map { verifier.verdict(on: $0.chain, host: url.host) }
        let isOverridden = options.connectTo.contains { $0.fits(request) }
        return FileFetch.Step(url: url, fetched: fetched, chain: chain, addressIsOverridden: isOverridden)
    }
}

// MARK: - URLs of other hosts

extension SiteTarget {
    /// Returns a sentence that explains why the site's file does not apply to a URL. Returns nil for a URL of the site.
    ///
    /// Each combination of host and port has its own file. In a URL on Apple's CDN, the path names the host.
    /// - Parameter url: The URL that a user follows.
    public func foreignSentence(on url: WebURL) -> String? {
        guard let (host, port) = served, (url.host, url.namedPort) != (host, port) else { return nil }
        let other = SiteTarget.name(url.host, url.namedPort)
        let own = SiteTarget.name(host, port)
        let isBelow = url.host.hasSuffix(".\(host)") && url.namedPort == port && !isAssetLinks
        return "\(other) has its own file, and the file of \(own) does not apply to it"
            + (isBelow ? ", unless the app's entry is applinks:*.\(own)" : "")
    }

    /// The host whose file is at the target, and its port unless it is the default port. Nil if the host is unknown.
    private var served: (host: String, port: UInt16?)? {
        (files.first?.url.site).map { ($0.host, $0.namedPort) }
    }

    private static func name(_ host: String, _ port: UInt16?) -> String {
        host.bracketed + (port.map { ":\($0)" } ?? "")
    }
}

extension WebURL {
    /// Parses a URL that a user entered. Converts an international host to ASCII, as browsers do.
    package static func entered(_ text: String) throws(Malformed) -> WebURL {
        do { return try WebURL(text) } catch {
            guard case .internationalHost(_, let host) = error, let ascii = HostText.ascii(host, in: host),
                let url = try? WebURL(text.replacing(host, with: ascii, maxReplacements: 1))
            else { throw error }
            return url
        }
    }

    /// The site whose file is at the URL. On a CDN, the path names the site.
    fileprivate var site: WebURL? {
        let mark = "/a/v1/"
        guard path.hasPrefix(mark) else { return self }
        return try? WebURL("https://\(path.dropFirst(mark.count).prefix { $0 != "/" })/")
    }

    /// The site that a URL on Apple's CDN names; nil for any other URL.
    var siteOnCDN: WebURL? { FilePath.networks.contains(host) && site != self ? site : nil }

    fileprivate var namedPort: UInt16? { port == (scheme == "https" ? 443 : 80) ? nil : port }
}
