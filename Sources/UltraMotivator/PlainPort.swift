import Certificates
import HTTP
import HTTPTypes
import Server

/// Everything on the plain port but its own content: the same address with https.
///
/// The association file alone is never redirected, however its path is written: devices follow no redirect.
struct ToHTTPS: HeadResponder {
    /// The hosts that are served there, as in a Host field, in lower case; others are sent to the first.
    let hosts: [String]
    /// The port of HTTPS.
    let port: UInt16

    func respond(to head: RequestHead) -> Response {
        let path = head.withPath { PercentCoding.decode($0) }.map { String(decoding: $0, as: UTF8.self) }
        guard !ServedAssociation.paths.contains(path ?? "") else {
            return ErrorAnswer.make(
                404,
                "The association file is served over https alone: devices ask for it there and follow no redirect.",
                for: head)
        }
        var asked = head.hostText?.lowercased() ?? ""
        if asked.hasSuffix(".") { asked.removeLast() }
        let host = hosts.contains(asked) ? asked : hosts.first ?? asked
        let authority = port == 443 ? host : "\(host):\(port)"
        let query = head.queryText.map { "?\($0)" } ?? ""
        let location = "https://\(authority)\(head.isAsterisk ? "/" : head.pathText)\(query)"
        var response = ErrorAnswer.make(308, "This is served over https: \(location)", for: head)
        response.fields[.location] = location
        return response
    }
}

/// The plain port's own content: a page that tells how to come to trust the development authority, and its certificate.
struct Onboarding {
    let page: Representation
    /// The authority's certificate in the two forms that systems ask for; nil with a certificate of one's own.
    let certificate: (pem: Representation, der: Representation)?

    /// - Parameters:
    ///   - authority: the root of the development authority; nil with a certificate of one's own.
    ///   - home: the URL of the site.
    ///   - lastModified: seconds since 1970-01-01T00:00:00Z.
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
            ? "<p>It has a certificate of its own; nothing has to be installed.</p>"
            : """
            <p>Its certificate comes from a development authority that was made on this machine. Install it once:</p>
            <ul>
            <li><a href="/authority.cer">authority.cer</a> for iPhone, iPad, Android, Windows</li>
            <li><a href="/authority.pem">authority.pem</a> for macOS, Linux, curl, Python, Node</li>
            </ul>
            <p>On an iPhone, then switch it on in Settings, General, About, Certificate Trust Settings.</p>
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
