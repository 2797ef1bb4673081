public import HTTP
import HTTPTypes
import Platform

/// Answers to requests that fail: HTML for a browser, JSON for the API, text otherwise; always a sentence that says what
/// to do.
public enum ErrorAnswer {
    /// Makes an answer.
    ///
    /// - Parameters:
    ///   - code: the status, 400 to 599.
    ///   - sentence: what went wrong and what to do.
    ///   - head: the request, whose path and Accept field choose the form; nil gives text.
    public static func make(_ code: Int, _ sentence: String, for head: RequestHead?) -> Response {
        var response = uncached(code, sentence, for: head)
        // An error must not outlive its cause.
        if code >= 400 { response.fields[.cacheControl] = "no-store" }
        return response
    }

    private static func uncached(_ code: Int, _ sentence: String, for head: RequestHead?) -> Response {
        let status = HTTPResponse.Status.registered(code)
        switch head.map(form) ?? .text {
        case .html: return Response(status, type: "text/html; charset=utf-8", text: page(status, sentence))
        case .json:
            var members = "\"error\": \(JSONText.quote(sentence))"
            // As an API's own failures: a word that stays. The tutorial's app expects none.
            if head?.pathText.hasPrefix("/api/") == true {
                let word = status.reasonPhrase.lowercased().replacing(" ", with: "_")
                members += ", \"code\": \(JSONText.quote(word.filter { $0.isLetter || $0 == "_" }))"
            }
            return Response(status, type: "application/json", text: "{\(members)}\n")
        case .text: return Response(status, type: "text/plain; charset=utf-8", text: "\(sentence)\n")
        }
    }

    /// The answer to bytes that are no acceptable request.
    ///
    /// - Parameter head: the head, when it is the content that was refused; else the answer is text, whatever the bytes
    ///   said they wanted.
    static func make(_ rejection: Rejection, for head: RequestHead?) -> Response {
        make(rejection.status, "\(rejection.sentence)", for: head)
    }

    static func form(_ head: RequestHead) -> ErrorFormat {
        let path = head.pathText
        let isAPI = path.hasPrefix("/api/") || path.hasPrefix("/ultra_motivator/api/")
        return head.withFields { ErrorFormat(AcceptedMediaTypes($0.lines(of: .accept)), isAPI: isAPI) }
    }

    private static func page(_ status: HTTPResponse.Status, _ sentence: String) -> String {
        let title = "\(status.code) \(status.reasonPhrase)"
        return """
            <!doctype html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <title>\(HTMLText.escape(title))</title>
            <link rel="icon" href="/favicon.svg" type="image/svg+xml">
            <link rel="stylesheet" href="/style.css">
            </head>
            <body>
            <main>
            <h1>\(HTMLText.escape(title))</h1>
            <p>\(HTMLText.escape(sentence))</p>
            <p><a href="/">Home</a></p>
            </main>
            </body>
            </html>

            """
    }
}
