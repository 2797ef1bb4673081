import HTTP
import HTTPTypes
import Platform

@testable import Server

/// How much of the server handles a request.
enum Depth: Sendable, CustomStringConvertible {
    /// The router and what it decides for, called directly.
    case router
    /// The bytes of a request in, the bytes of the response out; no socket and no loop.
    case memory
    /// A running server on loopback.
    case live(Way)

    static let all = [Depth.router, .memory] + Way.all.map { .live($0) }

    var description: String {
        switch self {
        case .router: "router"
        case .memory: "memory"
        case .live(let way): "live, \(way)"
        }
    }

    /// Asks questions one after the other, over one connection where there is one.
    func ask(_ questions: [Question], of router: Router) async throws -> [Answer] {
        switch self {
        case .router:
            var answers: [Answer] = []
            for question in questions { answers.append(try await Self.decide(question, router)) }
            return answers
        case .memory: return try await Conversation(router).answers(to: questions)
        case .live(let way):
            let mailbox = Mailbox<[Answer]>()
            try await Live.run(way.poller, router) { live in
                let wire = try await live.connect(isSecure: way.isSecure)
                var answers: [Answer] = []
                for question in questions { answers.append(try await wire.ask(question)) }
                mailbox.put(answers)
            }
            return mailbox.values.first ?? []
        }
    }

    func ask(_ question: Question, of router: Router) async throws -> Answer {
        let answers = try await ask([question], of: router)
        guard let answer = answers.first else { throw Answer.Malformed(what: "no answer") }
        return answer
    }

    private static func decide(_ question: Question, _ router: Router) async throws -> Answer {
        let head = try question.head()
        switch router.decide(head) {
        case .representation(let representation): return try Answer(representation, head)
        case .response(let response): return Answer(response, head)
        case .handler(let handler, let parameters, _):
            let request = try Request(
                head: head, content: question.content, parameters: parameters, peer: .example)
            return Answer(await handler.respond(to: request), head)
        case .file(let files): return try Answer(await files.find(head.pathText), head)
        }
    }
}

extension StaticFiles {
    /// Finds the file of a path. Its name differs from that of the function that the loop calls.
    func find(_ path: String) async -> Outcome {
        await withCheckedContinuation { continuation in load(Array(path.utf8)) { continuation.resume(returning: $0) } }
    }
}

extension Answer {
    init(_ response: Response, _ head: RequestHead) {
        self.init(
            status: response.status.code,
            fields: response.fields.map { Field(name: $0.name.canonicalName, value: $0.value) },
            content: head.method == .head ? [] : response.content)
    }

    init(_ representation: Representation, _ head: RequestHead) throws {
        let selection = representation.select(for: head, now: 0)
        self.init(status: selection.status, content: Array(selection.content[selection.range]))
        for line in String(decoding: selection.fields, as: UTF8.self).split(separator: "\r\n") {
            fields.append(try Field(line))
        }
    }

    init(_ outcome: StaticFiles.Outcome, _ head: RequestHead) throws {
        switch outcome {
        case .found(let representation): try self.init(representation, head)
        case .folder: self.init(status: 308, fields: [Field(name: "location", value: head.pathText + "/")])
        case .notFound: self.init(Router.notFound(head), head)
        case .failed: self.init(status: 500)
        }
    }
}

extension Peer {
    struct NoAddress: Error {}

    /// A client that no socket leads to.
    static var example: Peer {
        get throws {
            guard let address = SocketAddress("192.0.2.1", port: 50_000) else { throw NoAddress() }
            return Peer(address: address)
        }
    }
}

/// A connection without a socket: drives the state machine, the router and the serializer as an event loop does.
struct Conversation {
    private let peer: Peer
    private let router: Router
    private var machine = ServerConnection()
    private var serializer = ResponseSerializer()
    private var output: [UInt8] = []

    init(_ router: Router) throws {
        self.router = router
        peer = try Peer.example
        serializer.update(now: 0)
    }

    consuming func answers(to questions: [Question]) async throws -> [Answer] {
        var conversation = self
        var answers: [Answer] = []
        for question in questions {
            question.bytes.withFieldBytes { conversation.machine.received($0) }
            try await conversation.perform()
            guard let answer = try Answer.take(from: &conversation.output, isHead: question.method == "HEAD") else {
                throw Answer.Malformed(what: "half an answer to \(question)")
            }
            answers.append(answer)
        }
        return answers
    }

    private mutating func perform() async throws {
        var routed: (any Handler, [String])?
        while true {
            switch machine.next() {
            case .read, .wait, .close: return
            case .shutDown: continue
            case .sendContinue: serializer.appendContinue(to: &output)
            case .reject(let rejection): write(ErrorAnswer.make(rejection, for: nil))
            case .route:
                switch router.decide(machine.head) {
                case .handler(let handler, let parameters, _):
                    routed = (handler, parameters)
                    machine.proceed()
                case .representation(let representation): write(representation)
                case .response(let response):
                    machine.answerNow()
                    write(response)
                case .file(let files):
                    let answer = try Answer(await files.find(machine.head.pathText), machine.head)
                    machine.answerNow()
                    write(answer)
                }
            case .respond:
                guard let (handler, parameters) = routed else { return }
                let request = Request(
                    head: machine.head, content: machine.takeContent(), parameters: parameters,
                    peer: peer)
                write(await handler.respond(to: request))
            }
        }
    }

    private mutating func write(_ response: Response) {
        serializer.append(
            response, isHead: machine.head.method == .head, isSecure: false, persistence: machine.persistence,
            to: &output)
        machine.answered()
    }

    private mutating func write(_ representation: Representation) {
        machine.answerNow()
        let selection = representation.select(for: machine.head, now: 0)
        serializer.appendHead(
            statusLine: selection.statusLine, fields: selection.fields, isSecure: false,
            persistence: machine.persistence, to: &output)
        output += selection.content[selection.range]
        machine.answered()
    }

    /// The response of a file, which already has its length.
    private mutating func write(_ answer: Answer) {
        let lines = answer.fields.map { "\($0.name): \($0.value)\r\n" }.joined()
        let length = answer["content-length"] == nil ? "Content-Length: \(answer.content.count)\r\n" : ""
        serializer.appendHead(
            statusLine: ResponseSerializer.statusLine(answer.status, "Status"), fields: Array((lines + length).utf8),
            isSecure: false, persistence: machine.persistence, to: &output)
        output += answer.content
        machine.answered()
    }
}
