import Accounts
import HTTPTypes
import MotivatorHTTP
import MotivatorPlatform
import MotivatorServer

extension FaultHost {
    /// The time that a stalled response stays open. Every client times out sooner.
    private static let stall = Duration.seconds(120)

    static let http: [FaultHost] = redirects + statuses + transfers + types + paths

    private static let redirects: [FaultHost] =
        [301, 302, 307, 308].map { code in
            FaultHost(.http, "redirect-\(code)", "\(code) to the correct file on this host", "DDDD", [.httpRedirect]) {
                shop in
                try shop.redirecting(code)
            }
        } + [
            FaultHost(.http, "redirect-http", "302 to an http URL", "DDDD", [.httpRedirectInsecure]) { shop in
                try shop.redirecting(302, to: "http://\(shop.host)")
            },
            FaultHost(.http, "redirect-loop", "an endless redirect", "DDDD", [.httpRedirectLoop]) { shop in
                try shop.both { _ in { request in await shop.redirect(302, to: request.head.pathText)(request) } }
            },
            FaultHost(.http, "redirect-other-host", "301 to a host with the correct file", "DDDD", [.httpRedirect]) {
                shop in
                let base = "https://\(shop.domain)" + (shop.port == 443 ? "" : ":\(shop.port)")
                return try shop.both { _ in { await shop.redirect(301, to: base + $0.head.pathText)($0) } }
            },
        ]

    private static func status(_ code: Int, _ verdict: String, _ issue: Code, _ summary: String? = nil) -> FaultHost {
        FaultHost(
            .http, "status-\(code)", summary ?? "status \(code)", String(repeating: verdict, count: 4),
            [issue]
        ) { shop in
            let fields: [Int: HTTPFields] = [
                401: [.wwwAuthenticate: "Basic realm=\"test\""], 503: [.retryAfter: "120"],
            ]
            return try shop.both { _ in shop.status(code, fields[code] ?? [:]) }
        }
    }

    private static let statuses =
        [304, 404, 410, 418, 429, 451].map { status($0, "D", .httpStatusRefused) }
        + [401, 403].map { status($0, "D", .httpStatusAccessDenied) }
        + [status(204, "D", .httpStatusWithoutFile, "status 204 without content")]
        + [500, 502, 504, 599].map { status($0, "R", .httpStatusServerError) }
        + [status(503, "R", .httpStatusServerError, "status 503 with Retry-After")]

    /// The host whose responses depend on the number of earlier requests.
    static let flaky = FaultHost(
        .http, "flaky-503", "503 for a client's first two requests, then the correct file", "RRRR",
        [.httpStatusServerError], note: "then associated"
    ) { shop in
        try shop.both { file in
            { request in
                let client = ClientAddress(request.peer.address.bytes)
                let isEarly = await shop.counters.isEarly(shop.host, client, shop.accounts)
                return await (isEarly ? shop.status(503) : shop.send(file))(request)
            }
        }
    }

    private static let transfers = [
        flaky,
        FaultHost(.http, "slow-content", "the content takes 3 s", "AAAA", []) { shop in
            try shop.both { file in
                shop.write { connection in
                    let (first, second) = shop.halves(file)
                    guard await connection.write(shop.head(file) + first) else { return }
                    try? await Task.sleep(for: .seconds(3))
                    _ = await connection.write(second)
                }
            }
        },
        FaultHost(.http, "stall-head", "the server never sends a status line", "RRRR", [.networkTimedOut]) { shop in
            try shop.both { _ in
                shop.write { connection in
                    _ = await connection.write([])
                    connection.stall(status: 0)
                    try? await Task.sleep(for: stall)
                }
            }
        },
        FaultHost(.http, "stall-content", "the content stops halfway", "RRRR", [.networkTimedOut]) { shop in
            try shop.both { file in
                shop.write { connection in
                    guard await connection.write(shop.head(file) + shop.halves(file).0) else { return }
                    connection.stall(status: 200)
                    try? await Task.sleep(for: stall)
                }
            }
        },
        FaultHost(
            .http, "truncated", "the connection closes before Content-Length is reached", "RRRR", [.networkClosed]
        ) { shop in
            try shop.both { file in
                shop.write { _ = await $0.write(shop.head(file) + shop.halves(file).0) }
            }
        },
        FaultHost(
            .http, "short-length", "Content-Length is smaller than the content", "DDDD",
            [.appNotListed, .jsonCutOff, .signatureMalformed]
        ) { shop in
            try shop.both { file in
                shop.write { _ = await $0.write(shop.head(file, length: file.bytes.count / 2) + file.bytes) }
            }
        },
        FaultHost(.http, "chunked", "chunked, no Content-Length", "AAAA", []) { shop in
            try shop.both { file in
                shop.write { connection in
                    let (first, second) = shop.halves(file)
                    func chunk(_ bytes: [UInt8]) -> [UInt8] {
                        Array("\(String(bytes.count, radix: 16))\r\n".utf8) + bytes + Array("\r\n".utf8)
                    }
                    let body = chunk(first) + chunk(second) + Array("0\r\n\r\n".utf8)
                    _ = await connection.write(shop.head(file, "Transfer-Encoding: chunked\r\n") + body)
                }
            }
        },
        FaultHost(.http, "gzip", "Content-Encoding: gzip", "AAAA", [.httpContentEncoding]) { shop in
            try shop.both { file in
                var coded = file
                coded.bytes = Gzip.compress(file.bytes) ?? []
                return shop.send(coded, 200, [.contentEncoding: "gzip"])
            }
        },
    ]

    private static func type(_ name: String, _ type: String, _ summary: String) -> FaultHost {
        FaultHost(
            .http, name, summary, "AAAD", [.httpContentType, .httpSignedContentType],
            note: "iOS 8 requires application/pkcs7-mime"
        ) { shop in
            try shop.both { shop.send(.init(bytes: $0.bytes, type: type)) }
        }
    }

    private static let page = """
        <!doctype html>
        <html lang="en"><head><meta charset="utf-8"><title>App</title></head><body><div id="app"></div></body></html>

        """

    private static let types = [
        type("no-content-type", "", "no Content-Type"),
        type("type-html", "text/html", "Content-Type: text/html, correct content"),
        type("type-octet-stream", "application/octet-stream", "Content-Type: application/octet-stream"),
        FaultHost(
            .http, "html-page", "200 with an HTML page (a single-page app)", "DDDD",
            [.httpContentType, .jsonHtml, .signatureMissing]
        ) { shop in
            try shop.both { _ in shop.send(.init(bytes: Array(page.utf8), type: "text/html; charset=utf-8")) }
        },
        FaultHost(
            .http, "cookie-wall", "an HTML page unless the request has a cookie", "DDDD",
            [.httpContentType, .jsonHtml, .signatureMissing]
        ) { shop in
            try shop.both { file in
                { request in
                    let wall = shop.send(
                        .init(bytes: Array(page.utf8), type: "text/html; charset=utf-8"), 200,
                        [.setCookie: "seen=1; Secure; HttpOnly"])
                    return await (request.head.text(.cookie) == nil ? wall : shop.send(file))(request)
                }
            }
        },
    ]

    private static let paths = [
        FaultHost(.http, "only-root", "404 at .well-known", "DAAA", [.pathOnlyRoot]) { shop in
            BrokenHost(wellKnown: shop.status(404), root: shop.send(try shop.signed()))
        },
        FaultHost(.http, "only-well-known", "404 at the root path", "AAAD", [.pathOnlyWellKnown]) { shop in
            BrokenHost(wellKnown: shop.send(shop.plain), root: shop.status(404))
        },
        FaultHost(
            .http, "paths-differ", ".well-known lists another app, the root path lists the app", "D?DA",
            [.appNotListed, .pathContentsDiffer]
        ) { shop in
            let other = Workshop.File.json(Workshop.file(apps: [Workshop.otherApp]))
            return BrokenHost(wellKnown: shop.send(other), root: shop.send(try shop.signed()))
        },
        FaultHost(
            .http, "paths-differ-reversed", "the root path lists another app", "AAAD",
            [.appNotListed, .pathContentsDiffer]
        ) { shop in
            let other = Workshop.file(apps: [Workshop.otherApp])
            return BrokenHost(wellKnown: shop.send(shop.plain), root: shop.send(try shop.signed(Array(other.utf8))))
        },
    ]
}
