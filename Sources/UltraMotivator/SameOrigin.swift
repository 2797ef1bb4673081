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
        guard origins.count == 1, origin.lowercased().hasPrefix(scheme), let site = head.authorityText, !site.isEmpty
        else { return false }
        return normalized(origin.dropFirst(scheme.count)) == normalized(site[...])
    }

    private static let scheme = "https://"

    /// Returns an authority in lower case, without the default port and the dot of a fully qualified name.
    private static func normalized(_ authority: Substring) -> String {
        var text = authority.lowercased()
        // An empty port is the default port (RFC 3986 §3.2.3).
        if let port = [":443", ":"].first(where: text.hasSuffix) { text.removeLast(port.count) }
        if text.hasSuffix(".") { text.removeLast() }
        return text.replacing(".:", with: ":")
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

extension RequestHead {
    /// The host and port of the request, from an absolute-form target or else from Host (RFC 9112 §3.2.2).
    fileprivate var authorityText: String? {
        let target = targetText
        guard target.first != "/", let start = target.firstRange(of: "://")?.upperBound else { return text(.host) }
        return String(target[start...].prefix { $0 != "/" && $0 != "?" })
    }
}
