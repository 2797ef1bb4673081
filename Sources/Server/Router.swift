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

    /// A reference to a value. Copying it changes one reference count instead of one for each part of the value.
    private final class Shared<Value: Sendable>: Sendable {
        let value: Value

        init(_ value: Value) { self.value = value }
    }

    /// A site, with references to its resources.
    private struct Host: Sendable {
        let site: Site
        let resources: [Shared<Site.Resource>]

        init(_ site: Site) {
            self.site = site
            resources = site.resources.map { Shared($0) }
        }
    }

    private struct Table: Sendable {
        /// All sites. The first site is for requests without a host, which only HTTP/1.0 allows.
        var sites: [Shared<Host>]
        /// The index of each host's site in `sites`.
        var hosts = PathTable<Int>()
        let servesEveryHost: Bool
        /// The error renderer for requests without a site, and for sites without their own renderer.
        let errors: ErrorRenderer
    }

    private var shared: Shared<Table>

    /// - Parameters:
    ///   - fallback: the site for requests without a host.
    ///   - servesEveryHost: whether `fallback` also serves unknown hosts; otherwise they get 421.
    ///   - errors: the error renderer for requests without a site, and for sites without their own renderer.
    package init(fallback: Site, servesEveryHost: Bool = false, errors: ErrorRenderer = ErrorRenderer()) {
        shared = Shared(Table(sites: [Shared(Host(fallback))], servesEveryHost: servesEveryHost, errors: errors))
    }

    /// Adds a host.
    /// - Parameter host: the case-insensitive name or address; an IPv6 address is in brackets. A name that begins with a
    ///   dot adds all hosts below it that have no site of their own.
    package mutating func add(_ site: Site, for host: String) {
        var table = shared.value
        table.hosts[Array(host.lowercased().utf8)] = table.sites.count
        table.sites.append(Shared(Host(site)))
        shared = Shared(table)
    }

    /// Returns the error renderer for a request.
    /// - Parameter head: the request; nil if its head is unusable.
    func errors(for head: RequestHead?) -> ErrorRenderer {
        guard let head, let site = head.withHost({ site(of: $0) }) else { return shared.value.errors }
        return site.value.site.errors ?? shared.value.errors
    }

    func error(_ status: Int, _ sentence: String, for head: RequestHead) -> Response {
        errors(for: head).response(status, sentence, for: head)
    }

    mutating func number(_ names: inout RouteNames) {
        var table = shared.value
        for index in table.sites.indices {
            var site = table.sites[index].value.site
            site.number(&names)
            table.sites[index] = Shared(Host(site))
        }
        shared = Shared(table)
    }

    /// Decides how to handle a request. Runs on the event loop.
    /// - Parameter route: receives the number of the route.
    @inline(__always)
    func decide(_ head: RequestHead, _ route: inout Int) -> Decision {
        route = RouteNames.noSite
        guard let host = head.withHost({ site(of: $0) }) else { return .response(misdirected(head)) }
        if head.isAsterisk { return .response(Response(.noContent, fields: [.allow: Self.everyMethod])) }
        guard let (index, parameters) = head.withPath({ host.value.site.index(of: $0) }) else {
            let decision = withoutRoute(head, host.value.site)
            if case .file = decision { route = RouteNames.files } else { route = RouteNames.noRoute }
            return decision
        }
        let resource = host.value.resources[index]
        route = resource.value.number
        switch resource.value.target(for: head.method) {
        case .representation(let choose):
            if head.hasQuery, let handler = resource.value.queried {
                return .handler(handler, parameters: [], content: .discarded)
            }
            return .representation(choose(head))
        case .file(let files): return .file(files)
        case .handler(let handler, let content):
            if content != .discarded, head.hasCodedContent { return .response(codedContent(head)) }
            return .handler(handler, parameters: parameters, content: content)
        case .none: return .response(notAllowed(head, allow: resource.value.allow))
        }
    }

    @inline(__always)
    private func site(of host: FieldBytes?) -> Shared<Host>? {
        let index: Int?
        if let host {
            index = shared.value.hosts[host] ?? lookUpFolded(host) ?? (shared.value.servesEveryHost ? 0 : nil)
        } else {
            index = 0
        }
        return index.map { shared.value.sites[$0] }
    }

    /// Looks up a host after converting it to lowercase and removing one trailing dot (RFC 3986 §3.2.2).
    private func lookUpFolded(_ host: FieldBytes) -> Int? {
        var folded = host.map { $0 >= 0x41 && $0 <= 0x5A ? $0 | 0x20 : $0 }
        if folded.count > 1, folded.last == UInt8(ascii: ".") { folded.removeLast() }
        if let index = shared.value.hosts[folded] { return index }
        for index in folded.indices where folded[index] == UInt8(ascii: ".") {
            if let index = shared.value.hosts[Array(folded[index...])] { return index }
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
