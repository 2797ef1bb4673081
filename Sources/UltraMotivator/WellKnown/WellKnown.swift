import HTTPTypes
import MotivatorHTTP
import MotivatorPlatform
import MotivatorServer

/// The contact for security reports (RFC 9116).
struct SecurityContact: Handler {
    /// The days until the file expires. The RFC recommends less than a year.
    private static let validity: Int64 = 180

    /// The contact as a URI, such as `mailto:security@example.test`.
    let contact: String
    let clock: Clock

    func respond(to request: Request) async -> Response {
        // Round down to whole days to change the file only once a day.
        let expiry = (clock.now() / 86_400 + Self.validity) * 86_400
        var response = Response(
            .ok, type: "text/plain; charset=utf-8",
            text: "Contact: \(contact)\nExpires: \(Timestamp.text(expiry))\nPreferred-Languages: en\n")
        response.fields[.cacheControl] = "max-age=86400"
        return response
    }
}
