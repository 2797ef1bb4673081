import Accounts
import HTTPTypes
import MotivatorHTTP
import MotivatorPlatform
import MotivatorServer
import Passkeys
import SourceJSON

/// A request to the API.
struct APICall: Sendable {
    let request: Request
    /// Whether Content-Type is ignored, as the tutorial's app requires.
    var takesEveryType = false

    /// Returns the content as a JSON object without repeated members.
    func object() throws(APIError) -> JSONObject {
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
        return object
    }

    /// Returns the values of required members. Other members are ignored.
    /// - Throws: `APIError` unless the content is a JSON object with a string for each name.
    func members(_ names: FieldName...) throws(APIError) -> [String] {
        try members(of: names.map(\.rawValue))
    }

    func members(_ names: String...) throws(APIError) -> [String] { try members(of: names) }

    private func members(of names: [String]) throws(APIError) -> [String] {
        let object = try object()
        var values: [String] = []
        for name in names {
            guard let value = object[name]?.string else { throw .missing(name) }
            values.append(value)
        }
        return values
    }

    /// Returns the bearer token in the request (RFC 6750 §2.1).
    /// - Throws: `AccountError.notSignedIn` if the request has no token.
    func token() throws(APIError) -> SessionToken {
        let words = (request.head.text(.authorization) ?? "").split(separator: " ")
        guard words.count == 2, words[0].lowercased() == "bearer", let token = SessionToken(String(words[1])) else {
            throw .account(.notSignedIn)
        }
        return token
    }
}

/// The calls that both APIs share.
extension APICall {
    /// A new session, with the password in the request.
    typealias Entered = (new: SignedIn, password: String)

    func signUp(_ accounts: Accounts) async throws(APIError) -> Entered {
        let values = try members(.username, .password)
        return try await entered(values[1]) { () throws(AccountError) in
            try await accounts.signUp(name: values[0], password: values[1], from: request.client)
        }
    }

    func signIn(_ accounts: Accounts) async throws(APIError) -> Entered {
        let values = try members(.username, .password)
        return try await entered(values[1]) { () throws(AccountError) in
            try await accounts.signIn(name: values[0], password: values[1], from: request.client)
        }
    }

    func update(_ accounts: Accounts) async throws(APIError) -> Entered {
        let values = try members(.username, .currentPassword, .newPassword)
        return try await entered(values[2]) { () throws(AccountError) in
            try await accounts.update(name: values[0], current: values[1], new: values[2], from: request.client)
        }
    }

    private func entered(
        _ password: String, _ enter: () async throws(AccountError) -> SignedIn
    ) async throws(APIError) -> Entered {
        (try await APIError.wrapping(enter), password)
    }
}

/// The reason why a call failed.
enum APIError: Error {
    case account(AccountError)
    case crossSite
    case notJSON
    case malformed(String)
    /// A required member is missing or has another kind.
    case missing(String, _ kind: String = "a string")
    /// The host has no passkeys.
    case passkeysNotAvailable(String)
    case mediationUnknown
    case ceremony(CeremonyError, Accounts.Ceremony)

    var explanation: Explanation {
        switch self {
        case .account(let error): error.explanation
        case .crossSite: Explanation(403, "cross_site", SameOrigin.refusal)
        case .notJSON:
            Explanation(
                415, "unsupported_media_type",
                "The Content-Type is not JSON. Send the content with Content-Type: application/json.")
        case .malformed(let sentence): Explanation(400, "malformed_json", sentence)
        case .missing(let name, let kind):
            Explanation(
                400, "missing_member",
                "The member \"\(name)\" is missing or not \(kind). Send it as \(kind).")
        case .passkeysNotAvailable(let host):
            Explanation(
                404, "passkeys_not_available",
                "The host \(host.excerpt) has no passkeys. Use localhost or a host of --domain.")
        case .mediationUnknown:
            Explanation(
                422, "mediation_unknown", "The mediation is unknown. Send \"conditional\", or omit the member.")
        case .ceremony(let error, let ceremony):
            switch error.status {
            case .malformed: Explanation(400, error.code, error.sentence)
            case .conflict: Explanation(409, error.code, error.sentence)
            case .refused: Explanation(ceremony == .addition ? 422 : 401, error.code, error.sentence)
            }
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
        return json("{\(text)}\n", status)
    }

    /// Creates a response with JSON that is never stored.
    static func json(_ text: String, _ status: HTTPResponse.Status) -> Response {
        var response = Response(status, type: "application/json", text: text)
        response.fields[.cacheControl] = "no-store"
        return response
    }
}
