import HTTPTypes
import MotivatorHTTP
import MotivatorPlatform
import Testing

@testable import MotivatorServer

/// A table of requests for the router alone, an in-memory connection, and a running server.
@Suite("Routing") struct RoutingTests {
    struct Case: Sendable, CustomStringConvertible {
        let name: String
        let request: TestRequest
        let status: Int
        var content: String?
        var allow: String?

        var description: String { name }

        init(_ name: String, _ request: TestRequest, _ status: Int, _ content: String? = nil, allow: String? = nil) {
            (self.name, self.request, self.status, self.content, self.allow) = (name, request, status, content, allow)
        }
    }

    static let router: Router = {
        var router = Router.serving { site in
            site.serve(.text("ready"), at: "/ready")
            site.serve(at: "/chosen", withQuery: ClosureHandler("query")) { head in
                .text(head.withValue(.userAgent) { $0?.contains(Array("phone".utf8)) ?? false } ? "phone" : "other")
            }
            site.route(.get, "/hello", to: ClosureHandler("hello"))
            site.route(
                .post, "/hello", to: ClosureHandler { Response(.created, content: $0.content) },
                content: .buffered(limit: 1 << 10))
            site.route(.put, "/later", to: ClosureHandler("later"), content: .onDemand(limit: 1 << 10))
            site.route(.get, "/users/{name}/posts/{number}", to: ClosureHandler { .parameters($0) })
            site.route(.delete, "/users/{name}/posts/{number}", to: ClosureHandler("deleted"))
            site.route(.get, "/users/{name}/posts", to: ClosureHandler { .parameters($0) })
            site.route(.get, "/users/me/posts", to: ClosureHandler("mine"))
            site.route(
                nil, "/mirror", to: ClosureHandler { Response(.ok, type: "text/plain", text: $0.head.methodText) })
        }
        var other = Site()
        other.otherwise = { _ in Response(.ok, type: "text/plain", text: "elsewhere") }
        router.add(other, for: "Other.test")
        var local = Site()
        local.serve(.text("six"), at: "/ready")
        router.add(local, for: "[::1]")
        var below = Site()
        below.serve(.text("below"), at: "/ready")
        router.add(below, for: ".Faults.test")
        for (text, host) in [("deep", ".deep.faults.test"), ("own", "own.faults.test")] {
            var site = Site()
            site.serve(.text(text), at: "/ready")
            router.add(site, for: host)
        }
        return router
    }()

    static let cases = [
        Case("a ready-made content", TestRequest("GET", "/ready"), 200, "ready"),
        Case("a chosen content", TestRequest("GET", "/chosen", fields: ["User-Agent: a phone"]), 200, "phone"),
        Case("another chosen content", TestRequest("GET", "/chosen"), 200, "other"),
        Case("a query of a chosen content reaches its handler", TestRequest("GET", "/chosen?q"), 200, "query"),
        Case("an empty query of a chosen content does not", TestRequest("GET", "/chosen?"), 200, "other"),
        Case(
            "a chosen content is only for GET and HEAD", TestRequest("POST", "/chosen"), 405,
            allow: "GET, HEAD, OPTIONS"),
        Case("a handler", TestRequest("GET", "/hello"), 200, "hello"),
        Case("a query does not count for the route", TestRequest("GET", "/hello?x=/ready"), 200, "hello"),
        Case("content reaches the handler", TestRequest("POST", "/hello", content: "steps"), 201, "steps"),
        Case(
            "content in a coding that is not decoded (RFC 9110 §15.5.16)",
            TestRequest("POST", "/hello", fields: ["Content-Encoding: gzip"], content: "steps"), 415),
        Case(
            "one of two codings is not identity",
            TestRequest(
                "POST", "/hello", fields: ["Content-Encoding: identity", "content-encoding: Br"], content: "s"),
            415),
        Case(
            "content in a coding, for a handler that may read it later",
            TestRequest("PUT", "/later", fields: ["Content-Encoding: gzip"], content: "steps"), 415),
        Case(
            "identity is no coding",
            TestRequest("POST", "/hello", fields: ["Content-Encoding: Identity"], content: "steps"), 201, "steps"),
        Case(
            "a coding of content that is dropped does not matter",
            TestRequest("GET", "/hello", fields: ["Content-Encoding: gzip"]), 200, "hello"),
        Case("HEAD is handled as GET without content", TestRequest("HEAD", "/ready"), 200, ""),
        Case("HEAD of a handler for GET", TestRequest("HEAD", "/hello"), 200, ""),
        Case("path parameters, in order", TestRequest("GET", "/users/ann/posts/7"), 200, "ann|7"),
        Case(
            "a parameter is percent-decoded once", TestRequest("GET", "/users/a%20b%2Fc%2541/posts/1"), 200,
            "a b/c%41|1"),
        Case("a parameter holds UTF-8", TestRequest("GET", "/users/%C3%A9/posts/1"), 200, "é|1"),
        Case("a shorter pattern", TestRequest("GET", "/users/ann/posts"), 200, "ann"),
        Case("a path without parameters wins over a pattern", TestRequest("GET", "/users/me/posts"), 200, "mine"),
        Case("an empty parameter matches nothing", TestRequest("GET", "/users//posts/1"), 404),
        Case("a slash more is another path", TestRequest("GET", "/users/ann/posts/7/"), 404),
        Case("paths compare byte by byte", TestRequest("GET", "/Ready"), 404),
        Case("an encoded letter is another path", TestRequest("GET", "/%72eady"), 404),
        Case("nothing there", TestRequest("GET", "/nothing"), 404),
        Case(
            "a method that the path has not (RFC 9110 §15.5.6)", TestRequest("PUT", "/hello", content: "x"), 405,
            allow: "GET, HEAD, POST, OPTIONS"),
        Case(
            "a method that a pattern has not", TestRequest("POST", "/users/ann/posts/7"), 405,
            allow: "GET, HEAD, DELETE, OPTIONS"),
        Case(
            "POST to a ready-made content", TestRequest("POST", "/ready", content: "x"), 405,
            allow: "GET, HEAD, OPTIONS"),
        Case("POST to a path without a route", TestRequest("POST", "/nothing"), 405, allow: "GET, HEAD, OPTIONS"),
        Case(
            "OPTIONS of a path (RFC 9110 §9.3.7)", TestRequest("OPTIONS", "/hello"), 204, "",
            allow: "GET, HEAD, POST, OPTIONS"),
        Case(
            "OPTIONS of a path without a route", TestRequest("OPTIONS", "/nothing"), 204, "",
            allow: "GET, HEAD, OPTIONS"),
        Case("GET of a path that has only PUT", TestRequest("GET", "/later"), 405, allow: "PUT, OPTIONS"),
        Case("HEAD of a path that has only PUT", TestRequest("HEAD", "/later"), 405, allow: "PUT, OPTIONS"),
        Case(
            "OPTIONS of the server", TestRequest("OPTIONS", "*"), 204, "",
            allow: "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"),
        Case("an unknown method (RFC 9110 §15.6.2)", TestRequest("BREW", "/hello"), 501),
        Case("a method in lower case is unknown", TestRequest("get", "/hello"), 501),
        Case("TRACE", TestRequest("TRACE", "/hello"), 501),
        Case("CONNECT", TestRequest("CONNECT", "example.test:443"), 501),
        Case("a mirror takes unknown methods", TestRequest("BREW", "/mirror"), 200, "BREW"),
        Case("a mirror takes OPTIONS", TestRequest("OPTIONS", "/mirror"), 200, "OPTIONS"),
        Case(
            "the host's case does not count (RFC 3986 §3.2.2)", TestRequest("GET", "/ready", host: "EXAMPLE.Test"), 200,
            "ready"),
        Case("one dot after the host", TestRequest("GET", "/ready", host: "example.test."), 200, "ready"),
        Case("two dots after the host", TestRequest("GET", "/ready", host: "example.test.."), 421),
        Case("the port does not count", TestRequest("GET", "/ready", host: "example.test:1"), 200, "ready"),
        Case("an IPv6 host", TestRequest("GET", "/ready", host: "[::1]"), 200, "six"),
        Case("an IPv6 host with a port", TestRequest("GET", "/ready", host: "[::1]:8443"), 200, "six"),
        Case("a host that is not served (RFC 9110 §15.5.20)", TestRequest("GET", "/ready", host: "unknown.test"), 421),
        Case("a host in front of one that is served", TestRequest("GET", "/ready", host: "www.example.test"), 421),
        Case("a host below a name", TestRequest("GET", "/ready", host: "a.faults.test"), 200, "below"),
        Case("a host deeper below a name", TestRequest("GET", "/ready", host: "A.b.faults.test:1"), 200, "below"),
        Case("the name itself is not below it", TestRequest("GET", "/ready", host: "faults.test"), 421),
        Case("a host below two names", TestRequest("GET", "/ready", host: "a.deep.faults.test"), 200, "deep"),
        Case("a name that is below another name", TestRequest("GET", "/ready", host: "deep.faults.test"), 200, "below"),
        Case("a host with a site of its own", TestRequest("GET", "/ready", host: "own.faults.test"), 200, "own"),
        Case(
            "the longest host below a name",
            TestRequest("GET", "/ready", host: String(repeating: "a.", count: 120) + "a.faults.test."), 200, "below"),
        Case(
            "a host that is too long",
            TestRequest("GET", "/ready", host: String(repeating: "a.", count: 123) + "faults.test"), 421),
        Case("a host that only ends like the name", TestRequest("GET", "/ready", host: "a-faults.test"), 421),
        Case("OPTIONS of a server that is not this one", TestRequest("OPTIONS", "*", host: "unknown.test"), 421),
        Case("a host that serves every path", TestRequest("PATCH", "/any/path", host: "other.test"), 200, "elsewhere"),
        Case("CONNECT to a host that serves every path", TestRequest("CONNECT", "a.test:443", host: "other.test"), 501),
        Case(
            "an absolute target wins over Host (RFC 9112 §3.2.2)",
            TestRequest("GET", "http://example.test/ready", host: "unknown.test"), 200, "ready"),
        Case(
            "HTTP/1.0 without Host gets the first host",
            TestRequest("GET", "/ready", host: nil, version: "HTTP/1.0", fields: ["Connection: keep-alive"]), 200,
            "ready"),
    ]

    @Test("The method, the path and the host of a request select the response", arguments: cases, Depth.all)
    func routed(_ expected: Case, _ depth: Depth) async throws {
        let response = try await depth.ask(expected.request, of: Self.router)
        #expect(response.status == expected.status)
        if let content = expected.content { #expect(response.text == content) }
        #expect(response["allow"] == expected.allow)
        if expected.status >= 400, expected.request.method != "HEAD" {
            #expect(response.text.contains(". "), "the error must contain a fix")
        }
    }

    @Test("The response to encoded content asks for content without a coding (RFC 9110 §12.5.3)", arguments: Depth.all)
    func refusedCoding(_ depth: Depth) async throws {
        let question = TestRequest("POST", "/hello", fields: ["Content-Encoding: gzip"], content: "steps")
        #expect(try await depth.ask(question, of: Self.router)["accept-encoding"] == "identity")
    }

    @Test("HEAD has the fields of GET", arguments: ["/ready", "/hello", "/nothing"], Depth.all)
    func head(_ path: String, _ depth: Depth) async throws {
        let requests = [TestRequest("GET", path), TestRequest("HEAD", path)]
        let responses = try await depth.ask(requests, of: Self.router)
        let fields = responses.map { response in response.fields.filter { $0.name != "date" } }
        try #require(fields.count == 2)
        #expect(fields[0] == fields[1])
        #expect(responses[1].content.isEmpty)
    }

    @Test("Requests on one connection get their own responses, in order", arguments: Depth.all)
    func sequence(_ depth: Depth) async throws {
        let requests = Self.cases.filter { $0.request.version == "HTTP/1.1" }
        let responses = try await depth.ask(requests.map(\.request), of: Self.router)
        #expect(responses.map(\.status) == requests.map(\.status))
    }

    @Test("An error is a page for a browser, JSON for the API, and text for all others", arguments: Depth.all)
    func errorForms(_ depth: Depth) async throws {
        let forms = [
            (
                TestRequest("GET", "/none", fields: ["Accept: text/html,*/*;q=0.8"]), "text/html; charset=utf-8",
                "<h1>404"
            ),
            (TestRequest("GET", "/api/none"), "application/json", "{\"error\": \"There is nothing at /api/none."),
            (TestRequest("GET", "/none"), "text/plain; charset=utf-8", "There is nothing at /none."),
        ]
        for (request, type, start) in forms {
            let response = try await depth.ask(request, of: Self.router)
            #expect(response["content-type"] == type)
            #expect(response.text.contains(start))
        }
    }

    @Test("Bytes of a request are escaped in a page", arguments: Depth.all)
    func escaped(_ depth: Depth) async throws {
        let request = TestRequest("POST", "/a'<b>&\"c", fields: ["Accept: text/html"])
        let method = TestRequest("X&X", "/none", fields: ["Accept: text/html"])
        do {
            let response = try await depth.ask(request, of: Self.router)
            #expect(!response.text.contains("<b>"))
        } catch is TestRequest.Refused {}
        #expect(try await depth.ask(method, of: Self.router).text.contains("X&amp;X"))
    }

    @Test("A site with its own error pages uses them for all its errors, and no other site does", arguments: Depth.all)
    func ownErrors(_ depth: Depth) async throws {
        var (own, plain) = (Site(), Site())
        own.errors = ErrorRenderer { _, sentence, _ in Array("own: \(sentence)".utf8) }
        own.serve(.text("ready"), at: "/ready")
        plain.serve(.text("ready"), at: "/ready")
        let errors = ErrorRenderer { _, sentence, _ in Array("all: \(sentence)".utf8) }
        var router = Router(fallback: plain, errors: errors)
        router.add(own, for: "own.test")
        router.add(plain, for: "plain.test")
        let requests = [
            TestRequest("GET", "/none", host: "own.test"), TestRequest("DELETE", "/ready", host: "own.test"),
            TestRequest("BREW", "/ready", host: "OWN.test."), TestRequest("GET", "/none", host: "plain.test"),
            TestRequest("GET", "/ready", host: "unknown.test"),
        ].map { request in
            var request = request
            request.fields = ["Accept: text/html"]
            return request
        }
        let responses = try await depth.ask(requests, of: router)
        #expect(responses.map(\.status) == [404, 405, 501, 404, 421])
        #expect(responses.map { $0.text.prefix(5) } == ["own: ", "own: ", "own: ", "all: ", "all: "])
    }

    @Test("A router that serves every host has no misdirected requests")
    func everyHost() throws {
        var site = Site()
        site.serve(.text("ready"), at: "/ready")
        let router = Router(fallback: site, servesEveryHost: true)
        guard case .representation = router.decide(try TestRequest("GET", "/ready", host: "any.test").head()) else {
            Issue.record("the router did not select the fallback")
            return
        }
    }
}

extension Response {
    fileprivate static func parameters(_ request: Request) -> Response {
        Response(.ok, type: "text/plain; charset=utf-8", text: request.parameters.joined(separator: "|"))
    }
}
