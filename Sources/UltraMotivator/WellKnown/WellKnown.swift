import HTTPTypes
import MotivatorHTTP
import MotivatorPlatform
import MotivatorServer
import Passkeys

struct PasskeyFiles: Sendable {
    let ceremonies: PasskeyCeremonies
    let errors: ErrorRenderer

    /// Responds with the pages to add and manage passkeys (W3C, passkey endpoints, section 3). Only the host of the RP
    /// ID has this file.
    func endpoints(_ request: Request) -> Response {
        let host = PasskeyCeremonies.host(of: request)
        guard ceremonies.settings.relyingParty(host: host, port: ceremonies.port, secret: [])?.id == host else {
            return errors.response(
                404, "This host is not an RP ID of passkeys. Use a name of the option --domain.", for: request.head)
        }
        let page = JSONNode.text(origin(host) + "/account/passkeys")
        return json(["enroll": page, "manage": page])
    }

    /// Responds with the other origins that may use passkeys of this RP ID (WebAuthn Level 3 §5.11).
    func relatedOrigins(_ request: Request) -> Response {
        let host = PasskeyCeremonies.host(of: request)
        guard ceremonies.settings.sharedDomain == host else {
            let sentence = "No other origin may use passkeys of this host. The option --passkey-domain adds this file."
            return errors.response(404, sentence, for: request.head)
        }
        let others = ceremonies.settings.domains.filter { $0 != host }
        return json(["origins": .list(others.map { .text(origin($0)) })])
    }

    private func origin(_ host: String) -> String {
        "https://\(host)" + (ceremonies.port == 443 ? "" : ":\(ceremonies.port)")
    }

    private func json(_ content: JSONNode) -> Response {
        Response(.ok, fields: [.contentType: "application/json", .cacheControl: "no-cache"], content: content.bytes())
    }
}

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
