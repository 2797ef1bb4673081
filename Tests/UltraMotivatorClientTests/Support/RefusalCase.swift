import HTTPTypes
import MotivatorHTTP
import MotivatorServer
import UltraMotivatorClient

/// The refusals that the API returns.
enum RefusalCase {
    static let nameTaken = of(409, "name_taken")
    static let nameEmpty = of(422, "name_empty")
    static let nameTooLong = of(422, "name_too_long")
    static let nameControlCharacter = of(422, "name_control_character")
    static let passwordTooShort = of(422, "password_too_short")
    static let passwordTooLong = of(422, "password_too_long")
    static let passwordCommon = of(422, "password_common")
    static let passwordIsName = of(422, "password_is_name")
    static let throttled = of(429, "throttled", retryAfter: 4)
    static let busy = of(503, "busy", retryAfter: 1)
    static let unavailable = of(503, "unavailable", retryAfter: 60)
    static let wrongNameOrPassword = of(401, "wrong_name_or_password")
    static let notSignedIn = of(401, "not_signed_in")
    static let crossSite = of(403, "cross_site")
    /// A response that is not from the API.
    static let notFound = APIRefusal(status: 404)

    private static func of(_ status: Int, _ code: String, retryAfter: Int? = nil) -> APIRefusal {
        APIRefusal(status: status, code: code, sentence: "Not so.", retryAfter: retryAfter)
    }
}

extension APIRefusal {
    /// Returns the response with this refusal.
    var response: Response {
        let status = HTTPResponse.Status(code: self.status)
        var response =
            code.map { Response.failure(status, $0, sentence ?? "") }
            ?? Response(status, type: "text/html", text: "<!doctype html><title>No</title>")
        if let retryAfter { response.fields[.retryAfter] = String(retryAfter) }
        return response
    }
}
