package import Certificates
package import HTTPSClient
package import MotivatorPlatform

/// The reason why an API call failed. The messages never contain a password or token from the request.
package enum APIFailure: ExplainedError, Equatable {
    /// There are no trusted roots. Nothing was sent.
    case noTrustAnchors(CMSIssue)
    /// The response is missing or incomplete. The server may have performed the call.
    case network(FetchFailure)
    /// The server's certificates are not valid for this host. Nothing was sent.
    case untrusted(host: String, issues: [ChainIssue])
    case refused(APIRefusal)
    /// The response does not match the documentation of the call.
    case malformed(MalformedResponse)

    private var explanation: (problem: String, fix: String, exitCode: ExitCode) {
        switch self {
        case .noTrustAnchors(let error): (error.problem, error.fix, error.exitCode)
        case .network(let failure): (failure.problem, failure.fix, failure.exitCode)
        case .untrusted(let host, let issues):
            (
                "the certificate of \(host.quoted) is not accepted: "
                    + (issues.first?.problem ?? "the certificate chain is not trusted"),
                issues.first?.fix ?? "Trust the root of the server's certificate chain", .no
            )
        case .refused(let refusal): (refusal.problem, refusal.fix, refusal.isTemporary ? .temporary : .no)
        case .malformed(let response):
            (
                response.problem,
                "Check that the host and port belong to Ultra Motivator, and that its version is current", .badInput
            )
        }
    }

    package var problem: String { explanation.problem }
    package var fix: String { explanation.fix }
    package var exitCode: ExitCode { explanation.exitCode }

    package var refusal: APIRefusal? { if case .refused(let refusal) = self { refusal } else { nil } }
}

package struct APIRefusal: Hashable, Sendable {
    /// The status, 300 or higher. Redirects are included, because the client does not follow them.
    package let status: Int
    /// The stable code of the API, in lowercase letters and underscores; nil if the response is not from the API.
    package let code: String?
    /// The server's message with the problem and the fix. Nil if the message is missing, too long, or contains a secret
    /// from the request.
    package let sentence: String?
    /// The number of seconds to wait, as the server requests; at most one day.
    package let retryAfter: Int?

    package init(status: Int, code: String? = nil, sentence: String? = nil, retryAfter: Int? = nil) {
        (self.status, self.code, self.sentence, self.retryAfter) = (status, code, sentence, retryAfter)
    }

    package var isTemporary: Bool { status == 429 || status == 502 || status == 503 || status == 504 }

    var problem: String {
        let word = code.map { " (\($0))" } ?? ""
        guard let sentence else { return "the server responded with status \(status)\(word)" }
        let clause = sentence.hasSuffix(".") ? String(sentence.dropLast()) : sentence
        return "the server responded with status \(status)\(word): \(clause.quoted)"
    }

    var fix: String {
        if let retryAfter { return "Wait \(retryAfter == 1 ? "1 second" : "\(retryAfter) seconds") and try again" }
        if code == nil { return "Check that the host and port belong to Ultra Motivator" }
        return isTemporary ? "Try again later" : "Change the request as described in the server's message"
    }

    package static let wrongNameOrPassword = "wrong_name_or_password"
    package static let notSignedIn = "not_signed_in"

    /// The codes of the API for accounts.
    package static let codes: Set = [
        wrongNameOrPassword, notSignedIn, "name_taken", "name_empty", "name_too_long", "name_control_character",
        "name_extra_space", "name_invisible_character", "name_variant_character", "name_mixed_scripts",
        "name_looks_latin", "password_too_short", "password_too_long", "password_common", "password_is_name",
        "password_is_site_name", "throttled", "busy", "unavailable", "cross_site", "unsupported_media_type",
        "malformed_json", "missing_member",
    ]
}
