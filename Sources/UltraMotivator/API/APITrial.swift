import HTTPTypes
import MotivatorHTTP
import MotivatorPlatform
import MotivatorServer

/// Sends an API call with the fields of a form on `/docs`, and shows the response. A form cannot send JSON.
struct APITrial: Sendable {
    struct Result: Sendable {
        let operation: Operation
        let status: Int
        let content: String
    }

    let operation: Operation
    let pages: Pages

    func respond(_ request: Request) async -> Response {
        if let refusal = pages.refuse(request) { return refusal }
        let form: FormContent
        do throws(FormContent.Failure) { form = try FormContent(request.content) } catch {
            return pages.error(400, "\(error.sentence) Go back and send the form again.", request)
        }
        guard let head = Self.head(operation.path, host: request.head.hostText) else {
            return pages.error(400, "The request has no valid host. Open /docs again.", request)
        }
        let members = (operation.request ?? []).map { (key: $0.name, value: JSONNode.text(form[$0.name] ?? "")) }
        let call = Request(head: head, content: JSONNode.members(members).bytes(), peer: request.peer)
        let response = await operation.respond(call)
        let content = String(decoding: response.content, as: UTF8.self)
        let result = Result(operation: operation, status: response.status.code, content: content)
        var page = Pages.response(pages.render(result, "sent", at: "/docs/"), response.status)
        page.fields[.retryAfter] = response.fields[.retryAfter]
        return page
    }

    private static func head(_ path: String, host: String?) -> RequestHead? {
        var parser = RequestParser()
        let lines = "POST \(path) HTTP/1.1\r\nHost: \(host ?? "")\r\nContent-Type: application/json\r\n\r\n"
        Array(lines.utf8).withFieldBytes { parser.append($0) }
        return parser.next() == .head ? parser.head : nil
    }
}

extension Operation {
    /// Whether a form on `/docs` can send the call. A form has no token, and its values are strings.
    var canBeTried: Bool {
        !needsToken && (method == .get || method == .post) && (request ?? []).allSatisfy { $0.type == "string" }
    }
}
