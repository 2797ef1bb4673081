import Accounts
import HTTPTypes
import MotivatorHTTP
import MotivatorPlatform
import MotivatorServer
import SourceJSON

/// Sends an API call with the fields of a form on `/docs`, and shows the response. A form cannot send JSON or a token.
struct APITrial: Sendable {
    struct Result: Sendable {
        let operation: Operation
        /// The method and the path.
        let line: String
        /// The request without secrets.
        let request: String
        let status: Int
        /// The first digit of the status, which selects its color.
        let statusClass: Int
        let content: String
        /// The token in the response.
        let token: String?
    }

    let operation: Operation
    let pages: Pages

    func respond(_ request: Request) async -> Response {
        if let refusal = pages.refuse(request) { return refusal }
        let form: FormContent
        do throws(FormContent.Failure) { form = try FormContent(request.content) } catch {
            return pages.error(400, "\(error.sentence) Go back and send the form again.", request)
        }
        // Text that is not a token could end the field.
        let token = operation.needsToken ? SessionToken(form["token"] ?? "")?.text : nil
        let line = "\(operation.method.name) \(operation.path)"
        let fields =
            (operation.request.map { _ in ["Content-Type: application/json"] } ?? [])
            + (token.map { ["Authorization: Bearer \($0)"] } ?? [])
        guard let head = Self.head(["\(line) HTTP/1.1", "Host: \(request.head.hostText ?? "")"] + fields) else {
            return pages.error(400, "The request has no valid host. Open /docs again.", request)
        }
        func object(_ value: (String) -> String) -> [UInt8] {
            guard let members = operation.request?.filter({ !$0.isOptional || form[$0.name]?.isEmpty == false }) else {
                return []
            }
            return JSONNode.members(members.map { (key: $0.name, value: .text(value($0.name))) }).bytes()
        }
        let call = Request(head: head, content: object { form[$0] ?? "" }, peer: request.peer)
        let response = await operation.respond(call)
        let root = try? JSONDocument(response.content).root
        let sent = object { $0.contains("password") ? "(hidden)" : form[$0] ?? "" }
        let shown = fields.map { $0.hasPrefix("Authorization") ? "Authorization: Bearer (hidden)" : $0 }
        let lines = ([line] + shown + ["", String(decoding: sent, as: UTF8.self)]).joined(separator: "\n")
        let result = Result(
            operation: operation, line: line, request: lines,
            status: response.status.code, statusClass: response.status.code / 100,
            content: String(decoding: root.map { JSONNode($0).bytes() } ?? response.content, as: UTF8.self),
            token: root?.object?["token"]?.string)
        var page = Pages.response(pages.render(result, "sent", at: "/docs/"), response.status)
        page.fields[.retryAfter] = response.fields[.retryAfter]
        if page.status == .unauthorized { page.fields[.wwwAuthenticate] = Web.challenge }
        return page
    }

    private static func head(_ lines: [String]) -> RequestHead? {
        var parser = RequestParser()
        Array("\(lines.joined(separator: "\r\n"))\r\n\r\n".utf8).withFieldBytes { parser.append($0) }
        return parser.next() == .head ? parser.head : nil
    }
}

extension Operation {
    /// Whether a form on `/docs` can send the call. The values of a form are strings.
    var canBeTried: Bool { (request ?? []).allSatisfy { $0.type == "string" } }
}

extension JSONNode {
    /// Creates the same value without its locations.
    init(_ value: JSONValue) {
        self =
            switch value.content {
            case .object(let object): .members(object.members.map { (key: $0.key, value: JSONNode($0.value)) })
            case .array(let elements): .list(elements.map { JSONNode($0) })
            case .string(let text): .text(text)
            case .number(let digits): Int(digits).map { .number($0) } ?? .text(digits)
            case .boolean(let value): .truth(value)
            case .null: .null
            }
    }
}
