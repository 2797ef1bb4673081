import HTTPTypes
import MotivatorHTTP
import Testing

@testable import MotivatorServer

@Suite("Error responses") struct ErrorRendererTests {
    @Test("No cache stores an error of any status", arguments: [400, 401, 499, 500, 599])
    func failure(status: Int) {
        #expect(ErrorRenderer().response(status, "It failed.", for: nil).fields[.cacheControl] == "no-store")
    }

    @Test("A redirect may be cached")
    func redirect() {
        #expect(ErrorRenderer().response(308, "It is there.", for: nil).fields[.cacheControl] == nil)
    }

    @Test("The first API whose prefix matches decides whether the JSON object has a code")
    func code() throws {
        let errors = ErrorRenderer(apis: [("/api/", hasCode: true), ("/old/", hasCode: false)])
        func text(_ path: String) throws -> String {
            String(decoding: errors.notFound(try TestRequest("GET", path).head()).content, as: UTF8.self)
        }
        #expect(try text("/api/x").hasSuffix("\"code\": \"not_found\"}\n"))
        #expect(try text("/old/x").hasSuffix("it is case-sensitive.\"}\n"))
        #expect(try text("/none/api/").hasPrefix("There is nothing"))
    }

    @Test("An error of an API is JSON, also for a browser")
    func browser() throws {
        let head = try TestRequest("GET", "/api/x", fields: ["Accept: text/html"]).head()
        let response = ErrorRenderer(apis: [("/api/", hasCode: true)]).notFound(head)
        #expect(response.fields[.contentType] == "application/json")
        let text = String(decoding: response.content, as: UTF8.self)
        #expect(text.hasPrefix("{\"error\": \"There is nothing at /api/x."))
    }

    @Test(
        "The code of an error is its reason phrase in lower case, with underscores",
        arguments: [
            (400, "bad_request"), (404, "not_found"), (413, "content_too_large"), (414, "uri_too_long"),
            (431, "request_header_fields_too_large"), (500, "internal_server_error"),
        ])
    func codes(_ status: Int, _ code: String) {
        #expect(ErrorRenderer.code(of: status) == code)
    }

    @Test("The site creates the error pages")
    func page() throws {
        let head = try TestRequest("GET", "/", fields: ["Accept: text/html"]).head()
        let page: ErrorRenderer.Page = { Array("\($0), \($2 ?? "none"): \($1)".utf8) }
        for (similar, start) in [("/a", "404 Not Found, /a: There is nothing at /."), (nil, "404 Not Found, none: ")] {
            let content = ErrorRenderer(page: page) { _ in similar }.notFound(head).content
            #expect(String(decoding: content, as: UTF8.self).hasPrefix(start))
        }
        let response = ErrorRenderer(page: page).notFound(head)
        #expect(response.fields[.contentType] == "text/html; charset=utf-8")
    }

    @Test("A page without styles escapes the five special characters")
    func escaped() {
        let status = HTTPResponse.Status(code: 404, reasonPhrase: "<1>")
        let page = String(decoding: ErrorRenderer.plainPage(status, "&\"'\"\u{301}<b>é", nil), as: UTF8.self)
        #expect(page.contains("<title>404 &lt;1&gt;</title>") && page.contains("<h1>404 &lt;1&gt;</h1>"))
        // A quote with a combining mark is one `Character`.
        #expect(page.contains("<p>&amp;&quot;&#39;&quot;\u{301}&lt;b&gt;é</p>"))
    }

    @Test("A rejection has its status and its sentence", arguments: Rejection.allCases)
    func rejection(_ rejection: Rejection) {
        let response = ErrorRenderer().response(rejection, for: nil)
        #expect(response.status.code == rejection.status)
        #expect(String(decoding: response.content, as: UTF8.self) == "\(rejection.sentence)\n")
        #expect(response.fields[.contentType] == "text/plain; charset=utf-8")
    }
}
