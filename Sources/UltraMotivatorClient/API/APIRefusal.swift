import Platform

/// A status that is no success, with what the API says about it.
public struct APIRefusal: Hashable, Sendable {
    /// The status, 300 or more: redirects are not followed.
    public let status: Int
    /// The stable word of the API, lower-case letters and underscores; nil when what answered is not the API.
    public let code: String?
    /// What went wrong and what to do, in the words of the server; nil without any, and when they would repeat a
    /// password or a token.
    public let sentence: String?
    /// Seconds to wait, where the server says so; at most a day.
    public let retryAfter: Int?

    /// - Parameters: as of the properties.
    public init(status: Int, code: String? = nil, sentence: String? = nil, retryAfter: Int? = nil) {
        self.status = status
        self.code = code
        self.sentence = sentence
        self.retryAfter = retryAfter
    }

    /// What the code means, when it is known.
    public var reason: Reason? { code.flatMap(Reason.init(rawValue:)) }

    /// Whether the same call may succeed later.
    public var isTemporary: Bool { status == 429 || status == 502 || status == 503 || status == 504 }

    /// A sentence without the full stop.
    var problem: String {
        let word = code.map { " (\($0))" } ?? ""
        guard let sentence else { return "the server answered with the status \(status)\(word)" }
        return "the server answered with the status \(status)\(word): \(sentence.quoted)"
    }

    /// A sentence without the full stop.
    var remedy: String {
        if let retryAfter { return "Wait \(retryAfter == 1 ? "1 second" : "\(retryAfter) seconds") and try again" }
        if code == nil { return "Check that the host and the port are those of Ultra Motivator" }
        return isTemporary ? "Try again later" : "Do what the server says"
    }
}
