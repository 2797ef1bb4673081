import AssociatedDomains
public import Certificates
import Dispatch
import HTTPSClient
public import Platform

/// A site to check: a domain, with a port perhaps, or a URL.
public struct SiteTarget: Sendable {
    /// The site, as it was named.
    public let text: String
    /// The host in lower case.
    public let host: String
    /// What is asked for.
    package let places: [Place]

    /// One URL to ask for.
    package struct Place: Sendable {
        let location: Location
        package let url: WebURL
        /// The entries that are the reason to ask there; empty when there is no other than the target.
        package let entries: [AssociatedDomain]
    }

    /// Reads a target.
    ///
    /// - Parameters:
    ///   - text: `example.com`, `example.com:8443`, or an https URL; one with a path is asked for as it is.
    ///   - entries: the entries of the app's entitlement: a wildcard that covers the domain has its file elsewhere, and
    ///     an entry may name a port.
    ///   - service: the service whose entries count; nil for the entries of each.
    /// - Throws: `Malformed`.
    public init(_ text: String, entries: [AssociatedDomain] = [], service: Service? = nil) throws(Malformed) {
        let url = try SiteTarget.url(text.contains("://") ? text : "https://\(text)/")
        guard url.scheme == "https" else { throw .notHTTPS(text) }
        self.text = text
        host = url.host
        let deciding = entries.deciding(for: url.host, port: url.port, service: service)
        let isDomain = url.path.isEmpty || url.path == "/"
        guard isDomain, url.query == nil else {
            places = [Place(location: .given, url: url, entries: deciding)]
            return
        }
        var sites: [(authority: String, entries: [AssociatedDomain])] = []
        for entry in deciding {
            let authority = SiteTarget.authority(entry.fileHost, port: url.port ?? entry.port)
            if let known = sites.firstIndex(where: { $0.authority == authority }) {
                sites[known].entries.append(entry)
            } else {
                sites.append((authority, [entry]))
            }
        }
        if sites.isEmpty { sites = [(SiteTarget.authority(url.host, port: url.port), [])] }
        var places: [Place] = []
        for site in sites {
            for location in [Location.wellKnown, .root] {
                let url = try SiteTarget.url("https://\(site.authority)\(location.path ?? "/")")
                places.append(Place(location: location, url: url, entries: site.entries))
            }
        }
        self.places = places
    }

    private static func authority(_ host: String, port: UInt16?) -> String {
        let name = host.contains(":") ? "[\(host)]" : host
        return port.map { $0 == 443 ? name : "\(name):\($0)" } ?? name
    }

    private static func url(_ text: String) throws(Malformed) -> WebURL {
        do { return try WebURL(text) } catch { throw .url(error) }
    }

    /// Asks the site, all places at once. Redirects from https to https are followed where a device does: each entry has
    /// a mode.
    ///
    /// - Parameters:
    ///   - fetcher: what asks.
    ///   - judge: judges the certificates.
    ///   - seconds: the time for each place with all its redirects; nil for the fetcher's deadline.
    /// - Returns: what was found at each place.
    public func visits(_ fetcher: Fetcher, judge: ChainVerifier, within seconds: Int? = nil) -> [Visit] {
        let visits = Guarded([Visit?](repeating: nil, count: places.count))
        DispatchQueue.concurrentPerform(iterations: places.count) { index in
            let visit = visit(places[index], fetcher, judge, within: seconds)
            visits.withLock { $0[index] = visit }
        }
        return visits.withLock { $0.compactMap(\.self) }
    }

    private func visit(
        _ place: Place, _ fetcher: Fetcher, _ judge: ChainVerifier, within seconds: Int?
    ) -> Visit {
        let follows = place.entries.areStraight
        var hops: [Visit.Hop] = []
        var next: WebURL? = place.url
        // Redirects are no way to more time.
        let deadline = (seconds.map(fetcher.limited) ?? fetcher).deadline
        while let url = next, hops.count <= Checker.maximumRedirects, !hops.contains(where: { $0.url == url }) {
            let hop = fetcher.hop(to: url, judge, until: deadline)
            hops.append(hop)
            next = follows ? hop.redirect.flatMap { try? url.resolving($0) } : nil
            if next?.scheme != "https" { next = nil }
        }
        return Visit(location: place.location, hops: hops, entries: place.entries)
    }

    /// Why a text names no site.
    public enum Malformed: ExplainedError, Hashable, Sendable {
        case url(WebURL.Malformed)
        case notHTTPS(String)

        public var problem: String {
            switch self {
            case .url(let malformed): malformed.problem
            case .notHTTPS(let text): "\(text.excerpt) is not at https"
            }
        }

        public var remedy: String {
            switch self {
            case .url(let malformed): malformed.remedy
            case .notHTTPS: "Give the domain alone, or its https URL: devices ask nothing else"
            }
        }

        public var exitCode: ExitCode { .usage }
    }
}

extension Fetcher {
    fileprivate func hop(to url: WebURL, _ judge: ChainVerifier, until deadline: Deadline) -> Visit.Hop {
        let port = url.port ?? 443
        let request = FetchRequest(host: url.host, port: port, target: url.requestTarget)
        let fetched = fetch(request, until: deadline)
        let chain = fetched.tls.map { judge.verdict(on: $0.chain, host: url.host) }
        let isSteered = options.connectTo.contains { $0.fits(request) }
        return Visit.Hop(url: url, fetched: fetched, chain: chain, isSteered: isSteered)
    }
}
