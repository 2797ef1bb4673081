import Accounts
import AssociationChecker
import AssociationDiagnostics
import HTTPTypes
import MotivatorHTTP
import MotivatorPlatform
import MotivatorServer

extension FaultHost {
    static let http: [FaultHost] = redirects + statuses + transfers + types + paths

    private static let redirects: [FaultHost] =
        [301, 302, 307, 308].map { code in
            FaultHost(.http, "redirect-\(code)", "\(code) to the correct file on this host", "DDDD", "http-redirect") {
                try $0.redirecting(code)
            }
        } + [
            FaultHost(.http, "redirect-http", "302 to an http URL", "DDDD", "http-redirect-insecure") { shop in
                try shop.redirecting(302, to: "http://\(shop.host)")
            },
            FaultHost(.http, "redirect-loop", "an endless redirect", "DDDD", "http-redirect-loop") { shop in
                shop.paths { Reply(redirect: 302, to: $0) }
            },
            FaultHost(.http, "redirect-other-host", "301 to a host with the correct file", "DDDD", "http-redirect") {
                shop in
                let base = "https://\(shop.domain)" + (shop.port == 443 ? "" : ":\(shop.port)")
                return shop.paths { Reply(redirect: 301, to: base + $0) }
            },
        ]

    private static func status(_ code: Int, _ verdict: String, _ issue: String, _ summary: String? = nil) -> FaultHost {
        FaultHost(
            .http, "status-\(code)", summary ?? "status \(code)", String(repeating: verdict, count: 4), issue
        ) { shop in
            let fields: [Int: HTTPFields] = [
                401: [.wwwAuthenticate: "Basic realm=\"test\""], 503: [.retryAfter: "120"],
            ]
            return shop.paths { _ in Reply(status: code, fields[code] ?? [:]) }
        }
    }

    private static let statuses =
        [304, 404, 410, 418, 429, 451].map { status($0, "D", "http-status-refused") }
        + [401, 403].map { status($0, "D", "http-status-access-denied") }
        + [status(204, "D", "http-status-without-file", "status 204 without content")]
        + [500, 502, 504, 599].map { status($0, "R", "http-status-server-error") }
        + [status(503, "R", "http-status-server-error", "status 503 with Retry-After")]

    /// The host whose responses depend on the number of earlier requests.
    static let flaky = FaultHost(
        .http, "flaky-503", "503 for a client's first two requests, then the correct file", "RRRR",
        "http-status-server-error", note: "then associated"
    ) { shop in
        try shop.both { reply in
            let file = reply
            reply = Reply(status: 503)
            reply.exception = { request in
                let client = ClientAddress(request.peer.address.bytes)
                return await shop.counters.isEarly(shop.host, client, shop.accounts) ? nil : file
            }
        }
    }

    private static func delivery(
        _ name: String, _ summary: String, _ verdicts: String, _ issues: String, _ delivery: Reply.Delivery,
        source: Source? = nil
    ) -> FaultHost {
        FaultHost(.http, name, summary, verdicts, issues, source: source) { try $0.both { $0.delivery = delivery } }
    }

    private static let transfers = [
        flaky,
        delivery(
            "slow-content", "the content takes 3 s", "AAAA", "", .init(pause: .seconds(3)), source: .messages("6.3")),
        delivery(
            "stall-head", "the server never sends a status line", "RRRR", "network-timed-out",
            .init(hasHead: false, failure: "timeout")),
        delivery("stall-content", "the content stops halfway", "RRRR", "network-timed-out", .init(failure: "timeout")),
        delivery(
            "truncated", "the connection closes before Content-Length is reached", "RRRR", "network-closed",
            .init(failure: "closed")),
        delivery(
            "short-length", "Content-Length is smaller than the content", "DDDD",
            "app-not-listed json-cut-off signature-malformed", .init(announcesHalf: true)),
        delivery("chunked", "chunked, no Content-Length", "AAAA", "", .init(isChunked: true), source: .messages("7.1")),
        FaultHost(.http, "gzip", "Content-Encoding: gzip", "AAAA", "http-content-encoding") { shop in
            try shop.both { reply in
                reply.content = Gzip.compress(reply.content) ?? []
                reply.fields[.contentEncoding] = "gzip"
            }
        },
    ]

    private static func type(_ name: String, _ type: String?, _ summary: String) -> FaultHost {
        FaultHost(
            .http, name, summary, "AAAD", "http-content-type http-signed-content-type",
            note: "iOS 8 requires application/pkcs7-mime"
        ) { try $0.both { $0.fields[.contentType] = type } }
    }

    static let page = """
        <!doctype html>
        <html lang="en"><head><meta charset="utf-8"><title>App</title></head><body><div id="app"></div></body></html>

        """

    private static let types = [
        type("no-content-type", nil, "no Content-Type"),
        type("type-html", "text/html", "Content-Type: text/html, correct content"),
        type("type-octet-stream", "application/octet-stream", "Content-Type: application/octet-stream"),
        FaultHost(
            .http, "html-page", "200 with an HTML page (a single-page app)", "DDDD",
            "http-content-type json-html signature-missing"
        ) { $0.paths { _ in Reply(html: page) } },
        FaultHost(
            .http, "cookie-wall", "an HTML page unless the request has a cookie", "DDDD",
            "http-content-type json-html signature-missing"
        ) { shop in
            try shop.both { reply in
                let file = reply
                reply = Reply(html: page)
                reply.fields[.setCookie] = "seen=1; Secure; HttpOnly"
                reply.exception = { $0.head.text(.cookie) == nil ? nil : file }
            }
        },
    ]

    private static let paths = [
        FaultHost(.http, "only-root", "404 at .well-known", "DAAA", "path-only-root") { shop in
            BrokenHost(wellKnown: Reply(status: 404), root: try shop.signed())
        },
        FaultHost(.http, "only-well-known", "404 at the root path", "AAAD", "path-only-well-known") { shop in
            BrokenHost(wellKnown: shop.plain, root: Reply(status: 404))
        },
        FaultHost(
            .http, "paths-differ", ".well-known lists another app, the root path lists the app", "D?DA",
            "app-not-listed path-contents-differ"
        ) { shop in
            BrokenHost(wellKnown: Reply(json: shop.file.listing([shop.file.other])), root: try shop.signed())
        },
        FaultHost(
            .http, "paths-differ-reversed", "the root path lists another app", "AAAD",
            "app-not-listed path-contents-differ"
        ) { shop in
            let other = shop.file.listing([shop.file.other])
            return BrokenHost(wellKnown: shop.plain, root: try shop.signed(Array(other.utf8)))
        },
    ]
}
