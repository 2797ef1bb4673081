import MotivatorHTTP
import MotivatorServer

/// An API call. Its route, OpenAPI description and documentation are generated from these properties.
struct Operation: Sendable {
    struct Member: Sendable {
        let name: String
        let meaning: String
        let example: String
        var minimum: Int?
        var maximum: Int?
        /// The regular expression of the valid values (ECMA-262), for the description only.
        var pattern: String?
        /// The JSON type. For types other than "string", the example is JSON.
        var type = "string"
        var isOptional = false
    }

    let id: String
    var method = Method.post
    let path: String
    let summary: String
    let description: String
    var needsToken = false
    /// The query parameters, all optional.
    var query: [Member] = []
    /// The members of the request's JSON object; nil for a request without content.
    var request: [Member]?
    var status = 200
    var response: [Member] = []
    /// The errors of this call, without those that the server itself reports for every path.
    let errors: [Explanation]
    /// Whether error responses omit the code, as the tutorial's app expects.
    var isTutorial = false
    /// The maximum size of the content. A password is at most 1,024 bytes long, or 3,072 when percent-encoded.
    var contentLimit = 16 << 10
    let respond: @Sendable (Request) async -> Response

    /// The subject of the call, for the documentation.
    var tag: String {
        if isTutorial { return "Tutorial" }
        if path.hasPrefix("/api/check") { return "Checks" }
        return path.contains("/passkey") ? "Passkeys" : "Accounts"
    }

    /// The error statuses of the call, including 503 for a busy server, and 413 if its request has content.
    var failures: [Int] { Set(errors.map(\.status) + (request == nil ? [503] : [413, 503])).sorted() }

    func codes(of status: Int) -> [String] {
        let own = errors.filter { $0.status == status }.map(\.code)
        // The server refuses large content before it calls the handler, and requests when it is overloaded.
        return Set(own + ([413, 503].contains(status) ? [ErrorRenderer.code(of: status)] : [])).sorted()
    }

    static let meanings: [Int: String] = [
        400: "The content is not a JSON object with the required members, or the query is malformed.",
        401: "The name, the password or the passkey is wrong, or the token is missing or expired.",
        403: "Another site made the request in a browser, the session is not confirmed, or the server does not fetch "
            + "from other sites.",
        404: "The host has no passkeys, or the account does not have the passkey.",
        409: "The user name is taken, the passkey is known, or the account has 20 passkeys.",
        413: "The content is too large.",
        415: "The Content-Type is not application/json.",
        422: "A value, such as a user name, a new password or a site, is not allowed.",
        429: "Too many requests or failures from this address or with this account.",
        503: "Too many requests of this kind are in progress, or accounts are unavailable.",
    ]
}
