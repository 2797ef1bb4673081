package import HTTPTypes
package import MotivatorHTTP
import MotivatorPlatform

/// A renderer of error responses: HTML for browsers, which name it in Accept, JSON for APIs, and text for other clients.
package struct ErrorRenderer: Sendable {
    /// The paths whose error responses are JSON, regardless of the Accept field: their start, such as `/api/`, and
    /// whether the JSON object also has the member `code`, such as `not_found`.
    package typealias API = (prefix: String, hasCode: Bool)

    /// A function that creates an error page from an unescaped sentence and the path that the visitor may have meant.
    package typealias Page = @Sendable (HTTPResponse.Status, _ sentence: String, _ similarPath: String?) -> [UInt8]

    private let apis: [API]
    private let similarPath: @Sendable (String) -> String?
    private let page: Page

    /// - Parameters:
    ///   - apis: the APIs of the site; the first API with a matching prefix applies.
    ///   - similarPath: Returns the path that a visitor may have meant, or nil.
    package init(
        apis: [API] = [], page: @escaping Page = Self.plainPage,
        similarPath: @escaping @Sendable (String) -> String? = { _ in nil }
    ) {
        (self.apis, self.similarPath, self.page) = (apis, similarPath, page)
    }

    /// Creates an error response or a redirect.
    /// - Parameters:
    ///   - code: the status, 300 to 599.
    ///   - head: the request, whose path and Accept field determine the format; nil to send text.
    ///   - similarPath: the path that the visitor may have meant.
    package func response(
        _ code: Int, _ sentence: String, similarPath: String? = nil, for head: RequestHead?
    ) -> Response {
        let status = HTTPResponse.Status.registered(code)
        let api = head.flatMap { head in apis.first { head.pathText.hasPrefix($0.prefix) } }
        var response =
            if let api {
                Response(status, type: "application/json", text: Self.object(status, sentence, api))
            } else if head?.withFields({ $0.lines(of: .accept).haveMediaType("text/html") }) == true {
                Response(
                    status, fields: [.contentType: "text/html; charset=utf-8"],
                    content: page(status, sentence, similarPath ?? head.flatMap { self.similarPath($0.pathText) }))
            } else {
                Response(status, type: "text/plain; charset=utf-8", text: "\(sentence)\n")
            }
        // A cache must not serve an error after its cause is fixed.
        if code >= 400 { response.fields[.cacheControl] = "no-store" }
        return response
    }

    /// Creates the response to a request that the parser or the connection rejected.
    /// - Parameters:
    ///   - contentLimit: the maximum size in bytes of content that is too large.
    ///   - head: the request if only its content was rejected; nil if the head is unusable.
    func response(_ rejection: Rejection, contentLimit: Int? = nil, for head: RequestHead?) -> Response {
        let text = contentLimit.map { "The content is larger than \($0.byteCount). Send less text or a smaller file." }
        return response(rejection.status, text ?? "\(rejection.sentence)", for: head)
    }

    func notFound(_ head: RequestHead) -> Response {
        let similar = similarPath(head.pathText)
        let fix = similar.map { "Did you mean \($0)?" } ?? "Check the path; it is case-sensitive."
        return response(404, "There is nothing at \(head.pathText). \(fix)", similarPath: similar, for: head)
    }

    private static func object(_ status: HTTPResponse.Status, _ sentence: String, _ api: API) -> String {
        let code = api.hasCode ? ", \"code\": \(JSONText.quote(code(of: status.code)))" : ""
        return "{\"error\": \(JSONText.quote(sentence))\(code)}\n"
    }

    /// Returns the member `code` of an error object, such as `not_found`.
    package static func code(of status: Int) -> String {
        let word = HTTPResponse.Status.registered(status).reasonPhrase.lowercased().replacing(" ", with: "_")
        return word.filter { $0.isLetter || $0 == "_" }
    }

    package static let plainPage: Page = { status, sentence, _ in
        let title = HTMLText.escape("\(status)")
        let page = """
            <!doctype html>
            <html lang="en">
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <title>\(title)</title>
            <main><h1>\(title)</h1><p>\(HTMLText.escape(sentence))</p></main>

            """
        return Array(page.utf8)
    }
}
