import HTTPTypes
import MotivatorHTTP

/// A router that selects the site and the route of each request.
package struct Router: Sendable {
    enum Decision: Sendable {
        case representation(Representation)
        case handler(any Handler, parameters: [String], content: ContentPolicy)
        case file(StaticFiles)
        case response(Response)
    }

    /// All sites. The first site is for requests without a host, which only HTTP/1.0 allows.
    private var sites: [Site]
    /// The index of each host's site in `sites`.
    private var hosts = PathTable<Int>()
    private let servesEveryHost: Bool
    private let defaultErrors: ErrorRenderer

    /// - Parameters:
    ///   - fallback: the site for requests without a host.
    ///   - servesEveryHost: whether `fallback` also serves unknown hosts; otherwise they get 421.
    ///   - errors: the error renderer for requests without a site, and for sites without their own renderer.
    package init(fallback: Site, servesEveryHost: Bool = false, errors: ErrorRenderer = ErrorRenderer()) {
        (sites, self.servesEveryHost, defaultErrors) = ([fallback], servesEveryHost, errors)
    }

    /// Adds a host.
    /// - Parameter host: the case-insensitive name or address; an IPv6 address is in brackets. A name that begins with a
    ///   dot adds all hosts below it that have no site of their own.
    package mutating func add(_ site: Site, for host: String) {
        hosts[Array(host.lowercased().utf8)] = sites.count
        sites.append(site)
    }

    /// Returns the error renderer for a request.
    /// - Parameter head: the request; nil if its head is unusable.
    func errors(for head: RequestHead?) -> ErrorRenderer {
        guard let head, let site = head.withHost({ site(of: $0) }) else { return defaultErrors }
        return sites[site].errors ?? defaultErrors
    }

    func error(_ status: Int, _ sentence: String, for head: RequestHead) -> Response {
        errors(for: head).response(status, sentence, for: head)
    }

    mutating func number(_ names: inout RouteNames) {
        for index in sites.indices { sites[index].number(&names) }
    }

    /// Decides how to handle a request. Runs on the event loop.
    /// - Parameter route: receives the number of the route.
    @inline(__always)
    func decide(_ head: RequestHead, _ route: inout Int) -> Decision {
        route = RouteNames.noSite
        guard let site = head.withHost({ site(of: $0) }) else { return .response(misdirected(head)) }
        if head.isAsterisk { return .response(Response(.noContent, fields: [.allow: Self.everyMethod])) }
        guard let (index, parameters) = head.withPath({ sites[site].index(of: $0) }) else {
            let decision = withoutRoute(head, sites[site])
            if case .file = decision { route = RouteNames.files } else { route = RouteNames.noRoute }
            return decision
        }
        let resource = sites[site].resources[index]
        route = resource.number
        switch resource.target(for: head.method) {
        case .representation(let choose):
            if head.hasQuery, let handler = resource.queried {
                return .handler(handler, parameters: [], content: .discarded)
            }
            return .representation(choose(head))
        case .file(let files): return .file(files)
        case .handler(let handler, let content):
            if content != .discarded, head.hasCodedContent { return .response(codedContent(head)) }
            return .handler(handler, parameters: parameters, content: content)
        case .none: return .response(notAllowed(head, allow: resource.allow))
        }
    }

    @inline(__always)
    private func site(of host: FieldBytes?) -> Int? {
        guard let host else { return 0 }
        return hosts[host] ?? lookUpFolded(host) ?? (servesEveryHost ? 0 : nil)
    }

    /// The greatest length of a domain name, with a dot at its end and one byte more (RFC 1035 §2.3.4).
    private static let longestHost = 255

    /// Looks up a host after converting it to lowercase and removing one trailing dot (RFC 3986 §3.2.2).
    ///
    /// The work grows with the square of the length, which is limited.
    private func lookUpFolded(_ host: FieldBytes) -> Int? {
        guard host.count <= Self.longestHost else { return nil }
        var folded = host.map { $0 >= 0x41 && $0 <= 0x5A ? $0 | 0x20 : $0 }
        if folded.count > 1, folded.last == UInt8(ascii: ".") { folded.removeLast() }
        if let index = hosts[folded] { return index }
        for index in folded.indices where folded[index] == UInt8(ascii: ".") {
            if let index = hosts[Array(folded[index...])] { return index }
        }
        return nil
    }

    private func withoutRoute(_ head: RequestHead, _ site: Site) -> Decision {
        guard ![.other, .trace, .connect].contains(head.method) else { return .response(notImplemented(head)) }
        if let otherwise = site.otherwise { return .response(otherwise(head)) }
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
            var response = error(405, "\(head.methodText) is not allowed here. Use one of: \(allow).", for: head)
            response.fields[.allow] = allow
            return response
        }
    }

    private func notImplemented(_ head: RequestHead) -> Response {
        error(
            501,
            "This server does not support the method \(head.methodText). Methods are uppercase: \(Self.everyMethod).",
            for: head)
    }

    /// Rejects coded content, which the server does not decode (RFC 9110 §15.5.16).
    private func codedContent(_ head: RequestHead) -> Response {
        var response = error(
            415, "The content uses the coding \(head.text(.contentEncoding) ?? ""). Send the content without a coding.",
            for: head)
        response.fields[.acceptEncoding] = "identity"
        return response
    }

    private func misdirected(_ head: RequestHead) -> Response {
        error(421, "This server does not serve the host \(head.hostText ?? ""). Add the host with --domain.", for: head)
    }
}
