import Certificates
import HTTPTypes
import MotivatorHTTP
import MotivatorServer

/// Responds to all requests on the plain port except requests for its own pages.
///
/// - Pages are redirected to https.
/// - The association file is never redirected: devices do not follow redirects.
/// - API calls are refused. If they were redirected, a client could send its password in plain text each time.
struct ToHTTPS: HeadResponder {
    /// The https hosts as in a Host field, in lower case. Other hosts are redirected to the first.
    let hosts: [String]
    /// The port of https.
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
            return refuse(
                403, "API calls require https, because others can read passwords sent over http. Use", head)
        }
        let location = location(head)
        var response = errors.response(307, "This page is served over https: \(location)", for: head)
        response.fields[.location] = location
        return response
    }

    private func refuse(_ status: Int, _ reason: String, _ head: RequestHead) -> Response {
        var response = errors.response(status, "\(reason) \(location(head))", for: head)
        response.fields[.cacheControl] = "no-store"
        return response
    }

    private func location(_ head: RequestHead) -> String {
        var requested = head.hostText?.lowercased() ?? ""
        if requested.hasSuffix(".") { requested.removeLast() }
        let host = hosts.contains(requested) ? requested : hosts.first ?? requested
        let authority = port == 443 ? host : "\(host):\(port)"
        let query = head.queryText.map { "?\($0)" } ?? ""
        return "https://\(authority)\(head.isAsterisk ? "/" : head.pathText)\(query)"
    }

    /// The decoded path without empty segments and dot segments.
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

/// The content of the plain port: a page about trusting the development CA, and the CA's certificate.
struct Onboarding {
    let page: Representation
    /// The CA's certificate in the two formats that systems require; nil with `--certificate`.
    let certificate: (pem: Representation, der: Representation)?

    /// - Parameters:
    ///   - authority: the root of the development CA; nil with `--certificate`.
    ///   - home: the URL of the site.
    ///   - pages: the templates.
    ///   - lastModified: the modification time of the content.
    init(_ authority: Certificate?, home: String, pages: Pages, lastModified: Int64) {
        func represent(_ bytes: [UInt8], _ type: String) -> Representation {
            Representation(bytes, type: type, lastModified: lastModified)
        }
        certificate = authority.map {
            (represent($0.pem, "application/x-pem-file"), represent($0.der, "application/x-x509-ca-cert"))
        }
        page = represent(pages.plainPort(home: home, hasAuthority: authority != nil), "text/html; charset=utf-8")
    }
}
