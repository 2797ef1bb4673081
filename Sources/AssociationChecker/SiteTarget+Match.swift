import HTTPSClient

extension SiteTarget {
    /// Why the site's file does not decide on a URL: one of another host or port has a file of its own.
    ///
    /// Apple's CDN has the files of others: there it is the host in the path that counts.
    ///
    /// - Parameter url: the URL that somebody follows.
    /// - Returns: a sentence without the full stop; nil for a URL of the site.
    public func foreignSentence(on url: WebURL) -> String? {
        guard let (host, port) = served, (url.host, url.namedPort) != (host, port) else { return nil }
        let other = SiteTarget.name(url.host, url.namedPort)
        let own = SiteTarget.name(host, port)
        let isBelow = url.host.hasSuffix(".\(host)") && url.namedPort == port
        return "\(other) has a file of its own, that of \(own) says nothing about it"
            + (isBelow ? ", unless the app's entry is applinks:*.\(own)" : "")
    }

    /// The host whose file is at the target, and its port unless it is that of the scheme; nil when nothing tells it.
    private var served: (host: String, port: UInt16?)? {
        guard let url = places.first?.url else { return nil }
        let mark = "/a/v1/"
        guard url.path.hasPrefix(mark) else { return (url.host, url.namedPort) }
        let name = url.path.dropFirst(mark.count).prefix { $0 != "/" }
        return (try? WebURL("https://\(name)/")).map { ($0.host, $0.namedPort) }
    }

    private static func name(_ host: String, _ port: UInt16?) -> String {
        (host.contains(":") ? "[\(host)]" : host) + (port.map { ":\($0)" } ?? "")
    }
}

extension WebURL {
    /// The port, unless it is the one that the scheme has anyway.
    fileprivate var namedPort: UInt16? { port == (scheme == "https" ? 443 : 80) ? nil : port }
}
