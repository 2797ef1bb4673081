import HTTPTypes
import MotivatorHTTP
import MotivatorServer

/// Responds to all requests on the plain port except requests for its own pages.
///
/// - Pages are redirected to https.
/// - The association file is never redirected, because devices do not follow redirects.
/// - API calls are refused. After a redirect, a client could keep sending its password in plain text.
struct ToHTTPS: Sendable {
    /// The HTTPS hosts in the syntax of a Host field, in lower case; at least one. Requests for other hosts are
    /// redirected to the first host.
    let hosts: [String]
    let port: UInt16
    let errors: ErrorRenderer

    func respond(to head: RequestHead) -> Response {
        let path = head.withPath { Self.normalized($0) }
        if ServedAssociation.paths.contains(path) {
            return refuse(
                404, "The association file is served over https only, because devices do not follow redirects. Use",
                head)
        }
        if (path + "/").hasPrefix("/api/") || (path + "/").hasPrefix("/ultra_motivator/api/") {
            return refuse(403, "API calls require https, because others can read passwords sent over http. Use", head)
        }
        let location = location(head)
        var response = errors.response(307, "This page is served over https: \(location)", for: head)
        response.fields[.location] = location
        return response
    }

    private func refuse(_ status: Int, _ reason: String, _ head: RequestHead) -> Response {
        errors.response(status, "\(reason) \(location(head))", for: head)
    }

    /// Returns the https URL of a request. The host is the requested host if `hosts` contains it, or else the first
    /// host.
    func location(_ head: RequestHead) -> String {
        let query = head.queryText.map { "?\($0)" } ?? ""
        return "\(origin(ofHost: hostIndex(head)))\(head.pathText)\(query)"
    }

    /// Returns the index of the requested host in `hosts`; 0 for an unknown host.
    func hostIndex(_ head: RequestHead) -> Int {
        var requested = head.hostText?.lowercased() ?? ""
        if requested.hasSuffix(".") { requested.removeLast() }
        return hosts.firstIndex(of: requested) ?? 0
    }

    /// Returns the origin of a host, such as `https://example.com:8443`.
    func origin(ofHost index: Int) -> String { "https://\(hosts[index])" + (port == 443 ? "" : ":\(port)") }

    /// Returns the decoded path without empty segments and dot segments.
    private static func normalized(_ path: FieldBytes) -> String {
        let decoded = PercentCoding.decode(path) ?? Array(path)
        var segments: [Substring] = []
        for segment in String(decoding: decoded, as: UTF8.self).split(separator: "/") {
            switch segment {
            case ".": break
            case "..": _ = segments.popLast()
            case _: segments.append(segment)
            }
        }
        return "/" + segments.joined(separator: "/")
    }
}
