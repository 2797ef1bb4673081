import Certificates
import HTTP
import HTTPTypes
import Server

/// The association file over plain HTTP: never there, and never redirected either, because devices follow no redirect.
struct NeverPlain: Handler {
    func respond(to request: Request) async -> Response {
        ErrorAnswer.make(
            404, "The association file is served over https alone: devices ask for it there and follow no redirect.",
            for: request.head)
    }
}

/// Everything else over plain HTTP: the same address with https.
struct ToHTTPS: Handler {
    /// The hosts that are served there, in lower case; others are sent to the first.
    let hosts: [String]
    /// The port of HTTPS.
    let port: UInt16

    func respond(to request: Request) async -> Response {
        let asked = request.head.hostText?.lowercased() ?? ""
        let host = hosts.contains(asked) ? asked : hosts.first ?? asked
        let authority = port == 443 ? host : "\(host):\(port)"
        let query = request.head.queryText.map { "?\($0)" } ?? ""
        let location = "https://\(authority)\(request.head.isAsterisk ? "/" : request.head.pathText)\(query)"
        var response = ErrorAnswer.make(308, "This is served over https: \(location)", for: request.head)
        response.fields[.location] = location
        return response
    }
}

/// The page on the plain port that tells how to come to trust the development authority.
struct Onboarding: Handler {
    /// The authority's certificate in the two forms that systems ask for; nil with a certificate of one's own.
    let certificate: (pem: Representation, der: Representation)?
    private let page: [UInt8]

    init(_ authority: Certificate?, home: String, lastModified: Int64) {
        certificate = authority.map { authority in
            func represent(_ bytes: [UInt8], _ type: String) -> Representation {
                Representation(
                    content: bytes, contentType: type, entityTag: ContentTag.of(bytes), lastModified: lastModified,
                    cacheControl: "no-cache")
            }
            return (
                represent(authority.pem, "application/x-pem-file"),
                represent(authority.der, "application/x-x509-ca-cert")
            )
        }
        let trust =
            authority == nil
            ? "<p>It has a certificate of its own; nothing has to be installed.</p>"
            : """
            <p>Its certificate comes from a development authority that was made on this machine. Install it once:</p>
            <ul>
            <li><a href="/authority.cer">authority.cer</a> for iPhone, iPad, Android, Windows</li>
            <li><a href="/authority.pem">authority.pem</a> for macOS, Linux, curl, Python, Node</li>
            </ul>
            <p>On an iPhone, then switch it on in Settings, General, About, Certificate Trust Settings.</p>
            """
        page = Array(
            """
            <!doctype html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <title>Ultra Motivator: first steps</title>
            </head>
            <body>
            <h1>Ultra Motivator</h1>
            <p>The site is at <a href="\(home)">\(home)</a>.</p>
            \(trust)
            </body>
            </html>

            """.utf8)
    }

    func respond(to request: Request) async -> Response {
        Response(
            .ok, fields: [.contentType: "text/html; charset=utf-8", .cacheControl: "no-cache"], content: page)
    }
}
