/// Diagnostics about the response of the host.
package enum HTTPDiagnostic: String, DiagnosticGroup {
    case malformed = "http-malformed"
    case redirect = "http-redirect"
    case redirectFollowed = "http-redirect-followed"
    case redirectInsecure = "http-redirect-insecure"
    case redirectLoop = "http-redirect-loop"
    case accessDenied = "http-status-access-denied"
    case refused = "http-status-refused"
    case parsed = "http-status-parsed"
    case serverError = "http-status-server-error"
    case noContent = "http-status-without-file"
    case contentType = "http-content-type"
    case signedContentType = "http-signed-content-type"
    case contentEncoding = "http-content-encoding"
    case onlyAtRoot = "path-only-root"
    case onlyWellKnown = "path-only-well-known"
    case differ = "path-contents-differ"
    case notRead = "path-not-read"

    private static let direct = "Serve the file directly at this URL. Exclude its path from the redirect."

    package var row: Diagnostic.Row {
        switch self {
        case .malformed:
            .init(
                "The response is valid HTTP.", because: "Clients interpret an invalid response in different ways.",
                .all(.denial), .messages("2"), example: "a status line without a status")
        case .redirect:
            .init(
                "The host serves the file without a redirect.",
                because: "Apple's CDN rejects redirects, and the documentation forbids them. The device follows a "
                    + "redirect from https to https only with a mode.", .all(.denial), .supporting,
                message: "The response is a redirect ({status}) to {target}.", fix: Self.direct,
                example: "301 with Location: https://www.example.com/")
        case .redirectFollowed:
            .init(
                "With a mode, the device follows a redirect from https to https.",
                because: "A released app has no mode, so Apple's CDN rejects the redirect.",
                SeverityByProfile(device: .warning, documented: .denial, ios9: .denial, ios8: .denial), .observed,
                message: "The response is a redirect ({status}) to {target}. The device follows it only with a mode.",
                fix: Self.direct, example: "302 for webcredentials:example.com?mode=developer")
        case .redirectInsecure:
            .init(
                "No redirect leads away from https.",
                because: "A file fetched without TLS does not prove control of the domain.", .all(.denial), .observed,
                message: "The response is a redirect ({status}) to {target}.", fix: Self.direct,
                example: "302 with Location: http://example.com/")
        case .redirectLoop:
            .init(
                "The redirects lead to a file.", because: "The device gives up after several redirects.",
                .all(.denial), .http("15.4"),
                message: "Too many redirects: redirect {count} leads to {target}.", fix: Self.direct,
                example: "a redirect to itself")
        case .accessDenied:
            .init(
                "Every client can fetch the file.",
                because: "Apple's CDN and the device have no password, cookie or known address.", .all(.denial),
                .sharedWebCredentials, message: "The response has status {status}.",
                fix: "Make sure that the file exists. Let every client read it: without a password or cookie, and from "
                    + "every address and user agent.",
                example: "401, 403")
        case .refused:
            .init(
                "The response has status 200, not 300 to 499.",
                because: "The device denies the association. Up to iOS 13, it never requests the file again. Since "
                    + "iOS 14, it tries again after 3 to 4 hours, and then at increasing intervals.", .all(.denial),
                .sharedWebCredentials, message: "The response has status {status}.",
                fix: "Serve the file at this URL with status 200.", example: "404")
        case .parsed:
            .init(
                "The response has status 200.",
                because: "With a mode, the device reads any response with a status below 400. Apple's CDN does not.",
                SeverityByProfile(device: .note, documented: .denial, ios9: .denial, ios8: .denial), .observed,
                message: "The response has status {status}. The device reads its content only with a mode.",
                fix: "Serve the file at this URL with status 200.",
                example: "304 for webcredentials:example.com?mode=developer")
        case .serverError:
            .init(
                "The response has status 200, not 500 to 599.",
                because: "According to the archived reference, the device tries again every 3 hours, up to 8 times. "
                    + "Since iOS 14, it requests the file from Apple's CDN again after 3 to 4 hours, and then at "
                    + "increasing intervals.", .all(.retry), .sharedWebCredentials,
                message: "The response has status {status}{wait}.",
                fix: "Find the error in the server's log, or serve a static file.", example: "503")
        case .noContent:
            .init(
                "The response has status 200.",
                because: "A response with another successful status has no file, or only part of the file.",
                .all(.denial), .supporting, message: "The response has status {status}.",
                fix: "Respond with status 200 and the file.", example: "204, 206")
        case .contentType:
            .init(
                "The file has the Content-Type application/json.",
                because: "The documentation requires this type, but devices ignore it.",
                SeverityByProfile(device: .note, documented: .warning, ios9: .note), .supporting,
                message: "The file {found}.", fix: "Send Content-Type: application/json.", example: "text/plain")
        case .signedContentType:
            .init(
                "A signed file has the Content-Type application/pkcs7-mime.",
                because: "iOS 8 requires this type, but later versions ignore it.",
                SeverityByProfile(device: .note, documented: .warning, ios9: .note, ios8: .denial),
                .sharedWebCredentials, message: "The signed file {found}.",
                fix: "Send Content-Type: application/pkcs7-mime.", example: "application/json for a signed file")
        case .contentEncoding:
            .init(
                "The file has a content coding only if the client requested it.",
                because: "A client may not support the coding. The size limit applies to the uncompressed size.",
                .all(.warning), .http("8.4"),
                message: "The file has Content-Encoding: {coding}, which the client did not request.",
                fix: "Compress the file only for clients that send Accept-Encoding.",
                example: "gzip without Accept-Encoding")
        case .onlyAtRoot:
            .init(
                "The file is at /.well-known/apple-app-site-association.",
                because: "Since iOS 14, devices use Apple's CDN, which requests no other path.",
                SeverityByProfile(device: .denial, documented: .warning, ios9: .note), .supporting,
                message: "The file is only at {root}. Devices with iOS 14 or later do not request this path.",
                fix: "Also serve the file at {wellKnown}.", example: "a file at /apple-app-site-association alone")
        case .onlyWellKnown:
            .init(
                "For iOS 8, the file is also at /apple-app-site-association.",
                because: "iOS 9.2 and earlier request only the root path.", SeverityByProfile(ios8: .denial),
                .sharedWebCredentials, message: "The file is only at {wellKnown}. iOS 8 does not request this path.",
                fix: "If the app supports iOS 8, also serve the signed file at {root}.",
                example: "a file at /.well-known/ alone")
        case .differ:
            .init(
                "Both paths serve the same content.",
                because: "The path that a device requests depends on its system version.", .all(.warning),
                .observedFiles, message: "{wellKnown} and {root} serve different content.",
                fix: "Serve the same content at both paths, either plain or signed.",
                example: "an old file at the root path")
        case .notRead:
            .init(
                "The path is /.well-known/apple-app-site-association or, before iOS 14, /apple-app-site-association.",
                because: "The device derives the URL from the host of the entry. It never requests another file name, "
                    + "such as a name with the extension .json.", .all(.denial), .supporting,
                message: "No device requests {path}. Devices request {wellKnown}.",
                fix: "Serve the file at {url}, with exactly this name. Then check {host}.",
                example: "https://example.com/apple-app-site-association.json")
        }
    }
}
