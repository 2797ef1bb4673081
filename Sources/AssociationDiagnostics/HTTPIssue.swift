/// An issue with how a host, or Apple's CDN, serves the file.
package enum HTTPIssue: CatalogIssue {
    case privateHost(String, cause: String)
    /// The value of Apple-Failure-Reason, with its details, and what to do.
    case cdn(reason: String, fix: String)
    case redirect(status: Int, to: String)
    case redirectFollowed(status: Int, to: String)
    case redirectInsecure(status: Int, to: String)
    case redirectLoop(count: Int, to: String)
    case accessDenied(Int)
    case refused(Int)
    case parsed(Int)
    case serverError(Int, retryAfter: String?)
    case noContent(Int)
    /// A Content-Type, as a clause such as "has no Content-Type".
    case contentType(String)
    case signedContentType(String)
    case contentEncoding(String)
    case onlyAtRoot, onlyWellKnown, differ
    case notRead(path: String, authority: String)

    package static let examples: [HTTPIssue] = [
        .privateHost("a", cause: "a"), .cdn(reason: "a", fix: "a"), .redirect(status: 301, to: "a"),
        .redirectFollowed(status: 302, to: "a"), .redirectInsecure(status: 302, to: "a"),
        .redirectLoop(count: 1, to: "a"), .accessDenied(403), .refused(404), .parsed(203),
        .serverError(503, retryAfter: nil), .noContent(204), .contentType("a"), .signedContentType("a"),
        .contentEncoding("gzip"), .onlyAtRoot, .onlyWellKnown, .differ, .notRead(path: "/a", authority: "a"),
    ]

    private static let wellKnown = "/.well-known/apple-app-site-association"
    private static let root = "/apple-app-site-association"
    private static let direct = "Serve the file directly at this URL. Exclude its path from the redirect"
    private static let serve = "Serve the file at this URL with status 200"

    package var entry: CatalogEntry {
        switch self {
        case .privateHost(let host, let cause):
            .init(
                "network-private-host", "Apple's CDN can reach the host, or the entitlement entry has a mode.",
                because: "The CDN rejects private addresses with SWCERR00202. With ?mode=developer, the device fetches "
                    + "the file directly from the host.", SeverityByProfile(device: .denial), .debuggingLinks,
                example: "192.168.1.7", fixed: "192.168.1.7 with --assume-public",
                problem: "Apple's CDN cannot reach \(host): \(cause) (SWCERR00202)",
                fix: "During development, add ?mode=developer to the entitlement entry. To check a staging host as if "
                    + "it were public, run: motivator association check \(host) --assume-public")
        case .cdn(let reason, let fix):
            .init(
                "network-cdn-failure", "Apple's CDN can fetch the file.",
                because: "Devices fetch the file from the CDN, which reports failures in Apple-Failure-Reason.",
                SeverityByProfile(device: .denial), .debuggingLinks,
                example: "Apple-Failure-Reason: SWCERR00301 Timeout", fixed: "200 from the host and from the CDN",
                problem: "Apple's CDN reports \(reason)", fix: fix)
        case .redirect(let status, let target):
            .init(
                "http-redirect", "The host serves the file without a redirect.",
                because: "Apple's CDN rejects redirects, and the documentation forbids them. The device follows a "
                    + "redirect from https to https only with a mode.", .all(.denial), .supporting,
                example: "301 with Location: https://www.example.com/", fixed: "200 with the file",
                problem: "the response is a redirect (\(status)) to \(target)", fix: Self.direct)
        case .redirectFollowed(let status, let target):
            .init(
                "http-redirect-followed", "With a mode, the device follows a redirect from https to https.",
                because: "A released app has no mode, so Apple's CDN rejects the redirect.",
                SeverityByProfile(device: .warning, documented: .denial, ios9: .denial, ios8: .denial), .observed,
                example: "302 for webcredentials:example.com?mode=developer", fixed: "200 with the file",
                problem: "the response is a redirect (\(status)) to \(target). The device follows it only with a mode",
                fix: Self.direct)
        case .redirectInsecure(let status, let target):
            .init(
                "http-redirect-insecure", "No redirect leads away from https.",
                because: "A file fetched without TLS does not prove control of the domain.", .all(.denial), .observed,
                example: "302 with Location: http://example.com/", fixed: "200 with the file",
                problem: "the response is a redirect (\(status)) to \(target)", fix: Self.direct)
        case .redirectLoop(let count, let target):
            .init(
                "http-redirect-loop", "The redirects lead to a file.",
                because: "The device gives up after several redirects.", .all(.denial), .http("15.4"),
                example: "a redirect to itself", fixed: "200 with the file",
                problem: "too many redirects: redirect \(count) leads to \(target)", fix: Self.direct)
        case .accessDenied(let status):
            .init(
                "http-status-access-denied", "Every client can fetch the file.",
                because: "Apple's CDN and the device have no password, cookie or known address.", .all(.denial),
                .sharedWebCredentials, example: "401, 403", fixed: "200 for every client",
                problem: "the response has status \(status)" + (status == 401 ? ": the server requires a sign-in" : ""),
                fix: "Exempt the path from sign-ins and filters: every client must be able to read it"
                    + (status == 401 ? "" : ". Also make sure that the file exists"))
        case .refused(let status):
            .init(
                "http-status-refused", "The response has status 200, not 300 to 499.",
                because: "The device denies the association. Up to iOS 13, it never requests the file again. Since "
                    + "iOS 14, it tries again after 3 to 4 hours, and then at increasing intervals.", .all(.denial),
                .sharedWebCredentials, example: "404", fixed: "200 with the file",
                problem: "the response has status \(status)", fix: Self.serve)
        case .parsed(let status):
            .init(
                "http-status-parsed", "The response has status 200.",
                because: "With a mode, the device reads any response with a status below 400. Apple's CDN does not.",
                SeverityByProfile(device: .note, documented: .denial, ios9: .denial, ios8: .denial), .observed,
                example: "203 for webcredentials:example.com?mode=developer", fixed: "200 with the file",
                problem: "the response has status \(status). The device reads its content only with a mode",
                fix: Self.serve)
        case .serverError(let status, let wait):
            .init(
                "http-status-server-error", "The response has status 200, not 500 to 599.",
                because: "According to the archived reference, the device tries again every 3 hours, up to 8 times. "
                    + "Since iOS 14, it requests the file from Apple's CDN again after 3 to 4 hours, and then at "
                    + "increasing intervals.", .all(.retry), .sharedWebCredentials, example: "503",
                fixed: "200 with the file",
                problem: "the response has status \(status)" + (wait.map { ", Retry-After: \($0)" } ?? ""),
                fix: "Find the error in the server's log, or serve a static file")
        case .noContent(let status):
            .init(
                "http-status-without-file", "The response has status 200.",
                because: "A response with another successful status has no file, or only part of the file.",
                .all(.denial), .supporting, example: "204, 206", fixed: "200 with the file",
                problem: "the response has status \(status)", fix: "Respond with status 200 and the file")
        case .contentType(let found):
            .init(
                "http-content-type", "The file has the Content-Type application/json.",
                because: "The documentation requires this type, but devices ignore it.",
                SeverityByProfile(device: .note, documented: .warning, ios9: .note), .supporting,
                example: "text/plain", fixed: "application/json", problem: "the file \(found)",
                fix: "Send Content-Type: application/json")
        case .signedContentType(let found):
            .init(
                "http-signed-content-type", "A signed file has the Content-Type application/pkcs7-mime.",
                because: "iOS 8 requires this type, but later versions ignore it.",
                SeverityByProfile(device: .note, documented: .warning, ios9: .note, ios8: .denial),
                .sharedWebCredentials, example: "application/json for a signed file",
                fixed: "application/pkcs7-mime for a signed file",
                problem: "the signed file \(found)", fix: "Send Content-Type: application/pkcs7-mime")
        case .contentEncoding(let coding):
            .init(
                "http-content-encoding", "The file has a content coding only if the client requested it.",
                because: "A client may not support the coding. The size limit applies to the uncompressed size.",
                .all(.warning), .http("8.4"), example: "gzip without Accept-Encoding",
                fixed: "no Content-Encoding without Accept-Encoding",
                problem: "the file has Content-Encoding: \(coding), which the client did not request",
                fix: "Compress the file only for clients that send Accept-Encoding")
        case .onlyAtRoot:
            .init(
                "path-only-root", "The file is at \(Self.wellKnown).",
                because: "Since iOS 14, devices use Apple's CDN, which requests no other path.",
                SeverityByProfile(device: .denial, documented: .warning, ios9: .note), .supporting,
                example: "a file at \(Self.root) alone",
                fixed: "the file also at /.well-known/apple-app-site-association",
                problem: "the file is only at \(Self.root). Devices with iOS 14 or later do not request this path",
                fix: "Also serve the file at \(Self.wellKnown)")
        case .onlyWellKnown:
            .init(
                "path-only-well-known", "For iOS 8, the file is also at \(Self.root).",
                because: "iOS 9.2 and earlier request only the root path.", SeverityByProfile(ios8: .denial),
                .sharedWebCredentials, example: "a file at /.well-known/ alone",
                fixed: "a signed file also at /apple-app-site-association",
                problem: "the file is only at \(Self.wellKnown). iOS 8 does not request this path",
                fix: "If the app supports iOS 8, also serve the signed file at \(Self.root)")
        case .differ:
            .init(
                "path-contents-differ", "Both paths serve the same content.",
                because: "The path that a device requests depends on its system version.", .all(.warning),
                .observedFiles, example: "an old file at the root path", fixed: "the same file at both paths",
                problem: "\(Self.wellKnown) and \(Self.root) serve different content",
                fix: "Serve the same content at both paths, either plain or signed")
        case .notRead(let path, let authority):
            .init(
                "path-not-read", "The path is \(Self.wellKnown) or, before iOS 14, \(Self.root).",
                because: "The device derives the URL from the host of the entry. It never requests another file name, "
                    + "such as a name with the extension .json.", .all(.denial), .supporting,
                example: "https://example.com/apple-app-site-association.json",
                fixed: "https://example.com/.well-known/apple-app-site-association",
                problem: "no device requests \(path). Devices request \(Self.wellKnown)",
                fix: "Serve the file at https://\(authority)\(Self.wellKnown), with exactly this name. Then check "
                    + authority)
        }
    }
}
