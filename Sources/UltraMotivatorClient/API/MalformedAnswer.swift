import SourceJSON

/// What is wrong with an answer of the API.
public enum MalformedAnswer: Error, Hashable, Sendable {
    /// A success of another kind than the call has.
    case unexpectedStatus(Int)
    /// The content is no JSON, from this place on.
    case notJSON(SourceLocation)
    case notAnObject
    /// A member is there twice; this is where it is there again.
    case duplicateMember(SourceLocation)
    /// A member is missing, or is no string.
    case missingMember(String)
    /// A member has a value that it cannot have: a token that cannot be sent back, a name that nobody can read.
    case unusableMember(String)
    /// What the answer is wrong in repeats a secret of the request, so it is not told.
    case repeatsSecret

    /// What is wrong, as a sentence without the full stop.
    var problem: String {
        switch self {
        case .unexpectedStatus(let status): "the server answered with the status \(status), which is not this call's"
        case .notJSON(let place): "the server's answer is not JSON: there is a mistake at \(place)"
        case .notAnObject: "the server's answer is no JSON object"
        case .duplicateMember(let place): "the server's answer has a member twice, again at \(place)"
        case .missingMember(let name): "the server's answer has no text as \"\(name)\""
        case .unusableMember(let name): "the server's answer has a \"\(name)\" that cannot be used"
        case .repeatsSecret: "the server's answer is malformed, and repeats a secret that was sent"
        }
    }
}
