import MotivatorHTTP
import Testing

/// A rule of the parser: bytes, and the expected result for every split.
struct ParserCase: Sendable, CustomTestStringConvertible {
    let rule: String
    let source: String
    let bytes: [UInt8]
    let expected: Expected
    let limits: Limits

    /// - Parameter input: One byte per scalar. `\u{85}` stands for the byte 0x85.
    init(_ rule: String, _ source: String, _ input: String, _ expected: Expected, limits: Limits = Limits()) {
        self.rule = rule
        self.source = source
        bytes = latin1(input)
        self.expected = expected
        self.limits = limits
    }

    var testDescription: String { "\(rule) (\(source))" }
}

/// A message as the parser interprets it.
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

/// The result of parsing a stream of bytes.
struct Reading: Equatable, Sendable {
    enum End: Equatable, Sendable {
        /// No byte of the next message has arrived.
        case betweenMessages
        /// A message is incomplete.
        case insideMessage
        case rejected(Rejection)
    }

    var messages: [Message] = []
    var end = End.betweenMessages
}

/// The expected result of a case. Field lines are compared only if specified.
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
            method: method, methodText: named ?? method.name, target: target, path: path ?? target,
            query: query, host: host, version: version, isAsterisk: isAsterisk, framing: framing,
            content: latin1(content), keepsAlive: keepsAlive, expectsContinue: expectsContinue)
        return Expected(messages: [Wanted(message: message, fields: fields)])
    }

    static func rejected(_ rejection: Rejection) -> Expected { Expected(messages: [], end: .rejected(rejection)) }

    /// The bytes are a valid start of a message.
    static let unfinished = Expected(messages: [], end: .insideMessage)

    /// Returns both results in sequence.
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
