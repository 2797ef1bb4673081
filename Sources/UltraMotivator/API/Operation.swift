import HTTP
import Server

/// A call of the API as it is described: routes, the OpenAPI document and the page about the API are made from these.
struct Operation: Sendable {
    /// A member of a request or an answer.
    struct Member: Sendable {
        let name: String
        let meaning: String
        let example: String
        var minimum = 0
        var maximum: Int?
    }

    let id: String
    let method: Method
    let path: String
    let summary: String
    let description: String
    var needsToken = false
    /// The members of the request's JSON object; nil for a request without content.
    var request: [Member]?
    let status: Int
    let answer: [Member]
    /// The statuses of failures that are this call's own; that of too much content is added.
    let failures: [Int]
    /// Whether the answer of a failure has no code, as the tutorial's app expects it.
    var isTutorial = false
    let respond: @Sendable (Request) async -> Response

    /// What a status means for a caller.
    static let meanings: [Int: String] = [
        400: "The content is no JSON object with the members that the call needs.",
        401: "The name or the password is wrong, or the token is missing or over.",
        403: "A browser says that another site made the request.",
        409: "Somebody has the user name already.",
        413: "The content is too large.",
        415: "The content is not said to be JSON.",
        422: "The user name or the new password cannot be used.",
        429: "Too many failures with this account or from this address.",
        503: "Too many people are signing in, or the accounts cannot be read or written.",
    ]
}
