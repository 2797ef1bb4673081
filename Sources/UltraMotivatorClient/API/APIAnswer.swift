import HTTPSClient
import SourceJSON

/// The members of a successful answer.
struct APIAnswer: Sendable {
    /// The most bytes of an answer: a quote with its author, or a sentence, many times over.
    static let maximumContent = 64 << 10
    /// The longest sentence that is shown, in bytes; nobody reads more in an error.
    private static let longestSentence = 1_000
    /// The longest wait that is believed, in seconds: a day.
    private static let longestWait = 86_400

    private let object: JSONObject

    /// Reads an answer.
    ///
    /// - Parameters:
    ///   - response: the whole answer.
    ///   - request: what it answers.
    /// - Throws: `APIFailure.refused` or `.malformed`.
    init(_ response: FetchedResponse, to request: APIRequest) throws(APIFailure) {
        guard response.status == request.success else {
            guard response.status >= 300 else { throw .malformed(.unexpectedStatus(response.status)) }
            throw .refused(Self.refusal(response, secrets: request.secrets))
        }
        do throws(MalformedAnswer) { object = try Self.object(response.content) } catch {
            throw .malformed(error)
        }
    }

    /// The text of a member.
    ///
    /// - Throws: `APIFailure.malformed` when it is missing or no string.
    func text(_ name: String) throws(APIFailure) -> String {
        guard let text = object[name]?.string else { throw .malformed(.missingMember(name)) }
        return text
    }

    /// The session that the answer gives.
    ///
    /// - Parameter account: the name that was sent.
    /// - Throws: `APIFailure.malformed`.
    func session(of account: String) throws(APIFailure) -> Session {
        let (name, token) = (try text("username"), try text("token"))
        guard name.isShortLine else { throw .malformed(.unusableMember("username")) }
        guard token.isBearerToken else { throw .malformed(.unusableMember("token")) }
        return Session(account: account, name: name, token: token)
    }

    private static func object(_ content: [UInt8]) throws(MalformedAnswer) -> JSONObject {
        let document: JSONDocument
        do throws(JSONFault) { document = try JSONDocument(content) } catch {
            // Only where, not what: the answer may repeat a password.
            throw .notJSON(error.location)
        }
        if let twice = document.duplicateKeys.first { throw .duplicateMember(twice.second) }
        guard let object = document.root.object else { throw .notAnObject }
        return object
    }

    private static func refusal(_ response: FetchedResponse, secrets: [String]) -> APIRefusal {
        let object = try? object(response.content)
        let code = object?["code"]?.string.flatMap { word in
            // The words that are known say nothing about the password, be it one of them.
            APIRefusal.Reason(rawValue: word) != nil || word.isCode && !word.holds(oneOf: secrets) ? word : nil
        }
        let sentence = object?["error"]?.string.flatMap { text in
            // Bounded first: looking for the secrets takes the product of both lengths.
            text.utf8.count <= longestSentence && !text.holds(oneOf: secrets) ? text : nil
        }
        let wait = response.first("retry-after").flatMap { text in
            text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(text) : nil
        }
        return APIRefusal(
            status: response.status, code: code, sentence: sentence, retryAfter: wait.map { min($0, longestWait) })
    }
}
