import Accounts
import HTTPTypes
import MotivatorHTTP
import MotivatorPlatform
import MotivatorServer
import SourceJSON

/// A request to the API.
struct APICall: Sendable {
    let request: Request
    /// Whether Content-Type is ignored, as the tutorial's app requires.
    var takesEveryType = false

    /// Returns the values of required members. Other members are ignored.
    ///
    /// - Throws: `APIError` unless the content is a JSON object with a string for each name.
    func members(_ names: FieldName...) throws(APIError) -> [String] {
        guard takesEveryType || request.hasContent(of: "application/json") else { throw .notJSON }
        let document: JSONDocument
        do throws(JSONError) { document = try JSONDocument(request.content) } catch {
            // Report only the location, because the text may contain a password.
            throw .malformed("The content is invalid JSON at \(error.location). Send an object with string values.")
        }
        if let twice = document.duplicateKeys.first {
            throw .malformed("A member is repeated at \(twice.second). Send each member once.")
        }
        guard let object = document.root.object else {
            throw .malformed("The content is not a JSON object. Send an object with string values.")
        }
        var values: [String] = []
        for name in names {
            guard let value = object[name.rawValue]?.string else { throw .missing(name) }
            values.append(value)
        }
        return values
    }

    /// Returns the bearer token in the request (RFC 6750 §2.1).
    ///
    /// - Throws: `AccountError.notSignedIn` if the request has no token.
    func token() throws(APIError) -> SessionToken {
        let words = (request.head.text(.authorization) ?? "").split(separator: " ")
        guard words.count == 2, words[0].lowercased() == "bearer", let token = SessionToken(String(words[1])) else {
            throw .account(.notSignedIn)
        }
        return token
    }
}

/// The reason why a call failed.
enum APIError: Error {
    case account(AccountError)
    case crossSite
    case notJSON
    case malformed(String)
    case missing(FieldName)

    var explanation: Explanation {
        switch self {
        case .account(let error): error.explanation
        case .crossSite:
            Explanation(status: 403, code: "cross_site", sentence: SameOrigin.refusal, subject: .none)
        case .notJSON:
            Explanation(
                status: 415, code: "unsupported_media_type",
                sentence: "The Content-Type is not JSON. Send the content with Content-Type: application/json.",
                subject: .none)
        case .malformed(let sentence):
            Explanation(status: 400, code: "malformed_json", sentence: sentence, subject: .none)
        case .missing(let name):
            Explanation(
                status: 400, code: "missing_member",
                sentence: "The member \"\(name.rawValue)\" is missing or not a string. Send it as a string.",
                subject: .none)
        }
    }

    /// Performs an operation and wraps its error.
    static func wrapping<Value>(_ body: () async throws(AccountError) -> Value) async throws(APIError) -> Value {
        do throws(AccountError) { return try await body() } catch { throw .account(error) }
    }
}

extension Response {
    /// Creates a response whose content is a JSON object with string values.
    static func object(_ members: KeyValuePairs<String, String>, _ status: HTTPResponse.Status) -> Response {
        let text = members.map { "\(JSONText.quote($0.key)): \(JSONText.quote($0.value))" }.joined(separator: ", ")
        var response = Response(status, type: "application/json", text: "{\(text)}\n")
        response.fields[.cacheControl] = "no-store"
        return response
    }
}
