import HTTP

/// Whether a request may do what it asks for: one that changes something comes from this site or from no site at all.
///
/// Browsers say so in Sec-Fetch-Site (W3C Fetch Metadata); older ones at least name the origin. Apps and command-line
/// tools send neither.
enum SameOrigin {
    static func allows(_ head: RequestHead) -> Bool {
        if head.method == .get || head.method == .head { return true }
        let lines = head.fieldLines.map { (name: $0.name.lowercased(), value: $0.value) }
        // Two lines of a field that is single say nothing that can be trusted.
        let sites = lines.filter { $0.name == "sec-fetch-site" }.map(\.value)
        if !sites.isEmpty { return sites == ["same-origin"] || sites == ["none"] }
        let origins = lines.filter { $0.name == "origin" }.map(\.value)
        guard let origin = origins.first else { return true }
        guard origins.count == 1, let host = head.text(.host) else { return false }
        return origin.lowercased() == "https://" + host.lowercased()
    }

    static let refusal = "This request was made by another site. Open this site itself and do it there."
}
