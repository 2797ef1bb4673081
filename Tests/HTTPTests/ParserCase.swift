import MotivatorHTTP
import Testing

/// One rule of the parser: bytes, and what they amount to however they are cut.
struct ParserCase: Sendable, CustomTestStringConvertible {
    let rule: String
    let source: String
    let bytes: [UInt8]
    let expected: Expected
    let limits: Limits

    /// - Parameter input: one byte for each scalar, so that `\u{85}` stands for the byte 0x85.
    init(_ rule: String, _ source: String, _ input: String, _ expected: Expected, limits: Limits = Limits()) {
        self.rule = rule
        self.source = source
        bytes = latin1(input)
        self.expected = expected
        self.limits = limits
    }

    var testDescription: String { "\(rule) (\(source))" }
}

/// A message as the parser understood it.
struct Message: Equatable, Sendable {
    var method = Method.get
    var methodText = "GET"
    var target = "/"
    var path = "/"
    var query: String?
    var host: String? = "a"
    var version = RequestHead.Version.http11
    var isAsterisk = false
    var fields: [String] = []
    var framing = Framing.none
    var content: [UInt8] = []
    var keepsAlive = true
    var expectsContinue = false
}

extension Message {
    init(_ head: RequestHead, content: [UInt8]) {
        method = head.method
        methodText = head.methodText
        target = head.targetText
        path = head.pathText
        query = head.queryText
        host = head.hostText
        version = head.version
        isAsterisk = head.isAsterisk
        fields = head.fieldLines.map { "\($0.name): \($0.value)" }
        framing = head.framing
        self.content = content
        keepsAlive = head.keepsAlive
        expectsContinue = head.expectsContinue
    }
}

/// What a stream of bytes amounts to.
struct Reading: Equatable, Sendable {
    enum End: Equatable, Sendable {
        /// Nothing of a next message is there.
        case betweenMessages
        /// A message has begun.
        case insideMessage
        case rejected(Rejection)
    }

    var messages: [Message] = []
    var end = End.betweenMessages
}

/// What a case wants; field lines are compared only where they are given.
struct Expected: Sendable {
    struct Wanted: Sendable {
        var message = Message()
        var fields: [String]?
    }

    var messages: [Wanted]
    var end = Reading.End.betweenMessages

    static func accepted(
        _ method: Method = .get, named: String? = nil, target: String = "/", path: String? = nil, query: String? = nil,
        host: String? = "a", version: RequestHead.Version = .http11, isAsterisk: Bool = false, fields: [String]? = nil,
        framing: Framing = .none, content: String = "", keepsAlive: Bool = true,
        expectsContinue: Bool = false
    ) -> Expected {
        let message = Message(
            method: method, methodText: named ?? String(describing: method.name), target: target, path: path ?? target,
            query: query, host: host, version: version, isAsterisk: isAsterisk, framing: framing,
            content: latin1(content), keepsAlive: keepsAlive, expectsContinue: expectsContinue)
        return Expected(messages: [Wanted(message: message, fields: fields)])
    }

    static func rejected(_ rejection: Rejection) -> Expected { Expected(messages: [], end: .rejected(rejection)) }

    /// The bytes are a part of something that is legal so far.
    static let unfinished = Expected(messages: [], end: .insideMessage)

    /// Both, one after the other.
    func then(_ next: Expected) -> Expected { Expected(messages: messages + next.messages, end: next.end) }

    func matches(_ reading: Reading) -> Bool {
        guard end == reading.end, messages.count == reading.messages.count else { return false }
        return zip(messages, reading.messages).allSatisfy { wanted, message in
            var expected = wanted.message
            expected.fields = wanted.fields ?? message.fields
            return expected == message
        }
    }
}
