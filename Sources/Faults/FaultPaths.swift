import Accounts
import HTTPTypes
import MotivatorHTTP
import MotivatorPlatform
import MotivatorServer
import UltraMotivator

/// The paths for testing clients and proxies, on every host of the server.
enum FaultPaths {
    /// A path with its handler and its description in the OpenAPI document.
    private struct Path {
        let path: String
        let summary: String
        /// The name, the range and the meaning of each number in the path or the query.
        var numbers: [(name: String, isInPath: Bool, range: ClosedRange<Int>, meaning: String)] = []
        var hasEveryMethod = false
        let respond: @Sendable (Request) async -> Response
    }

    private static let contentLimit = 1 << 20
    private static let maximumSeconds = 30
    private static let maximumRedirects = 20

    /// Adds the routes to a host.
    /// - Parameter hosts: this server's names, the only targets of `/redirect-to`.
    static func addRoutes(to site: inout Site, hosts: Set<String>) {
        for path in all(hosts) {
            site.route(path.hasEveryMethod ? nil : .get, path.path, to: ClosureHandler(path.respond))
        }
        site.route(nil, "/anything", to: Echo(), content: .onDemand(limit: contentLimit))
    }

    private static func all(_ hosts: Set<String>) -> [Path] {
        [
            Path(
                path: "/status/{status}", summary: "Respond with a status.",
                numbers: [("status", true, 200...599, "The status, 200 to 599.")], hasEveryMethod: true, respond: status
            ),
            Path(
                path: "/delay/{seconds}", summary: "Respond after a delay.",
                numbers: [("seconds", true, 0...maximumSeconds, "The delay in seconds.")], respond: delay),
            Path(
                path: "/redirect/{count}", summary: "Redirect several times, and then to /anything.",
                numbers: [("count", true, 1...maximumRedirects, "The number of redirects.")], respond: redirect),
            Path(
                path: "/redirect-to",
                summary:
                    "Redirect to the path or URL in the query parameter url. The URL's host must belong to this server."
            ) { redirect($0, to: hosts) },
            Path(
                path: "/bytes/{count}", summary: "Respond with random bytes.",
                numbers: [("count", true, 0...contentLimit, "The number of bytes.")], respond: bytes),
            Path(
                path: "/drip", summary: "Respond slowly, one byte at a time.",
                numbers: [
                    ("bytes", false, 1...1_000, "The number of bytes (default: 10)."),
                    ("seconds", false, 0...maximumSeconds, "The total time in seconds (default: 2)."),
                ], respond: drip),
            Path(
                path: "/truncated", summary: "Announce 1,000 bytes, send 500, and close the connection.",
                respond: truncated),
        ]
    }

    static var descriptions: [String: JSONNode] {
        var descriptions: [String: JSONNode] = ["/anything": .echo(id: "anything")]
        for path in all([]) {
            let parameters = path.numbers.map { number -> JSONNode in
                [
                    "name": .text(number.name), "in": number.isInPath ? "path" : "query",
                    "required": .truth(number.isInPath), "description": .text(number.meaning),
                    "schema": [
                        "type": "integer", "minimum": .number(number.range.lowerBound),
                        "maximum": .number(number.range.upperBound),
                    ],
                ]
            }
            let url: JSONNode = [
                "name": "url", "in": "query", "required": true, "description": "A path, or a URL on this server.",
                "schema": ["type": "string"],
            ]
            let id = path.path.dropFirst().prefix { $0 != "/" }
            let operation: (String) -> JSONNode = { method in
                [
                    "operationId": .text("test-\(id)-\(method)"), "summary": .text(path.summary),
                    "parameters": .list(path.path == "/redirect-to" ? [url] : parameters),
                    "responses": [
                        "200": [
                            "description": "The requested response. /status and the redirects have other statuses."
                        ],
                        "400": ["description": "A value is missing or out of range."],
                    ],
                ]
            }
            let methods = path.hasEveryMethod ? ["delete", "get", "patch", "post", "put"] : ["get"]
            descriptions[path.path] = .object(methods.reduce(into: [:]) { $0[$1] = operation($1) })
        }
        return descriptions
    }

    // MARK: Handlers

    private static func status(_ request: Request) async -> Response {
        guard let code = number(request, 200...599) else { return bad(request, "a status from 200 to 599") }
        var response = Response(.registered(code), fields: [.cacheControl: "no-store"])
        let required: [Int: (HTTPField.Name, String)] = [
            401: (.wwwAuthenticate, "Basic realm=\"test\""), 405: (.allow, "GET, HEAD"),
            407: (.proxyAuthenticate, "Basic realm=\"test\""),
        ]
        if let (name, value) = required[code] { response.fields[name] = value }
        if [301, 302, 303, 307, 308].contains(code) { response.fields[.location] = "/anything" }
        guard ![204, 205, 304].contains(code) else { return response }
        response.fields[.contentType] = "text/plain; charset=utf-8"
        response.content = Array("Status \(code), as requested.\n".utf8)
        return response
    }

    private static func delay(_ request: Request) async -> Response {
        guard let seconds = number(request, 0...maximumSeconds) else {
            return bad(request, "seconds from 0 to \(maximumSeconds)")
        }
        try? await Task.sleep(for: .seconds(seconds))
        return Response(.ok, type: "text/plain; charset=utf-8", text: "This response took \(seconds) s.\n")
    }

    private static func redirect(_ request: Request) async -> Response {
        guard let count = number(request, 1...maximumRedirects) else {
            return bad(request, "a number from 1 to \(maximumRedirects)")
        }
        return Response(.found, fields: [.location: count == 1 ? "/anything" : "/redirect/\(count - 1)"])
    }

    /// Redirects only within this server, because an open redirect would disguise links to other sites.
    private static func redirect(_ request: Request, to hosts: Set<String>) -> Response {
        let target = query(request)["url"] ?? ""
        let isPath = target.hasPrefix("/") && !target.hasPrefix("//")
        let authority = ["https://", "http://"].first { target.hasPrefix($0) }
            .map { target.dropFirst($0.count).prefix { !"/?#".contains($0) } }
        let parts = authority?.split(separator: ":", omittingEmptySubsequences: false) ?? []
        // A user name before the host, or a backslash, would make a browser open another host.
        let isOwn =
            (1...2).contains(parts.count) && hosts.contains(parts[0].lowercased())
            && parts.dropFirst().allSatisfy { $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }
        guard isPath || isOwn, target.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != 0x5C }) else {
            return bad(request, "a path, or a URL on this server, in the query parameter url")
        }
        return Response(.found, fields: [.location: target])
    }

    private static func bytes(_ request: Request) async -> Response {
        guard let count = number(request, 0...contentLimit) else {
            return bad(request, "a number from 0 to \(contentLimit)")
        }
        return Response(.ok, fields: [.contentType: "application/octet-stream"], content: RandomBytes.make(count) ?? [])
    }

    private static func drip(_ request: Request) async -> Response {
        let items = query(request)
        guard let count = number(items["bytes"] ?? "10", 1...1_000),
            let seconds = number(items["seconds"] ?? "2", 0...maximumSeconds)
        else { return bad(request, "bytes from 1 to 1000 and seconds from 0 to \(maximumSeconds)") }
        guard await send(request, "Content-Length: \(count)"), request.head.method == .get else { return Response(.ok) }
        for index in 0..<count {
            if index > 0 { try? await Task.sleep(for: .milliseconds(seconds * 1_000 / count)) }
            guard await request.connection?.write([UInt8(ascii: "*")]) == true else { break }
        }
        return Response(.ok)
    }

    private static func truncated(_ request: Request) async -> Response {
        if await send(request, "Content-Length: 1000"), request.head.method == .get {
            _ = await request.connection?.write([UInt8](repeating: UInt8(ascii: "*"), count: 500))
        }
        return Response(.ok)
    }

    private static func send(_ request: Request, _ field: String) async -> Bool {
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\(field)\r\nConnection: close\r\n\r\n"
        return await request.connection?.write(Array(head.utf8)) ?? false
    }

    // MARK: Values

    private static func number(_ request: Request, _ range: ClosedRange<Int>) -> Int? {
        request.parameters.first.flatMap { number($0, range) }
    }

    private static func number(_ text: some StringProtocol, _ range: ClosedRange<Int>) -> Int? {
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(text) else { return nil }
        return range.contains(number) ? number : nil
    }

    private static func query(_ request: Request) -> [String: String] {
        PercentCoding.items((request.head.queryText ?? "").utf8, plusIsSpace: false)
            .reduce(into: [:]) { $0[$1.name] = $1.value }
    }

    private static func bad(_ request: Request, _ expected: String) -> Response {
        ErrorRenderer().response(400, "The request needs \(expected).", for: request.head)
    }
}
