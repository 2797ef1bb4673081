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
        var response = ErrorRenderer.demo.response(307, "This page is served over https: \(location)", for: head)
        response.fields[.location] = location
        return response
    }

    private func refuse(_ status: Int, _ reason: String, _ head: RequestHead) -> Response {
        var response = ErrorRenderer.demo.response(status, "\(reason) \(location(head))", for: head)
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
    ///   - lastModified: the modification time of the content.
    init(_ authority: Certificate?, home: String, lastModified: Int64) {
        func represent(_ bytes: [UInt8], _ type: String) -> Representation {
            Representation(bytes, type: type, lastModified: lastModified)
        }
        certificate = authority.map {
            (represent($0.pem, "application/x-pem-file"), represent($0.der, "application/x-x509-ca-cert"))
        }
        page = represent(Array(Self.page(home, isTrusted: authority == nil).utf8), "text/html; charset=utf-8")
    }

    private static func page(_ home: String, isTrusted: Bool) -> String {
        let trust =
            isTrusted
            ? "<p>You do not need to install a certificate.</p>"
            : """
            <p>Its certificate comes from a development CA on this machine. Install the CA once:</p>
            <ul>
            <li><a href="/authority.cer">authority.cer</a> for iPhone, iPad, Android and Windows</li>
            <li><a href="/authority.pem">authority.pem</a> for macOS, Linux, curl, Python and Node</li>
            </ul>
            <p>On an iPhone, then turn on the CA in Settings, General, About, Certificate Trust Settings.</p>
            """
        return """
            <!doctype html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <title>Ultra Motivator: first steps</title>
            <link rel="icon" href="/favicon.svg" type="image/svg+xml">
            <link rel="stylesheet" href="/style.css">
            </head>
            <body>
            <main>
            <h1>Ultra Motivator</h1>
            <p>The site is at <a href="\(home)">\(home)</a>.</p>
            \(trust)
            </main>
            </body>
            </html>

            """
    }
}
