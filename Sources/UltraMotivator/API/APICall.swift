import Accounts
import HTTPTypes
import MotivatorHTTP
import MotivatorPlatform
import MotivatorServer
import SourceJSON

struct APICall: Sendable {
    let request: Request
    /// Whether Content-Type is ignored, as the tutorial's app requires.
    var takesEveryType = false

    func object() throws(Explanation) -> JSONObject {
        guard takesEveryType || request.hasContent(of: "application/json") else { throw .notJSON }
        return try Self.object(request.content, "content", fix: "Send an object with string values.")
    }

    /// Parses a JSON object without repeated members.
    /// - Parameter subject: the name of the text in messages.
    static func object(_ text: [UInt8], _ subject: String, fix: String) throws(Explanation) -> JSONObject {
        let document: JSONDocument
        do throws(JSONError) { document = try JSONDocument(text) } catch {
            // Report only the location, because the text may contain a password.
            throw .malformed("The \(subject) is invalid JSON at \(error.location). \(fix)")
        }
        if let twice = document.duplicateKeys.first {
            throw .malformed("A member is repeated at \(twice.second). Send each member once.")
        }
        guard let object = document.root.object else { throw .malformed("The \(subject) is not a JSON object. \(fix)") }
        return object
    }

    /// Returns the values of required members. Other members are ignored.
    /// - Throws: `Explanation` unless the content is a JSON object with a string for each name.
    func members(_ names: [FieldName]) throws(Explanation) -> [String] {
        let object = try object()
        var values: [String] = []
        for name in names {
            guard let value = object[name.rawValue]?.string else { throw .missing(name.rawValue) }
            values.append(value)
        }
        return values
    }

    /// Returns the bearer token in the request (RFC 6750 §2.1).
    /// - Throws: `notSignedIn` if the request has no token.
    func token() throws(Explanation) -> SessionToken {
        let words = (request.head.text(.authorization) ?? "").split(separator: " ")
        guard words.count == 2, words[0].lowercased() == "bearer", let token = SessionToken(String(words[1])) else {
            throw .notSignedIn
        }
        return token
    }

    func session(_ accounts: Accounts) async throws(Explanation) -> Session {
        let token = try token()
        guard let session = try await Explanation.of(await accounts.session(token)) else { throw .notSignedIn }
        return session
    }
}

extension Response {
    /// Creates a response whose content is a JSON object with string values.
    static func object(_ members: KeyValuePairs<String, String>, _ status: HTTPResponse.Status) -> Response {
        let text = members.map { "\(JSONText.quote($0.key)): \(JSONText.quote($0.value))" }.joined(separator: ", ")
        return json(Array("{\(text)}\n".utf8), status)
    }

    static func failure(_ error: Explanation) -> Response {
        object(["error": error.sentence, "code": error.code], .registered(error.status))
    }

    /// Creates a response with JSON that is never stored.
    static func json(_ content: [UInt8], _ status: HTTPResponse.Status = .ok) -> Response {
        Response(status, fields: [.contentType: "application/json", .cacheControl: "no-store"], content: content)
    }
}
