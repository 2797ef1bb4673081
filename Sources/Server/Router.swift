import HTTPTypes
import MotivatorHTTP

/// Selects the site and the route of each request.
package struct Router: Sendable {
    /// How a request is handled.
    enum Decision: Sendable {
        case representation(Representation)
        case handler(any Handler, parameters: [String], content: ContentPolicy)
        case file(StaticFiles)
        case response(Response)
    }

    /// A site by reference. A copy would count a reference for each of its parts.
    private final class Shared: Sendable {
        let site: Site

        init(_ site: Site) { self.site = site }
    }

    /// All sites. The first one is for requests without a host: HTTP/1.0 without Host.
    private var sites: [Shared]
    /// The indices in `sites`.
    private var hosts = PathTable<Int>()
    private let servesEveryHost: Bool
    /// Creates the error responses of requests without a site, and of sites without a renderer of their own.
    private let errors: ErrorRenderer

    /// - Parameters:
    ///   - fallback: the site for requests without a host.
    ///   - servesEveryHost: whether `fallback` also serves unknown hosts; otherwise they get 421.
    ///   - errors: creates the error responses of requests without a site, and of sites without a renderer of their own.
    package init(fallback: Site, servesEveryHost: Bool = false, errors: ErrorRenderer = ErrorRenderer()) {
        sites = [Shared(fallback)]
        self.servesEveryHost = servesEveryHost
        self.errors = errors
    }

    /// Adds a host.
    ///
    /// - Parameters:
    ///   - site: the routes of the host.
    ///   - host: the case-insensitive name or address; an IPv6 address is in brackets.
    package mutating func add(_ site: Site, for host: String) {
        hosts[Array(host.lowercased().utf8)] = sites.count
        sites.append(Shared(site))
    }

    /// Returns the renderer of the error responses to a request.
    ///
    /// - Parameter head: the request; nil if its head is unusable.
    func errors(for head: RequestHead?) -> ErrorRenderer {
        guard let head, let site = head.withHost({ index(of: $0) }) else { return errors }
        return sites[site].site.errors ?? errors
    }

    /// Numbers the routes of all sites, for the counts of the loops.
    mutating func number(_ names: inout RouteNames) {
        for index in sites.indices {
            var site = sites[index].site
            site.number(&names)
            sites[index] = Shared(site)
        }
    }

    /// Decides how to handle a request. It runs on the event loop.
    ///
    /// - Parameter route: receives the number of the route.
    @inline(__always)
    func decide(_ head: RequestHead, _ route: inout Int) -> Decision {
        route = RouteNames.noSite
        guard let site = head.withHost({ index(of: $0) }) else { return .response(misdirected(head)) }
        if head.isAsterisk { return .response(Response(.noContent, fields: [.allow: Self.everyMethod])) }
        guard let (resource, parameters) = head.withPath({ sites[site].site.index(of: $0) }) else {
            let decision = withoutRoute(head, sites[site].site)
            if case .file = decision { route = RouteNames.files } else { route = RouteNames.noRoute }
            return decision
        }
        route = sites[site].site.resources[resource].number
        switch sites[site].site.resources[resource].target(for: head.method) {
        case .representation(let representation):
            if head.hasQuery, let handler = sites[site].site.resources[resource].queried {
                return .handler(handler, parameters: [], content: .discarded)
            }
            return .representation(representation)
        case .choice(let choose): return .representation(choose(head))
        case .file(let files): return .file(files)
        case .handler(let handler, let content):
            if content != .discarded, head.hasCodedContent { return .response(codedContent(head)) }
            return .handler(handler, parameters: parameters, content: content)
        case .none: return .response(notAllowed(head, allow: sites[site].site.resources[resource].allow))
        }
    }

    @inline(__always)
    private func index(of host: FieldBytes?) -> Int? {
        guard let host else { return 0 }
        if let index = hosts[host] { return index }
        return lookUpFolded(host) ?? (servesEveryHost ? 0 : nil)
    }

    /// Looks up a host regardless of case, and without one trailing dot (RFC 3986 §3.2.2).
    private func lookUpFolded(_ host: FieldBytes) -> Int? {
        var folded = host.map { $0 >= 0x41 && $0 <= 0x5A ? $0 | 0x20 : $0 }
        if folded.count > 1, folded.last == UInt8(ascii: ".") { folded.removeLast() }
        return hosts[folded]
    }

    private func withoutRoute(_ head: RequestHead, _ site: Site) -> Decision {
        guard ![.other, .trace, .connect].contains(head.method) else { return .response(notImplemented(head)) }
        if let otherwise = site.otherwise { return .response(otherwise.respond(to: head)) }
        switch head.method {
        case .get, .head:
            if let files = site.files { return .file(files) }
            return .response(errors(for: head).notFound(head))
        case .options: return .response(Response(.noContent, fields: [.allow: "GET, HEAD, OPTIONS"]))
        case .post, .put, .patch, .delete, .other, .trace, .connect:
            return .response(notAllowed(head, allow: "GET, HEAD, OPTIONS"))
        }
    }

    private static let everyMethod = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"

    private func notAllowed(_ head: RequestHead, allow: String) -> Response {
        switch head.method {
        case .options: return Response(.noContent, fields: [.allow: allow])
        case .other, .trace, .connect: return notImplemented(head)
        case .get, .head, .post, .put, .patch, .delete:
            var response = errors(for: head).response(
                405, "\(head.methodText) is not allowed here. Use one of: \(allow).", for: head)
            response.fields[.allow] = allow
            return response
        }
    }

    private func notImplemented(_ head: RequestHead) -> Response {
        errors(for: head).response(
            501,
            "This server does not support the method \(head.methodText). Methods are upper case: \(Self.everyMethod).",
            for: head)
    }

    /// Rejects coded content, which the server does not decode (RFC 9110 §15.5.16).
    private func codedContent(_ head: RequestHead) -> Response {
        var response = errors(for: head).response(
            415, "The content has the coding \(head.text(.contentEncoding) ?? ""). Send the content without a coding.",
            for: head)
        response.fields[.acceptEncoding] = "identity"
        return response
    }

    private func misdirected(_ head: RequestHead) -> Response {
        errors(for: head).response(
            421, "This server does not serve the host \(head.hostText ?? ""). Add the host with --domain.",
            for: head)
    }
}
