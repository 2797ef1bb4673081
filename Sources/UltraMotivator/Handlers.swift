package import Accounts
import HTTPTypes
package import MotivatorHTTP
import MotivatorPlatform
package import MotivatorServer

extension ServerSnapshot {
    /// Returns the content of the admin listener.
    ///
    /// For health checks, the listener accepts any requested host, because clients connect to its address.
    /// - Parameter addRoutes: adds the routes of an inspector; nil for no inspector.
    package static func admin(
        _ accounts: Accounts, _ metrics: MetricsPage, adding addRoutes: ((inout Site) -> Void)? = nil
    ) -> ServerSnapshot {
        var site = Routes.adminSite(accounts, metrics)
        if let addRoutes {
            addRoutes(&site)
            site.serve(Asset.all(lastModified: Clock.system.now()))
        }
        let router = Router(fallback: site, servesEveryHost: true)
        return ServerSnapshot(router: router, plainRouter: router, context: nil)
    }
}

extension Response {
    /// Creates a response with an SVG image that pages of other sites may show.
    package static func picture(_ svg: [UInt8], cacheControl: String = "no-store") -> Response {
        Response(
            .ok,
            fields: [
                .contentType: "image/svg+xml", .cacheControl: cacheControl, .crossOriginResourcePolicy: "cross-origin",
            ], content: svg)
    }
}

package struct ClosureHandler: Handler {
    private let body: @Sendable (Request) async -> Response

    package init(_ body: @escaping @Sendable (Request) async -> Response) { self.body = body }

    package func respond(to request: Request) async -> Response { await body(request) }

    /// Creates a handler of the admin listener that refuses requests from pages on other hosts.
    ///
    /// The requested host must be an address or `localhost`, because the host name of any page can resolve to this
    /// machine (DNS rebinding).
    package static func admin(_ body: @escaping @Sendable (Request) async -> Response) -> ClosureHandler {
        ClosureHandler { request in
            guard permits(request.head) else {
                return ErrorRenderer().response(
                    403, "Open the admin listener by its address or as localhost, and not from another site.",
                    for: request.head)
            }
            return await body(request)
        }
    }

    private static func permits(_ head: RequestHead) -> Bool {
        func value(_ name: String) -> String? { head.fieldLines.first { $0.name.lowercased() == name }?.value }
        let host = (head.hostText ?? "").lowercased()
        let bare = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        guard host == "localhost" || SocketAddress(bare, port: 0) != nil else { return false }
        if let origin = value("origin"), origin.lowercased() != "http://" + (value("host") ?? "").lowercased() {
            return false
        }
        // Allow links from other sites, because these sites cannot read the response.
        return ["same-origin", "none", nil].contains(value("sec-fetch-site")) || value("sec-fetch-mode") == "navigate"
    }
}
