import Accounts
import HTTP
import HTTPTypes
import Platform
import Server

extension Request {
    /// Where the request comes from, for counting failures.
    var client: ClientAddress { ClientAddress(peer.address.bytes) }

    /// Whether the content is said to be of a type, in UTF-8 if anything is said of that.
    func hasContent(of type: String) -> Bool {
        let parts = (head.text(.contentType) ?? "").lowercased().split(separator: ";", omittingEmptySubsequences: false)
            .map { $0.withoutSpaces }
        guard parts.first == type[...] else { return false }
        return parts.dropFirst().allSatisfy { part in
            !part.hasPrefix("charset=") || ["charset=utf-8", "charset=\"utf-8\""].contains(part)
        }
    }
}

extension Substring {
    /// Without spaces and tabs at both ends (OWS, RFC 9110 §5.6.3).
    var withoutSpaces: Substring {
        var text = self
        while let first = text.first, first == " " || first == "\t" { text.removeFirst() }
        while let last = text.last, last == " " || last == "\t" { text.removeLast() }
        return text
    }
}

extension Explanation {
    /// Adds the fields that belong to the status: how long to wait, how to authenticate.
    func complete(_ response: inout Response, challenge: String) {
        if let retryAfter { response.fields[.retryAfter] = String(retryAfter) }
        if status == 401 { response.fields[.wwwAuthenticate] = challenge }
        response.fields[.cacheControl] = "no-store"
    }
}

/// A handler that is a function.
struct Answer: Handler {
    private let body: @Sendable (Request) async -> Response

    init(_ body: @escaping @Sendable (Request) async -> Response) {
        self.body = body
    }

    func respond(to request: Request) async -> Response { await body(request) }
}
