import HTTP

/// Whether a request may do what it asks for: one that changes something comes from this site or from no site at all.
///
/// Browsers say so in Sec-Fetch-Site (W3C Fetch Metadata); older ones at least name the origin. Apps and command-line
/// tools send neither.
enum SameOrigin {
    static func allows(_ head: RequestHead) -> Bool {
        if head.method == .get || head.method == .head { return true }
        if let site = head.text(.secFetchSite) { return site == "same-origin" || site == "none" }
        guard let origin = head.text(.origin) else { return true }
        guard let host = head.text(.host) else { return false }
        return origin.lowercased() == "https://" + host.lowercased()
    }

    static let refusal = "This request was made by another site. Open this site itself and do it there."
}
