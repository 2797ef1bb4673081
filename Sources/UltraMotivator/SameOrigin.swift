package import MotivatorHTTP

/// A filter for requests from other websites. Such requests must not change anything.
///
/// Browsers send Sec-Fetch-Site (W3C Fetch Metadata Request Headers); older browsers send Origin (RFC 6454 §7). Apps
/// and command-line tools send neither field.
package enum SameOrigin {
    package static func allows(_ head: RequestHead) -> Bool {
        if head.method == .get || head.method == .head { return true }
        let lines = head.fieldLines.map { (name: $0.name.lowercased(), value: $0.value) }
        // The field has exactly one value, so repeated lines cannot be trusted.
        let sites = lines.filter { $0.name == "sec-fetch-site" }.map(\.value)
        if !sites.isEmpty { return sites == ["same-origin"] || sites == ["none"] }
        let origins = lines.filter { $0.name == "origin" }.map(\.value)
        guard let origin = origins.first else { return true }
        guard origins.count == 1, let site = head.authorityText.flatMap({ HTTPSAuthority($0) }) else { return false }
        return HTTPSAuthority(origin: origin) == site
    }

    /// Returns whether a request may start a check. A link on another site may, because the visitor sees the result. An
    /// image or a frame on another site may not, because the visitor does not notice the request.
    package static func allowsDocument(_ head: RequestHead) -> Bool {
        let lines = head.fieldLines.map { (name: $0.name.lowercased(), value: $0.value) }
        let sites = lines.filter { $0.name == "sec-fetch-site" }.map(\.value)
        if sites.isEmpty || sites == ["same-origin"] || sites == ["none"] { return true }
        return lines.filter { $0.name == "sec-fetch-dest" }.map(\.value) == ["document"]
    }

    package static let refusal = "Another site made this request. Open this site and repeat the action there."
}

/// The host and the port of an https URL, normalized for comparison.
private struct HTTPSAuthority: Equatable {
    private static let scheme = "https://"
    private static let defaultPort: UInt16 = 443

    /// The host in lower case, without the trailing dot of a fully qualified name.
    let host: String
    let port: UInt16

    /// - Parameter text: `host` or `host:port`.
    init?(_ text: String) {
        var host = Substring(text.lowercased())
        var digits = Substring()
        // The colons of an IPv6 address are inside brackets.
        if let colon = host.lastIndex(of: ":"), !host[colon...].contains("]") {
            digits = host[host.index(after: colon)...]
            host = host[..<colon]
        }
        if host.hasSuffix(".") { host.removeLast() }
        // An empty port is the default port (RFC 3986 §3.2.3).
        guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let port = digits.isEmpty ? Self.defaultPort : UInt16(digits), !host.isEmpty
        else { return nil }
        self.host = String(host)
        self.port = port
    }

    /// - Parameter origin: the value of Origin. The result is nil for "null" and for origins with other schemes.
    init?(origin: String) {
        guard origin.lowercased().hasPrefix(Self.scheme) else { return nil }
        self.init(String(origin.dropFirst(Self.scheme.count)))
    }
}

extension RequestHead {
    /// The host and port of the request, from an absolute-form target or else from Host (RFC 9112 §3.2.2).
    fileprivate var authorityText: String? {
        let target = targetText
        guard target.first != "/", let start = target.firstRange(of: "://")?.upperBound else { return text(.host) }
        return String(target[start...].prefix { $0 != "/" && $0 != "?" })
    }
}
