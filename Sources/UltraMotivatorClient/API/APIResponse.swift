import HTTPSClient
package import SourceJSON

struct APIResponse: Sendable {
    /// The maximum size of a response in bytes. Quotes and error messages are much smaller.
    static let maximumContent = 64 << 10
    /// The maximum length of a displayed error message in bytes.
    private static let longestSentence = 1_000
    /// The maximum accepted wait in seconds: one day.
    private static let longestWait = 86_400

    private let object: JSONObject
    let content: [UInt8]

    init(_ response: FetchedResponse, to request: APIRequest) throws(APIFailure) {
        guard response.status == request.success else {
            guard response.status >= 300 else { throw .malformed(.unexpectedStatus(response.status)) }
            throw .refused(Self.refusal(response, secrets: request.secrets))
        }
        content = response.content
        do throws(MalformedResponse) { object = try Self.object(content) } catch { throw .malformed(error) }
    }

    func text(_ name: String) throws(APIFailure) -> String {
        guard let text = object[name]?.string else { throw .malformed(.missingMember(name)) }
        return text
    }

    func session(of account: String) throws(APIFailure) -> APISession {
        let (name, token) = (try text("username"), try text("token"))
        guard name.isShortLine else { throw .malformed(.unusableMember("username")) }
        guard token.isBearerToken else { throw .malformed(.unusableMember("token")) }
        return APISession(account: account, name: name, token: token)
    }

    private static func object(_ content: [UInt8]) throws(MalformedResponse) -> JSONObject {
        let document: JSONDocument
        do throws(JSONError) { document = try JSONDocument(content) } catch {
            // Report only the location, because the response may contain a password.
            throw .notJSON(error.location)
        }
        if let twice = document.duplicateKeys.first { throw .duplicateMember(twice.second) }
        guard let object = document.root.object else { throw .notAnObject }
        return object
    }

    private static func refusal(_ response: FetchedResponse, secrets: [String]) -> APIRefusal {
        let object = try? object(response.content)
        let code = object?["code"]?.string.flatMap { word in
            // A known code is safe to show, even if it equals the password.
            APIRefusal.codes.contains(word) || word.isCode && !word.holds(oneOf: secrets) ? word : nil
        }
        let sentence = object?["error"]?.string.flatMap { text in
            // Check the length first, because the search time is proportional to the product of both lengths.
            text.utf8.count <= longestSentence && !text.holds(oneOf: secrets) ? text : nil
        }
        let wait = response.first("retry-after").flatMap { text in
            text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(text) : nil
        }
        return APIRefusal(
            status: response.status, code: code, sentence: sentence, retryAfter: wait.map { min($0, longestWait) })
    }
}

package enum MalformedResponse: Error, Hashable, Sendable {
    /// The status indicates success, but differs from the success status of the call.
    case unexpectedStatus(Int)
    case notJSON(SourceLocation)
    case notAnObject
    case duplicateMember(SourceLocation)
    /// A member is missing or not a string.
    case missingMember(String)
    /// A member has an invalid value, such as a malformed token.
    case unusableMember(String)
    /// The malformed part contains a secret from the request, so messages omit it.
    case repeatsSecret

    var problem: String {
        switch self {
        case .unexpectedStatus(let status): "the server sent status \(status), which this call does not use"
        case .notJSON(let location): "the server's response is invalid JSON at \(location)"
        case .notAnObject: "the server's response is not a JSON object"
        case .duplicateMember(let location): "the server's response repeats a member at \(location)"
        case .missingMember(let name): "the server's response has no string member \"\(name)\""
        case .unusableMember(let name): "the server's response has an invalid value for \"\(name)\""
        case .repeatsSecret: "the server's response is malformed and repeats a secret from the request"
        }
    }
}
